"""Spoken English (American) to phonemes: lexicon, weak forms, inflection by rule, letters.

What a spoken text is made of (the contract with :mod:`cosyedge.text.normalise.en`):

- lower-case words of a-z and apostrophes, hyphens inside compounds;
- an upper-case letter is read by its *name* (``vitamin C``, ``G P S``); a run of them parted by single
  spaces is one acronym with its main stress on the last letter; ``'s`` may follow (``the P C's fan``).
  So ``a`` and ``i`` are words and ``A`` and ``I`` are letters. Whoever shows a spoken text lower-cases it;
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
from cosyedge.text.phonemes.heteronyms import choose
from cosyedge.text.phonemes.letter_to_sound import MARK, spell_out
from cosyedge.text.symbols import SYMBOLS, is_symbol

_PRIMARY: Final = "ˈ"
_SECONDARY: Final = "ˌ"
_VOWELS: Final = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ")
_CONSONANTS: Final = frozenset("bdfhjklmnpstvwzðŋɡɹTʃʒʤʧθ")
_STOPS: Final = frozenset(";:,.!?—…")
#: After these, a t between vowels is flapped before -ed and -ing.
_BEFORE_FLAP: Final = frozenset("AIOWYiuæɑəɛɪɹʊʌ")

_TOKEN: Final = re.compile(
    r"(?P<letters>(?<![A-Za-z])[A-Z](?: [A-Z])*(?:'s)?(?![A-Za-z'-]))"
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

    def phonemize(self, spoken: str) -> Pronunciation:
        """Phonemes of ``spoken``; never fails, a character without a reading costs only itself."""
        tokens = [
            (str(match.lastgroup), match.group()) for match in _TOKEN.finditer(spoken.replace("’", "'"))
        ]
        words = [text for kind, text in tokens if kind in ("word", "letters", "other")]
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
            elif kind == "word":
                said = self._in_context(words, at, next_vowel)
            elif is_symbol(text):
                said = text
            else:
                unknown.append(text)
                continue
            pieces.append(said)
            for symbol in said:
                if symbol in _STOPS:
                    next_vowel = None
                elif symbol in _VOWELS or symbol in _CONSONANTS:
                    next_vowel = symbol in _VOWELS
                else:
                    continue
                break
        phonemes = re.sub(r"\s+", " ", "".join(reversed(pieces))).strip()
        return Pronunciation(phonemes, None, tuple(reversed(unknown)))

    def _in_context(self, words: list[str], at: int, next_vowel: bool | None) -> str:
        """The word at index ``at``: weak forms, heteronyms, the light stress of a sentence's start."""
        word = words[at].lower()
        weak = self._weak_form(words, at, word, next_vowel)
        said = weak if weak is not None else self._word(word, words, at, final=next_vowel is None)
        first = at == 0 or words[at - 1] in ".!?…"
        return stressed(said) if first and word not in _NEVER_STRESSED else said

    def _weak_form(self, words: list[str], at: int, word: str, next_vowel: bool | None) -> str | None:
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

    def _word(self, word: str, words: list[str], at: int, *, final: bool) -> str:
        said = self._known(word, words, at, final=final)
        if said is not None:
            return said
        if "-" in word:
            return joined([self._word(part, words, at, final=False) for part in word.split("-") if part])
        if word.endswith("'") or word.startswith("'"):
            return self._word(word.strip("'"), words, at, final=final)
        if word.endswith("'s"):
            return with_s(self._word(word[:-2], words, at, final=False))
        return to_symbols(spell_out(self._lexicon, word.replace("'", "")))

    def _known(self, word: str, words: list[str], at: int, *, final: bool) -> str | None:
        """A word of the lexicon, or an inflected form of one."""
        entry = self._lexicon.get(word)
        if entry is not None:
            return choose(variants(entry), words, at, final=final)
        for suffix, stem in stems(word):
            entry = self._lexicon.get(stem)
            if entry is not None:
                said = choose(variants(entry), words, at, final=False, suffix=suffix)
                return inflected(said, suffix)
        return None

    def _letters(self, text: str) -> str:
        names = []
        for letter in text.removesuffix("'s").split():
            entry = self._lexicon.get(letter)
            names.append(variants(entry)[""] if entry is not None else "")
        said = acronym(names)
        return with_s(said) if text.endswith("'s") else said


_NEVER_STRESSED: Final = frozenset(("the", "a", "an", "to", "i"))


