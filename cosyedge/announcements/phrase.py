"""A phrase that is kept: finished speech, and what has to be known of it besides."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.playback.sink import SAMPLE_RATE, Samples

#: What 1.0 is in int16.
FULL: Final = np.float32(32767)

_PIECE: Final = SAMPLE_RATE // 10
#: Frames, clauses, characters that could not be read, and a digest of all that follows.
_HEAD: Final = struct.Struct("<8sIII16s")
_MAGIC: Final = b"cosyphr1"


@dataclass(frozen=True, slots=True)
class Phrase:
    """What was said, as int16 at 24 kHz, with what has to be known of it besides.

    Attributes:
        clauses: first sample and end of each, uint32 [clauses, 2].
        unknown: how many characters could not be read.
    """

    pcm: NDArray[np.int16]
    clauses: NDArray[np.uint32]
    unknown: int

    def pieces(self, first: int = 0) -> Iterator[Samples]:
        """Float32 from the sample ``first`` on; each piece is a view that the next overwrites."""
        buffer = np.empty(_PIECE, np.float32)
        for start in range(first, len(self.pcm), _PIECE):
            part = self.pcm[start : start + _PIECE]
            piece = buffer[: len(part)]
            np.copyto(piece, part)
            np.divide(piece, FULL, out=piece)
            yield piece

    def to_bytes(self) -> bytes:
        body = self.clauses.astype("<u4").tobytes() + self.pcm.astype("<i2").tobytes()
        digest = hashlib.blake2b(body, digest_size=16).digest()
        return _HEAD.pack(_MAGIC, len(self.pcm), len(self.clauses), self.unknown, digest) + body

    @classmethod
    def from_bytes(cls, data: bytes) -> Phrase:
        """What :meth:`to_bytes` wrote; ValueError for anything else, a torn end included."""
        if len(data) < _HEAD.size:
            raise ValueError("too short for a phrase")
        magic, frames, clauses, unknown, digest = _HEAD.unpack_from(data)
        body = memoryview(data)[_HEAD.size :]
        if magic != _MAGIC or len(body) != 8 * clauses + 2 * frames:
            raise ValueError("not a phrase, or not all of it")
        if hashlib.blake2b(body, digest_size=16).digest() != digest:
            raise ValueError("a damaged phrase")
        return cls(
            np.frombuffer(body[8 * clauses :], "<i2"),
            np.frombuffer(body[: 8 * clauses], "<u4").reshape(-1, 2),
            unknown,
        )
