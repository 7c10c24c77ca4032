"""Spans of a clause: where they are, and whether they were spoken."""

from __future__ import annotations

import numpy as np
from switches import lost, stretches

from cosyedge.text.reader import Phonemes, SpokenSpan
from cosyedge.text.symbols import to_ids

PHONEMES = "həlˈO, ni↓xau↓. jˈɛs"
CLAUSE = Phonemes(
    to_ids(PHONEMES),
    (
        SpokenSpan("en", "Hello", "hello", "həlˈO,", None),
        SpokenSpan("zh", "你好", "你好", "ni↓xau↓.", "ni3 hao3"),
        SpokenSpan("en", "yes", "yes", "jˈɛs", None),
    ),
    0.3,
    (),
)
DURATIONS = np.full(len(PHONEMES) + 2, 6)


def sound(durations: np.ndarray) -> np.ndarray:
    return np.random.default_rng(0).normal(0, 0.1, int(durations.sum()) * 300).astype(np.float32)


def test_where_the_spans_are() -> None:
    assert [PHONEMES[a:b] for a, b in stretches(CLAUSE)] == ["həlˈO", "ni↓xau↓", "jˈɛs"]


def test_everything_is_there() -> None:
    assert lost(DURATIONS, DURATIONS, sound(DURATIONS), stretches(CLAUSE)) == []


def test_a_span_that_is_hurried_over_is_lost() -> None:
    (_, _, (first, after)) = stretches(CLAUSE)
    hurried = DURATIONS.copy()
    hurried[first + 1 : after + 1] = 1
    assert lost(hurried, DURATIONS, sound(hurried), stretches(CLAUSE)) == [2]


def test_a_silent_span_is_lost() -> None:
    first, after = stretches(CLAUSE)[1]
    audio = sound(DURATIONS)
    audio[(first - 2) * 6 * 300 : (after + 2) * 6 * 300] *= 0.01
    assert lost(DURATIONS, DURATIONS, audio, stretches(CLAUSE)) == [1]