def variants(entry: bytes) -> dict[str, str]:
    """An entry of the lexicon as tag → phonemes; the default's tag is empty.

    Layout: ids of the default, then for each variant a zero, the letter of its tag and its ids.
    """
    default, *others = entry.split(b"\0")
    said = {"": to_symbols(default)}
    for other in others:
        said[chr(other[0])] = to_symbols(other[1:])
    return said


def to_symbols(ids: bytes) -> str:
    return "".join(SYMBOLS[i] for i in ids)


def stems(word: str) -> list[tuple[str, str]]:
    """(suffix, stem) pairs that ``word`` may be an inflected form of, best first."""
    found: list[tuple[str, str]] = []
    if word.endswith("s") and len(word) > 2:
        if word.endswith("'s"):
            found.append(("s", word[:-2]))
        elif not word.endswith("ss"):
            found.append(("s", word[:-1]))
            if word.endswith("es") and not word.endswith("ies") and len(word) > 4:
                found.append(("s", word[:-2]))
            if word.endswith("ies") and len(word) > 4:
                found.append(("s", word[:-3] + "y"))
    elif word.endswith("d") and len(word) > 3:
        if not word.endswith("dd"):
            found.append(("ed", word[:-1]))
        if word.endswith("ed") and not word.endswith("eed") and len(word) > 4:
            found.append(("ed", word[:-2]))
            if word.endswith("ied"):
                found.append(("ed", word[:-3] + "y"))
            elif len(word) > 5 and word[-3] == word[-4]:
                found.append(("ed", word[:-3]))
    elif word.endswith("ing") and len(word) > 4:
        if len(word) > 5:
            found.append(("ing", word[:-3]))
        found.append(("ing", word[:-3] + "e"))
        if len(word) > 5 and (word[-4] == word[-5] or word.endswith("cking")):
            found.append(("ing", word[:-4]))
    return found


def inflected(stem: str, suffix: str) -> str:
    if suffix == "s":
        return with_s(stem)
    if suffix == "ed":
        return _with_ed(stem)
    return _with_ing(stem)


def with_s(stem: str) -> str:
    """Plural, possessive or third person."""
    if not stem:
        return ""
    if stem[-1] in "ptkfθ":
        return stem + "s"
    return stem + ("ᵻz" if stem[-1] in "szʃʒʧʤ" else "z")


def _with_ed(stem: str) -> str:
    if not stem:
        return ""
    if stem[-1] in "pkfθʃsʧ":
        return stem + "t"
    if stem[-1] == "t" and len(stem) > 1 and stem[-2] in _BEFORE_FLAP:
        return stem[:-1] + "Tᵻd"
    return stem + ("ᵻd" if stem[-1] in "dt" else "d")


def _with_ing(stem: str) -> str:
    said = stressed(stem)
    if len(said) > 1 and said[-1] == "t" and said[-2] in _BEFORE_FLAP:
        return said[:-1] + "Tɪŋ"
    return said + "ɪŋ"


def stressed(said: str) -> str:
    """``said`` with a secondary stress before its first vowel if it has no stress at all."""
    if _PRIMARY in said or _SECONDARY in said:
        return said
    for i, symbol in enumerate(said):
        if symbol in _VOWELS:
            return said[:i] + _SECONDARY + said[i:]
    return said


def demoted(said: str) -> str:
    """``said`` as the weaker part of a compound: its main stress becomes a secondary one."""
    if _PRIMARY in said:
        return said.replace(_SECONDARY, "").replace(_PRIMARY, _SECONDARY)
    return stressed(said)


def acronym(names: list[str]) -> str:
    """Names of letters as one word: main stress on the last, a secondary one on the others."""
    if len(names) == 1:
        return names[0]
    run = "".join(demoted(name) for name in names)
    head, mark, tail = run.rpartition(_SECONDARY)
    return head + _PRIMARY + tail if mark else run


def joined(parts: list[str]) -> str:
    """The parts of a hyphenated compound as one word, its lighter half demoted."""
    parts = [part for part in parts if part]
    if len(parts) == 2 and len(parts[0]) <= 2:
        return parts[0] + demoted(parts[1])
    if len(parts) > 1 and sum(_PRIMARY in part for part in parts) > (len(parts) + 1) // 2:
        order = sorted(range(len(parts)), key=lambda i: (_PRIMARY in parts[i], _weight(parts[i]), i))
        for i in order[: len(parts) // 2]:
            parts[i] = demoted(parts[i])
    return "".join(parts)


def _weight(said: str) -> int:
    return sum(2 if symbol in "AIOQWYʤʧ" else 1 for symbol in said)


__all__ = ["MARK", "EnPhonemizer"]
