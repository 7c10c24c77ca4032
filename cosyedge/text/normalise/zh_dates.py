"""Mandarin readings of dates and times."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cosyedge.text.normalise.zh_numbers import cardinal, digits

_Row = tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str]

_YEAR: Final = r"(?P<year>(?:1[0-9]|20|21)[0-9]{2})"
_DASH: Final = r" ?(?:[-–—~至到]{1,2}) ?"
_HOUR: Final = r"(?P<hour>[01]?[0-9]|2[0-4])"
_MINUTE: Final = r"(?P<minute>[0-5][0-9])"
_SECOND: Final = r"(?P<second>[0-5][0-9])"
#: Behind 年 these make it a count of years, even where the figure looks like a year.
_COUNTED: Final = r"(?=来|间|之久|的?历史|的?时间|多)"
#: And so do these before the figure.
_ABOUT: Final = "(?<=近)|(?<=约)|(?<=长达)|(?<=超过)|(?<=过去)|(?<=至少)|(?<=历时)"


def _read_date(match: re.Match[str]) -> str:
    month, day = int(match["month"]), int(match["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match[0]
    said = f"{cardinal(match['month'])}月{cardinal(match['day'])}日"
    return f"{digits(match['year'])}年{said}" + ("，" if match["time"] else "")


def _read_month_day(match: re.Match[str]) -> str:
    said = f"{cardinal(match['month'])}月{cardinal(match['day'])}{match['mark'] or '日'}"
    return said + ("到" if match["dash"] else "")


def _read_year_month(match: re.Match[str]) -> str:
    return f"{digits(match['year'])}年{cardinal(match['month'])}月"


def _read_year_range(match: re.Match[str]) -> str:
    first, last = match["first"], match["last"]
    if not match["mark"] and not 1800 <= int(first) < int(last) <= 2200:
        return match[0]
    between = "年到" if match["before"] else "到"
    return f"{digits(first)}{between}{digits(last)}{match['mark'] or ''}"


def _read_ratio(match: re.Match[str]) -> str:
    return f"{cardinal(match['left'])}比{cardinal(match['right'])}"


def _hour(figure: str) -> str:
    return "两" if int(figure) == 2 else cardinal(figure)


def _read_clock(match: re.Match[str]) -> str:
    said = f"{_hour(match['hour'])}点"
    minute = match["minute"]
    second = match["second"] if match["second"] != "00" else None
    if minute != "00" or second:
        said += f"{_two_digits(minute)}分"
    if second:
        said += f"{_two_digits(second)}秒"
    half = match["half"]
    if half:
        said = ("上午" if half[0] in "aA" else "下午") + said
    return said


def _two_digits(figure: str) -> str:
    if figure == "00":
        return "零"
    return ("零" if figure[0] == "0" else "") + cardinal(figure)


def _read_clock_range(match: re.Match[str]) -> str:
    return f"{match['first']}到"


def _read_half_day(match: re.Match[str]) -> str:
    return ("上午" if match["half"][0] in "aA" else "下午") + f"{_hour(match['hour'])}点"


def _read_weekday(match: re.Match[str]) -> str:
    figure = match["figure"]
    return match["week"] + ("日" if figure in "70" else cardinal(figure))


ROWS: Final[tuple[_Row, ...]] = (
    (
        re.compile(
            rf"(?<![0-9./-]){_YEAR}(?P<mark>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark)(?P<day>[0-9]{{1,2}})"
            r"(?![0-9]|[./-][0-9])[日号]?(?P<time>[T ](?=[0-9]))?"
        ),
        _read_date,
    ),
    (
        re.compile(rf"(?<![0-9./-]){_YEAR}[-/](?P<month>0[1-9]|1[0-2])(?![0-9]|[./-][0-9]|月)"),
        _read_year_month,
    ),
    (
        re.compile(
            rf"(?<![0-9./-])(?P<first>[0-9]{{4}})(?P<before>年)?{_DASH}(?P<last>[0-9]{{4}})(?![0-9./-])"
            r"(?P<mark>年)?(?=(?P<unit>[a-zA-Z%°元个人米])?)(?(unit)(?!))"
        ),
        _read_year_range,
    ),
    (
        re.compile(
            rf"(?<![0-9.])(?:{_YEAR}年{_COUNTED}|(?P<round>1[0-9]00|2000)年(?=前|后|以前|以上)"
            rf"|(?:{_ABOUT})(?P<about>[12][0-9]{{3}})年)"
        ),
        lambda match: f"{cardinal(match['year'] or match['round'] or match['about'])}年",
    ),
    (
        re.compile(
            rf"(?<![0-9.]){_YEAR}(?=年|年代|届|款|版|级|赛季|财年|春节|世界杯|奥运|新年)"
            r"|(?<=公元)(?P<era>[0-9]{1,4})(?=年)|(?<=公元前)(?P<before>[0-9]{1,4})(?=年)"
        ),
        lambda match: digits(match[0]),
    ),
    (
        re.compile(
            r"(?<![0-9.])(?P<figure>0[0-9](?=年)"
            r"|[0-9]{2}(?=年 ?[0-9]{1,2}月|年(?:出生|生人|毕业|款|版|底|初)))"
        ),
        lambda match: digits(match["figure"]),
    ),
    (
        re.compile(
            r"(?<![0-9.])(?P<month>0?[1-9]|1[0-2])月(?P<day>0?[1-9]|[12][0-9]|3[01])(?P<mark>[日号])?(?![0-9.])"
            rf"(?P<dash>{_DASH}(?=[0-9]{{1,2}} ?[日号月]))?"
        ),
        _read_month_day,
    ),
    # 8:00-18:00, before each end is read.
    (
        re.compile(
            r"(?P<first>(?<![0-9:.])[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?(?: ?[AaPp]\.?[Mm]\.?)?)"
            r" ?[-–—~至]{1,2} ?(?=[0-9]{1,2}:[0-5][0-9])"
        ),
        _read_clock_range,
    ),
    # A score or a ratio, where the words around say so.
    (
        re.compile(
            r"(?P<context>(?:比分|总比分|战胜|击败|领先|落后|战平|获胜|取胜|比例|赔率|大胜)[^0-9。！？]{0,6})"
            r"(?P<left>[0-9]{1,3}) ?[:-] ?(?P<right>[0-9]{1,3})(?![0-9:.])"
        ),
        lambda match: f"{match['context']}{cardinal(match['left'])}比{cardinal(match['right'])}",
    ),
    (
        re.compile(
            r"(?<=以)(?P<left>[0-9]{1,3}) ?[:-] ?(?P<right>[0-9]{1,3})"
            r"(?=的?(?:比分|战胜|击败|获胜|大胜|险胜|取胜|完胜|力克|惜败|逆转|领先|落后|不敌|负于|战平))"
        ),
        _read_ratio,
    ),
    (
        re.compile(
            rf"(?<![0-9:.]){_HOUR}:{_MINUTE}(?::{_SECOND})?(?![0-9:])(?:\.[0-9]{{1,6}})?[Zz]?"
            r"(?: ?(?P<half>[AaPp]\.?[Mm]\.?)(?![A-Za-z]))?"
        ),
        _read_clock,
    ),
    (re.compile(rf"(?<![0-9:.]){_HOUR} ?(?P<half>[AaPp]\.?[Mm]\.?)(?![A-Za-z])"), _read_half_day),
    (
        re.compile(r"(?<![0-9:.])(?P<left>[0-9]{1,4}) ?: ?(?P<right>[0-9]{1,4})(?![0-9:.])"),
        _read_ratio,
    ),
    # 19点17, 2点半; 2点 without an hour's company is a point of a list.
    (
        re.compile(r"(?<![0-9.])(?P<hour>[01]?[0-9]|2[0-4])点(?P<minute>[0-5][0-9])(?:分(?!之))?(?![0-9.%])"),
        lambda match: f"{_hour(match['hour'])}点{_two_digits(match['minute'])}分",
    ),
    (
        re.compile(
            r"(?<![0-9.:第])0?2(?=点(?:[0-9零一二三四五六七八九十半整过前后钟左以之到至，。！？、 ]|$))"
        ),
        "两",
    ),
    (
        re.compile(r"(?<=[点时])(?P<minute>[0-9]{1,2})(?=分(?!之))"),
        lambda match: (
            cardinal(match["minute"]) if match["minute"][0] != "0" else _two_digits(match["minute"])
        ),
    ),
    (re.compile(r"(?P<week>星期|礼拜|周) ?(?P<figure>[0-7])(?![0-9.:%]|年|岁|个|天|次)"), _read_weekday),
)
