"""Korean readings of figures: Sino-Korean numbers, and the native ones that count things."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = "영일이삼사오육칠팔구"
_PLACES: Final = ("", "십", "백", "천")
_GROUPS: Final = ("", "만", "억", "조")
#: Longer numbers have no name that a listener could follow; their digits are read.
_LONGEST: Final = 4 * len(_GROUPS)
#: Before what they count, the first four are short.
_BEFORE_COUNTER: Final = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS: Final = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")


def digits(figure: str) -> str:
    """One by one, as behind a decimal point; other characters are left out."""
    return "".join(_DIGITS[int(c)] for c in figure if c in "0123456789")


def code(figure: str) -> str:
    """One by one with 공 for zero, as telephone numbers and codes are said; a pause between groups."""
    groups = "".join(c if c.isdigit() else " " for c in figure).split()
    return ", ".join(digits(group).replace("영", "공") for group in groups)


def cardinal(figure: str) -> str:
    """A whole number: ``2025`` → 이천이십오, ``15000`` → 만 오천; beyond 16 digits, digit by digit."""
    number = figure.replace(",", "").lstrip("0")
    if not number:
        return "영"
    if len(number) > _LONGEST:
        return digits(number)
    groups = [number[max(end - 4, 0) : end] for end in range(len(number), 0, -4)]
    said: list[str] = []
    for rank in range(len(groups) - 1, -1, -1):
        group = _below_ten_thousand(groups[rank])
        if group:
            said.append(("" if group == "일" and rank == 1 and not said else group) + _GROUPS[rank])
    return " ".join(said)


def _below_ten_thousand(group: str) -> str:
    said = ""
    for place, figure in zip(range(len(group) - 1, -1, -1), group, strict=True):
        if figure != "0":
            said += ("" if figure == "1" and place else _DIGITS[int(figure)]) + _PLACES[place]
    return said


def native(figure: str) -> str:
    """A native number before what it counts, 1 to 99: ``13`` → 열세, ``20`` → 스무; any other as it is said
    in Sino-Korean."""
    if not figure.isdigit() or not 0 < int(figure) < 100:
        return cardinal(figure)
    tens, units = divmod(int(figure), 10)
    if (tens, units) == (2, 0):
        return "스무"
    return _NATIVE_TENS[tens] + _BEFORE_COUNTER[units]
