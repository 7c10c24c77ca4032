"""Japanese words to phonemes: segmentation, readings that the words around decide, kana, IPA."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from cosyedge.text.phonemes import Pronunciation
from cosyedge.text.phonemes.ja_codes import letters_of, read, said
from cosyedge.text.phonemes.ja_dictionary import Dictionary
from cosyedge.text.phonemes.ja_kana import ipa_of
from cosyedge.text.phonemes.ja_readings import settled
from cosyedge.text.phonemes.ja_words import MARK, READ, UNKNOWN, Word, words_of
from cosyedge.text.phonemes.transcript import Transcript

#: So many words at most are written as one.
_LONGEST_JOIN: Final = 6
#: A geminate is not parted from the word behind it (言っ + た), nor from the one before.
_AROUND_GEMINATE: Final = re.compile(r'(?<![!",.:;?—…”)]) (?=ʔ)|(?<=ʔ) (?!["“(])')


class JaPhonemizer:
    """Reads Japanese with the lexicon at ``path``.

    Raises:
        TextError: ``lexicon_unreadable``.
    """

    def __init__(self, path: Path) -> None:
        self._dictionary = Dictionary(path)

    def phonemize(self, spoken: str) -> Pronunciation:
        """Phonemes and kana of Japanese text; the time is linear in the length.

        What is neither kana, Han character nor punctuation, and a character without a reading, is left out
        and counted in ``unknown``.
        """
        words = settled(words_of(self._dictionary, spoken))
        transcript = Transcript()
        at = 0
        while at < len(words):
            word = words[at]
            end = at + 1
            if word.kind == UNKNOWN:
                transcript.unknown.append(word.text)
            elif word.kind == MARK:
                transcript.add_marks(word.text)
            else:
                end = self._end_of_join(words, at)
                sounds = b"".join(part.sounds for part in words[at:end])
                transcript.add_word(ipa_of(said(sounds)), (read(sounds),))
            at = end
        joined = _AROUND_GEMINATE.sub("", "".join(transcript.phonemes).strip())
        return Pronunciation(joined, "".join(transcript.reading), tuple(transcript.unknown))

    def _end_of_join(self, words: list[Word], at: int) -> int:
        """Where the longest run of words ends that begins at ``at`` and is written as one."""
        letters = b""
        end = at + 1
        for i in range(at, min(at + _LONGEST_JOIN, len(words))):
            if words[i].kind in (MARK, READ, UNKNOWN):
                break
            letters += letters_of(words[i].text)
            if i > at and self._dictionary.joins(letters):
                end = i + 1
        return end

    def close(self) -> None:
        self._dictionary.close()
