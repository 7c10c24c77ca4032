"""Paired differences and their bounds."""

from __future__ import annotations

import numpy as np
from paired import difference_of_means, difference_of_rates


def test_equal_systems_differ_by_nothing() -> None:
    found = difference_of_rates([1, 0, 2], [1, 0, 2], [10, 12, 9])
    assert (found.value, found.low, found.high) == (0, 0, 0)


def test_the_rate_is_of_all_units_together() -> None:
    found = difference_of_rates([3, 0], [1, 0], [10, 90])
    assert found.value == 2.0
    assert found.low <= found.value <= found.high


def test_the_bounds_hold_the_truth_about_as_often_as_they_say() -> None:
    draw = np.random.default_rng(0)
    held = 0
    for _ in range(100):
        reference = draw.normal(3.3, 0.3, 60)
        found = difference_of_means(reference - 0.1 + draw.normal(0, 0.2, 60), reference)
        held += found.low <= -0.1 <= found.high
    assert 88 <= held <= 100


def test_what_both_find_hard_does_not_widen_the_bounds() -> None:
    draw = np.random.default_rng(1)
    hard = draw.normal(3, 1, 50)
    paired = difference_of_means(hard + 0.1, hard)
    unpaired = difference_of_means(hard + 0.1, draw.permutation(hard))
    assert paired.high - paired.low < 1e-9 < unpaired.high - unpaired.low
