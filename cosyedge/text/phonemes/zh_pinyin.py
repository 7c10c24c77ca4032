"""Pinyin syllables to IPA, in the notation that the voices are trained on.

The notation is Kokoro's: affricates are one letter, aspiration is ``ʰ``, and the tone is an arrow
behind the vowel and before a final ``n`` or ``ŋ`` (→ high, ↗ rising, ↓ low, ↘ falling, none: neutral).
The values follow S. Duanmu, *The Phonology of Standard Chinese*, 2nd ed., 2007, ch. 2.
"""

from __future__ import annotations

from functools import cache
from typing import Final

#: Tone number → arrow; 5 is the neutral tone.
TONES: Final = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}

_INITIALS: Final = {
    "": "", "b": "p", "p": "pʰ", "m": "m", "f": "f", "d": "t", "t": "tʰ", "n": "n", "l": "l",
    "g": "k", "k": "kʰ", "h": "x", "j": "ʨ", "q": "ʨʰ", "x": "ɕ", "zh": "ꭧ", "ch": "ꭧʰ", "sh": "ʂ",
    "r": "ɻ", "z": "ʦ", "c": "ʦʰ", "s": "s",
}  # fmt: skip

#: Final → vowel part and what follows the tone. ``ɨ`` is the buzzed vowel of zhi and zi.
_FINALS: Final = {
    "a": ("a", ""), "ai": ("ai", ""), "an": ("a", "n"), "ang": ("a", "ŋ"), "ao": ("au", ""),
    "e": ("ɤ", ""), "ei": ("ei", ""), "en": ("ə", "n"), "eng": ("ə", "ŋ"),
    "i": ("i", ""), "ia": ("ja", ""), "ian": ("jɛ", "n"), "iang": ("ja", "ŋ"), "iao": ("jau", ""),
    "ie": ("je", ""), "in": ("i", "n"), "ing": ("i", "ŋ"), "iong": ("jʊ", "ŋ"), "iu": ("jou", ""),
    "o": ("wo", ""), "ong": ("ʊ", "ŋ"), "ou": ("ou", ""),
    "u": ("u", ""), "ua": ("wa", ""), "uai": ("wai", ""), "uan": ("wa", "n"), "uang": ("wa", "ŋ"),
    "ui": ("wei", ""), "un": ("wə", "n"), "uo": ("wo", ""),
    "v": ("y", ""), "ve": ("ɥe", ""), "van": ("ɥɛ", "n"), "vn": ("y", "n"),
    "-i": ("ɨ", ""),
}  # fmt: skip

#: Syllables without an initial, as they are spelled → their final, or their sound where it has none.
_BARE: Final = {
    "yi": "i", "ya": "ia", "yan": "ian", "yang": "iang", "yao": "iao", "ye": "ie", "yin": "in",
    "ying": "ing", "yong": "iong", "you": "iu", "wu": "u", "wa": "ua", "wai": "uai", "wan": "uan",
    "wang": "uang", "wei": "ui", "wen": "un", "wo": "uo", "wong": "ong", "yu": "v", "yue": "ve",
    "yuan": "van", "yun": "vn", "a": "a", "ai": "ai", "an": "an", "ang": "ang", "ao": "ao", "e": "e",
    "ei": "ei", "en": "en", "eng": "eng", "ou": "ou",
}  # fmt: skip
_IRREGULAR: Final = {
    "er": ("ɚ", ""), "o": ("ɔ", ""), "yo": ("jɔ", ""), "weng": ("wə", "ŋ"), "ê": ("ɛ", ""),
    "m": ("m", ""), "n": ("n", ""), "ng": ("ŋ", ""), "hm": ("hm", ""), "hng": ("hŋ", ""),
}  # fmt: skip


@cache
def sound_of(base: str) -> tuple[str, str] | None:
    """The sound of a syllable without its tone, parted where the arrow stands; None if it is no pinyin.

    ``lü`` is spelled ``lv`` here, as are ``lve``, ``nv`` and ``nve``.
    """
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base in _BARE:
        return _FINALS[_BARE[base]]
    initial = next((base[:n] for n in (2, 1) if base[:n] in _INITIALS and base[n:]), None)
    if initial is None:
        return None
    final = base[len(initial) :]
    if final == "i" and initial in {"zh", "ch", "sh", "r", "z", "c", "s"}:
        final = "-i"
    elif final[0] == "u" and initial in {"j", "q", "x"}:
        final = "v" + final[1:]
    if final not in _FINALS:
        return None
    vowel, coda = _FINALS[final]
    return _INITIALS[initial] + vowel, coda


def ipa_of(syllable: str) -> str | None:
    """``zhong1`` → ``ꭧʊ→ŋ``; None where ``syllable`` is not a pinyin syllable with its tone number."""
    tone = TONES.get(syllable[-1:])
    sound = sound_of(syllable[:-1])
    if tone is None or sound is None:
        return None
    vowel, coda = sound
    return vowel + tone + coda
