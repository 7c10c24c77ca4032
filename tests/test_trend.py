from __future__ import annotations

import math

import numpy as np
import pytest

from tests.trend import slope


def test_a_straight_line_is_certain() -> None:
    growth, error = slope(range(100), [3 + 0.5 * n for n in range(100)])
    assert growth == pytest.approx(0.5)
    assert error < 1e-9


def test_noise_around_a_constant_contains_zero_and_around_a_slope_contains_it() -> None:
    inside = 0
    for seed in range(40):
        noise = np.random.default_rng(seed).normal(0, 1, 300)
        growth, error = slope(range(300), 50 + 0.02 * np.arange(300) + noise)
        inside += abs(growth - 0.02) <= error
        assert growth - error > 0, "a growth of six sigma over the run is seen"
    assert inside >= 34, "19 of 20, about"


def test_too_little_is_no_knowledge() -> None:
    assert slope([1, 2], [1, 5]) == (0.0, math.inf)
    assert slope([1, 1, 1], [1, 2, 3]) == (0.0, math.inf)
