"""The vocoder's randomness: standard normal numbers that depend on a key and a position, and on nothing else.

A generator that is called by position instead of in sequence gives a frame the same noise however the
frames are cut into chunks, and the same clause the same samples every time. (numpy's own Philox would
serve, but importing numpy.random costs 7 MB of resident memory.)

Position and key go through the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", 2014); its two halves become two normal numbers by the transform of Box
and Muller (1958). All in place, in buffers made once.
"""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

_GAMMA: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_TWO_TO_MINUS_24: Final = np.float32(2.0**-24)
_TAU: Final = np.float32(2 * np.pi)


def key_of(*parts: object) -> int:
    """64 bits that stand for ``parts``, the same on every machine and in every run."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class Noise:
    """Standard normal numbers, ``width`` (even) to a frame, for at most ``frames`` frames a call."""

    def __init__(self, frames: int, width: int) -> None:
        pairs = frames * width // 2
        self._pairs_per_frame = width // 2
        self._count = np.arange(pairs, dtype=np.uint64) * _GAMMA
        self._mixed = np.empty(pairs, np.uint64)
        self._shifted = np.empty(pairs, np.uint64)
        self._radius = np.empty(pairs, np.float32)
        self._angle = np.empty(pairs, np.float32)

    def fill(self, out: NDArray[np.float32], key: int, frame: int) -> None:
        """Fill ``out`` [frames, ...], C-contiguous, with the numbers of the frames from ``frame`` on."""
        pairs = out.shape[0] * self._pairs_per_frame
        z, shifted = self._mixed[:pairs], self._shifted[:pairs]
        start = (key + frame * self._pairs_per_frame * int(_GAMMA)) & 0xFFFF_FFFF_FFFF_FFFF
        np.add(self._count[:pairs], np.uint64(start), out=z)
        for shift, factor in ((_SHIFT_1, _MIX_1), (_SHIFT_2, _MIX_2)):
            np.right_shift(z, shift, out=shifted)
            np.bitwise_xor(z, shifted, out=z)
            np.multiply(z, factor, out=z)
        np.right_shift(z, _SHIFT_3, out=shifted)
        np.bitwise_xor(z, shifted, out=z)

        halves = z.view(np.uint32)
        halves >>= np.uint32(8)  # 24 bits: what a float32 holds exactly
        radius, angle = self._radius[:pairs], self._angle[:pairs]
        np.copyto(radius, halves[0::2], casting="unsafe")
        np.copyto(angle, halves[1::2], casting="unsafe")
        # (n + 1) / 2^24 is in (0, 1], where the logarithm is finite.
        np.add(radius, np.float32(1), out=radius)
        np.multiply(radius, _TWO_TO_MINUS_24, out=radius)
        np.log(radius, out=radius)
        np.multiply(radius, np.float32(-2), out=radius)
        np.sqrt(radius, out=radius)
        np.multiply(angle, _TWO_TO_MINUS_24 * _TAU, out=angle)
        flat = out.reshape(-1)
        np.cos(angle, out=flat[0::2])
        np.sin(angle, out=flat[1::2])
        flat[0::2] *= radius
        flat[1::2] *= radius
