"""Korean as it is written to Korean as it is spoken: the tables and small functions of its forms.

Things are counted with native numbers (세 개, 열두 시), everything else with Sino-Korean ones (삼 분, 십이
도); which counter takes which is in :mod:`cosyedge.text.normalise.ko_units`.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from cosyedge.text.normalise import ko_numbers as numbers
from cosyedge.text.normalise.ko_letters import spell
from cosyedge.text.normalise.ko_units import JOINED, NATIVE, OTHERS, SINO, UNITS
from cosyedge.text.normalise.written.language import Figures, Half, Language
from cosyedge.text.normalise.written.marks import NEGATIVE
from cosyedge.text.normalise.written.rows import FIGURE, FLOOR, Table, row
from cosyedge.text.normalise.written.table import Normaliser

#: Behind 번 these show that the number is a name (삼 번 출구), not how often (세 번).
_NUMBERED: Final = (
    " ?(?:출구|입구|버스|방|채널|문|홈|게이트|승강장|선수|타자|국도|창구|구역|포트|카메라|센서|스위치|"
    "버튼|트랙|존|기기|플랫폼|좌석|자리|테이블|룸|라인|노선|콘센트|전등|조명|항목|문제|보기|으로|님|유닛|"
    "지점|열차|세탁기|주차|사물함|키|학생|손님|고객|환자|대기|참가자|후보|택시|지하철|전철|트럭|코스|메뉴|타석|레인|침대|병실|교실)"
)
_NAMED: Final = (
    "전화(?:번호)?|연락처|휴대폰|핸드폰|팩스|내선|인증 ?번호|인증 ?코드|비밀 ?번호|계좌 ?번호|계좌|"
    "카드 ?번호|주문 ?번호|송장 ?번호|예약 ?번호|우편 ?번호|차량 ?번호|등록 ?번호|접수 ?번호|일련 ?번호|"
    "회원 ?번호|확인 ?코드|코드|암호"
)
_EMERGENCY: Final = (
    " ?(?:신고|구급|구조|상담|전화|안전|경찰|소방|에(?![가-힣])|로(?![가-힣])|(?:이?나|또는|와|과) ?1)"
)
_CURRENCIES: Final = {
    "₩": "원", "KRW": "원", "$": "달러", "US$": "달러", "USD": "달러", "€": "유로", "EUR": "유로",
    "£": "파운드", "GBP": "파운드", "¥": "엔", "JPY": "엔", "JP¥": "엔", "CN¥": "위안", "CNY": "위안",
    "RMB": "위안", "HK$": "홍콩 달러", "HKD": "홍콩 달러", "NT$": "대만 달러", "TWD": "대만 달러",
    "A$": "호주 달러", "AUD": "호주 달러", "C$": "캐나다 달러", "CAD": "캐나다 달러", "S$": "싱가포르 달러",
    "SGD": "싱가포르 달러", "₹": "루피", "₽": "루블", "CHF": "스위스 프랑", "฿": "바트", "₫": "동",
}  # fmt: skip
_CENTS: Final = {"달러": "센트", "유로": "센트", "파운드": "펜스"}
_OPERATORS: Final = {
    "+": "더하기", "-": "빼기", "×": "곱하기", "÷": "나누기", "=": "이퀄", "≈": "약", "≠": "같지 않음",
    "<": "작다", ">": "크다", "≤": "작거나 같다", "≥": "크거나 같다", "±": "플러스마이너스",
}  # fmt: skip
_SIGNS: Final = {
    "&": "앤드", "²": "제곱", "³": "세제곱", "%": "퍼센트", "°C": "도", "°F": "화씨", "°": "도", "→": "에서",
    "√": "루트 ", "∞": "무한대",
}  # fmt: skip
_MONTHS: Final = {"6": "유월", "10": "시월"}
#: From this hour on a time of day is that of a timetable: 십사 시.
_TIMETABLE: Final = 13
#: Hours are counted with native numbers up to here: 스무 시간, but 이십사 시간.
_NATIVE_HOURS: Final = 20


def month(figure: str) -> str:
    plain = figure.lstrip("0")
    return _MONTHS.get(plain) or f"{numbers.cardinal(plain)}월"


def hour(figure: str) -> str:
    value = int(figure)
    said = numbers.native(str(value)) if 0 < value < _TIMETABLE else numbers.cardinal(figure)
    return f"{said} 시"


def _clock_words(match: re.Match[str]) -> str:
    return hour(match["hour"])


def _ordinal(match: re.Match[str]) -> str:
    figure = match["figure"]
    return ("첫" if figure == "1" else numbers.native(figure)) + " 번째"


def _guests(match: re.Match[str]) -> str:
    return f"{match['who']} {numbers.native(match['figure'])} 분"


_FIRST: Final[Table] = (
    row("[ㄱ-ㅎㅏ-ㅣ]+", lambda match: spell(match[0])),
    row(FLOOR, lambda match: f"{'지하 ' if match['below'] else ''}{match['figure']}층"),
)
_DATES: Final[Table] = (
    # 12/7 (월): with the day of the week behind it, it is a date and no ratio.
    row(
        r"(?<![0-9/.])(?P<month>0?[1-9]|1[0-2])/(?P<day>0?[1-9]|[12][0-9]|3[01])"
        r"(?= ?(?:[(（][월화수목금토일](?:요일)?[)）]|[월화수목금토일]요일))",
        r"\g<month>월 \g<day>일",
    ),
    row(r"(?<=[0-9]일) ?[(（](?P<weekday>[월화수목금토일])(?:요일)?[)）]", r" \g<weekday>요일"),
    row(
        r"(?<![0-9.])(?P<month>0?[1-9]|1[0-2])월(?: ?(?P<day>0?[1-9]|[12][0-9]|3[01])일(?!간|차|째))?",
        lambda match: (
            month(match["month"]) + (f" {numbers.cardinal(match['day'])}일" if match["day"] else "")
        ),
    ),
)
_CODES: Final[Table] = (
    row(r"(?<=[시분일월년]) ?~ ?(?=(?:오전|오후|다음 날|익일)? ?[0-9])", "에서 "),
    row(r"(?<![0-9.:])(?P<hour>[01]?[0-9]|2[0-4]) ?시(?!간|즌|리즈|작|스템|점)", _clock_words),
    row(r"(?<![0-9.])(?P<figure>[0-9]{1,2}) ?번째", _ordinal),
    row(r"(?P<who>손님|고객|선생님|어르신|어른|부모님|환자) ?(?P<figure>[0-9]{1,2}) ?분", _guests),
    row(
        rf"(?<![0-9.,])(?P<figure>[0-9]{{1,4}}) ?번(?={_NUMBERED})",
        lambda match: f"{numbers.cardinal(match['figure'])} 번",
    ),
    row(
        r"(?<![가-힣])제 ?(?P<figure>[0-9]{1,6})(?![0-9.]*[0-9])",
        lambda match: f"제{numbers.cardinal(match['figure'])} ",
    ),
)
_RANGES: Final[Table] = (
    row(r"(?P<word>영하|마이너스) ?[-–](?=[0-9])", r"\g<word> "),
    # What the unit will say is not said twice.
    row(rf"(?:시속|초속) ?(?={FIGURE} ?k?m/[hs])|섭씨 ?(?=-?{FIGURE} ?°C)|화씨 ?(?=-?{FIGURE} ?°F)", ""),
)
_MEASURES: Final[Table] = (row(rf"{NEGATIVE}(?={FIGURE} ?도(?![가-힣]?로|시))", "영하 "),)
_COUNTERS: Final = "|".join(
    sorted({*NATIVE, *SINO, *JOINED, *OTHERS, *"백천만억조"}, key=lambda word: (-len(word), word))
)


def _and(word: str) -> str:
    """``word`` with its particle: 와 behind a vowel, 과 behind a consonant."""
    return word + ("과" if (ord(word[-1]) - ord("가")) % 28 else "와")


class Korean(Language):
    """See :class:`~cosyedge.text.normalise.written.language.Language`."""

    to, to_written = "에서 ", "에서|부터"
    minus, below_zero, plus, about = "마이너스 ", "영하 ", "플러스 ", "약 "
    point = dot = "점"
    port, slash = ", 포트 ", " 슬래시 "
    pause = ", "
    all_day = "이십사 시간"
    spaced = "left"
    multiples = "백천만억조"
    money_words = "원|달러|유로|엔|파운드"
    named = rf"(?:{_NAMED})(?:는|은|이|가|:|\s){{0,3}}"
    not_named = r" ?(?:개|명|원|번|회|분|시|초|통|일|월|년|도|%)"
    phones = (
        r"(?:\+82[- ]?)?\(?0?1[016789]\)?[- ]?[0-9]{3,4}[- ]?[0-9]{4}",
        r"\(?0(?:2|[3-6][1-5]|70|80|50[0-9]?)\)?[- ]?[0-9]{3,4}[- ]?[0-9]{4}",
        r"1[5-9][0-9]{2}-[0-9]{4}",
        rf"1(?:12|13|14|17|18|19|20|32)(?={_EMERGENCY})",
    )
    version_before = "버전|펌웨어"
    version_behind = "버전|로 ?(?:업데이트|업그레이드)"
    scored_before = "스코어|점수|비율|결과"
    scored_behind = "으?로? ?(?:승리|패배|이겼|졌|앞서|뒤지|무승부|역전)"
    long_counted = "원개"
    range_words = r" ?[백천만억]{0,2}(?:시간|개월|[년월일시분초개명원층호도살세회번장대주])?"
    units = UNITS
    currencies = _CURRENCIES
    operators = _OPERATORS
    signs = _SIGNS
    counters = _COUNTERS
    first = _FIRST
    dates = _DATES
    codes = _CODES
    ranges = _RANGES
    measures = _MEASURES

    def cardinal(self, figure: str) -> str:
        return numbers.cardinal(figure)

    def digits(self, figure: str) -> str:
        return numbers.digits(figure)

    def code(self, figure: str) -> str:
        return numbers.code(figure)

    def date(self, year: str | None, month_: str, day: str | None) -> str:
        said = month(month_) + (f" {numbers.cardinal(day)}일" if day else "")
        return f"{numbers.cardinal(year)} 년 {said}" if year else said

    def clock(self, hour_: str, minute: str | None, second: str | None, half: Half | None) -> str:
        said = hour(hour_)
        if (minute and minute != "00") or second:
            said += f" {numbers.cardinal(minute or '0')} 분"
        if second:
            said += f" {numbers.cardinal(second)} 초"
        return {None: "", "a": "오전 ", "p": "오후 "}[half] + said

    def duration(self, hours: str, minutes: str) -> str:
        return f"{self.counted((hours,), '', '시간')} {numbers.cardinal(minutes)} 분"

    def ratio(self, left: str, right: str) -> str:
        return f"{numbers.cardinal(left)} 대 {numbers.cardinal(right)}"

    def percent(self, figures: Figures, mark: Literal["%", "‰"]) -> str:
        return f"{self.figures(figures)} {'퍼센트' if mark == '%' else '퍼밀'}"

    def fraction(self, whole: str | None, top: str, bottom: str) -> str:
        if int(top) > int(bottom) or bottom in ("0", "1"):
            return f"{whole or ''} {self.ratio(top, bottom)}".strip()
        said = f"{numbers.cardinal(bottom)}분의 {numbers.cardinal(top)}"
        return f"{_and(numbers.cardinal(whole))} {said}" if whole else said

    def money(self, figures: Figures, multiple: str, currency: str) -> str:
        whole, _, decimals = figures[-1].partition(".")
        if len(figures) == 1 and not multiple and currency in _CENTS and 0 < len(decimals) <= 2:
            cents = decimals.ljust(2, "0")
            said = f"{self.number(whole)} {currency}"
            return said if cents == "00" else f"{said} {numbers.cardinal(cents)} {_CENTS[currency]}"
        return self._joined(self._multiplied(figures, multiple), currency)

    def measure(self, figures: Figures, multiple: str, unit: str, name: str) -> str:
        before, _, behind = name.rpartition(" ")
        if unit == "h":
            return self.counted(figures, multiple, "시간")
        said = self._multiplied(figures, multiple, minus=self.minus_of(unit))
        return f"{before} {said} {behind}".strip()

    def per(self, unit: str, name: str, base: str, base_name: str) -> str:
        return f"{base_name}당 {name}"

    def power(self, figure: str) -> str:
        return f"의 {self.number(figure)} 제곱"

    def counted(self, figures: Figures, multiple: str, counter: str) -> str:
        if counter in self.multiples:
            return self._multiplied(figures, multiple + counter)
        if multiple or counter not in NATIVE or any(not figure.isdigit() for figure in figures):
            return self._joined(self._multiplied(figures, multiple), counter)
        if counter == "시간" and any(int(figure) > _NATIVE_HOURS for figure in figures):
            return f"{self.figures(figures)} {counter}"
        return self.to.join(f"{numbers.native(figure)} {counter}" for figure in figures)

    def numbered(self, figure: str) -> str:
        return f"{numbers.cardinal(figure)} 번"

    def _multiplied(self, figures: Figures, multiple: str, *, minus: str | None = None) -> str:
        """``1`` and 만 are 만, not 일만."""
        said = self.figures(figures, minus=minus)
        if said == "일" and multiple[:1] in {"백", "천", "만"}:
            said = ""
        return said + multiple

    def _joined(self, said: str, counter: str) -> str:
        return said + counter if counter in JOINED else f"{said} {counter}"


#: ``3시 10분`` → ``세 시 십 분``.
normalise: Final = Normaliser(Korean())
