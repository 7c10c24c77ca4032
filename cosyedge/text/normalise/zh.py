"""Mandarin as it is written to Mandarin as it is spoken: one ordered table of patterns and their readers.

:func:`normalise` takes the text of one Mandarin span and leaves Han characters, punctuation, and the
Latin letters that are not units: those are read by the language they belong to. It is pure and
idempotent, because no digit is left that a second pass could find. Rows that need more than a line are
in the modules beside this one; rows stand in the order in which a reader would look for them, the
longest expressions first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cosyedge.text.normalise import zh_codes as codes
from cosyedge.text.normalise import zh_dates as dates
from cosyedge.text.normalise import zh_measures as measures
from cosyedge.text.normalise import zh_money as money
from cosyedge.text.normalise import zh_numbers as numbers
from cosyedge.text.normalise.zh_fold import fold

_Reader = Callable[[re.Match[str]], str] | str
_F: Final = numbers.FIGURE
_START: Final = numbers.START


def _row(pattern: str, reader: _Reader) -> tuple[re.Pattern[str], _Reader]:
    return re.compile(pattern), reader


#: Signs between two figures, or before one.
_OPERATORS: Final = {
    "+": "加", "-": "减", "−": "减", "–": "减", "*": "乘", "×": "乘", "x": "乘", "X": "乘", "÷": "除以",
    "/": "除以", "=": "等于", "≈": "约等于", "≠": "不等于", "<": "小于", ">": "大于", "≤": "小于等于",
    "≥": "大于等于", "±": "正负",
}  # fmt: skip


def _operator(match: re.Match[str]) -> str:
    return _OPERATORS[match["operator"]]


def _degrees(match: re.Match[str]) -> str:
    return {"C": "摄氏度", "F": "华氏度", None: "度"}[match["scale"]]


#: The rules in the order of their application. A reader is a function of the match, or a template.
_TABLE: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = (
    _row(
        r"^(?P<before>\s*)[(（]?(?P<figure>[0-9]{1,2})(?:[.)）]|、)\s?(?=[^0-9\s])", r"\g<before>\g<figure>，"
    ),
    # Many figures in one reading: dates, times, addresses of machines, telephone numbers, codes.
    *dates.ROWS,
    *codes.ROWS,
    # A dash between figures: an equation, a range, or a sign.
    _row(rf"(?<=[0-9]) ?(?P<operator>[-−–]) ?(?={_F} ?[=≈])", _operator),
    *measures.RANGES,
    *money.ROWS,
    *measures.SIGNS,
    _row(r"(?P<operator>[=≈≠<>≤≥±])(?= ?[0-9负])", _operator),
    _row(r"(?<=[0-9A-Za-z%°)]) ?(?P<operator>[+*×÷]) ?(?=[0-9(])", _operator),
    _row(r"(?<=[0-9]) ?(?P<operator>[xX]) ?(?=[0-9])", _operator),
    *measures.PARTS,
    *measures.ROWS,
    _row(rf"{_START}(?P<figure>{_F})", lambda match: numbers.number(match["figure"])),
    _row(
        r"\.?(?P<figure>[0-9]++)", lambda match: "点" * (match[0][0] == ".") + numbers.digits(match["figure"])
    ),
    # What is left of signs that are words.
    money.ALONE,
    _row(r"&", "和"),
    _row(r"²", "的平方"),
    _row(r"³", "的立方"),
    _row(r"%", "百分号"),
    _row(r"°(?:(?P<scale>[CF])(?![A-Za-z]))?", _degrees),
    _row(r"→", "到"),
    _row(r"(?<=[元角块次米里人个件度升克斤时分秒天月年])/(?=[\u4e00-\u9fff])", "每"),
)


def normalise(text: str) -> str:
    """``湿度45%`` → ``湿度百分之四十五``; the time is linear in the length."""
    text = fold(text)
    for pattern, reader in _TABLE:
        text = pattern.sub(reader, text)
    return text
