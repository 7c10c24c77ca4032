"""Which of its readings an English word has here, told by its neighbours alone.

A variant's tag is one letter: V verb, N noun, J adjective, R adverb, P past form, D demonstrative,
F the last word before a pause. The rules are for announcements: imperatives at the start of a sentence,
articles and prepositions before nouns, modal verbs and "to" before verbs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BEFORE_VERB: Final = frozenset(
    "to will would can could should shall may might must please don't doesn't didn't do does did won't can't"
    " couldn't wouldn't shouldn't let's i you we they who cannot not never always also automatically then"
    " i'll you'll we'll they'll it'll he'll she'll and/or".split()
)
_DETERMINERS: Final = frozenset(
    "the a an this that these those my your his her its our their some any no each every another one two three"
    " new first second last next".split()
)
_PREPOSITIONS: Final = frozenset("of in for with on at by from into without under over about as per".split())
_BE: Final = frozenset("is are was were be been being am isn't aren't wasn't weren't it's that's".split())
_HAVE: Final = frozenset("have has had i've you've we've they've haven't hasn't hadn't having get got".split())
_PAST: Final = frozenset("yesterday ago last already earlier".split())
_PUNCTUATION: Final = frozenset(".,!?;:…—\"()“”")


def choose(
    said: Mapping[str, str], words: list[str], at: int, *, final: bool, suffix: str = ""
) -> str:
    """The reading of ``words[at]`` among ``said`` (tag → phonemes, the default's tag empty)."""
    if len(said) == 1:
        return said[""]
    if final and "F" in said:
        return said["F"]
    before = words[at - 1].lower() if at else "."
    after = words[at + 1].lower() if at + 1 < len(words) else "."
    tag = _tag(words, at, before, after, said)
    if suffix in ("ed", "ing"):
        tag = "V"
    return said.get(tag, said[""])


def _tag(words: list[str], at: int, before: str, after: str, said: Mapping[str, str]) -> str:
    word = words[at].lower()
    if "D" in said:
        return "D" if after in _PUNCTUATION or after in _BE else ""
    if word == "used":
        return "P" if after == "to" and before not in _BE else ""
    if "P" in said:
        if before in _HAVE or before in _BE:
            return "P"
        sentence = {w.lower() for w in words}
        return "P" if before not in _BEFORE_VERB - {"i", "we", "they", "you"} and sentence & _PAST else ""
    if before in _BEFORE_VERB:
        return "V"
    if before in _DETERMINERS:
        return "J" if "J" in said and after.isalpha() and after not in _PREPOSITIONS | _BE else "N"
    if before in _BE:
        return "J"
    if before in _PREPOSITIONS:
        return "N"
    starts = before in ".!?:;…" or before == "and"
    if starts and (after in _DETERMINERS or after in ("it", "them", "all", "in", "on", "from", "to")):
        return "V"
    if after in ("the", "a", "an", "your", "my", "it", "them", "this", "these"):
        return "V"
    return "N" if after in _PUNCTUATION or after in _PREPOSITIONS or after in _BE else ""
