"""F0 and faults, read from samples whose F0 and faults are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from waveform import f0, faults, levelled

RATE = 24000
Floats = NDArray[np.float32]


def voice(hertz: NDArray[np.float64], harmonics: int = 12) -> Floats:
    """A buzz with the given F0 at each sample."""
    phase = 2 * np.pi * np.cumsum(hertz) / RATE
    return sum(0.2 * np.sin(k * phase) / k for k in range(1, harmonics)).astype(np.float32)


@pytest.mark.parametrize("hertz", [75.0, 110.0, 149.0, 228.0, 330.0, 450.0])
def test_a_steady_voice(hertz: float) -> None:
    found = f0(voice(np.full(RATE, hertz)))
    assert len(found) == 80
    assert np.mean(found > 0) > 0.95
    assert np.abs(12 * np.log2(found[found > 0] / hertz)).max() < 0.1


def test_a_glide_is_followed() -> None:
    hertz = np.linspace(120, 260, RATE)
    found = f0(voice(hertz))
    at = np.flatnonzero(found)[2:-2]
    assert len(at) > 70
    assert np.abs(12 * np.log2(found[at] / hertz[at * 300 + 150])).max() < 0.35


def test_noise_and_silence_have_no_voice() -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    assert np.mean(f0(noise) > 0) < 0.02
    quiet = np.concatenate([voice(np.full(RATE // 2, 200.0)), np.zeros(RATE // 2, np.float32)])
    assert not f0(quiet)[44:].any()


def test_the_level_does_not_matter() -> None:
    sound = voice(np.linspace(150, 180, RATE))
    assert np.allclose(f0(sound), f0(sound * 0.05), rtol=1e-3)


def test_less_than_a_frame_has_no_frames() -> None:
    assert len(f0(np.zeros(299, np.float32))) == 0


def test_a_clean_sound_has_no_faults() -> None:
    sound = voice(np.full(RATE, 200.0)) * np.hanning(RATE).astype(np.float32)
    assert not faults(sound).any


def test_each_fault_is_seen() -> None:
    clean = voice(np.full(RATE, 200.0)) * np.hanning(RATE).astype(np.float32)
    broken = clean.copy()
    broken[100] = np.nan
    assert faults(broken).not_numbers == 1
    assert faults(broken).any
    clipped = np.clip(clean * 20, -0.99, 0.99).astype(np.float32)
    assert faults(clipped).clipped > 100
    step = clean + 0.1 * (np.arange(RATE) > RATE // 2).astype(np.float32)
    assert faults(step).offset > 0.09
    assert faults(step).any
    assert faults(clean[RATE // 3 + 17 :]).edge > 0.02


def test_all_sounds_are_brought_to_one_level() -> None:
    sound = voice(np.full(RATE, 200.0))
    loud, faint = levelled(sound), levelled(sound * 0.01)
    assert np.allclose(loud, faint, atol=1e-5)
    assert 20 * np.log10(np.sqrt(np.mean(loud**2))) == pytest.approx(-24, abs=0.1)
    impulse = np.zeros(RATE, np.float32)
    impulse[::4000] = 0.5
    assert np.abs(levelled(impulse, rms_db=-3.0)).max() == pytest.approx(0.99, abs=1e-3)
