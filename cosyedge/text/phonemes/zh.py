"""Mandarin: Han characters and punctuation to phonemes and pinyin.

Words are found by maximum probability over the lexicon, read by their phrase reading or character by
character, and then the tones are changed by their neighbours (:mod:`cosyedge.text.phonemes.zh_sandhi`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cosyedge.text.lexicon import Lexicon
from cosyedge.text.phonemes import Pronunciation
from cosyedge.text.phonemes.best_words import best_words
from cosyedge.text.phonemes.transcript import Transcript, transcribed
from cosyedge.text.phonemes.zh_pinyin import ipa_of
from cosyedge.text.phonemes.zh_sandhi import Word, change_tones

#: Characters of the longest word in the lexicon; bounds the work for each character.
LONGEST_WORD: Final = 8
#: A word's cost is this times -ln of its probability, in one byte.
COST_PER_NAT: Final = 12
#: The cost of a character that was never counted.
RARE_COST: Final = 255

_HAN: Final = re.compile("[〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")


def is_han(text: str) -> bool:
    """Whether ``text`` is made of Han characters alone."""
    return _HAN.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class _Character:
    """What the lexicon knows of one character: its cost, its reading and its simplified form."""

    cost: int
    reading: str
    simplified: str
    traditional: bool


class ZhPhonemizer:
    """Reads Mandarin with the lexicon at ``path``.

    Raises:
        TextError: ``lexicon_unreadable``.
    """

    def __init__(self, path: Path) -> None:
        self._lexicon = Lexicon(path)

    def phonemize(self, spoken: str) -> Pronunciation:
        """Phonemes and pinyin of Han characters and punctuation; the time is linear in the length.

        Anything else, and a character without a reading, is left out and counted in ``unknown``.
        """
        return transcribed(spoken, _HAN, self._say).pronunciation()

    def _say(self, run: re.Match[str], transcript: Transcript) -> None:
        words = self._words(run.group(), transcript.unknown)
        change_tones(words)
        for word in words:
            transcript.add_word(
                "".join(ipa_of(syllable) or "" for syllable in word.syllables), word.syllables
            )

    def _words(self, run: str, unknown: list[str]) -> list[Word]:
        """The most probable words of a run of Han characters, with their readings before any sandhi."""
        characters = []
        for character in run:
            known = self._character(character)
            if known is None:
                unknown.append(character)
            else:
                characters.append(known)
        text = "".join(known.simplified for known in characters)
        costs = [known.cost for known in characters]
        ends, records = best_words(text, costs, self._lexicon.get, LONGEST_WORD)
        words = []
        start = 0
        while start < len(text):
            end = ends[start]
            if reading := records[start][1:].decode("ascii"):  # of the phrase, where it is not the plain one
                syllables = reading.split(" ")
            elif end - start == 1:
                syllables = [characters[start].reading]
            else:
                syllables = [self._plain_reading(known) for known in characters[start:end]]
            words.append(Word(text[start:end], syllables))
            start = end
        return words

    def _character(self, character: str) -> _Character | None:
        value = self._lexicon.get(character)
        if value is None:
            return None
        reading, _, simplified = value[1:].decode("utf-8").partition("=")
        return _Character(value[0], reading, simplified or character, bool(simplified))

    def _plain_reading(self, known: _Character) -> str:
        """How a character is read in a word: as its simplified form is (乾 is qián, but gān in 乾燥)."""
        if not known.traditional:
            return known.reading
        simplified = self._character(known.simplified)
        return simplified.reading if simplified else known.reading

    def close(self) -> None:
        self._lexicon.close()
