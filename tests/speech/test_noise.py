"""The noise depends on key and position alone, and is normal."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from cosyedge.speech.noise import Noise, key_of

WIDTH = 300


def drawn(key: int, frame: int, frames: int, *, at_once: int = 4000) -> NDArray[np.float32]:
    out = np.empty((frames, 12, 25), np.float32)
    Noise(at_once, WIDTH).fill(out, key, frame)
    return out


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 16])
def test_a_frame_has_the_same_noise_in_every_chunk(size: int) -> None:
    noise = Noise(16, WIDTH)
    whole = drawn(7, 0, 64)
    for start in range(0, 64, size):
        part = np.empty((min(size, 64 - start), 12, 25), np.float32)
        noise.fill(part, 7, start)
        assert np.array_equal(part, whole[start : start + size])


def test_it_is_standard_normal() -> None:
    sample = drawn(key_of("any"), 0, 4000).ravel().astype(np.float64)  # 1.2 million
    assert abs(sample.mean()) < 0.004
    assert abs(sample.std() - 1) < 0.003
    assert abs((sample**3).mean()) < 0.01
    assert abs((sample**4).mean() - 3) < 0.03
    assert np.isfinite(sample).all()
    assert 4 < np.abs(sample).max() < 5.8  # sqrt(2 ln 2^24) is the most there can be
    share = (np.abs(sample) < 1).mean()
    assert abs(share - math.erf(1 / math.sqrt(2))) < 0.002


@pytest.mark.parametrize("lag", [1, 2, 12, 25, 300, 600])
def test_neighbours_know_nothing_of_each_other(lag: int) -> None:
    sample = drawn(3, 0, 4000).ravel()
    assert abs(np.corrcoef(sample[:-lag], sample[lag:])[0, 1]) < 0.005


def test_other_keys_and_frames_give_other_noise() -> None:
    draws = [drawn(key, frame, 40).ravel() for key, frame in ((1, 0), (2, 0), (1 << 63, 0), (1, 40))]
    for i, one in enumerate(draws):
        for other in draws[i + 1 :]:
            assert abs(np.corrcoef(one, other)[0, 1]) < 0.03


def test_the_first_numbers_are_splitmix_and_box_muller() -> None:
    # The first output of SplitMix64 from the seed 0, as published with it.
    mixed = 0xE220A8397B1DCDAF
    low, high = mixed & 0xFFFFFFFF, mixed >> 32
    radius = math.sqrt(-2 * math.log(((low >> 8) + 1) / 2**24))
    angle = 2 * math.pi * (high >> 8) / 2**24
    first = drawn(0x9E3779B97F4A7C15, 0, 1).ravel()
    assert first[0] == pytest.approx(radius * math.cos(angle), abs=1e-5)
    assert first[1] == pytest.approx(radius * math.sin(angle), abs=1e-5)


def test_the_frame_number_may_be_large_and_the_key_too() -> None:
    assert np.isfinite(drawn((1 << 64) - 1, 10**9, 16)).all()


def test_a_key_stands_for_all_its_parts() -> None:
    keys = {key_of(1, 2, "v", 0), key_of(12, "v", 0), key_of(1, 2, "v", 1), key_of(1, 2, "w", 0)}
    assert len(keys) == 4
    assert key_of(1, 2, "v", 0) == key_of(1, 2, "v", 0)
