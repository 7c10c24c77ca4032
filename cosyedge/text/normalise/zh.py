"""Mandarin as it is written to Mandarin as it is spoken: the tables and small functions of its forms.

:func:`normalise` takes the text of one Mandarin span and leaves Han characters, punctuation, and the
Latin letters that are not units: those are read by the language they belong to. It is pure and
idempotent, because no digit is left that a second pass could find.
"""

from __future__ import annotations

from typing import Final

from cosyedge.text.normalise import zh_numbers as numbers
from cosyedge.text.normalise import zh_rows
from cosyedge.text.normalise.chinese import Chinese
from cosyedge.text.normalise.written.language import Figures
from cosyedge.text.normalise.written.table import Normaliser
from cosyedge.text.normalise.zh_units import UNITS

_NAMED: Final = (
    "拨打|致电|呼叫|热线|电话(?:号码)?|手机号?码?|联系方式|转接|分机号?|传真|编号|号码|验证码|密码|口令|取件码|提货码|"
    "卡号|账号|帐号|尾号|单号|订单号?|房间号|房号|门牌号?|邮编|邮政编码|代码|工号|学号|身份证号?码?|序列号|识别码|"
    "会议号|车牌号?|车号|频道号|群号|档案号|批号|型号|拨|转"
)

_CURRENCIES: Final = {
    "¥": "元", "RMB": "元", "CNY": "元", "CN¥": "元", "JPY": "日元", "JP¥": "日元", "$": "美元",
    "US$": "美元", "USD": "美元", "HK$": "港元", "HKD": "港元", "NT$": "新台币", "TWD": "新台币",
    "A$": "澳元", "AUD": "澳元", "C$": "加元", "CAD": "加元", "S$": "新加坡元", "SGD": "新加坡元",
    "€": "欧元", "EUR": "欧元", "£": "英镑", "GBP": "英镑", "₩": "韩元", "KRW": "韩元", "₹": "卢比",
    "₽": "卢布", "CHF": "瑞士法郎", "฿": "泰铢", "₫": "越南盾",
}  # fmt: skip
_OPERATORS: Final = {
    "+": "加", "-": "减", "×": "乘", "÷": "除以", "=": "等于", "≈": "约等于", "≠": "不等于",
    "<": "小于", ">": "大于", "≤": "小于等于", "≥": "大于等于", "±": "正负",
}  # fmt: skip
_SIGNS: Final = {
    "&": "和", "=": "等于", "+": "加", "×": "乘", "÷": "除以", "≈": "约等于", "≠": "不等于", "±": "正负",
    "≤": "小于等于", "≥": "大于等于", "√": "根号", "∞": "无穷大",
    "²": "的平方", "³": "的立方", "%": "百分号", "°C": "摄氏度", "°F": "华氏度", "°": "度",
    "→": "到",
}  # fmt: skip


class Mandarin(Chinese):
    """See :class:`~cosyedge.text.normalise.written.language.Language`."""

    to, to_written = "到", "到"
    minus, about = "负", "约"
    point = dot = oclock = "点"
    port, slash = "，端口", "斜杠"
    two = "两"
    day_word, number_word = "日", "号"
    forenoon, afternoon = "上午", "下午"
    hours_word, minutes_word = "小时", "分钟"
    hundred = "百"
    multiples = "百千万亿"
    money_words = "美?元"
    not_unit = "[级座区栋楼班类型股景]|(?<=[0-9][A-Z])(?:[路线号室口馆厅站]|出口|公交|航站)"
    #: Behind these words a figure is dialled or is typed in, whatever its length; behind the figure,
    #: these show that it was a count after all: 打120分, 转3圈.
    named = rf"(?:{_NAMED})(?:是|为|号|\s){{0,3}}"
    named_joint = "或者?|和|、|及"
    not_named = r"\s?[个次元块分折年月日天倍台人圈度条张封通秒小路站号%.:/]"
    long_counted = "元个"
    phones = (
        r"(?:(?:\+|00)86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}",
        r"[(（]?0(?:10|2[0-9]|[3-9][0-9]{2})[)）]?[- ]?[2-9][0-9]{6,7}(?:[-转][0-9]{1,6})?",
        r"[48]00[- ]?[0-9]{3}[- ]?[0-9]{4}",
        # Public services whose number is known without a word before it.
        r"12315|12306|12345(?=热线)|10086|10010|1[12][0-9](?=报警|急救|火警|热线|指挥|救护|电话)",
    )
    version_before = "版本号?[是为]?|固件|(?:更新|升级)[到至为]"
    version_behind = "版|固件"
    coded = "号?房间|号?房(?![屋子产价贷])|室|包间|教室|宿舍|航班|次列车|次高铁|次动车|次航班"
    scored_before = "比分|总比分|战胜|击败|领先|落后|战平|获胜|取胜|比例|赔率|大胜"
    scored_behind = "的?(?:比分|战胜|击败|获胜|大胜|险胜|取胜|完胜|力克|惜败|逆转|领先|落后|不敌|负于|战平)"
    #: What may stand behind the first figure of a range.
    range_words = r" ?[百千万亿]{0,2}(?:[年月日号时点分秒度个天元岁页人次层楼周章节组]|小时|分钟|公里|公斤)?"
    units = UNITS
    currencies = _CURRENCIES
    operators = _OPERATORS
    signs = _SIGNS
    first = zh_rows.FIRST
    dates = zh_rows.DATES
    codes = zh_rows.CODES
    ranges = zh_rows.RANGES
    measures = zh_rows.MEASURES
    counts = zh_rows.COUNTS
    last = zh_rows.LAST

    def cardinal(self, figure: str) -> str:
        return numbers.cardinal(figure)

    def code(self, figure: str) -> str:
        return numbers.phone(figure)

    def power(self, figure: str) -> str:
        return f"的{self.number(figure)}次方"

    def money(self, figures: Figures, multiple: str, currency: str) -> str:
        """``12.50`` → 十二元五角; with a multiple, or in other currencies, a decimal."""
        first = [f"{self.quantity(figure)}{self.to}" for figure in figures[:-1]]
        figure = figures[-1]
        if not multiple and currency == "元":
            minus = self.minus if figure[0] == "-" else ""
            return "".join((*first, minus, numbers.yuan(figure.lstrip("-"))))
        return "".join((*first, self.quantity(figure), multiple, currency))

    def measure(self, figures: Figures, multiple: str, unit: str, name: str) -> str:
        minus = self.minus_of(unit)
        if len(figures) > 1 and minus == self.below_zero:
            return f"{self.figures(figures, minus=minus)}{multiple}{name}"
        return f"{self.to.join(self.quantity(figure, minus) for figure in figures)}{multiple}{name}"


#: ``湿度45%`` → ``湿度百分之四十五``.
normalise: Final = Normaliser(Mandarin())
