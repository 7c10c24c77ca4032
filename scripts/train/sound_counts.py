"""What the training was given: minutes by language and voice, and how often it heard each sound.

Symbols, pairs of tones and pairs of consonants are counted in the training part of the corpus and compared
with what the unseen sentences need: a sound or a pair that is wanted there and rare here is a gap to be
filled by more text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import texts
from tones import TONES
from workspace import HOP, SAMPLE_RATE

from cosyedge.text.symbols import SILENT

#: fewer examples than these of a symbol or of a pair are a gap
ENOUGH = 10
_VOWELS = frozenset("aeiouyæɑɐɒəɛɜɤɨɪɔøœɵʊʌɚAIOQSTWYᵊᵻɯ")
#: marks that belong to the sound beside them
_MARKS = frozenset("ˈˌːʰʲ̃ᵝ͈")


@dataclass
class Coverage:
    """Of one language."""

    training_s: Counter[str] = field(default_factory=Counter)  # by voice
    held_out_s: float = 0.0
    symbols: Counter[str] = field(default_factory=Counter)
    tone_pairs: Counter[str] = field(default_factory=Counter)
    consonant_pairs: Counter[str] = field(default_factory=Counter)

    def add(self, phonemes: str, lang: str) -> None:
        """Count the sounds of one utterance."""
        self.symbols.update(symbol for symbol in phonemes if symbol not in SILENT)
        self.tone_pairs.update(tone_pairs(phonemes, lang))
        self.consonant_pairs.update(consonant_pairs(phonemes))

    def figures(self, wanted: Coverage) -> dict[str, Any]:
        """For the report; ``wanted`` are the sounds of the sentences of the evaluation."""
        return {
            "minutes": {voice: round(s / 60, 1) for voice, s in sorted(self.training_s.items())},
            "held_out_minutes": round(self.held_out_s / 60, 1),
            "symbols": dict(self.symbols.most_common()),
            "tone_pairs": dict(self.tone_pairs.most_common()),
            "consonant_pairs": dict(self.consonant_pairs.most_common()),
            "rare": {
                kind: sorted(one for one in getattr(wanted, kind) if getattr(self, kind)[one] < ENOUGH)
                for kind in ("symbols", "tone_pairs", "consonant_pairs")
            },
        }


def tone_pairs(phonemes: str, lang: str) -> Iterator[str]:
    """Tones of neighbours within a clause; nothing in a language without tones."""
    marks = TONES.get(lang, "")
    for clause in _clauses(phonemes):
        tones = [symbol for symbol in clause if symbol in marks]
        yield from map("".join, pairwise(tones))


def consonant_pairs(phonemes: str) -> Iterator[str]:
    """Two consonants with no vowel between them, within a clause; over a word's end too."""
    passed_over = _MARKS.union(" ", *TONES.values())
    for clause in _clauses(phonemes):
        sounds = [symbol for symbol in clause if symbol not in passed_over]
        for first, second in pairwise(sounds):
            if first not in _VOWELS and second not in _VOWELS:
                yield first + second


def _clauses(phonemes: str) -> Iterator[str]:
    clause = ""
    for symbol in phonemes:
        if symbol in SILENT and symbol != " ":
            yield clause
            clause = ""
        else:
            clause += symbol
    yield clause


def coverages(folder: Path) -> dict[str, Coverage]:
    """Language → what its utterances in ``folder`` cover."""
    found: dict[str, Coverage] = {}
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            about = json.loads(str(file["about"]))
            seconds = int(file["durations"].sum()) * HOP / SAMPLE_RATE
        coverage = found.setdefault(about["lang"], Coverage())
        if texts.is_held_out(about["text"]):
            coverage.held_out_s += seconds
        else:
            coverage.training_s[about["voice"]] += seconds
            coverage.add(about["phonemes"], about["lang"])
    return found


def of_sentences(phonemes: Iterable[str], lang: str) -> Coverage:
    """What ``phonemes``, one string a sentence, need."""
    coverage = Coverage()
    for one in phonemes:
        coverage.add(one, lang)
    return coverage
