"""Jyutping syllables to IPA, in the notation that the voices are trained on, and to a number of two bytes.

Vowels carry their length where it tells syllables apart (``aː`` against ``ɐ``), affricates are one letter,
aspiration is ``ʰ``, and the tone, ¹ to ⁶, stands behind the syllable. The values follow R. S. Bauer and
P. K. Benedict, *Modern Cantonese Phonology*, 1997.
"""

from __future__ import annotations

from typing import Final

_TONES: Final = "123456"
_MARKS: Final = "¹²³⁴⁵⁶"

_INITIALS: Final = {
    "": "", "b": "p", "p": "pʰ", "m": "m", "f": "f", "d": "t", "t": "tʰ", "n": "n", "l": "l", "g": "k",
    "k": "kʰ", "ng": "ŋ", "h": "h", "gw": "kw", "kw": "kʰw", "w": "w", "z": "ʦ", "c": "ʦʰ", "s": "s",
    "j": "j",
}  # fmt: skip

_VOWELS: Final = {
    "aa": "aː", "aai": "aːi", "aau": "aːu", "a": "ɐ", "ai": "ɐi", "au": "ɐu", "e": "ɛː", "ei": "ei",
    "eu": "ɛːu", "i": "i", "iu": "iu", "o": "ɔː", "oi": "ɔːi", "ou": "ou", "u": "u", "ui": "ui",
    "oe": "œː", "eo": "ø", "eoi": "øy", "yu": "yː",
}  # fmt: skip
_CODAS: Final = {"m": "m", "n": "n", "ng": "ŋ", "p": "p", "t": "t", "k": "k"}
#: Before ng and k, i and u are open.
_OPEN: Final = {"i": "ɪ", "u": "ʊ"}

_FINALS: Final = {
    **_VOWELS,
    **{
        vowel + coda: (_OPEN.get(vowel, sound) if coda in {"ng", "k"} else sound) + _CODAS[coda]
        for vowel, sound in _VOWELS.items()
        if vowel in {"aa", "a", "e", "i", "o", "u", "oe", "eo", "yu"}
        for coda in _CODAS
    },
    "m": "m",
    "ng": "ŋ",
}
_INITIAL_CODES: Final = {initial: code for code, initial in enumerate(_INITIALS)}
_FINAL_CODES: Final = {final: code for code, final in enumerate(_FINALS)}
_INITIAL_OF: Final = tuple(_INITIALS)
_FINAL_OF: Final = tuple(_FINALS)
_SOUND_OF_INITIAL: Final = tuple(_INITIALS.values())
_SOUND_OF_FINAL: Final = tuple(_FINALS.values())
#: One more than the greatest code of a syllable; it fits into 14 bits.
CODES: Final = 1 + len(_INITIALS) * len(_FINALS) * len(_TONES)


def encode(syllable: str) -> int:
    """The code of a syllable with its tone number, 1 or more; 0 where it is no jyutping."""
    tone = _TONES.find(syllable[-1:]) if syllable else -1
    base = syllable[:-1]
    for length in (2, 1, 0):
        initial, final = base[:length], base[length:]
        if tone >= 0 and initial in _INITIAL_CODES and final in _FINAL_CODES:
            return 1 + (_INITIAL_CODES[initial] * len(_FINALS) + _FINAL_CODES[final]) * len(_TONES) + tone
    return 0


def decode(code: int) -> str:
    """The syllable of a code that :func:`encode` made."""
    initial, final, tone = _parts(code)
    return _INITIAL_OF[initial] + _FINAL_OF[final] + _TONES[tone]


def ipa_of(code: int) -> str:
    """The phonemes of a syllable: ``nei5`` is ``nei⁵``."""
    initial, final, tone = _parts(code)
    return _SOUND_OF_INITIAL[initial] + _SOUND_OF_FINAL[final] + _MARKS[tone]


def _parts(code: int) -> tuple[int, int, int]:
    rest, tone = divmod(code - 1, len(_TONES))
    initial, final = divmod(rest, len(_FINALS))
    return initial, final, tone
