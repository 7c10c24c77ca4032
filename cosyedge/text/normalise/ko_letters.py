"""Letters of hangul that stand outside syllables: their names, and the laughter that is typed with them."""

from __future__ import annotations

from typing import Final

_NAMES: Final = {
    "ㄱ": "기역", "ㄴ": "니은", "ㄷ": "디귿", "ㄹ": "리을", "ㅁ": "미음", "ㅂ": "비읍", "ㅅ": "시옷",
    "ㅇ": "이응", "ㅈ": "지읒", "ㅊ": "치읓", "ㅋ": "키읔", "ㅌ": "티읕", "ㅍ": "피읖", "ㅎ": "히읗",
    "ㄲ": "쌍기역", "ㄸ": "쌍디귿", "ㅃ": "쌍비읍", "ㅆ": "쌍시옷", "ㅉ": "쌍지읒", "ㄳ": "기역시옷",
    "ㄵ": "니은지읒", "ㄶ": "니은히읗", "ㄺ": "리을기역", "ㄻ": "리을미음", "ㄼ": "리을비읍",
    "ㄽ": "리을시옷", "ㄾ": "리을티읕", "ㄿ": "리을피읖", "ㅀ": "리을히읗", "ㅄ": "비읍시옷",
}  # fmt: skip
#: Typed over and over, these are laughter.
_LAUGHTER: Final = {"ㅋ": "크", "ㅎ": "흐"}
#: The first syllable without a consonant, and how far apart the vowels stand from there.
_FIRST_VOWEL: Final = "ㅏ"
_FIRST_SYLLABLE: Final = "아"
_APART: Final = 28


def spell(letters: str) -> str:
    """``ㄱ`` → 기역, ``ㅋㅋㅋ`` → 크크크, ``ㅠㅠ`` → 유유."""
    laughs = len(letters) > 1
    return "".join(
        (laughs and _LAUGHTER.get(letter))
        or _NAMES.get(letter)
        or chr(ord(_FIRST_SYLLABLE) + (ord(letter) - ord(_FIRST_VOWEL)) * _APART)
        for letter in letters
    )
