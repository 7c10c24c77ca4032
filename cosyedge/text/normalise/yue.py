"""Cantonese as it is written to Cantonese as it is spoken: the tables and small functions of its forms.

Simplified characters are understood; what is said is in traditional ones.
"""

from __future__ import annotations

from typing import Final

from cosyedge.text.normalise import yue_numbers as numbers
from cosyedge.text.normalise import yue_rows
from cosyedge.text.normalise.chinese import Chinese
from cosyedge.text.normalise.written.language import Figures
from cosyedge.text.normalise.written.table import Normaliser
from cosyedge.text.normalise.yue_units import UNITS

_NAMED: Final = (
    "打|致[電电]|[熱热][線线]|[電电][話话](?:[號号][碼码])?|手[機机](?:[號号][碼码]?)?|內線|内线|[傳传]真|[編编][號号]|"
    "[號号][碼码]|[驗验][證证][碼码]|密[碼码]|取件[碼码]|[訂订][單单](?:[編编]?[號号])?|房[間间]?[號号]|卡[號号]|"
    "[帳账户戶]口|[車车]牌|代[碼码]|尾[號号]|[查參参]考[編编][號号]"
)
_CURRENCIES: Final = {
    "$": "蚊", "HK$": "港元", "HKD": "港元", "¥": "人民幣", "RMB": "人民幣", "CNY": "人民幣",
    "CN¥": "人民幣", "JPY": "日圓", "JP¥": "日圓", "US$": "美元", "USD": "美元", "NT$": "新台幣",
    "TWD": "新台幣", "A$": "澳元", "AUD": "澳元", "C$": "加元", "CAD": "加元", "S$": "新加坡元",
    "SGD": "新加坡元", "€": "歐元", "EUR": "歐元", "£": "英鎊", "GBP": "英鎊", "₩": "韓圜", "KRW": "韓圜",
    "₹": "盧比", "₽": "盧布", "CHF": "瑞士法郎", "฿": "泰銖", "₫": "越南盾",
}  # fmt: skip
_OPERATORS: Final = {
    "+": "加", "-": "減", "×": "乘", "÷": "除以", "=": "等於", "≈": "約等於", "≠": "唔等於",
    "<": "細過", ">": "大過", "≤": "細過或者等於", "≥": "大過或者等於", "±": "正負",
}  # fmt: skip
_SIGNS: Final = {
    "&": "同", "²": "嘅平方", "³": "嘅立方", "%": "百分號", "°C": "攝氏", "°F": "華氏", "°": "度",
    "→": "到", "√": "根號", "∞": "無限大",
}  # fmt: skip


class Cantonese(Chinese):
    """See :class:`~cosyedge.text.normalise.written.language.Language`."""

    to, to_written = "到", "[到至]"
    minus, about = "負", "約"
    point = dot = oclock = "點"
    port, slash = "，端口", "斜線"
    two = "兩"
    day_word = number_word = "號"
    forenoon, afternoon = "上晝", "下晝"
    hours_word, minutes_word = "個鐘", "分鐘"
    hundred = "一百"
    multiples = "百千萬億万亿"
    money_words = "蚊|[美港]?[元圓]"
    not_unit = "[級级座區区棟栋樓楼班]|(?<=[0-9][A-Z])(?:[路線线號号室口]|出口|巴士|小巴)"
    named = rf"(?:{_NAMED})(?:[係系是為为：:]|\s){{0,3}}"
    named_joint = "或者?|同(?:埋)?|、|及"
    not_named = r"\s?[個个次元蚊分年月日號号度倍人張张條条封秒%.:/]"
    long_counted = "元個个蚊"
    phones = (
        r"(?:(?:\+|00)85[23][- ]?)?[235689][0-9]{3}[- ]?[0-9]{4}(?![ ]?[元蚊個个年])",
        r"(?:(?:\+|00)86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}",
        r"(?:999|112|992|18222|1823|1083|1081)(?=[報报求緊紧熱热查電电救]| ?$|，|。)",
    )
    version_before = "版本[係是]?|[固韌韧][件體体]|(?:更新|升[級级])[到至]"
    version_behind = "版|[固韌韧][件體体]"
    coded = "[號号]?房(?![屋間间])|[號号]?房[間间]|室|[號号]?巴士|航班"
    scored_before = "比[數数分]|[領领]先|[擊击][敗败]|[贏赢輸输]|[賽赛]果"
    scored_behind = "[贏赢輸输]|[擊击][敗败]|[領领]先|打和|落[後后]|大[勝胜]|[險险][勝胜]"
    range_words = (
        r" ?[百千萬億万亿]{0,2}(?:[年月日號号時时點点分秒度個个元蚊歲岁人次層层樓楼週周]|小[時时]|"
        "分[鐘钟]|公里|公斤)?"
    )
    units = UNITS
    currencies = _CURRENCIES
    operators = _OPERATORS
    signs = _SIGNS
    first = yue_rows.FIRST
    dates = yue_rows.DATES
    codes = yue_rows.CODES
    ranges = yue_rows.RANGES
    measures = yue_rows.MEASURES
    counts = yue_rows.COUNTS

    def cardinal(self, figure: str) -> str:
        return numbers.cardinal(figure)

    def code(self, figure: str) -> str:
        return numbers.code(figure)

    def power(self, figure: str) -> str:
        return f"嘅{self.number(figure)}次方"

    def money(self, figures: Figures, multiple: str, currency: str) -> str:
        """``$12.50`` → 十二點五蚊: a last nought of cents is not said."""
        plain = (self._trimmed(figure) for figure in figures)
        return f"{self.to.join(map(self.quantity, plain))}{multiple}{currency}"

    def measure(self, figures: Figures, multiple: str, unit: str, name: str) -> str:
        minus = self.minus_of(unit)
        said = self.to.join(self.quantity(figure, minus) for figure in figures)
        scale = {"°C": "攝氏", "°F": "華氏"}.get(unit, "")
        return f"{scale}{said}{multiple}{name}"

    def _trimmed(self, figure: str) -> str:
        whole, _, cents = figure.partition(".")
        return f"{whole}.{cents.rstrip('0')}".rstrip(".") if len(cents) == 2 else figure


#: ``濕度45%`` → ``濕度百分之四十五``.
normalise: Final = Normaliser(Cantonese())
