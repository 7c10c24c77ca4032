"""Mandarin readings of figures that name something: telephones, rooms, codes, versions, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cosyedge.text.normalise.zh_numbers import cardinal, code, digits

_Row = tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str]

#: Behind these words a figure is dialled or is typed in, whatever its length.
_NAMED: Final = (
    "拨打|致电|呼叫|热线|电话(?:号码)?|手机号?码?|联系方式|转接|分机号?|传真|编号|号码|验证码|密码|口令|取件码|提货码|"
    "卡号|账号|帐号|尾号|单号|订单号?|房间号|房号|门牌号?|邮编|邮政编码|代码|工号|学号|身份证号?码?|序列号|识别码|"
    "会议号|车牌号?|车号|频道号|群号|档案号|批号|型号|拨|转"
)
#: Behind the figure these show that it was a count after all: 打120分, 转3圈.
_COUNTED: Final = r"(?!\s?[个次元块分折年月日天倍台人圈度条张封通秒小路站号%％.:/])"


def _read_named(match: re.Match[str]) -> str:
    return match["name"] + code(match["figure"])


def _read_mobile(match: re.Match[str]) -> str:
    country = "加八六，" if match["country"] else ""
    return country + code(f"{match['a']} {match['b']} {match['c']}")


def _read_landline(match: re.Match[str]) -> str:
    said = code(f"{match['area']} {match['number']}")
    return said + (f"转{code(match['extension'])}" if match["extension"] else "")


def _read_version(match: re.Match[str]) -> str:
    parts = match["figure"].split(".")
    return "点".join(digits(part) if len(part) > 2 or part[0] == "0" else cardinal(part) for part in parts)


def _read_address(match: re.Match[str]) -> str:
    said = "点".join(digits(part) for part in match["figure"].split("."))
    if match["port"]:
        said += f"，端口{digits(match['port'])}"
    if match["prefix"]:
        said += f"斜杠{cardinal(match['prefix'])}"
    return said


ROWS: Final[tuple[_Row, ...]] = (
    (
        re.compile(
            r"(?<![0-9.])(?P<figure>[0-9]{1,3}(?:\.[0-9]{1,3}){3})(?![0-9]|\.[0-9])"
            r"(?::(?P<port>[0-9]{1,5}))?(?:/(?P<prefix>[0-9]{1,2}))?(?![0-9])"
        ),
        _read_address,
    ),
    (re.compile(r"(?<![0-9.])(?P<figure>[0-9]{1,6}(?:\.[0-9]{1,6}){2,5})(?![0-9]|\.[0-9])"), _read_version),
    (
        re.compile(
            r"(?<![0-9])(?P<country>(?:\+|00)86[- ]?)?"
            r"(?P<a>1[3-9][0-9])[- ]?(?P<b>[0-9]{4})[- ]?(?P<c>[0-9]{4})(?![0-9])"
        ),
        _read_mobile,
    ),
    (
        re.compile(
            r"(?<![0-9])[(（]?(?P<area>0(?:10|2[0-9]|[3-9][0-9]{2}))[)）]?[- ]?(?P<number>[2-9][0-9]{6,7})"
            r"(?:[-转](?P<extension>[0-9]{1,6}))?(?![0-9])"
        ),
        _read_landline,
    ),
    (
        re.compile(r"(?<![0-9])(?P<figure>[48]00[- ]?[0-9]{3}[- ]?[0-9]{4})(?![0-9])"),
        lambda match: code(match["figure"]),
    ),
    (
        re.compile(
            rf"(?P<name>(?:{_NAMED})(?:是|为|：|:|\s|号){{0,3}})(?P<figure>[0-9]{{2,32}}(?:-[0-9]{{1,16}}){{0,6}})(?![0-9]){_COUNTED}"
        ),
        _read_named,
    ),
    # Groups parted by hyphens: none of the dates, which are read before.
    (
        re.compile(r"(?<![0-9A-Za-z.-])(?P<figure>[0-9]{1,12}(?:-[0-9]{1,12}){2,6})(?![0-9.-])"),
        lambda match: code(match["figure"]),
    ),
    # Public services whose number is known without a word before it.
    (
        re.compile(
            r"(?<![0-9.,])(?P<figure>12315|12306|12345(?=热线)|10086|10010|1[12][0-9](?=报警|急救|火警|热线|指挥|救护|电话))(?![0-9.,])"
        ),
        lambda match: code(match["figure"]),
    ),
    (
        re.compile(
            r"(?<![0-9.,])(?P<figure>[0-9]{3,4})(?= ?(?:号?房间|号?房(?![屋子产价贷])|室|包间|教室|宿舍"
            r"|航班|次列车|次高铁|次动车|次航班))"
        ),
        lambda match: code(match["figure"]),
    ),
    (re.compile(r"(?<![0-9.,])(?P<figure>[0-9]{3})(?=路)"), lambda match: code(match["figure"])),
    # Ordinals: 第2 is 第二, never 第两; #5 and No. 5 are 五号.
    (
        re.compile(r"(?P<before>第 ?|初)(?P<figure>[0-9]{1,12})(?![0-9.]*[0-9])"),
        lambda match: match["before"].strip() + cardinal(match["figure"]),
    ),
    (
        re.compile(r"(?:#|№ ?|\b[Nn][Oo]\. ?)(?P<figure>[0-9]{1,6})(?![0-9.]*[0-9])号?"),
        lambda match: cardinal(match["figure"]) + "号",
    ),
    # A leading zero, or more digits than a count has.
    (
        re.compile(r"(?<![0-9.,])(?P<figure>0[0-9]{1,40}|[0-9]{11,40})(?![0-9.,]*[0-9])(?! ?[万亿元个%])"),
        lambda match: code(match["figure"]),
    ),
)
