"""From 24 kHz float32 to the card's rate and 16 bits, chunk by chunk.

soxr's stream gives the same samples however the input is cut, bit for bit those of a conversion in one piece,
and exactly ``round(n * rate / 24000)`` of them once it is flushed.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import soxr
from numpy.typing import NDArray

from cosyedge.playback.sink import SAMPLE_RATE, Samples

#: Where the limiter begins to bend. Everything below passes unchanged.
KNEE: Final = 0.95

_NOTHING: Final = np.zeros(0, np.float32)


class Resampler:
    """24 kHz mono to ``rate``: ``push`` as often as there is input, ``flush`` for the tail, and again."""

    def __init__(self, rate: int) -> None:
        self.rate = rate
        self._used = False
        self._stream: soxr.ResampleStream | None = None
        if rate != SAMPLE_RATE:
            self._stream = soxr.ResampleStream(SAMPLE_RATE, rate, 1, dtype="float32", quality="HQ")

    def push(self, samples: Samples) -> Samples:
        """The samples at the card's rate that are ready; the filter keeps up to some 30 ms for later."""
        if self._stream is None:
            return samples
        self._used = True
        ready: Samples = self._stream.resample_chunk(samples)
        return ready

    def flush(self) -> Samples:
        """The rest of the sound; the resampler is as new afterwards."""
        if self._stream is None or not self._used:
            return _NOTHING
        rest: Samples = self._stream.resample_chunk(_NOTHING, last=True)
        self.reset()
        return rest

    def reset(self) -> None:
        """Forget what was pushed."""
        if self._stream is not None:
            self._stream.clear()
        self._used = False


class Quantizer:
    """float32 in [-1, 1] to int16, in buffers that are used again and again.

    ``round(x * 32767)``, with a limiter above ``KNEE`` = 0.95: overshoots of the filter and of the vocoder
    bend along ``KNEE + (1 - KNEE) * tanh((|x| - KNEE) / (1 - KNEE))`` towards full scale in place of
    clipping. There is no dither: the noise floor of speech is far above the last bit.
    """

    def __init__(self, frames: int) -> None:
        self._reserve(frames)

    def _reserve(self, frames: int) -> None:
        self._scratch = np.empty(frames, np.float32)
        self._pcm = np.empty(frames, np.int16)

    def __call__(self, samples: Samples) -> NDArray[np.int16]:
        """A view of int16 samples, valid until the next call. :class:`ValueError` at NaN or infinity."""
        count = len(samples)
        if count > len(self._scratch):
            self._reserve(count)
        scratch, pcm = self._scratch[:count], self._pcm[:count]
        np.abs(samples, out=scratch)
        peak = float(scratch.max(initial=0.0))
        if not np.isfinite(peak):
            raise ValueError("samples must be finite")
        if peak > KNEE:
            loud = scratch > KNEE
            scratch[loud] = KNEE + (1 - KNEE) * np.tanh((scratch[loud] - KNEE) / (1 - KNEE))
            np.copysign(scratch, samples, out=scratch)
            np.multiply(scratch, np.float32(32767), out=scratch)
        else:
            np.multiply(samples, np.float32(32767), out=scratch)
        np.rint(scratch, out=scratch)
        np.copyto(pcm, scratch, casting="unsafe")
        return pcm
