"""The table of a language: the shared rows and its own, in the one order that all languages have."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cosyedge.text.normalise.written import codes, dates, measures, money
from cosyedge.text.normalise.written.fold import fold
from cosyedge.text.normalise.written.language import Language
from cosyedge.text.normalise.written.marks import NEGATIVE, TO
from cosyedge.text.normalise.written.rows import FIGURE, START, Row, Table, apply, row

#: A text without any of these has no written form but those that a language looks for first.
_FORMS: Final = re.compile(r"[0-9$€£¥₩₹₽฿₫₿¢%‰&°²³→+*×÷=<>≤≥≈≠±√∞#@/]")


class Normaliser:
    """Written text of one language to its words; the time is linear in the length.

    The longest expressions come first: what a row has read is words, which no later row looks at, and no
    digit is left that a second pass could find.
    """

    def __init__(self, language: Language) -> None:
        self._first = apart(language, language.first)
        self._table = apart(
            language,
            (
                _power_row(language, r"(?:(?<![A-Za-zΩ])|(?!\^[23](?![0-9])))"),
                *language.dates,
                *codes.first_rows(language),
                *dates.rows(language),
                *language.codes,
                *codes.rows(language),
                *language.ranges,
                *measures.dash_rows(language),
                *money.rows(language),
                *measures.operator_rows(language),
                *language.measures,
                *measures.rows(language),
                _power_row(language, ""),
                *language.counts,
                *_number_rows(language),
                *_sign_rows(language),
                *language.last,
            ),
        )

    def __call__(self, text: str) -> str:
        return self.forms(fold(text))

    def forms(self, text: str) -> str:
        """The same for a text whose characters are folded."""
        text = apply(self._first, text)
        return apply(self._table, text) if _FORMS.search(text) else text


def _number_rows(language: Language) -> Table:
    def bare(match: re.Match[str]) -> str:
        return language.bare(match["figure"].replace(NEGATIVE, "-"))

    def rest(match: re.Match[str]) -> str:
        point = language.point if match[0][0] == "." else ""
        return point + language.digits(match["figure"])

    return (
        row(rf"{START}(?P<figure>{NEGATIVE}?{FIGURE})", bare),
        row(r"\.?(?P<figure>[0-9]++)", rest),
        row(TO, language.to),
        row(NEGATIVE, language.minus),
    )


def _power_row(language: Language, where: str) -> Row:
    """10^6 and x^-1; m^2 is a unit first."""

    def power(match: re.Match[str]) -> str:
        figure = match["figure"].replace(NEGATIVE, "-")
        square_or_cube = {"2": "²", "3": "³"}.get(figure)
        return language.signs[square_or_cube] if square_or_cube else language.power(figure)

    return row(
        rf"{where}\^(?P<bracket>\()?(?P<figure>[-+{NEGATIVE}]?[0-9]{{1,6}})(?(bracket)\))(?![0-9]|\.[0-9])",
        power,
    )


def _sign_rows(language: Language) -> Table:
    def sign(match: re.Match[str]) -> str:
        return language.signs[match[0]]

    signs = "|".join(map(re.escape, sorted(language.signs, key=len, reverse=True)))
    money_signs = "".join(s for s in language.currencies if len(s) == 1)
    return (
        row(f"[{re.escape(money_signs)}]", lambda match: language.currencies[match[0]]),
        row(signs, sign),
        row(r"(?<=\w) ?([<>]) ?(?=\w)|^([<>])$", lambda match: language.operators[match[0].strip()]),
    )


def apart(language: Language, table: Table) -> Table:
    """Readers whose words keep their distance, in a language that parts words.

    What a reader gives back as it was stays as it stood.
    """
    if not language.spaced:
        return table
    both = language.spaced == "both"

    def spaced(reader: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
        def read(match: re.Match[str]) -> str:
            text, start, end = match.string, match.start(), match.end()
            left = " " if start and text[start - 1].isalnum() else ""
            right = " " if both and end < len(text) and text[end].isalnum() else ""
            said = reader(match)
            return said if said == match[0] else f"{left}{said}{right}"

        return read

    return tuple((pattern, spaced(reader) if callable(reader) else reader) for pattern, reader in table)
