"""Forms of English words made by rule: stress, inflection, compounds, acronyms; and a lexicon's entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from cosyedge.text.symbols import SYMBOLS, to_ids

PRIMARY: Final = "ˈ"
SECONDARY: Final = "ˌ"
VOWELS: Final = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ")
#: After these, a t between vowels is flapped before -ed and -ing.
_BEFORE_FLAP: Final = frozenset("AIOWYiuæɑəɛɪɹʊʌ")
#: Sounds that weigh double where the lighter half of a compound is looked for.
_HEAVY: Final = frozenset("AIOQWYʤʧ")
#: Both parts of a compound have at least so many letters.
_SHORTEST_PART: Final = 4


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Endings and beginnings of learned words that are words of their own, too: letters read those better.
_NO_TAILS: Final = _listed(
    """ness less able ally like ship ping ring ting ling ning ering wise ster some king sing ding lets ters
    ette hood logy orate ation tion"""
)
_NO_HEADS: Final = _listed(
    """anti over auto semi hetero homo mono poly hydro pseudo inter intra super micro macro multi under para
    photo electro neuro psycho thermo counter trans ultra mega mini extra tele crypto stereo meta"""
)


def variants(entry: bytes) -> dict[str, str]:
    """An entry of the lexicon as tag → phonemes; the default's tag is empty.

    Layout: ids of the default, then for each variant a zero, the letter of its tag and its ids.
    """
    default, *others = entry.split(b"\0")
    said = {"": _symbols(default)}
    for other in others:
        said[chr(other[0])] = _symbols(other[1:])
    return said


def entry_of(said: Mapping[str, str]) -> bytes:
    """What the lexicon holds for ``said`` (tag → phonemes): the inverse of :func:`variants`."""
    entry = bytes(to_ids(said[""]))
    for tag, phonemes in sorted(said.items()):
        if tag:
            entry += b"\0" + tag.encode() + bytes(to_ids(phonemes))
    return entry


def _symbols(ids: bytes) -> str:
    return "".join(SYMBOLS[i] for i in ids)


def stressed(said: str) -> str:
    """``said`` with a secondary stress before its first vowel if it has no stress at all."""
    if PRIMARY in said or SECONDARY in said:
        return said
    for i, symbol in enumerate(said):
        if symbol in VOWELS:
            return said[:i] + SECONDARY + said[i:]
    return said


def demoted(said: str) -> str:
    """``said`` as the weaker part of a compound: its main stress becomes a secondary one."""
    if PRIMARY in said:
        return said.replace(SECONDARY, "").replace(PRIMARY, SECONDARY)
    return stressed(said)


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
    """Phonemes of ``stem`` with ``s``, ``ed`` or ``ing``."""
    if not stem:
        return ""
    if suffix == "s":
        if stem[-1] in "ptkfθ":
            return stem + "s"
        return stem + ("ᵻz" if stem[-1] in "szʃʒʧʤ" else "z")
    if suffix == "ed":
        if stem[-1] in "pkfθʃsʧ":
            return stem + "t"
        return _flapped(stem) + ("ᵻd" if stem[-1] in "dt" else "d")
    return _flapped(stressed(stem)) + "ɪŋ"


def _flapped(stem: str) -> str:
    flaps = len(stem) > 1 and stem[-1] == "t" and stem[-2] in _BEFORE_FLAP
    return stem[:-1] + "T" if flaps else stem


def compound(word: str, entry_of_word: Callable[[str], bytes | None]) -> str | None:
    """An unknown word of two known ones ("touchscreen"): the first carries the main stress."""
    for at in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        head, tail = word[:at], word[at:]
        if head in _NO_HEADS or tail in _NO_TAILS:
            continue
        first, second = entry_of_word(head), entry_of_word(tail)
        if first is not None and second is not None:
            said = variants(second)[""]
            if PRIMARY in said:
                return variants(first)[""] + demoted(said)
    return None


def joined(parts: list[str]) -> str:
    """The parts of a hyphenated compound as one word, its lighter half demoted."""
    parts = [part for part in parts if part]
    if len(parts) == 2 and len(parts[0]) <= 2:
        return parts[0] + demoted(parts[1])
    if len(parts) > 1 and sum(PRIMARY in part for part in parts) > (len(parts) + 1) // 2:
        order = sorted(range(len(parts)), key=lambda i: (PRIMARY in parts[i], _weight(parts[i]), i))
        for i in order[: len(parts) // 2]:
            parts[i] = demoted(parts[i])
    return "".join(parts)


def _weight(said: str) -> int:
    return sum(2 if symbol in _HEAVY else 1 for symbol in said)


def acronym(names: list[str]) -> str:
    """Names of letters as one word: main stress on the last, a secondary one on the others."""
    if len(names) == 1:
        return names[0]
    run = "".join(demoted(name) for name in names)
    head, mark, tail = run.rpartition(SECONDARY)
    return head + PRIMARY + tail if mark else run
