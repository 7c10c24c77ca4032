"""Korean: hangul and punctuation to phonemes, by the rules of the standard pronunciation.

The notation is that of the voices: lax stops are voiced between voiced sounds (``k`` → ``ɡ``), aspirated
ones carry ``ʰ``, tense ones are the plain letter, for want of a sound of that kind in the voices.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Final

from cosyedge.text.lexicon import Lexicon
from cosyedge.text.phonemes import Pronunciation
from cosyedge.text.phonemes.ko_rules import Syllable, compose, pronounce
from cosyedge.text.phonemes.ko_words import respell
from cosyedge.text.phonemes.transcript import Transcript, transcribed

_ONSET: Final = {
    "ㄱ": "k", "ㄲ": "k", "ㄴ": "n", "ㄷ": "t", "ㄸ": "t", "ㄹ": "ɾ", "ㅁ": "m", "ㅂ": "p", "ㅃ": "p",
    "ㅅ": "s", "ㅆ": "s", "ㅇ": "", "ㅈ": "ʨ", "ㅉ": "ʨ", "ㅊ": "ʨʰ", "ㅋ": "kʰ", "ㅌ": "tʰ", "ㅍ": "pʰ",
    "ㅎ": "h",
}  # fmt: skip
_VOICED: Final = {"ㄱ": "ɡ", "ㄷ": "d", "ㅂ": "b", "ㅈ": "ʥ"}
_VOWEL: Final = {
    "ㅏ": "a", "ㅐ": "ɛ", "ㅑ": "ja", "ㅒ": "jɛ", "ㅓ": "ʌ", "ㅔ": "e", "ㅕ": "jʌ", "ㅖ": "je", "ㅗ": "o",
    "ㅘ": "wa", "ㅙ": "wɛ", "ㅚ": "we", "ㅛ": "jo", "ㅜ": "u", "ㅝ": "wʌ", "ㅞ": "we", "ㅟ": "wi", "ㅠ": "ju",
    "ㅡ": "ɯ", "ㅢ": "ɰi", "ㅣ": "i",
}  # fmt: skip
_CODA: Final = {"": "", "ㄱ": "k", "ㄴ": "n", "ㄷ": "t", "ㄹ": "l", "ㅁ": "m", "ㅂ": "p", "ㅇ": "ŋ"}
_PALATAL: Final = frozenset("ㅑㅒㅕㅖㅛㅟㅠㅣ")

#: A breath: words of hangul parted by single spaces, over which the rules reach.
_BREATH: Final = re.compile("[가-힣]+(?: [가-힣]+)*")


class KoPhonemizer:
    """Reads Korean with the words of the lexicon at ``path`` that no rule can know.

    Raises:
        TextError: ``lexicon_unreadable``.
    """

    def __init__(self, path: Path) -> None:
        self._lexicon = Lexicon(path)

    def phonemize(self, spoken: str) -> Pronunciation:
        """Phonemes of hangul and punctuation; the reading is the hangul as it is written.

        Anything else is left out and counted in ``unknown``.
        """
        text = unicodedata.normalize("NFC", spoken)
        return transcribed(text, _BREATH, self._say).pronunciation()

    def _say(self, breath: re.Match[str], transcript: Transcript) -> None:
        words = breath.group().split(" ")
        for word, sounds in zip(words, self._pronounce(words), strict=True):
            transcript.add_word(ipa_of(sounds), (word,))

    def pronounced(self, text: str) -> str:
        """``text`` with its hangul as it sounds (밥을 먹는다 → 바블 멍는다)."""

        def spell(breath: re.Match[str]) -> str:
            words = self._pronounce(breath.group().split(" "))
            return " ".join("".join(map(compose, word)) for word in words)

        return _BREATH.sub(spell, unicodedata.normalize("NFC", text))

    def _pronounce(self, words: list[str]) -> list[list[Syllable]]:
        return pronounce([respell(word, self._lexicon.get) for word in words])

    def close(self) -> None:
        self._lexicon.close()


def ipa_of(word: list[Syllable]) -> str:
    """The phonemes of the syllables of a word as they sound."""
    ipa: list[str] = []
    voiced = False
    coda = ""
    for syllable in word:
        onset = _VOICED.get(syllable.onset, "") if voiced else ""
        onset = onset or _ONSET[syllable.onset]
        if syllable.onset == "ㄹ" and coda == "ㄹ":
            onset = "l"
        elif onset == "s" and syllable.vowel in _PALATAL:
            onset = "ɕ"
        ipa += onset, _VOWEL[syllable.vowel], _CODA[syllable.coda]
        coda = syllable.coda
        voiced = coda not in {"ㄱ", "ㄷ", "ㅂ"}
    return "".join(ipa)
