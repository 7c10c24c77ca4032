"""An announcement as WAV in numbered chunks, for whoever asked for it instead of hearing it here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from cosyedge.playback.resample import Quantizer
from cosyedge.playback.sink import SAMPLE_RATE, Played, Samples
from cosyedge.playback.volume import gain
from cosyedge.playback.wav import wav_header

#: Bytes of a chunk, but for the last: 0.7 s of sound.
CHUNK_BYTES: Final = 32 * 1024

_BLOCK: Final = 4096


class WavChunks:
    """Takes samples as a sink does.

    ``on_chunk`` is given the chunk's number from 0, its bytes, and whether it is the last. Put together they
    are one WAV file, 16 bit, mono, 24 kHz, whose header says "until the end" (0xFFFFFFFF) for a length: the
    first chunk leaves long before that is known.
    """

    def __init__(self, on_chunk: Callable[[int, bytes, bool], None], *, level: float = 1.0) -> None:
        self._on_chunk = on_chunk
        self._gain = np.float32(gain(level))
        self._quantize = Quantizer(_BLOCK)
        self._bytes = bytearray()
        self._index = 0
        self._frames = 0

    def begin(self) -> None:
        self._bytes += wav_header(None)

    def hold_until(self, moment: float) -> None:
        """Whoever plays it waits."""

    def play(self, samples: Samples) -> None:
        for first in range(0, len(samples), _BLOCK):
            pcm = self._quantize(samples[first : first + _BLOCK] * self._gain)
            self._bytes += pcm.tobytes()
            self._frames += len(pcm)
            while len(self._bytes) > CHUNK_BYTES:  # never all of it: the last chunk must not be empty
                self._send(CHUNK_BYTES, last=False)

    def expect_pause(self) -> None:
        """Nothing comes into the file meanwhile."""

    def drain(self) -> Played:
        self._send(len(self._bytes), last=True)
        return Played(self._frames / SAMPLE_RATE, 0)

    def _send(self, count: int, *, last: bool) -> None:
        chunk = bytes(self._bytes[:count])
        del self._bytes[:count]
        self._on_chunk(self._index, chunk, last)
        self._index += 1
