"""Readings that a text brings along, carried through it as characters that nothing else touches.

``[[nˈɛtəpˌi]]``, ``<phoneme ph="…">`` and the user's lexicon say how something sounds. From where it is found
to where it is spoken a reading is a run of private-use characters, which cleaning takes out of every text
that comes from outside: one for its alphabet, then one of plane 16 for each of its own, and behind a
separator what is written. So no rule cuts it, counts it or reads it a second time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from cosyedge.text.symbols import is_symbol

#: ``symbols``: those of :mod:`cosyedge.text.symbols`, as ``cosyedge phonemes`` prints them.
Alphabet = Literal["symbols", "ipa", "pinyin", "jyutping", "kana"]

_PLANE: Final = 0x100000
_HEAD: Final = 0xFE000
_ALPHABETS: Final[tuple[Alphabet, ...]] = ("symbols", "ipa", "pinyin", "jyutping", "kana")
#: Characters from here on have no place in the plane.
_LONE: Final = 0xFFFE
_SEPARATOR: Final = "\n"
#: Characters of the longest reading and of what it is the reading of.
LONGEST: Final = 200

#: The characters of readings, as a class for patterns; the first of each is one of the heads.
READING: Final = "\U000fe000-\U000fe0ff\U00100000-\U0010fffd"
_HEADS: Final = f"{chr(_HEAD)}-{chr(_HEAD + len(_ALPHABETS) - 1)}"
RUN: Final = re.compile(f"[{_HEADS}][\U00100000-\U0010fffd]*")
_BRACKETED: Final = re.compile(r"\[\[([^\[\]\n]{1,150})\]\]")


@dataclass(frozen=True, slots=True)
class Reading:
    """How ``written`` sounds: ``sounds`` in letters of ``alphabet``."""

    alphabet: Alphabet
    sounds: str
    written: str


def with_bracketed(text: str) -> str:
    """``text`` with phonemes in double brackets, as Piper has them, carried; a link in brackets stays."""
    return _BRACKETED.sub(_bracketed, text) if "[[" in text else text


def _bracketed(match: re.Match[str]) -> str:
    sounds = match[1].strip()
    told = all(map(is_symbol, sounds)) and not sounds.isascii()
    return carried("symbols", sounds, "") if told else match[0]


def is_said(alphabet: Alphabet, sounds: str) -> bool:
    """Whether ``sounds`` is a reading in ``alphabet``: one that is none leaves what is written."""
    from cosyedge.text.ipa import pronounced  # few texts bring readings along

    return bool(pronounced(Reading(alphabet, sounds, "")).phonemes)


def carried(alphabet: Alphabet, sounds: str, written: str) -> str:
    """The reading as characters of the text; what is too long, or has no sound, is left as it is written."""
    if not sounds.strip() or len(sounds) + len(written) > LONGEST:
        return written
    inner = "".join(c for c in f"{sounds.strip()}{_SEPARATOR}{written}" if ord(c) < _LONE)
    return chr(_HEAD + _ALPHABETS.index(alphabet)) + "".join(chr(_PLANE + ord(c)) for c in inner)


def reading_of(run: str) -> Reading:
    """The reading in a match of :data:`RUN`."""
    inner = "".join(chr(ord(c) - _PLANE) for c in run[1:])
    sounds, _, written = inner.partition(_SEPARATOR)
    return Reading(_ALPHABETS[ord(run[0]) - _HEAD], sounds, written or sounds)
