"""Cantonese readings of figures."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = "零一二三四五六七八九"
_PLACES: Final = ("", "十", "百", "千")
_GROUPS: Final = ("", "萬", "億", "萬億")
#: Longer numbers have no name that a listener could follow; their digits are read.
_LONGEST: Final = 4 * len(_GROUPS)


def digits(figure: str) -> str:
    """One by one, as in years, codes and behind a decimal point; other characters are left out."""
    return "".join(_DIGITS[int(c)] for c in figure if c in "0123456789")


def code(figure: str) -> str:
    """One by one, a pause between the groups: ``9123 4567`` → 九一二三，四五六七."""
    groups = "".join(c if c.isdigit() else " " for c in figure).split()
    if len(groups) == 1 and len(groups[0]) == 8:  # a number of Hong Kong and Macau
        groups = [groups[0][:4], groups[0][4:]]
    return "，".join(map(digits, groups))


def cardinal(figure: str) -> str:
    """A whole number: ``10001`` → 一萬零一, ``2200`` → 二千二百; beyond 16 digits, digit by digit."""
    number = figure.replace(",", "").lstrip("0")
    if not number:
        return "零"
    if len(number) > _LONGEST:
        return digits(number)
    groups = [number[max(end - 4, 0) : end] for end in range(len(number), 0, -4)]
    said = ""
    gap = False
    for rank in range(len(groups) - 1, -1, -1):
        group = groups[rank].zfill(4)
        if group == "0000":
            gap = True
            continue
        if said and (gap or group[0] == "0"):
            said += "零"
        words = _below_ten_thousand(group, first=not said)
        said += ("兩" if words == "二" and rank else words) + _GROUPS[rank]
        if rank == 3 and groups[2] != "0000":
            said = said[:-1]  # 億 is said once, behind its own group
        gap = False
    return said


def _below_ten_thousand(group: str, *, first: bool) -> str:
    said = ""
    gap = False
    for place, figure in zip(range(3, -1, -1), group, strict=True):
        if figure == "0":
            gap = bool(said)
            continue
        if gap:
            said += "零"
            gap = False
        if not (first and not said and place == 1 and figure == "1"):
            said += _DIGITS[int(figure)]
        said += _PLACES[place]
    return said
