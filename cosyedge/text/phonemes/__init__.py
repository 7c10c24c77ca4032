"""Spoken words to phonemes, one module a language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pronunciation:
    """How a span of one language is said.

    Attributes:
        phonemes: symbols of :mod:`cosyedge.text.symbols`, words parted by spaces.
        reading: pinyin with tone numbers after sandhi, syllables parted by spaces, or None where a
            language has no such writing.
        unknown: the characters that could not be read, in order; each costs only itself.
        written: the text in another writing that was read in its stead, or None: Cantonese that came in
            simplified characters, in traditional ones.
    """

    phonemes: str
    reading: str | None
    unknown: tuple[str, ...]
    written: str | None = None
