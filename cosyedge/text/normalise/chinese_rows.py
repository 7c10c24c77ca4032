"""Rows of Mandarin and Cantonese that differ in no character, and readers of those that differ in characters
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cosyedge.text.normalise import han_numbers
from cosyedge.text.normalise.written.money import SIGN
from cosyedge.text.normalise.written.rows import FLOOR, Row, Table, row

#: A year that looks like one.
YEAR: Final = r"(?P<year>(?:1[0-9]|20|21)[0-9]{2})"
#: Parts of an angle, or of an arc.
ANGLES: Final[Table] = (
    row(r"(?<=[0-9])°(?=[0-9])", "度"),
    row(r"(?<=[0-9])′", "分"),
    row(r"(?<=[0-9])″", "秒"),
)
#: 120/80mmHg.
BLOOD_PRESSURE: Final[Row] = row(r"(?:(?<=[0-9]/[0-9]{2})|(?<=[0-9]/[0-9]{3})) ?mmHg(?![A-Za-z])", "毫米汞柱")
_NO_GROUPS: Final = ("", "", "", "")


def lettered(code: Callable[[str], str]) -> Row:
    """A flight, a plate, a model: the digits behind capitals are read one by one, a round number is not."""
    return row(
        rf"(?<![A-Za-z0-9])(?!(?:{SIGN})(?![A-Za-z]))(?P<letters>[A-Z]{{1,3}}[·•]?)"
        r"(?P<figure>(?![0-9]*00(?![0-9]))[0-9]{3,5})(?![0-9A-Za-z%]|[.,:/-][0-9])",
        lambda match: match["letters"] + code(match["figure"]),
    )


def floor(word: str) -> Row:
    """3F, and B1F below the ground."""
    return row(FLOOR, lambda match: f"{'地下' if match['below'] else ''}{match['figure']}{word}")


def ordinal(cardinal: Callable[[str], str]) -> Row:
    """第2 is 第二, never 第两."""
    return row(
        r"(?P<before>第 ?|初)(?P<figure>[0-9]{1,12})(?![0-9.]*[0-9])",
        lambda match: match["before"].strip() + cardinal(match["figure"]),
    )


def month_day(day_word: str) -> Callable[[re.Match[str]], str]:
    """Of a ``month``, a ``day``, its ``mark`` (else ``day_word``), and a ``dash`` before another day."""

    def say(match: re.Match[str]) -> str:
        month, day = (han_numbers.cardinal(match[part], _NO_GROUPS) for part in ("month", "day"))
        return f"{month}月{day}{match['mark'] or day_word}{'到' if match['dash'] else ''}"

    return say


def weekday(match: re.Match[str]) -> str:
    """Of the word for a ``week`` and the ``figure`` of its day."""
    figure = match["figure"]
    return match["week"] + ("日" if figure in "70" else han_numbers.digits(figure))
