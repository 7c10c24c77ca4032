"""What was said and what was heard, in units that can be compared.

Whisper writes digits, traditional characters and Mandarin words for Cantonese as it likes. Both sides go the
same way: through the product's own normalisation of numbers, then to toneless pinyin (zh), words (en), kana
as they sound (ja), hangul as it sounds (ko) or toneless jyutping (yue). Asked for ``zh``, the recogniser
spells Cantonese by its sound, in Mandarin or in Cantonese, or translates it: both sides are also compared as
Mandarin would write them (``yue_written.tsv``), in jyutping and in pinyin, and the fewest errors count.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from workspace import LEXICONS, ROOT

from cosyedge.text.phonemes.ko import KoPhonemizer


def _table() -> dict[str, str]:
    lines = Path(__file__).with_name("yue_written.tsv").read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


#: Cantonese as spoken → as it is written in Mandarin, in traditional characters
_WRITTEN = _table()
_WRITTEN_PATTERN = re.compile("|".join(sorted(_WRITTEN, key=len, reverse=True)))
#: ㅐ as ㅔ, ㅒ as ㅖ, ㅙ and ㅚ as ㅞ: index of a vowel → of the one that sounds the same today
_SAME_VOWEL = {1: 5, 3: 7, 10: 15, 11: 15}
_HANGUL, _VOWELS, _CODAS = 0xAC00, 21, 28
_SAME_SOUND = str.maketrans("ヲヂヅ", "オジズ")
_SIGNS = re.compile(r"[\W_]")


def errors(said: list[str], heard: list[str]) -> int:
    """Levenshtein distance."""
    row = list(range(len(heard) + 1))
    for i, a in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def wrong(said: str, heard: str, lang: str) -> tuple[int, int]:
    """(errors in what was heard, units of what was said); a sentence can't be more than all wrong.

    Where the recogniser understands nothing it repeats itself, and one sentence would outweigh ten.
    """
    expected = units(said, lang)
    count = errors(expected, units(heard, lang))
    if lang == "yue":
        count = min(count, errors(_jyutping(said, translated=True), _jyutping(heard, translated=True)))
        readings = [_pinyin(as_written(_to_traditional().convert(text))) for text in (said, heard)]
        count = min(count, errors(*readings))
    return min(count, len(expected)), len(expected)


def units(text: str, lang: str) -> list[str]:
    """What is counted."""
    text = unicodedata.normalize("NFKC", text)
    return {"zh": _pinyin, "en": _words, "ja": _kana, "ko": _hangul, "yue": _jyutping}[lang](text)


def as_written(text: str) -> str:
    """Cantonese in the words of Mandarin, in traditional characters and without punctuation."""
    return _WRITTEN_PATTERN.sub(lambda match: _WRITTEN[match[0]], _SIGNS.sub("", text))


def _normalised(text: str, lang: str) -> str:
    """Numbers and signs as words, in the manner of the product."""
    try:
        normaliser: Any = importlib.import_module(f"cosyedge.text.normalise.{lang}")
    except ModuleNotFoundError:
        return text
    return str(normaliser.normalise(text))


def _pinyin(text: str) -> list[str]:
    from pypinyin import lazy_pinyin

    return [str(syllable) for syllable in lazy_pinyin(_SIGNS.sub("", _normalised(text, "zh")))]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", _normalised(text, "en").lower().replace("-", " "))


def _kana(text: str) -> list[str]:
    """Kana as they sound; a prolonged vowel is its mark however it is written."""
    import pyopenjtalk

    sounds = str(pyopenjtalk.g2p(text, kana=True)).translate(_SAME_SOUND)
    return list(re.sub(r"[^ァ-ヶー]", "", sounds))


def _hangul(text: str) -> list[str]:
    """Syllables as they sound: 끓었어요 and 끄러써요 are the same, and so are 개 and 게.

    The recogniser parts words as it likes, and sounds change over a word's end: all is one breath.
    """
    sounds = _korean().pronounced(_SIGNS.sub("", _normalised(text, "ko").lower()))
    return [_merged(unit) for unit in re.findall(r"[가-힣]|[a-z]+", sounds)]


def _merged(unit: str) -> str:
    if unit.isascii():
        return unit
    onset, rest = divmod(ord(unit) - _HANGUL, _VOWELS * _CODAS)
    vowel, coda = divmod(rest, _CODAS)
    return chr(_HANGUL + (onset * _VOWELS + _SAME_VOWEL.get(vowel, vowel)) * _CODAS + coda)


@cache
def _korean() -> KoPhonemizer:
    made = LEXICONS / "ko.lexicon"
    return KoPhonemizer(made if made.exists() else ROOT / "models" / "cosyedge-multi" / made.name)


def _jyutping(text: str, translated: bool = False) -> list[str]:
    import pycantonese

    spoken = _to_traditional().convert(_normalised(unicodedata.normalize("NFKC", text), "yue"))
    written = as_written(spoken) if translated else _SIGNS.sub("", spoken)
    found: list[str] = []
    for characters, reading in pycantonese.characters_to_jyutping(written):
        found += re.findall(r"[a-z]+(?=\d)", reading) if reading else list(characters)
    return found


@cache
def _to_traditional() -> Any:
    import opencc

    return opencc.OpenCC("s2t")
