"""Which language each symbol of a phoneme string belongs to: the acoustic model is told.

Languages share most symbols, and say them differently. The order is that of the rows of the model's
embedding: changing it means training again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cosyedge.text.spans import Lang
from cosyedge.text.symbols import SILENT

LANGUAGES: Final[tuple[Lang, ...]] = ("zh", "yue", "en", "ja", "ko")


def languages_of(phonemes: str, spans: Iterable[tuple[Lang, str]]) -> tuple[int, ...]:
    """For each symbol of ``phonemes``, the index of its language in :data:`LANGUAGES`.

    ``spans`` are (language, phonemes) in order; ``phonemes`` is made of theirs, with marks and spaces
    between and around them added, changed or left out. Marks and spaces count with the symbol before them.

    Raises:
        StopIteration: nothing in ``phonemes`` makes a sound, or more than the spans have.
    """
    speaking = iter(LANGUAGES.index(lang) for lang, said in spans for symbol in said if symbol not in SILENT)
    current: int | None = None
    found: list[int] = []
    for symbol in phonemes:
        if symbol not in SILENT:
            current = next(speaking)
        found.append(-1 if current is None else current)
    first = next(lang for lang in found if lang >= 0)
    return tuple(first if lang < 0 else lang for lang in found)
