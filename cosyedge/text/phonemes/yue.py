"""Cantonese: Han characters and punctuation to phonemes and jyutping.

Words are found by least cost over the lexicon, which has the readings that a character takes in a word,
changed tones among them. Traditional and simplified writing are both read: words are looked up in
simplified form, and a word's record says its traditional form where the characters alone don't.

The lexicon's records (made by ``scripts/train/lexicon_yue.py``):

- ``#`` and a block, the code of a character without its last eight bits, in hex: for each of the 256
  characters the code of its reading, with two flags, its other form, and its cost (:data:`CHARACTER`);
- a character beyond those blocks: the same, once;
- a word in simplified form: a cost, then, where the characters alone don't tell them, the codes of its
  syllables, and after those its traditional form.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cosyedge.text.lexicon import Lexicon
from cosyedge.text.phonemes import Pronunciation
from cosyedge.text.phonemes.best_words import best_words
from cosyedge.text.phonemes.transcript import Transcript, transcribed
from cosyedge.text.phonemes.yue_jyutping import decode, ipa_of

#: Characters of the longest word in the lexicon; bounds the work for each character.
LONGEST_WORD: Final = 7
#: Code of the reading and flags, other form (0: none), cost.
CHARACTER: Final = struct.Struct("<HHB")
#: The flags beside a reading. The other form is the simplified one; it is the traditional one, and the
#: character is of simplified writing alone; both together: the character is of both ways of writing, and
#: the other form is what simplified writing means by it (后 for 後).
HAS_SIMPLIFIED: Final = 0x4000
HAS_TRADITIONAL: Final = 0x8000
READING: Final = 0x3FFF
#: A word's record without its syllables has this length: the cost.
_PLAIN: Final = 1

_HAN: Final = re.compile("[〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")

#: Read digit by digit: as a word, the 二六 of 二零二六年 would be half of an old dice throw, ji6 luk1.
_FIGURE: Final = re.compile("[零〇一二三四五六七八九]+")


@dataclass(frozen=True, slots=True)
class _Character:
    written: str
    reading: int
    cost: int
    #: The form that words are looked up in.
    key: str
    #: The traditional form that a simplified text means by it.
    traditional: str
    only_simplified: bool


@dataclass(frozen=True, slots=True)
class _Word:
    written: str
    syllables: tuple[int, ...]


class YuePhonemizer:
    """Reads Cantonese with the lexicon at ``path``.

    Raises:
        TextError: ``lexicon_unreadable``.
    """

    def __init__(self, path: Path) -> None:
        self._lexicon = Lexicon(path)

    def phonemize(self, spoken: str) -> Pronunciation:
        """Phonemes and jyutping of Han characters and punctuation; the time is linear in the length.

        Anything else, and a character without a reading, is left out and counted in ``unknown``.
        """
        text = unicodedata.normalize("NFC", spoken)
        characters = self._characters(text)
        simplified = any(known.only_simplified for known in characters if known)
        runs: list[str] = []

        def say(run: re.Match[str], transcript: Transcript) -> None:
            found = characters[run.start() : run.end()]
            transcript.unknown.extend(c for c, known in zip(run[0], found, strict=True) if known is None)
            words = self._words([known for known in found if known], simplified)
            for word in words:
                transcript.add_word("".join(map(ipa_of, word.syllables)), map(decode, word.syllables))
            runs.append("".join(word.written for word in words))

        transcript = transcribed(text, _HAN, say)
        if not simplified:
            return transcript.pronunciation()
        traditional = iter(runs)
        return transcript.pronunciation(written=_HAN.sub(lambda _: next(traditional), text))

    def _characters(self, text: str) -> list[_Character | None]:
        return [self._character(written) if _HAN.match(written) else None for written in text]

    def _character(self, written: str) -> _Character | None:
        code = ord(written)
        record = self._lexicon.get(written) if code > 0xFFFF else self._lexicon.get(f"#{code >> 8:x}")
        if record is None:
            return None
        at = 0 if code > 0xFFFF else (code & 0xFF) * CHARACTER.size
        reading, other, cost = CHARACTER.unpack_from(record, at)
        if not reading:
            return None
        flags = reading & ~READING
        return _Character(
            written,
            reading & READING,
            cost,
            chr(other) if flags == HAS_SIMPLIFIED else written,
            chr(other) if flags & HAS_TRADITIONAL else written,
            flags == HAS_TRADITIONAL,
        )

    def _words(self, run: list[_Character], simplified: bool) -> list[_Word]:
        """The words of least cost of a run of characters, with their readings."""
        key = "".join(known.key for known in run)
        costs = [known.cost for known in run]
        ends, records = best_words(key, costs, self._lexicon.get, LONGEST_WORD)
        words = []
        start = 0
        while start < len(run):
            end = ends[start]
            words.append(_word(run[start:end], records[start], simplified))
            start = end
        return words

    def close(self) -> None:
        self._lexicon.close()


def _word(characters: list[_Character], record: bytes, simplified: bool) -> _Word:
    length = len(characters)
    if simplified:
        written = "".join(known.traditional for known in characters)
    else:
        written = "".join(known.written for known in characters)
    if len(record) <= _PLAIN or _FIGURE.fullmatch(written):
        return _Word(written, tuple(known.reading for known in characters))
    syllables = struct.unpack_from(f"<{length}H", record, _PLAIN)
    form = record[_PLAIN + 2 * length :].decode()
    return _Word(form if simplified and form else written, syllables)
