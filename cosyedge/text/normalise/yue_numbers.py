"""Cantonese readings of figures."""

from __future__ import annotations

from typing import Final

from cosyedge.text.normalise import han_numbers
from cosyedge.text.normalise.han_numbers import digits

_GROUPS: Final = ("", "萬", "億", "萬億")


def code(figure: str) -> str:
    """One by one, a pause between the groups: ``9123 4567`` → 九一二三，四五六七."""
    groups = "".join(c if c.isdigit() else " " for c in figure).split()
    if len(groups) == 1 and len(groups[0]) == 8:  # a number of Hong Kong and Macau
        groups = [groups[0][:4], groups[0][4:]]
    return "，".join(map(digits, groups))


def cardinal(figure: str) -> str:
    """A whole number: ``10001`` → 一萬零一, ``2200`` → 二千二百; beyond 16 digits, digit by digit."""
    return han_numbers.cardinal(figure, _GROUPS, two="兩")
