"""How fast a stretch of text is spoken, carried through it as marks: SSML's ``<prosody rate>``.

A mark opens a stretch or closes the one that was opened last; like readings they are private-use
characters that no text from outside can have. They part clauses, so nothing else ever sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

SLOWEST: Final = 0.2
FASTEST: Final = 5.0
_CLOSE: Final = 0xFE100
_MARK: Final = re.compile(f"([{chr(_CLOSE)}-{chr(_CLOSE + 100 * round(FASTEST))}])")
#: SSML 1.1, 3.2.4, names the rates and leaves their values open.
_NAMED: Final = {"x-slow": 0.6, "slow": 0.8, "medium": 1.0, "default": 1.0, "fast": 1.25, "x-fast": 1.6}
_PERCENT: Final = re.compile(r"([+-]?)(\d{1,4}(?:\.\d{0,3})?)%")
_FACTOR: Final = re.compile(r"\d{1,2}(?:\.\d{0,3})?")
_ENDS: Final = re.compile(r"[.!?…。！？\n][\s\"'”’）)」』]*\Z")
CLOSING: Final = chr(_CLOSE)


def rate_opening(rate: str) -> str:
    """The mark of a rate as SSML writes it: slow, 80%, +20%, 1.2; what is no rate changes nothing."""
    written = rate.strip().lower()
    factor = _NAMED.get(written, 1.0)
    if percent := _PERCENT.fullmatch(written):
        share = float(percent[2]) / 100
        factor = {"": share, "+": 1 + share, "-": 1 - share}[percent[1]]
    elif _FACTOR.fullmatch(written):
        factor = float(written)
    return chr(_CLOSE + round(min(max(factor, SLOWEST), FASTEST) * 100))


def stretches(text: str, open_rates: list[float]) -> Iterator[tuple[str, float, bool]]:
    """The text between marks, its rate (1 is natural), and whether a sentence goes on behind it.

    ``open_rates`` is kept from block to block.
    """
    parts = _MARK.split(text)
    for i, part in enumerate(parts):
        if not _MARK.fullmatch(part):
            goes_on = i + 1 < len(parts) and not _ENDS.search(part)
            yield part, min(max(open_rates[-1] if open_rates else 1.0, SLOWEST), FASTEST), goes_on
        elif part != CLOSING:
            open_rates.append((open_rates[-1] if open_rates else 1.0) * (ord(part) - _CLOSE) / 100)
        elif open_rates:
            open_rates.pop()
