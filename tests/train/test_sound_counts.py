"""What the corpus covers, and what it lacks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import texts
from sound_counts import ENOUGH, consonant_pairs, coverages, of_sentences, tone_pairs

TRAINED = next(text for text in map(str, range(100)) if not texts.is_held_out(text))
HELD_OUT = next(text for text in map(str, range(100)) if texts.is_held_out(text))


def test_tones_are_neighbours_within_a_clause() -> None:
    assert list(tone_pairs("ni↓ xau↓, ʂɻ↘ʨje↘", "zh")) == ["↓↓", "↘↘"]
    assert list(tone_pairs("hɐlˈO", "en")) == []


def test_consonants_meet_over_marks_and_words_but_not_over_vowels_and_clauses() -> None:
    assert list(consonant_pairs("stˈɑp nˈW, tˈu")) == ["st", "pn"]
    assert list(consonant_pairs("sɐm¹ ts")) == ["mt", "ts"]


def test_what_is_held_out_covers_nothing(tmp_path: Path) -> None:
    for i, text in enumerate([TRAINED] * ENOUGH + [HELD_OUT]):
        about = {"lang": "en", "voice": "en_us", "text": text, "phonemes": "pa" if i < ENOUGH else "na"}
        np.savez(tmp_path / f"{i}.npz", durations=np.full(4, 20), about=np.array(json.dumps(about)))
    figures = coverages(tmp_path)["en"].figures(of_sentences(["pa", "nasta"], "en"))
    assert figures["minutes"] == {"en_us": 0.2}
    assert figures["symbols"] == {"p": ENOUGH, "a": ENOUGH}
    assert figures["rare"] == {"symbols": ["n", "s", "t"], "tone_pairs": [], "consonant_pairs": ["st"]}
