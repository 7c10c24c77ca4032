"""Korean names of units, and what is counted with native numbers."""

from __future__ import annotations

from typing import Final

from cosyedge.text.normalise.written.units import expanded

_BASES: Final = {
    "Wh": "와트시", "W": "와트", "VA": "볼트암페어", "V": "볼트", "Ah": "암페어시", "A": "암페어", "Ω": "옴",
    "Hz": "헤르츠", "J": "줄", "cal": "칼로리", "Pa": "파스칼", "bar": "바", "m": "미터", "g": "그램",
    "l": "리터", "L": "리터", "s": "초", "mol": "몰", "lx": "럭스", "lm": "루멘", "Sv": "시버트",
    "Bq": "베크렐", "F": "패럿", "B": "바이트", "bps": "비피에스", "bit": "비트",
}  # fmt: skip
_PREFIXES: Final = {
    "T": "테라", "G": "기가", "M": "메가", "k": "킬로", "h": "헥토", "d": "데시", "c": "센티", "m": "밀리",
    "µ": "마이크로", "n": "나노",
}  # fmt: skip
#: A name of two words stands around the figure: 시속 육십 킬로미터.
_OTHERS: Final = {
    "°C": "섭씨 도", "°F": "화씨 도", "°": "도", "t": "톤", "min": "분", "h": "시간", "d": "일",
    "dB": "데시벨", "dBm": "디비엠", "mmHg": "수은주밀리미터", "ppm": "피피엠", "ppb": "피피비",
    "rpm": "알피엠", "bpm": "비피엠", "km/h": "시속 킬로미터", "m/s": "초속 미터", "mph": "시속 마일",
    "kcal": "킬로칼로리", "px": "픽셀", "in": "인치", "ft": "피트", "lb": "파운드", "oz": "온스",
    "cc": "시시", "kn": "노트", "ha": "헥타르", "m²": "제곱미터", "cm²": "제곱센티미터",
    "mm²": "제곱밀리미터", "km²": "제곱킬로미터", "m³": "세제곱미터", "cm³": "세제곱센티미터",
    "s²": "제곱초", "µg/m³": "세제곱미터당 마이크로그램", "L/min": "분당 리터", "W/m²": "제곱미터당 와트",
}  # fmt: skip

#: Symbol → name.
UNITS: Final = expanded(_BASES, _PREFIXES, _OTHERS)

#: Counted with native numbers; of those that begin alike, the longer first.
NATIVE: Final = (
    "사람", "명", "살", "시간", "가지", "마리", "그루", "송이", "자루", "켤레", "그릇", "조각", "토막",
    "방울", "걸음", "바퀴", "차례", "군데", "상자", "박스", "봉지", "숟가락", "스푼", "접시", "세트",
    "꾸러미", "다발", "묶음", "무더기", "모금", "마디", "켜", "쌍", "벌", "채", "척", "대", "장", "권",
    "병", "잔", "컵", "통", "판", "줄", "칸", "팩", "곳", "달", "배", "끼", "알", "입", "방", "편", "곡",
    "캔", "포기", "뿌리", "톨", "갑", "돈쭝", "개", "번",
)  # fmt: skip
#: Begin like a native counter and are counted with Sino-Korean numbers.
SINO: Final = (
    "개월", "개국", "개년", "개소", "개사", "개층", "개동", "번지", "번길", "번대", "대대", "장조", "권역",
    "시점", "명령", "통신", "배속", "배럴", "달러", "판교", "편성", "방향", "장거리",
)  # fmt: skip
#: Joined to the figure, because the last sound of a number moves on to them: 오천원, 십이월, 삼인분.
JOINED: Final = ("인분", "인승", "인용", "원", "월", "일", "위", "인", "억")
OTHERS: Final = (
    "년", "분", "초", "층", "호선", "호실", "호", "동", "번", "주년", "주", "회", "차", "등", "점", "세",
    "학년", "학기", "반", "교시", "단계", "단", "페이지", "쪽", "줄", "평", "도", "퍼센트", "프로", "미터",
    "킬로", "센티", "그램", "리터", "와트", "볼트", "박", "급", "부", "편", "화", "막", "대", "포인트",
    "마일", "유로", "파운드", "엔", "위안", "센트", "가구", "세대", "시즌", "집", "권", "탄", "형", "종",
    "건", "매", "석", "좌", "량", "칼로리",
)  # fmt: skip
