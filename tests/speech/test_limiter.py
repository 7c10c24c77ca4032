"""Gain and the soft ceiling."""

from __future__ import annotations

import numpy as np
import pytest

from cosyedge.speech.limiter import KNEE, Limiter


def test_below_the_knee_nothing_changes() -> None:
    samples = np.linspace(-KNEE, KNEE, 1000, dtype=np.float32)
    before = samples.copy()
    assert Limiter(1000).apply(samples, 0.0)
    assert np.array_equal(samples, before)


def test_above_it_the_curve_is_smooth_rising_odd_and_never_above_one() -> None:
    x = np.linspace(-4, 4, 80001, dtype=np.float32)
    y = x.copy()
    assert Limiter(len(x)).apply(y, 0.0)
    assert np.abs(y).max() <= 1.0
    assert (np.diff(y) >= 0).all()
    assert np.diff(y).max() <= np.diff(x).max() * 1.01  # no step at the knee
    assert np.allclose(y, -y[::-1])
    assert y[np.abs(x) > KNEE + 0.01].size
    assert (np.abs(y) <= np.abs(x)).all()


def test_the_gain_is_in_db() -> None:
    samples = np.array([0.1, -0.2], np.float32)
    Limiter(2).apply(samples, 6.0)
    assert samples == pytest.approx([0.1 * 10**0.3, -0.2 * 10**0.3])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [0, 5, 9])
def test_what_is_no_number_is_found(bad: float, at: int) -> None:
    samples = np.full(10, 0.5, np.float32)
    samples[at] = bad
    assert not Limiter(10).apply(samples, 0.0)


def test_a_sample_comes_out_alike_in_any_chunk() -> None:
    samples = (np.random.default_rng(0).standard_normal(4800) * 0.8).astype(np.float32)
    limiter, whole = Limiter(4800), samples.copy()
    limiter.apply(whole, 2.0)
    for size in (300, 900, 1500):
        for start in range(0, 4800, size):
            part = samples[start : start + size].copy()
            limiter.apply(part, 2.0)
            assert np.array_equal(part, whole[start : start + size])
