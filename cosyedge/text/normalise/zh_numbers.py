"""Mandarin readings of figures."""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = "零一二三四五六七八九"
_PLACES: Final = ("", "十", "百", "千")
_GROUPS: Final = ("", "万", "亿", "万亿")
#: Longer numbers have no name that a listener could follow; their digits are read.
_LONGEST: Final = 4 * len(_GROUPS)
_COUNTRY: Final = re.compile(r"(?:\+|00)86[- ]?(?=1)")
_MOBILE: Final = re.compile(r"(1[3-9][0-9])[- ]?([0-9]{4})[- ]?([0-9]{4})")
_AREA: Final = re.compile(r"^(0(?:10|2[0-9]|[3-9][0-9]{2}))(?=[2-9][0-9]{6,7}(?![0-9]))")


def digits(figure: str) -> str:
    """One by one, as in years and behind a decimal point; other characters are left out."""
    return "".join(_DIGITS[int(c)] for c in figure if c in "0123456789")


def code(figure: str) -> str:
    """One by one with 幺 for one, as telephone numbers and codes are said; marks between become commas."""
    groups = ("".join(c if c.isdigit() else " " for c in figure)).split()
    return "，".join(digits(group).replace("一", "幺") for group in groups)


def phone(figure: str) -> str:
    """A telephone number in the groups in which it is dictated, whatever its marks: +86 138-0013-8000转2."""
    plain = _COUNTRY.sub("", figure)
    country = "加八六，" if plain != figure else ""
    mobile = _MOBILE.fullmatch(plain)
    said = code(" ".join(mobile.groups()) if mobile else _AREA.sub(r"\1 ", plain))
    return country + said


def cardinal(figure: str) -> str:
    """A whole number: ``10001`` → 一万零一, ``200`` → 两百; longer than 16 digits, digit by digit."""
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
        said += _below_ten_thousand(group, first=not said) + _GROUPS[rank]
        if rank == 3 and groups[2] != "0000":
            said = said[:-1]  # 亿 is said once, behind its own group
        gap = False
    if said.startswith("二") and said[1:2] in ("百", "千", "万", "亿"):
        said = "两" + said[1:]
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


def number(figure: str) -> str:
    """A figure with or without a decimal point: ``3,123.20`` → 三千一百二十三点二零."""
    whole, _, decimals = figure.partition(".")
    if not decimals:
        return cardinal(whole)
    return f"{cardinal(whole)}点{digits(decimals)}"


def quantity(figure: str) -> str:
    """A figure that counts things: 2 is 两."""
    return "两" if figure == "2" else number(figure)
