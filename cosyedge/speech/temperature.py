"""How much noise the vocoder is given in a frame: all of it where there is hiss, less where there is voice.

The less noise, the purer a vowel; but a fricative without it comes back with every frame, a buzz of 80 Hz.
The voicing of a frame does not tell them apart, for the melody goes on through short consonants. The
spectrum does: in hiss the bands above 2.5 kHz are nearly as high as those below 700 Hz or higher, in
vowels and nasals they lie two to four nats below.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.speech.mel import BANDS

_LOW, _HIGH = slice(0, 16), slice(45, BANDS)
#: nats by which the high bands are above the low ones: all voice up to the first, all hiss from the second
_VOICE, _HISS = np.float32(-2.5), np.float32(-1.0)
_SPAN: Final = _HISS - _VOICE


class Temperature:
    """What standard normal noise is multiplied by, for at most ``frames`` frames a call."""

    def __init__(self, frames: int, of_hiss: float, of_voice: float) -> None:
        self._of_voice, self._more_for_hiss = np.float32(of_voice), np.float32(of_hiss - of_voice)
        self._values = np.empty(frames, np.float32)
        self._low = np.empty(frames, np.float32)

    def of(self, mel: NDArray[np.float32]) -> NDArray[np.float32]:
        """[F, 80] → [F], valid until the next call."""
        values, low = self._values[: len(mel)], self._low[: len(mel)]
        # Row by row, and no product with a vector, whose last bits depend on how many rows there are.
        np.mean(mel[:, _HIGH], 1, out=values)
        np.mean(mel[:, _LOW], 1, out=low)
        values -= low
        values -= _VOICE
        values /= _SPAN
        np.clip(values, 0, 1, out=values)
        values *= self._more_for_hiss
        values += self._of_voice
        return values
