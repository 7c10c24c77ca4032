"""Loudness of a voice and a ceiling for its peaks: sample by sample, so that chunks need no memory."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Below this nothing is changed; above, the rest of the way to 1.0 is bent by tanh, with the same slope.
KNEE: Final = 0.9
_ROOM: Final = np.float32(1.0 - KNEE)


class Limiter:
    """Applies a gain in dB, then bends what is above :data:`KNEE` so that it stays below 1.0."""

    def __init__(self, largest: int) -> None:
        self._size = np.empty(largest, np.float32)

    def apply(self, samples: NDArray[np.float32], gain_db: float) -> bool:
        """In place. False if a sample is not a finite number; the samples are then of no use."""
        if gain_db:
            np.multiply(samples, np.float32(10 ** (gain_db / 20)), out=samples)
        size = self._size[: len(samples)]
        np.abs(samples, out=size)
        peak = float(size.max())  # NaN if one is NaN
        if not math.isfinite(peak):
            return False
        if peak > KNEE:
            above = size > KNEE
            bent = KNEE + _ROOM * np.tanh((size[above] - np.float32(KNEE)) / _ROOM)
            samples[above] = np.copysign(bent, samples[above])
        return True
