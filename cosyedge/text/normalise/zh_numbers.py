"""Mandarin readings of figures."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise import han_numbers
from cosyedge.text.normalise.han_numbers import digits

_GROUPS: Final = ("", "万", "亿", "万亿")
_COUNTRY: Final = re.compile(r"(?:\+|00)86[- ]?(?=1)")
_MOBILE: Final = re.compile(r"(1[3-9][0-9])[- ]?([0-9]{4})[- ]?([0-9]{4})")
_AREA: Final = re.compile(r"^(0(?:10|2[0-9]|[3-9][0-9]{2}))(?=[2-9][0-9]{6,7}(?![0-9]))")


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
    said = han_numbers.cardinal(figure, _GROUPS)
    if said.startswith("二") and said[1:2] in ("百", "千", "万", "亿"):
        said = "两" + said[1:]
    return said


def number(figure: str) -> str:
    """A figure with or without a decimal point: ``3,123.20`` → 三千一百二十三点二零."""
    whole, _, decimals = figure.partition(".")
    if not decimals:
        return cardinal(whole)
    return f"{cardinal(whole)}点{digits(decimals)}"


def yuan(figure: str) -> str:
    """A sum in yuan: ``12.50`` → 十二元五角, ``2`` → 两元; ``0.5`` and ``1.125`` stay decimals."""
    whole, _, decimals = figure.partition(".")
    if not 0 < len(decimals) <= 2 or not whole.strip("0"):
        return f"{_paid(figure)}元"
    jiao, fen = decimals[0], decimals[1:] or "0"
    said = f"{_paid(whole)}元"
    if jiao != "0":
        said += f"{digits(jiao)}角"
    if fen != "0":
        said += ("零" if jiao == "0" else "") + f"{digits(fen)}分"
    return said


def _paid(figure: str) -> str:
    return "两" if figure == "2" else number(figure)
