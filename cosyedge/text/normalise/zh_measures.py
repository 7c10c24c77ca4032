"""Mandarin readings of figures that measure or count: ranges, signs, parts of a whole, units, 两."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cosyedge.text.normalise.zh_numbers import FIGURE, START, cardinal, digits, number, quantity
from cosyedge.text.normalise.zh_units import UNIT, read_unit

_Row = tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str]

#: What is counted with 两. 月, 日, 号, 楼, 层, 级, 等 and 班 are numbered and take 二.
_COUNTED: Final = (
    "个(?!位)|只|条|张|台|部|家|位|名|人(?!民)|口|头|匹|件|套|双|对|副|把|本|册|页|行|列|排|间|座|棵|株|朵|片|块|粒|颗|"
    "滴|杯|碗|瓶|盒|包|袋|箱|罐|桶|盘|份|笔|项|种|类|样|次|趟|遍|回|场|局|顿|天|周(?!岁)|年(?!级)|小时|分钟|秒|倍|元|角|毛|"
    "公里|千米|米|厘米|毫米|毫升|升|公斤|千克|克|斤(?!两)|吨|度|步|句|段|篇|章|节|首|封|支|枝|根|扇|盏|节|组|批|队|国|省|"
    "市|县|村|成(?!立|为|功|员)|折|晚|夜|集|摄氏度|平方|立方|兆|千|万|亿|百|层楼|辆|艘|架|款|门课|道|桌|站|圈|针|剂|片|"
    "孩|则|通|格|档节目|户|代人|番|点建议|点要求|点注意|方面|侧|边|端|者|岁|分(?!之|钟|部)|日内|站地"
)
_TEMPERATURE: Final = r" ?(?:°|度(?!电)|摄氏|华氏)"
_DASH: Final = r" ?[-–—~]{1,2} ?"
#: What may stand behind the first figure of a range.
_RANGE_UNIT: Final = (
    rf"(?:{UNIT}| ?[百千万亿]{{0,2}}(?:[年月日号时点分秒度个天元岁页人次层楼周章节组]|小时|分钟|公里|公斤)?)"
)


def _read_minus(match: re.Match[str]) -> str:
    return "零下" if match["temperature"] is not None else "负"


def _read_percent(match: re.Match[str]) -> str:
    whole = {"%": "百分之", "‰": "千分之"}[match["mark"]]
    minus = match["minus"] or ""
    if match["figure"] == "100" and match["mark"] == "%":
        return f"{minus}百分之百"
    first = f"{minus}{whole}{number(match['figure'])}"
    return f"{first}到{whole}{number(match['last'])}" if match["last"] else first


def _read_fraction(match: re.Match[str]) -> str:
    top, bottom = match["top"], match["bottom"]
    if int(top) > int(bottom) or bottom in ("0", "1"):
        return f"{match['whole'] or ''}{cardinal(top)}比{cardinal(bottom)}"
    whole = f"{cardinal(match['whole'].strip())}又" if match["whole"] else ""
    return f"{whole}{cardinal(bottom)}分之{cardinal(top)}"


def _read_measure(match: re.Match[str]) -> str:
    return f"{quantity(match['figure'])}{match['multiple'] or ''}{read_unit(match['unit'])}"


def _read_duration(match: re.Match[str]) -> str:
    return f"{quantity(match['hours'])}小时{quantity(match['minutes'])}分钟"


#: A dash between figures. What stands on both sides is read by the rows that follow.
RANGES: Final[tuple[_Row, ...]] = (
    (re.compile(rf"(?P<first>{START}{FIGURE}{_RANGE_UNIT}){_DASH}(?=-?\.?[0-9])"), r"\g<first>到"),
    (re.compile(r"(?<![0-9A-Za-z])~ ?(?=[0-9])"), "约"),
)

_MINUS: Final = r"(?<![0-9A-Za-z%°)])[-–]"
SIGNS: Final[tuple[_Row, ...]] = (
    (re.compile(r"(?:零下|负) ?[-–](?=[0-9])"), lambda match: match[0].rstrip(" -–")),
    (
        re.compile(rf"{_MINUS}(?=\.?{FIGURE}(?P<temperature>(?:[到至]-?{FIGURE})?{_TEMPERATURE})?)"),
        _read_minus,
    ),
    (re.compile(rf"(?<![0-9A-Za-z%°)])\+(?={FIGURE}{_TEMPERATURE})"), "零上"),
    (re.compile(r"(?<![0-9A-Za-z%°)])\+(?=[0-9])"), "加"),
    (re.compile(r">="), "≥"),
    (re.compile(r"<="), "≤"),
)

PARTS: Final[tuple[_Row, ...]] = (
    (
        re.compile(
            rf"(?P<minus>负)?{START}(?P<figure>{FIGURE})(?: ?(?P<also>[%‰]))?"
            rf"(?:到(?P<last>{FIGURE}))? ?(?P<mark>[%‰])(?:(?<=%) ?RH(?![A-Za-z]))?"
        ),
        _read_percent,
    ),
    (
        re.compile(
            r"(?<![0-9./])(?P<whole>[0-9]{1,4} )?(?P<top>[0-9]{1,4})/(?P<bottom>[0-9]{1,4})(?![0-9/]|\.[0-9])"
        ),
        _read_fraction,
    ),
)

ROWS: Final[tuple[_Row, ...]] = (
    (
        re.compile(
            r"(?<![0-9.A-Za-z])(?P<hours>[0-9]{1,3}) ?h ?(?P<minutes>[0-5]?[0-9]) ?m(?:in)?(?![A-Za-z0-9])"
        ),
        _read_duration,
    ),
    (
        re.compile(
            rf"{START}2(?=到{FIGURE} ?(?:{_COUNTED}|点|[百千万亿]|{UNIT}))(?!到{FIGURE}{_TEMPERATURE})"
        ),
        "两",
    ),
    (
        re.compile(
            rf"{START}(?P<figure>{FIGURE}) ?(?P<multiple>[百千万亿]{{1,2}})?(?P<unit>{UNIT})"
            r"(?![级座区栋楼班类型股景])"
        ),
        _read_measure,
    ),
    (re.compile(r"(?<=[0-9])°(?=[0-9])"), "度"),
    (re.compile(r"(?<=[0-9])′"), "分"),
    (re.compile(r"(?<=[0-9])″"), "秒"),
    (
        re.compile(r"(?<![0-9.,])(?P<figure>[0-9]{3,4})(?=[pP](?![A-Za-z]))"),
        lambda match: digits(match["figure"]),
    ),
    (re.compile(rf"{START}(?<!第)2(?= ?(?:{_COUNTED}))(?! ?[百千万亿]分之)"), "两"),
)
