"""Mandarin readings of sums of money."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from cosyedge.text.normalise.zh_numbers import FIGURE, START, digits, quantity

_Row = tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str]

#: As it is written before or behind the figure → the unit behind it.
_CURRENCIES: Final = {
    "¥": "元", "RMB": "元", "CNY": "元", "CN¥": "元", "JPY": "日元", "JP¥": "日元", "$": "美元",
    "US$": "美元", "USD": "美元", "HK$": "港元", "HKD": "港元", "NT$": "新台币", "TWD": "新台币",
    "A$": "澳元", "AUD": "澳元", "C$": "加元", "CAD": "加元", "S$": "新加坡元", "SGD": "新加坡元",
    "€": "欧元", "EUR": "欧元", "£": "英镑", "GBP": "英镑", "₩": "韩元", "KRW": "韩元", "₹": "卢比",
    "₽": "卢布", "CHF": "瑞士法郎", "฿": "泰铢", "₫": "越南盾",
}  # fmt: skip
_SIGN: Final = "|".join(re.escape(sign) for sign in sorted(_CURRENCIES, key=len, reverse=True))
_MULTIPLE: Final = r"(?P<multiple>[百千万亿]{1,2})?"
_DASH: Final = r" ?[-–—~至到]{1,2} ?"


def _sum(figure: str, multiple: str, unit: str) -> str:
    """``12.50`` → 十二元五角; with a multiple, or in other currencies, a decimal."""
    whole, _, decimals = figure.partition(".")
    plain = not multiple and unit == "元" and 0 < len(decimals) <= 2 and whole.strip("0,")
    if not plain:
        return f"{quantity(figure)}{multiple}{unit}"
    jiao, fen = decimals[0], decimals[1:] or "0"
    said = f"{quantity(whole)}元"
    if jiao != "0":
        said += f"{digits(jiao)}角"
    if fen != "0":
        said += ("零" if jiao == "0" else "") + f"{digits(fen)}分"
    return said


def _read_before(match: re.Match[str]) -> str:
    unit = _CURRENCIES[match["sign"]]
    said = _sum(match["figure"], match["multiple"] or "", unit)
    if match["last"]:
        said = f"{quantity(match['figure'])}到{_sum(match['last'], match['multiple'] or '', unit)}"
    return ("负" if match["minus"] else "") + said


def _read_behind(match: re.Match[str]) -> str:
    return _sum(match["figure"], match["multiple"] or "", _CURRENCIES[match["sign"]])


def _read_yuan(match: re.Match[str]) -> str:
    return _sum(match["figure"], "", "元")


ROWS: Final[tuple[_Row, ...]] = (
    (
        re.compile(
            rf"(?P<minus>(?<![0-9A-Za-z])-)?(?<![A-Za-z])(?P<sign>{_SIGN}) ?(?P<figure>{FIGURE})"
            rf"(?:{_DASH}(?:(?P=sign))?(?P<last>{FIGURE}))? ?{_MULTIPLE}(?:元|美元)?"
        ),
        _read_before,
    ),
    (
        re.compile(rf"{START}(?P<figure>{FIGURE}) ?{_MULTIPLE} ?(?P<sign>{_SIGN})(?![A-Za-z0-9])"),
        _read_behind,
    ),
    (re.compile(rf"{START}(?P<figure>{FIGURE}) ?元(?!/|[/每]?[一-鿿]?/)"), _read_yuan),
)
#: A sign without a figure.
ALONE: Final[_Row] = (re.compile(r"[¥$€£₩₹₽฿₫]"), lambda match: _CURRENCIES[match[0]])
