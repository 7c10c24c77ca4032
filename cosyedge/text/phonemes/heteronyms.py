"""Which of its readings an English word has here, told by its neighbours alone.

A variant's tag is one letter: V verb, N noun, J adjective, R adverb, P past form, D demonstrative, F the
last word before a pause; the default has the empty tag. The rules are made for announcements: imperatives
at the start of a sentence, articles and prepositions before nouns, modal verbs and "to" before verbs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_MODALS: Final = _listed(
    """to will would can could should shall may might must please don't doesn't didn't do does did won't can't
    couldn't wouldn't shouldn't let's cannot i'll you'll we'll they'll it'll he'll she'll"""
)
_SUBJECTS: Final = _listed("i you we they who people")
_THIRD_PERSONS: Final = _listed("he she it that which who this there")
_ADVERBS: Final = _listed("not never always also automatically still just only now already")
_DETERMINERS: Final = _listed(
    """the a an this that these those my your his her its our their some any no each every another all one two
    three new first second last next"""
)
_OBJECTS: Final = _listed("the a an your my his her its our their it them this these that all me us")
_PREPOSITIONS: Final = _listed(
    "of in for with on at by from into without under over about as per during after before than"
)
_BE: Final = _listed("is are was were be been being am isn't aren't wasn't weren't it's that's feels seems")
_HAVE: Final = _listed("have has had i've you've we've they've haven't hasn't hadn't having")
_GET: Final = _listed("get gets got getting")
_PAST: Final = _listed("yesterday ago last already earlier")
_WHERE: Final = _listed("in at here there near with alone next on above below")
_ENDS: Final = frozenset(".!?:;…—")
_PUNCTUATION: Final = _ENDS | frozenset(',"()“”')

#: What these are where no rule tells, other than misaki's default.
_USUALLY: Final = {"close": "V", "content": "N", "estimate": "N", "estimates": "N"}
#: Adjectives that have a reading as a noun, too: before a noun they stay adjectives.
_ADJECTIVES: Final = _listed("close content invalid upset")
#: Words that are verbs before a word of place ("she lives in").
_DWELLING: Final = _listed("live lives")


def choose(said: Mapping[str, str], words: Sequence[str], at: int, *, final: bool, suffix: str = "") -> str:
    """The reading of ``words[at]``, all in lower case, among ``said`` (tag → phonemes).

    Args:
        final: nothing but a pause follows.
        suffix: ``s``, ``ed`` or ``ing`` where ``said`` are the readings of the stem alone.
    """
    if len(said) == 1:
        return said[""]
    if "F" in said:
        return said["F" if final or suffix == "ing" else ""]
    if suffix in ("ed", "ing"):
        return said.get("V", said[""])
    return said.get(_tag(said, words, at), said[""])


def _tag(said: Mapping[str, str], words: Sequence[str], at: int) -> str:
    word = words[at]
    before = words[at - 1] if at else "."
    after = words[at + 1] if at + 1 < len(words) else "."
    if "D" in said:
        return "D" if before in _PREPOSITIONS | _ENDS or before == "to" or after in _PUNCTUATION else ""
    if word == "used":
        return "P" if after == "to" and before in _SUBJECTS | _THIRD_PERSONS | _GET else ""
    if "P" in said:
        return _past(words, at, before)
    head = _before_adverbs(words, at)
    if head in _MODALS or (head in _SUBJECTS and word not in _ADJECTIVES):
        return "V"
    if word.endswith("s") and before in _THIRD_PERSONS:
        return "V"
    if before in _DETERMINERS:
        modifies = after[0].isalpha() and after not in _PREPOSITIONS | _BE
        if modifies and (word in _ADJECTIVES or "J" in said):
            return "J"
        return "N"
    if head in _BE:
        return "J"
    if word in _DWELLING and after in _WHERE:
        return "V"
    if before in _PREPOSITIONS:
        return "N"
    if after in _OBJECTS:
        return "V"
    if word in _USUALLY:
        return _USUALLY[word] if after != "to" else ""
    return "N" if after in _PUNCTUATION or after in _PREPOSITIONS or after in _BE else ""


def _past(words: Sequence[str], at: int, before: str) -> str:
    """Words such as "read": past after have and be, or where the sentence says when it was."""
    if before in _HAVE or before in _BE:
        return "P"
    first = at
    while first and words[first - 1] not in _ENDS:
        first -= 1
    last = at
    while last < len(words) and words[last] not in _ENDS:
        last += 1
    return "P" if before not in _MODALS and not _PAST.isdisjoint(words[first:last]) else ""


def _before_adverbs(words: Sequence[str], at: int) -> str:
    """The first word to the left that is no adverb."""
    for i in range(at - 1, -1, -1):
        if words[i] not in _ADVERBS:
            return words[i]
    return "."
