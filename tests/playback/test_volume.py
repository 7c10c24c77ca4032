from __future__ import annotations

import math

import pytest

from cosyedge.playback.volume import gain


def test_the_ends_are_exact():
    assert gain(1.0) == 1.0
    assert gain(0.0) == 0.0
    assert gain(0.7, mute=True) == 0.0


def test_it_is_clamped_and_grows():
    assert gain(-1) == 0.0
    assert gain(7) == 1.0
    levels = [gain(step / 100) for step in range(101)]
    assert levels == sorted(set(levels))


def test_half_way_is_18_db_down():
    assert 20 * math.log10(gain(0.5)) == pytest.approx(-18.06, abs=0.01)
