"""Durations and melodies of one clause against another of the same symbols."""

from __future__ import annotations

import numpy as np
import pytest
from likeness import Likeness, likeness

PHONEMES = "ma la."
DURATIONS = np.array([5, 4, 8, 3, 4, 8, 6, 5])
F0 = np.where(np.arange(43) % 11 == 0, 0, np.linspace(150, 220, 43)).astype(np.float32)


def test_the_same_is_alike() -> None:
    figures = likeness(PHONEMES, DURATIONS, F0, DURATIONS, F0).figures()
    assert figures == {"length_percent": 0, "symbol_ms": 0, "f0_semitones": 0, "voicing_percent": 0}


def test_a_slower_reading_is_longer_but_no_other_melody() -> None:
    slow = likeness(PHONEMES, DURATIONS * 2, np.repeat(F0, 2), DURATIONS, F0).figures()
    assert slow["length_percent"] == 100
    assert slow["symbol_ms"] == pytest.approx((4 + 8 + 4 + 8) / 4 * 12.5)
    assert slow["f0_semitones"] < 0.05
    assert slow["voicing_percent"] < 5


def test_a_semitone_is_a_semitone() -> None:
    higher = likeness(PHONEMES, DURATIONS, F0 * np.float32(2 ** (1 / 12)), DURATIONS, F0).figures()
    assert higher["f0_semitones"] == pytest.approx(1, abs=0.001)


def test_a_voice_where_there_was_none() -> None:
    assert likeness(PHONEMES, DURATIONS, np.full(43, 180, np.float32), DURATIONS, F0).unlike_voicing == 4


def test_clauses_add_up() -> None:
    one = likeness(PHONEMES, DURATIONS, F0, DURATIONS, F0)
    both = one + likeness(PHONEMES, DURATIONS + 1, np.append(F0, F0[:8]), DURATIONS, F0) + Likeness()
    assert both.symbols == 8
    assert both.figures()["symbol_ms"] == pytest.approx(12.5 / 2)
