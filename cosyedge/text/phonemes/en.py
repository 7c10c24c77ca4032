"""Spoken English (American) to phonemes: lexicon, weak forms, inflection by rule, letters.

What a spoken text is made of (the contract with :mod:`cosyedge.text.normalise.en`):

- lower-case words of a-z and apostrophes, hyphens inside compounds;
- an upper-case letter is read by its *name* (``vitamin C``, ``G P S``); a run of them parted by single
  spaces is one acronym with its main stress on the last letter; ``'s`` may follow (``the P C's fan``).
  So ``a`` and ``i`` are words and ``A`` and ``I`` are letters; ``A-four`` is a letter and a word. A
  no-break space parts two acronyms. Whoever shows a spoken text lower-cases it;
- a word whose sound its capital changes keeps it (``Polish``);
- punctuation, kept for prosody.

The output follows misaki's American English (Kokoro's training): stress marks stand before the vowel,
capitals are diphthongs, a flapped t is T.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from cosyedge.text.lexicon import Lexicon
from cosyedge.text.phonemes import Pronunciation
from cosyedge.text.phonemes.en_forms import (
    VOWELS,
    acronym,
    compound,
    inflected,
    joined,
    stems,
    stressed,
    variants,
)
from cosyedge.text.phonemes.heteronyms import choose
from cosyedge.text.phonemes.letter_to_sound import LetterToSound
from cosyedge.text.symbols import is_symbol

_CONSONANTS: Final = frozenset("bdfhjklmnpstvwzðŋɡɹTʃʒʤʧθ")
_STOPS: Final = frozenset(";:,.!?—…")
_SENTENCE_ENDS: Final = frozenset(".!?…")
_DIGITS: Final = frozenset(("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"))
#: What the capital changes; see CAPITAL_CHANGES of the normaliser's words.
_WITH_CAPITAL: Final = {"Polish": "pˈOlɪʃ"}
_NEVER_STRESSED: Final = frozenset(("the", "a", "an", "to", "i", "in", "am"))

_TOKEN: Final = re.compile(
    r"(?P<mixed>(?<![A-Z] )(?<![A-Za-z'-])[A-Z]-[a-z]+(?:['-][a-z]+)*)"
    r"|(?P<letters>(?<![A-Za-z])[A-Z](?: [A-Z](?![A-Za-z]))*(?:'s)?(?![A-Za-z']))"
    r"|(?P<word>'?[A-Za-z]+(?:['-][A-Za-z]+)*'?)"
    r"|(?P<space>\s+)"
    r"|(?P<other>.)",
    re.DOTALL,
)


class EnPhonemizer:
    """Reads spoken English with one compiled lexicon.

    Raises:
        TextError: ``lexicon_unreadable``.
    """

    def __init__(self, path: Path) -> None:
        self._lexicon = Lexicon(path)
        self._letter_to_sound = LetterToSound(self._lexicon)

    def phonemize(self, spoken: str) -> Pronunciation:
        """Phonemes of ``spoken``; never fails, a character without a reading costs only itself."""
        tokens = [
            (str(match.lastgroup), match.group()) for match in _TOKEN.finditer(spoken.replace("’", "'"))
        ]
        words = [text.lower() for kind, text in tokens if kind != "space"]
        pieces: list[str] = []
        unknown: list[str] = []
        # Weak forms depend on the sound that follows, so the text is read from its end.
        next_vowel: bool | None = None
        at = len(words)
        for kind, text in reversed(tokens):
            if kind == "space":
                pieces.append(" ")
                continue
            at -= 1
            if kind == "letters":
                said = self._letters(text)
            elif kind == "mixed":
                said = self._known(words[at], words, at, final=False) or (
                    f"{self._letters(text[0])} {self._word(words[at][2:], words, at, final=False)}"
                )
            elif kind == "word":
                said = _WITH_CAPITAL.get(text) or self._in_context(words, at, next_vowel)
            elif text == "-":
                said = " "
            else:
                said = text if is_symbol(text) else ""
            if not said:
                unknown.extend(reversed(text))
            pieces.append(said)
            next_vowel = _begins_with_vowel(said, next_vowel)
        phonemes = re.sub(r"\s+", " ", "".join(reversed(pieces))).strip()
        return Pronunciation(phonemes, None, tuple(reversed(unknown)))

    def read_word(self, word: str) -> str:
        """Phonemes of one lower-case ``word`` by itself, in its default reading."""
        return self._word(word, [word], 0, final=False)

    def read_letters(self, word: str) -> str:
        """Phonemes of one lower-case ``word`` by its letters alone, as an unknown one is read."""
        return self._letter_to_sound.read(word)

    def _in_context(self, words: list[str], at: int, next_vowel: bool | None) -> str:
        """The word at index ``at``: weak forms, heteronyms, the light stress of a sentence's start."""
        word = words[at]
        if word == "point" and at and at + 1 < len(words) and words[at + 1] in _DIGITS:
            return "pYnt"
        said = _weak_form(word, next_vowel) or self._word(word, words, at, final=next_vowel is None)
        starts = at == 0 or words[at - 1] in _SENTENCE_ENDS
        return stressed(said) if starts and word not in _NEVER_STRESSED else said

    def _word(self, word: str, words: list[str], at: int, *, final: bool) -> str:
        said = self._known(word, words, at, final=final)
        if said is not None:
            return said
        if "-" in word:
            return joined([self._word(part, words, at, final=False) for part in word.split("-") if part])
        if word.endswith("'") or word.startswith("'"):
            return self._word(word.strip("'"), words, at, final=final)
        if word.endswith("'s"):
            return inflected(self._word(word[:-2], words, at, final=False), "s")
        if len(word) == 1:
            return self._letters(word.upper())
        for suffix, stem in (("", word), *stems(word)):
            said = compound(stem, self._lexicon.get)
            if said is not None:
                return inflected(said, suffix) if suffix else said
        return self._letter_to_sound.read(word)

    def _known(self, word: str, words: list[str], at: int, *, final: bool) -> str | None:
        """A word of the lexicon, or an inflected form of one."""
        entry = self._lexicon.get(word)
        if entry is not None:
            return choose(variants(entry), words, at, final=final)
        for suffix, stem in stems(word):
            entry = self._lexicon.get(stem)
            if entry is not None:
                return inflected(choose(variants(entry), words, at, final=False, suffix=suffix), suffix)
        return None

    def _letters(self, text: str) -> str:
        entries = [self._lexicon.get(letter) for letter in text.removesuffix("'s").split()]
        said = acronym([variants(entry)[""] for entry in entries if entry is not None])
        return inflected(said, "s") if text.endswith("'s") else said


def _weak_form(word: str, next_vowel: bool | None) -> str | None:
    """Function words whose form depends on the sound that follows (None: a pause)."""
    if word == "the":
        return "ði" if next_vowel else "ðə"
    if word == "a":
        return "ɐ"
    if word == "an":
        return "ɐn"
    if word == "i":
        return "ˌI"
    if word == "to" and next_vowel is not None:
        return "tʊ" if next_vowel else "tə"
    if word == "am" and next_vowel is not None:
        return "ɐm"
    if word == "in":
        return "ˈɪn" if next_vowel is None else "ɪn"
    return None


def _begins_with_vowel(said: str, otherwise: bool | None) -> bool | None:
    """Whether ``said`` begins with a vowel; None before a pause, ``otherwise`` if it has no such sound."""
    for symbol in said:
        if symbol in _STOPS:
            return None
        if symbol in VOWELS or symbol in _CONSONANTS:
            return symbol in VOWELS
    return otherwise
