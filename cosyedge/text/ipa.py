"""Readings in other alphabets as symbols of the inventory: common IPA, pinyin, jyutping.

Common IPA writes a stress before its syllable, two letters for an affricate or a diphthong and tones as
letters; the inventory has the stress before the vowel, one symbol for each, and arrows.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from cosyedge.text.phonemes import Pronunciation
from cosyedge.text.phonemes.zh_pinyin import ipa_of as zh_ipa_of
from cosyedge.text.readings import Reading
from cosyedge.text.symbols import is_symbol

#: Longest first.
_COMMON: Final = {
    "˨˩˦": "↓", "˨˩": "↓", "˧˥": "↗", "˥˩": "↘", "˥˥": "→", "˥": "→",
    "t͡ʃ": "ʧ", "d͡ʒ": "ʤ", "t͡s": "ʦ", "d͡z": "ʣ",
    "t͡ɕ": "ʨ",
     "d͡ʑ": "ʥ", "tʃ": "ʧ", "dʒ": "ʤ", "ts": "ʦ", "dz": "ʣ", "tɕ": "ʨ", "dʑ": "ʥ", "eɪ": "A",
    "aɪ": "I", "oʊ": "O", "əʊ": "O", "aʊ": "W", "ɔɪ": "Y", "ɜːr": "ɜɹ",
    "ɝ": "ɜɹ", "ɚ": "əɹ", "r": "ɹ", "g": "ɡ", "ɫ": "l",
    "'": "ˈ", ":": "ː",
}  # fmt: skip
_ANY_COMMON: Final = re.compile("|".join(map(re.escape, sorted(_COMMON, key=len, reverse=True))))
_STRESS: Final = re.compile(r"([ˈˌ])([^aeiouyæɑɐɒɔəɛɜɪɨɯʊʌᵻøœɤAIOQWY\s]+)")
_TONES: Final = {"\u0304": "1", "\u0301": "2", "\u030c": "3", "\u0300": "4"}
_SYLLABLE: Final = re.compile(r"[a-zê]+[1-5]?")
_JYUTPING: Final = re.compile(r"[a-z]{1,6}[1-6]")


def symbols_of_ipa(ipa: str) -> str:
    """``təˈmeɪtoʊ`` → ``təmˈAtO``; what no symbol is stays, and is counted by the reader."""
    plain = unicodedata.normalize("NFC", ipa).replace(".", "").replace("͜", "͡")
    said = _ANY_COMMON.sub(lambda match: _COMMON[match[0]], plain)
    return _STRESS.sub(r"\2\1", said)


def numbered_pinyin(pinyin: str) -> str:
    """``Chóngqìng`` is not parted, so syllables stand apart: ``chóng qìng`` → ``chong2 qing4``."""
    numbered: list[str] = []
    for written in pinyin.lower().replace("'", " ").split():
        letters, tone = "", ""
        for character in unicodedata.normalize("NFD", written):
            if character in _TONES:
                tone = _TONES[character]
            elif character == "\u0308" or character == ":":
                letters = letters[:-1] + "v"
            else:
                letters += character
        syllables = _SYLLABLE.findall(letters.replace("ü", "v"))
        numbered += [s if s[-1].isdigit() else s + (tone or "5") for s in syllables]
    return " ".join(numbered)


def symbols_of_pinyin(pinyin: str) -> tuple[str, str] | None:
    """The symbols and the numbered syllables; None where one is no syllable of Mandarin."""
    syllables = numbered_pinyin(pinyin).split()
    said = [zh_ipa_of(syllable) for syllable in syllables]
    if not said or None in said:
        return None
    return "".join(filter(None, said)), " ".join(syllables)


def symbols_of_kana(kana: str) -> tuple[str, str]:
    """The symbols and the hiragana; what is no kana is left out."""
    from cosyedge.text.phonemes.ja_codes import said
    from cosyedge.text.phonemes.ja_kana import ipa_of, to_hiragana
    from cosyedge.text.phonemes.ja_words import sounds_of_reading

    words = to_hiragana(kana).split()
    return " ".join(ipa_of(said(sounds_of_reading(word))) for word in words), "".join(words)


def symbols_of_jyutping(jyutping: str) -> tuple[str, str] | None:
    """The symbols and the syllables; None where one is no syllable of Cantonese."""
    from cosyedge.text.phonemes.yue_jyutping import encode, ipa_of

    syllables = _JYUTPING.findall(jyutping.lower())
    codes = [encode(syllable) for syllable in syllables]
    if not codes or not all(codes) or "".join(syllables) != re.sub(r"[\s-]", "", jyutping.lower()):
        return None
    return "".join(map(ipa_of, codes)), " ".join(syllables)


def pronounced(reading: Reading) -> Pronunciation:
    """What a text brought along; a reading that is none makes no sound, and what it stood for is unknown."""
    letters: str | None = None
    if reading.alphabet == "symbols":
        said: str = reading.sounds
    elif reading.alphabet == "ipa":
        said = symbols_of_ipa(reading.sounds)
    elif reading.alphabet == "kana":
        said, letters = symbols_of_kana(reading.sounds)
    else:
        convert = symbols_of_pinyin if reading.alphabet == "pinyin" else symbols_of_jyutping
        said, letters = convert(reading.sounds) or ("", None)
    unknown = [c for c in said if not is_symbol(c)] if said else list(reading.written)
    return Pronunciation("".join(filter(is_symbol, said)), letters, tuple(unknown))
