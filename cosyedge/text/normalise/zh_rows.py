"""Rows of Mandarin's own: what Han characters around a figure make of it."""

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
    plate,
    slashed_date,
    weekday,
)
from cosyedge.text.normalise.han_numbers import digits, hour, two_digits
from cosyedge.text.normalise.written.marks import NEGATIVE, TO
from cosyedge.text.normalise.written.rows import FIGURE, START, Table, row
from cosyedge.text.normalise.zh_numbers import cardinal, code, yuan

_DASH: Final = r" ?(?:[-–—~至到]{1,2}) ?"
#: Behind 年 these make it a count of years, even where the figure looks like a year.
_YEARS: Final = r"(?=来|间|之久|的?历史|的?时间|多)"
#: And so do these before the figure.
_ABOUT: Final = "(?<=近)|(?<=约)|(?<=长达)|(?<=超过)|(?<=过去)|(?<=至少)|(?<=历时)"
_TEMPERATURE: Final = r" ?(?:°|度(?!电)|摄氏|华氏)"
#: What is counted with 两. 月, 日, 号, 楼, 层, 级, 等 and 班 are numbered and take 二.
_COUNTED: Final = (
    "个(?!位)|只|条|张|台|部|家|位|名|人(?!民)|口|头|匹|件|套|双|对|副|把|本|册|页|行|列|排|间|座|棵|株|朵|片|块|粒|颗|"
    "滴|杯|碗|瓶|盒|包|袋|箱|罐|桶|盘|份|笔|项|种|类|样|次|趟|遍|回|场|局|顿|天|周(?!岁)|年(?!级)|小时|分钟|秒|倍|元|角|毛|"
    "公里|千米|米|厘米|毫米|毫升|升|公斤|千克|克|斤(?!两)|吨|度|步|句|段|篇|章|节|首|封|支|枝|根|扇|盏|节|组|批|队|国|省|"
    "市|县|村|成(?!立|为|功|员)|折|晚|夜|集|摄氏度|平方|立方|兆|千|万|亿|百|层楼|辆|艘|架|款|门课|道|桌|站(?!台)|圈|针|剂|片|"
    "孩|则|通|格|档节目|户|代人|番|点建议|点要求|点注意|方面|侧|边|端|者|岁|分(?!之|钟|部)|日内|站地"
)


def _year_range(match: re.Match[str]) -> str:
    first, last = match["first"], match["last"]
    if not match["mark"] and not 1800 <= int(first) < int(last) <= 2200:
        return match[0]
    between = "年到" if match["before"] else "到"
    return f"{digits(first)}{between}{digits(last)}{match['mark'] or ''}"


FIRST: Final[Table] = (
    floor("楼"),
    BLOOD_PRESSURE,
    row(r"(?<![0-9%°C])~+(?! ?[0-9])", "，"),  # a drawl, no range
    row(
        r"^(?P<before>\s*)[(（]?(?P<figure>[0-9]{1,2})(?:[.)）]|、)\s?(?=[^0-9\s])", r"\g<before>\g<figure>，"
    ),
)

