"""A row is a written form and its reader; a table is rows in the order of their application."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

#: A function of the match that gives what is said, or a template.
Reader = Callable[[re.Match[str]], str] | str
Row = tuple[re.Pattern[str], Reader]
Table = tuple[Row, ...]

#: A figure as it is written: thousands parted by commas, a decimal point. Possessive, so that a long
#: run of digits is walked over once.
FIGURE: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3})++(?![0-9])|[0-9]++)(?:\.[0-9]++)?"
#: No figure begins inside another.
START: Final = r"(?<![0-9.])(?<![0-9],)"
#: What parts the two ends of a range.
DASH: Final = r" ?[-–—~]{1,2} ?"
#: A sign before a figure that no figure, word or bracket stands before.
MINUS: Final = r"(?<![0-9A-Za-z%°)])[-–]"

#: A floor as signs and lifts in East Asia name it, 3F and B1F, where it is no capacitor's.
FLOOR: Final = (
    r"(?<![0-9A-Za-z.,])(?P<below>B)?(?P<figure>[1-9][0-9]?)F"
    r"(?![0-9A-Za-z]|的?(?:超[级級])?[电電]容|のコンデンサ|コンデンサ| ?콘덴서)"
)


def row(pattern: str, reader: Reader) -> Row:
    return re.compile(pattern), reader


def apply(table: Table, text: str) -> str:
    """``text`` after every row in turn; linear, because every row is."""
    for pattern, reader in table:
        text = pattern.sub(reader, text)
    return text
