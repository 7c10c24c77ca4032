"""Figures in Han numerals, as Mandarin and Cantonese both build them."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = "零一二三四五六七八九"
_PLACES: Final = ("", "十", "百", "千")


def digits(figure: str) -> str:
    """One by one, as in years and behind a decimal point; other characters are left out."""
    return "".join(_DIGITS[int(c)] for c in figure if c in "0123456789")


def hour(figure: str, two: str) -> str:
    """The hour of a time of day: two o'clock is ``two`` (两点)."""
    return two if int(figure) == 2 else _below_ten_thousand(figure.zfill(4), first=True) or "零"


def two_digits(figure: str) -> str:
    """Minutes and seconds behind a bigger unit: 05 → 零五, 00 → 零."""
    said = _below_ten_thousand(figure.zfill(4), first=True)
    return f"零{said}" if figure[0] == "0" else said


def cardinal(figure: str, groups: tuple[str, str, str, str], *, two: str = "二") -> str:
    """A whole number: ``10001`` → 一万零一; beyond 16 digits, which nobody could follow, digit by digit.

    ``groups`` are the names of the groups of four digits, the last one being the two before it in a row;
    ``two`` is what a group of nothing but 2 is called before its name.
    """
    number = figure.replace(",", "").lstrip("0")
    if not number:
        return "零"
    if len(number) > 4 * len(groups):
        return digits(number)
    parts = [number[max(end - 4, 0) : end] for end in range(len(number), 0, -4)]
    said = ""
    gap = False
    for rank in range(len(parts) - 1, -1, -1):
        part = parts[rank].zfill(4)
        if part == "0000":
            gap = True
            continue
        if said and (gap or part[0] == "0"):
            said += "零"
        words = _below_ten_thousand(part, first=not said)
        said += (two if words == "二" and rank else words) + groups[rank]
        if rank == 3 and parts[2] != "0000":
            said = said[:-1]  # 亿 is said once, behind its own group
        gap = False
    return said


def _below_ten_thousand(part: str, *, first: bool) -> str:
    said = ""
    gap = False
    for place, figure in zip(range(3, -1, -1), part, strict=True):
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
