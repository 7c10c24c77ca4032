"""The noise of a frame, told by its spectrum."""

from __future__ import annotations

import numpy as np
import pytest

from cosyedge.speech.mel import BANDS
from cosyedge.speech.temperature import Temperature


def spectrum(low: float, high: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Bands below 700 Hz, above 2.5 kHz, and between."""
    return np.concatenate([np.full(16, low), np.full(29, -3.0), np.full(BANDS - 45, high)]).astype(np.float32)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, -4.0, 0.5),  # a nasal
        (0.0, -2.5, 0.5),
        (0.0, -1.75, 0.75),
        (0.0, -1.0, 1.0),
        (-5.0, -3.0, 1.0),  # a fricative
        (-4.0, -4.0, 1.0),  # silence
    ],
)
def test_the_more_the_high_bands_lead_the_more_noise(low: float, high: float, expected: float) -> None:
    mel = spectrum(low, high)[None]
    assert Temperature(1, of_hiss=1.0, of_voice=0.5).of(mel) == pytest.approx([expected])


def test_a_frame_has_the_same_temperature_in_any_company() -> None:
    mel = np.random.default_rng(1).normal(-3, 2, (64, BANDS)).astype(np.float32)
    one = Temperature(64, 0.9, 0.3)
    whole = one.of(mel).copy()
    for size in (1, 2, 3, 7, 16, 33):
        parts = [one.of(mel[start : start + size]).copy() for start in range(0, 64, size)]
        assert np.array_equal(np.concatenate(parts), whole)
