"""Sums of money: a sign or code before or behind a figure."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.written.figures import QUANTITY, figures_of, multiple_of
from cosyedge.text.normalise.written.language import Language
from cosyedge.text.normalise.written.marks import NEGATIVE, TO
from cosyedge.text.normalise.written.rows import START, Table, row

#: As currencies are written; what a language does not name stays as it is.
SIGNS: Final = (
    "CN¥", "JP¥", "US$", "HK$", "NT$", "A$", "C$", "S$", "¥", "$", "€", "£", "₩", "₹", "₽", "฿", "₫", "₿",
    "¢", "RMB", "CNY", "JPY", "USD", "HKD", "TWD", "AUD", "CAD", "SGD", "EUR", "GBP", "KRW", "CHF", "SEK",
    "INR",
)  # fmt: skip
SIGN: Final = "|".join(map(re.escape, SIGNS))
#: One of their characters, before a figure that closes a range ($5-$10).
SIGN_CHARACTERS: Final = "¥$€£₩₹₽฿₫₿"
#: The sign may be written again behind the dash.
_SUM: Final = QUANTITY.replace(TO, f"{TO}(?:(?P=sign) ?)?")


def rows(language: Language) -> Table:
    """In the order of their application."""
    multiple = multiple_of(language, language.money_scales)

    def money(match: re.Match[str]) -> str:
        currency = language.currencies.get(match["sign"])
        if currency is None:
            return match[0]
        return language.money(figures_of(match), match["multiple"] or "", currency)

    return (
        row(
            # A sign that stands at the figure before it belongs to that one.
            rf"(?P<minus>{NEGATIVE})?(?<![A-Za-z0-9])(?!(?<=[0-9] )(?:{SIGN}) )(?P<sign>{SIGN}) ?"
            rf"{START}{_SUM}"
            rf"{multiple}(?: ?(?:{language.money_words}))?",
            money,
        ),
        row(rf"{START}{QUANTITY}{multiple} ?(?P<sign>{SIGN})(?![A-Za-z0-9])", money),
    )
