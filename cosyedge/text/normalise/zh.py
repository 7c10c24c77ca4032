"""Mandarin as it is written to Mandarin as it is spoken: the tables and small functions of its forms.

:func:`normalise` takes the text of one Mandarin span and leaves Han characters, punctuation, and the
Latin letters that are not units: those are read by the language they belong to. It is pure and
idempotent, because no digit is left that a second pass could find.
"""

from __future__ import annotations

from typing import Final, Literal

from cosyedge.text.normalise import han_numbers, zh_rows
from cosyedge.text.normalise import zh_numbers as numbers
from cosyedge.text.normalise.written.language import Figures, Half, Language
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


class Mandarin(Language):
    """See :class:`~cosyedge.text.normalise.written.language.Language`."""

    to, to_written = "到", "到"
    minus, below_zero, plus, about = "负", "零下", "加", "约"
    point = dot = "点"
    port, slash = "，端口", "斜杠"
    all_day = "全天候"
    multiples = "百千万亿"
    money_words = "美?元"
    not_unit = "[级座区栋楼班类型股景]"
    glued_only = frozenset(("A", "F", "J", "in", "t", "C"))
    #: Behind these words a figure is dialled or is typed in, whatever its length; behind the figure,
    #: these show that it was a count after all: 打120分, 转3圈.
    named = rf"(?:{_NAMED})(?:是|为|号|\s){{0,3}}"
    not_named = r"\s?[个次元块分折年月日天倍台人圈度条张封通秒小路站号%.:/]"
    long_counted = "元个"
    phones = (
        r"(?:(?:\+|00)86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4}",
        r"[(（]?0(?:10|2[0-9]|[3-9][0-9]{2})[)）]?[- ]?[2-9][0-9]{6,7}(?:[-转][0-9]{1,6})?",
        r"[48]00[- ]?[0-9]{3}[- ]?[0-9]{4}",
        # Public services whose number is known without a word before it.
        r"12315|12306|12345(?=热线)|10086|10010|1[12][0-9](?=报警|急救|火警|热线|指挥|救护|电话)",
    )
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

    def digits(self, figure: str) -> str:
        return han_numbers.digits(figure)

    def code(self, figure: str) -> str:
        return numbers.phone(figure)

    def date(self, year: str | None, month: str, day: str | None) -> str:
        said = f"{numbers.cardinal(month)}月" + (f"{numbers.cardinal(day)}日" if day else "")
        return f"{han_numbers.digits(year)}年{said}" if year else said

    def clock(self, hour: str, minute: str | None, second: str | None, half: Half | None) -> str:
        said = f"{zh_rows.hour(hour)}点"
        if (minute and minute != "00") or second:
            said += f"{zh_rows.two_digits(minute or '00')}分"
        if second:
            said += f"{zh_rows.two_digits(second)}秒"
        return {None: "", "a": "上午", "p": "下午"}[half] + said

    def duration(self, hours: str, minutes: str) -> str:
        return f"{numbers.quantity(hours)}小时{numbers.quantity(minutes)}分钟"

    def ratio(self, left: str, right: str) -> str:
        return f"{numbers.cardinal(left)}比{numbers.cardinal(right)}"

    def percent(self, figures: Figures, mark: Literal["%", "‰"]) -> str:
        whole = {"%": "百分之", "‰": "千分之"}[mark]
        said = (
            (self.minus if figure[0] == "-" else "")
            + whole
            + ("百" if figure == "100" and mark == "%" else numbers.number(figure.lstrip("-")))
            for figure in figures
        )
        return self.to.join(said)

    def fraction(self, whole: str | None, top: str, bottom: str) -> str:
        if int(top) > int(bottom) or bottom in ("0", "1"):
            return f"{whole or ''}{self.ratio(top, bottom)}"
        said = f"{numbers.cardinal(bottom)}分之{numbers.cardinal(top)}"
        return f"{numbers.cardinal(whole)}又{said}" if whole else said

    def money(self, figures: Figures, multiple: str, currency: str) -> str:
        """``12.50`` → 十二元五角; with a multiple, or in other currencies, a decimal."""
        first = [f"{self._quantity(figure)}{self.to}" for figure in figures[:-1]]
        figure = figures[-1]
        whole, _, decimals = figure.partition(".")
        plain = not multiple and currency == "元" and 0 < len(decimals) <= 2 and whole.strip("0-")
        if not plain:
            return "".join((*first, self._quantity(figure), multiple, currency))
        jiao, fen = decimals[0], decimals[1:] or "0"
        said = f"{self._quantity(whole)}元"
        if jiao != "0":
            said += f"{han_numbers.digits(jiao)}角"
        if fen != "0":
            said += ("零" if jiao == "0" else "") + f"{han_numbers.digits(fen)}分"
        return "".join((*first, said))

    def measure(self, figures: Figures, multiple: str, unit: str, name: str) -> str:
        minus = self.minus_of(unit)
        if len(figures) > 1 and minus == self.below_zero:
            return f"{self.figures(figures, minus=minus)}{multiple}{name}"
        return f"{self.to.join(self._quantity(figure, minus) for figure in figures)}{multiple}{name}"

    def per(self, unit: str, name: str, base: str, base_name: str) -> str:
        return f"{name}每{base_name}"

    def numbered(self, figure: str) -> str:
        return numbers.cardinal(figure) + "号"

    def _quantity(self, figure: str, minus: str | None = None) -> str:
        """What is measured or paid: 2 is 两."""
        said = self.number(figure, minus=minus)
        return f"{said[:-1]}两" if figure.lstrip("-") == "2" else said


MANDARIN: Final = Mandarin()
#: ``湿度45%`` → ``湿度百分之四十五``.
normalise: Final = Normaliser(MANDARIN)
