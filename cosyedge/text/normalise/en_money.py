"""English readings of sums of money."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.en_numbers import FIGURE, cardinal, is_one, quantity

#: sign or code → name of one unit, of one hundredth of it.
_CURRENCIES: Final = {
    "US$": ("dollar", "cent"),
    "HK$": ("hong kong dollar", "cent"),
    "NT$": ("new taiwan dollar", "cent"),
    "A$": ("australian dollar", "cent"),
    "C$": ("canadian dollar", "cent"),
    "S$": ("singapore dollar", "cent"),
    "$": ("dollar", "cent"),
    "€": ("euro", "cent"),
    "£": ("pound", "penny"),
    "¥": ("yen", ""),
    "₩": ("won", ""),
    "₹": ("rupee", "paisa"),
    "₽": ("ruble", "kopeck"),
    "₿": ("bitcoin", ""),
    "USD": ("U S dollar", "cent"),
    "EUR": ("euro", "cent"),
    "GBP": ("british pound", "penny"),
    "JPY": ("japanese yen", ""),
    "CNY": ("chinese yuan", ""),
    "RMB": ("chinese yuan", ""),
    "HKD": ("hong kong dollar", "cent"),
    "TWD": ("new taiwan dollar", "cent"),
    "CHF": ("swiss franc", ""),
    "CAD": ("canadian dollar", "cent"),
    "AUD": ("australian dollar", "cent"),
    "SEK": ("swedish krona", ""),
    "KRW": ("korean won", ""),
}
_PLURALS: Final = {
    "penny": "pence",
    "swedish krona": "swedish kronor",
    "paisa": "paise",
    "yen": "yen",
    "won": "won",
    "japanese yen": "japanese yen",
    "chinese yuan": "chinese yuan",
    "korean won": "korean won",
}
_SCALES: Final = {
    "k": "thousand",
    "m": "million",
    "mn": "million",
    "b": "billion",
    "bn": "billion",
    "t": "trillion",
}

_SIGN: Final = "|".join(re.escape(c) for c in sorted(_CURRENCIES, key=len, reverse=True) if not c.isalpha())
_CODE: Final = "|".join(c for c in _CURRENCIES if c.isalpha())
_SCALE: Final = r"(?:\s?(?P<scale>thousand|million|billion|trillion|mn|bn|[kKmMbBT])\b)?"
_SECOND: Final = rf"(?:\s?(?:[-–—]|to)\s?(?:{_SIGN})?(?P<to>{FIGURE}))?"
#: $5, US$ 3.20, €2 million, $5-10, USD 20.
BEFORE: Final = re.compile(
    rf"(?<![A-Za-z0-9])(?P<sign>{_SIGN}|(?:{_CODE})(?=\s?[0-9]))\s?(?P<figure>{FIGURE}){_SECOND}{_SCALE}(?![0-9])"
)
#: 20 €, 20€, 20 USD.
AFTER: Final = re.compile(
    rf"(?<![A-Za-z0-9.,])(?P<figure>{FIGURE}){_SECOND}{_SCALE}\s?(?P<sign>{_SIGN}|(?:{_CODE})\b)(?!\s?[0-9])"
)
CENTS: Final = re.compile(rf"(?<![A-Za-z0-9.,])(?P<figure>{FIGURE})\s?¢")
LONE_SIGN: Final = re.compile(r"[$€£¥₩₹₽₿¢]")


def _plural(name: str) -> str:
    return _PLURALS.get(name, name + "s")


def read_money(match: re.Match[str]) -> str:
    """$49.95 → forty nine dollars and ninety five cents; $2.5M → two point five million dollars."""
    one, hundredth = _CURRENCIES[match["sign"]]
    figure, scale = match["figure"].replace(",", ""), match["scale"]
    if match["to"]:
        head = f"{quantity(figure)} to {quantity(match['to'])}"
        return f"{head} {_scale(scale)}{_plural(one)}"
    if scale:
        return f"{quantity(figure)} {_scale(scale)}{_plural(one)}"
    whole, point, part = figure.partition(".")
    if not point or not hundredth or len(part) != 2:
        return f"{quantity(figure)} {one if is_one(figure) else _plural(one)}"
    units, cents = int(whole or 0), int(part)
    said: list[str] = []
    if units or not cents:
        said.append(f"{cardinal(units)} {one if units == 1 else _plural(one)}")
    if cents:
        said.append(f"{cardinal(cents)} {hundredth if cents == 1 else _plural(hundredth)}")
    return " and ".join(said)


def _scale(scale: str | None) -> str:
    if not scale:
        return ""
    return _SCALES.get(scale.lower(), scale) + " "


def read_cents(match: re.Match[str]) -> str:
    return f"{quantity(match['figure'])} {'cent' if is_one(match['figure']) else 'cents'}"


def read_lone_sign(match: re.Match[str]) -> str:
    return f" {'cents' if match.group() == '¢' else _plural(_CURRENCIES[match.group()][0])} "
