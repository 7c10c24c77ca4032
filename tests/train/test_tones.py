"""Tones: which symbols carry them, and that a melody is told from another."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tones import EARLY_FRAMES, Contour, Syllable, Templates, contours, speaker_range, syllables

SHAPES = {"→": (4, 4), "↗": (-2, 4), "↓": (-3, -5), "↘": (5, -4)}
SPAN = (200.0, 3.0)


def test_mandarin_rhymes() -> None:
    said = "ni↗n kʰɤ↗i↓ ʂɨ→ tɤ"
    assert [said[s.first : s.after] for s in syllables(said, "zh")] == ["i↗n", "ɤ↗", "i↓", "ɨ→"]
    assert [s.tone for s in syllables(said, "zh")] == list("↗↗↓→")


def test_a_nasal_before_a_vowel_begins_the_next_syllable() -> None:
    assert [(s.first, s.after) for s in syllables("a→ni↓", "zh")] == [(0, 2), (3, 5)]


def test_cantonese_rhymes() -> None:
    said = "nei⁵hou² kɐm¹jɐt⁶, m⁴ sɪk⁶"
    assert [said[s.first : s.after] for s in syllables(said, "yue")] == [
        *("ei⁵", "ou²", "ɐm¹", "ɐt⁶", "m⁴", "ɪk⁶"),
    ]
    assert syllables("jyːt⁶", "yue") == [Syllable(1, 5, "⁶")]


def melody(tone_marks: str, draw: np.random.Generator, noise: float = 0.3) -> NDArray[np.float32]:
    """F0 of ``ma`` with each tone: 4 boundary frames, then 4 of m, 12 of a, 4 of the mark."""
    semitones = [np.zeros(4)]
    for tone in tone_marks:
        low, high = SHAPES[tone]
        semitones += [np.full(4, low), low + (high - low) * np.linspace(0, 1, 16)]
    flat = np.concatenate([*semitones, np.zeros(4)])
    early = np.roll(flat, -EARLY_FRAMES)
    return (200 * 2 ** ((early + draw.normal(0, noise, len(flat))) / 12)).astype(np.float32)


def said(tone_marks: str, sung: str, draw: np.random.Generator) -> list[Contour]:
    durations = np.array([4, *(d for _ in tone_marks for d in (4, 12, 4)), 4])
    return contours("".join(f"ma{tone}" for tone in tone_marks), durations, melody(sung, draw), "zh", SPAN)


@pytest.fixture(scope="module")
def templates() -> Templates:
    draw = np.random.default_rng(1)
    examples: list[Contour] = []
    for _ in range(60):
        marks = "".join(draw.choice(list(SHAPES), 6))
        examples += said(marks, marks, draw)
    return Templates(examples)


def test_the_right_melody_is_right(templates: Templates) -> None:
    assert sum(templates.counts.values()) == 360
    draw = np.random.default_rng(2)
    for marks in ("→↗↓↘", "↘↘→↓", "↗→↗↓"):
        assert [templates.is_right(c) for c in said(marks, marks, draw)] == [True] * 4


def test_another_melody_is_not(templates: Templates) -> None:
    sung = said("→→↗↓", "↘↗↓→", np.random.default_rng(3))
    assert [templates.is_right(contour) for contour in sung] == [False] * 4
    assert [templates.nearest(contour) for contour in sung] == list("↘↗↓→")


def test_a_syllable_without_voice_has_no_contour(templates: Templates) -> None:
    durations = np.array([4, 4, 12, 4, 4])
    (contour,) = contours("ma→", durations, np.zeros(28, np.float32), "zh", SPAN)
    assert contour.shape is None
    assert not templates.is_right(contour)


def test_the_range_of_a_speaker() -> None:
    semitones = np.random.default_rng(4).normal(0, 2.5, 4000)
    median, spread = speaker_range(
        [(180 * 2 ** (semitones / 12)).astype(np.float32), np.zeros(50, np.float32)]
    )
    assert median == pytest.approx(180, rel=0.01)
    assert spread == pytest.approx(2.5, rel=0.05)