DATES: Final[Table] = (
    slashed_date("日", "星期"),
    plate(code),
    named_code(code),
    row(
        rf"(?<![0-9./-])(?P<first>[0-9]{{4}})(?P<before>年)?{_DASH}(?P<last>[0-9]{{4}})(?![0-9./-])"
        r"(?P<mark>年)?(?=(?P<unit>[a-zA-Z%°元个人米])?)(?(unit)(?!))",
        _year_range,
    ),
    row(
        rf"(?<![0-9.])(?:{YEAR}年{_YEARS}|(?P<round>1[0-9]00|2000)年(?=前|后|以前|以上)"
        rf"|(?:{_ABOUT})(?P<about>[12][0-9]{{3}})年)",
        lambda match: f"{cardinal(match['year'] or match['round'] or match['about'])}年",
    ),
    row(
        rf"(?<![0-9.]){YEAR}(?=年|年代|届|款|版|级|赛季|财年|春节|世界杯|奥运|新年)"
        r"|(?<=公元)(?P<era>[0-9]{1,4})(?=年)|(?<=公元前)(?P<before>[0-9]{1,4})(?=年)",
        lambda match: digits(match[0]),
    ),
    row(
        r"(?<![0-9.])(?P<figure>0[0-9](?=年)"
        r"|[0-9]{2}(?=年 ?[0-9]{1,2}月|年(?:出生|生人|毕业|款|版|底|初)))",
        lambda match: digits(match["figure"]),
    ),
    row(
        r"(?<![0-9.])(?P<month>0?[1-9]|1[0-2])月(?P<day>0?[1-9]|[12][0-9]|3[01])(?:(?P<mark>[日号])|(?![0-9.日号]))"
        rf"(?P<dash>{_DASH}(?=[0-9]{{1,2}} ?[日号月]))?",
        month_day("日"),
    ),
)

CODES: Final[Table] = (
    lettered(code),
    # 19点17, 2点半; 2点 without an hour's company is a point of a list.
    row(
        r"(?<![0-9.])(?P<hour>[01]?[0-9]|2[0-4])点(?P<minute>[0-5][0-9])(?:分(?!之))?(?![0-9.%])",
        lambda match: f"{hour(match['hour'], '两')}点{two_digits(match['minute'])}分",
    ),
    row(
        r"(?<![0-9.:第])0?2(?=点(?:[0-9零一二三四五六七八九十半整过前后钟左以之到至，。！？、 ]|$))",
        "两",
    ),
    row(r"(?<=[点时])(?P<minute>[0-9]{1,2})(?=分(?!之))", lambda match: two_digits(match["minute"])),
    row(r"(?P<week>星期|礼拜|周) ?(?P<figure>[0-7])(?![0-9.:%]|年|岁|个|天|次)", weekday),
    row(r"(?<![0-9.,])(?P<figure>[0-9]{3})(?=路)", lambda match: code(match["figure"])),
    ordinal(cardinal),
    # #5号 is 五号.
    row(r"(?P<number>(?:#|№ ?|(?<![A-Za-z])[Nn][Oo]\. ?)[0-9]{1,6})号", r"\g<number>"),
)

RANGES: Final[Table] = (
    # Behind a number that is dialled, another one.
    row(
        r"(?<=[零二三四五六七八九幺])(?P<joint>或者?|和|、|及)(?P<figure>1(?:10|19|20|22))(?![0-9.个元次])",
        lambda match: match["joint"] + code(match["figure"]),
    ),
    row(r"(?:零下|负) ?[-–](?=[0-9])", lambda match: match[0].rstrip(" -–")),
    row(rf"(?<![0-9A-Za-z%°)])\+(?={FIGURE}{_TEMPERATURE})", "零上"),
)

MEASURES: Final[Table] = (
    row(rf"{NEGATIVE}(?={FIGURE}(?:{TO}{NEGATIVE}?{FIGURE})? ?(?:度(?!电)|摄氏|华氏))", "零下"),
    row(
        rf"{START}(?P<figure>{FIGURE}) ?元(?!/|[/每]?[一-鿿]?/)",
        lambda match: yuan(match["figure"].replace(",", "")),
    ),
    row(rf"{START}2(?={TO}{FIGURE} ?(?:{_COUNTED}|点|[百千万亿]))(?!{TO}{FIGURE}{_TEMPERATURE})", "两"),
)

COUNTS: Final[Table] = (
    *ANGLES,
    row(rf"{START}(?<![第A-Za-z])(?<!{NEGATIVE})2(?= ?(?:{_COUNTED}))(?! ?[百千万亿]分之)", "两"),
)

LAST: Final[Table] = (
    row(r"~+", "，"),
    row(r"(?<=[元角块次米里人个件度升克斤时分秒天月年])/(?=[\u4e00-\u9fff])", "每"),
)
