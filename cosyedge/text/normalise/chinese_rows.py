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
from cosyedge.text.typed import TYPED

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
_TYPED_MARKS: Final = "@#$%&*_.!-"
#: First on a plate of the mainland.
_PROVINCES: Final = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼使领"
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


def slashed_date(day_word: str, week: str) -> Row:
    """12/7（周一）, 12/7（一）, 12/7 星期一: with the day of the week behind it, no fraction and no ratio."""

    def say(match: re.Match[str]) -> str:
        bare = f"（{week}{match['bare']}）" if match["bare"] else ""
        return f"{int(match['month'])}月{int(match['day'])}{day_word}{bare}"

    return row(
        r"(?<![0-9/.])(?P<month>0?[1-9]|1[0-2])/(?P<day>0?[1-9]|[12][0-9]|3[01])"
        r"(?: ?[(（](?P<bare>[一二三四五六日])[)）]"
        r"|(?= ?[(（]?(?:周|週|星期|[礼禮]拜)[一二三四五六日天]))",
        say,
    )


def named_code(code: Callable[[str], str]) -> Row:
    """A password, a plate: figures beside Latin letters are typed in one by one."""
    return row(
        rf"(?P<name>{TYPED})"
        rf"(?P<code>(?=[A-Za-z{_TYPED_MARKS}]{{0,32}}[0-9])(?=[0-9{_TYPED_MARKS}]{{0,32}}[A-Za-z])"
        rf"[A-Za-z0-9](?:[A-Za-z0-9{_TYPED_MARKS}]{{0,30}}[A-Za-z0-9])?)"
        r"(?![A-Za-z0-9])",
        lambda match: match["name"] + _each_figure(match["code"], code),
    )


def plate(code: Callable[[str], str]) -> Row:
    """粤B·8D88F, 京AD12345."""
    return row(
        f"(?P<head>[{_PROVINCES}][A-HJ-Z][·•. ]?)"
        "(?P<code>(?=[A-Z]{0,5}[0-9])[A-Z0-9]{5,6})(?![A-Za-z0-9])",
        lambda match: match["head"] + _each_figure(match["code"], code),
    )


def _each_figure(written: str, code: Callable[[str], str]) -> str:
    return re.sub("[0-9]+", lambda figure: code(figure[0]), written)


def weekday(match: re.Match[str]) -> str:
    """Of the word for a ``week`` and the ``figure`` of its day."""
    figure = match["figure"]
    return match["week"] + ("日" if figure in "70" else han_numbers.digits(figure))
