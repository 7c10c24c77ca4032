"""Rows that only Cantonese has: dates and times in its characters, in both ways of writing, and 兩 for 二."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.chinese_rows import (
    ANGLES,
    BLOOD_PRESSURE,
    YEAR,
    floor,
    lettered,
    month_day,
    named_code,
    ordinal,
    slashed_date,
    weekday,
)
from cosyedge.text.normalise.han_numbers import digits, hour, two_digits
from cosyedge.text.normalise.written.marks import NEGATIVE, TO
from cosyedge.text.normalise.written.rows import FIGURE, START, Table, row
from cosyedge.text.normalise.yue_numbers import cardinal, code
from cosyedge.text.normalise.yue_units import COUNTED

#: Behind 年 these make it a count of years, even where the figure looks like a year.
_YEARS: Final = "(?=[來来]|[間间]|之耐|[嘅的]?(?:[歷历]史|[時时][間间])|多)"
_DASH: Final = r" ?[-–—~至到]{1,2} ?"
_POINT: Final = "[點点]"
#: Behind these 2點 is a time, not two points of a list.
_AFTER_HOUR: Final = "(?=[0-9零一二三四五六七八九十半正前後后鐘钟左以之到至、，。！？ ]|$)"


def _clock(match: re.Match[str]) -> str:
    minute = match["minute"]
    said = f"{hour(match['hour'], '兩')}點"
    return said if minute == "00" else f"{said}{two_digits(minute)}分"


FIRST: Final[Table] = (
    floor("樓"),
    BLOOD_PRESSURE,
)

DATES: Final[Table] = (
    slashed_date("號", "星期"),
    named_code(code),
    row(
        rf"(?<![0-9.])(?:{YEAR}年{_YEARS}|(?P<round>1[0-9]00|2000)年(?=前|[後后]|以前|以上))",
        lambda match: f"{cardinal(match['year'] or match['round'])}年",
    ),
    row(
        rf"(?<![0-9.]){YEAR}(?={_DASH}[0-9]{{4}}年|年|年代|[屆届]|款|版|[賽赛]季|[財财]年|世界杯)",
        lambda match: digits(match[0]),
    ),
    row(
        r"(?<![0-9.])(?P<figure>0[0-9](?=年)|[0-9]{2}(?=年 ?[0-9]{1,2}月))",
        lambda match: digits(match["figure"]),
    ),
    row(
        r"(?<![0-9.])(?P<month>0?[1-9]|1[0-2])月(?P<day>0?[1-9]|[12][0-9]|3[01])(?:(?P<mark>[日號号])|(?![0-9.日號号]))"
        rf"(?P<dash>{_DASH}(?=[0-9]{{1,2}} ?[日號号月]))?",
        month_day("號"),
    ),
)

CODES: Final[Table] = (
    lettered(code),
    row(
        rf"(?<![0-9.])(?P<hour>[01]?[0-9]|2[0-4]){_POINT}(?P<minute>[0-5][0-9])(?:分(?![之鐘钟]))?(?![0-9.%])",
        _clock,
    ),
    row(rf"(?<![0-9.:第])0?2(?={_POINT}{_AFTER_HOUR})", "兩"),
    row(
        r"(?<=[點点時时])(?P<minute>[0-9]{1,2})(?=分(?![之鐘钟]))", lambda match: two_digits(match["minute"])
    ),
    row(r"(?P<week>星期|[禮礼]拜|週|周) ?(?P<figure>[0-7])(?![0-9.:%]|年|[歲岁]|[個个]|日|次)", weekday),
    # Bus routes and flights of three digits are spelled.
    row(r"(?<![0-9.,])(?P<figure>[0-9]{3})(?=[號号]?(?:路(?!人)|巴士))", lambda match: code(match["figure"])),
    ordinal(cardinal),
    row(r"(?P<number>(?:#|№ ?|(?<![A-Za-z])[Nn][Oo]\. ?)[0-9]{1,6})[號号]", r"\g<number>"),
)

RANGES: Final[Table] = (row(r"(?P<word>零下|[負负]) ?[-–](?=[0-9])", r"\g<word>"),)

MEASURES: Final[Table] = (
    row(
        rf"{NEGATIVE}(?={FIGURE}(?:{TO}{NEGATIVE}?{FIGURE})? ?(?:度(?![電电])|[攝摄]氏|[華华]氏))",
        "零下",
    ),
    row(rf"{START}2(?={TO}{FIGURE} ?(?:{COUNTED}|{_POINT}|[百千]))(?!{TO}{FIGURE} ?°)", "兩"),
)

COUNTS: Final[Table] = (
    *ANGLES,
    row(rf"{START}(?<![第A-Za-z])(?<!{NEGATIVE})2(?= ?(?:{COUNTED}|[千]))(?! ?[百千]分之)", "兩"),
)
