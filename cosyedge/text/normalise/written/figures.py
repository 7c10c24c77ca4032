"""A quantity in a pattern: one figure, or the two ends of a range, each perhaps negative."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.written.language import Figures, Language
from cosyedge.text.normalise.written.marks import NEGATIVE, TO
from cosyedge.text.normalise.written.rows import FIGURE

#: Groups: figure, and last where it is a range. What stands before it must be looked at by START.
QUANTITY: Final = rf"(?P<figure>{NEGATIVE}?{FIGURE})(?:{TO}(?P<last>{NEGATIVE}?{FIGURE}))?"


def multiple_of(language: Language, scales: str = "") -> str:
    """The pattern of what multiplies a figure, ``scales`` besides; its group is empty or None without one."""
    if scales:
        return rf"(?: ?(?P<multiple>{scales})(?![A-Za-z0-9²³/-]))?"
    if not language.multiples:
        return "(?P<multiple>)"
    return rf"(?: ?(?P<multiple>[{language.multiples}]{{1,2}}))?"


def figures_of(match: re.Match[str]) -> Figures:
    """The figures of a match of QUANTITY, as :class:`~.language.Language` takes them."""
    first, last = plain(match["figure"]), match["last"]
    if "minus" in match.re.groupindex and match["minus"]:
        first = f"-{first}"
    return (first, plain(last)) if last else (first,)


def plain(figure: str) -> str:
    """Without thousands commas, with a minus that anyone can read."""
    return figure.replace(",", "").replace(NEGATIVE, "-")
