"""How loud something is to a listener: ITU-R BS.1770-4, integrated, of one channel, in LUFS.

The recommendation's two filters follow the ear, and its two gates leave out what is silent or much softer
than the rest. They are applied as a product of spectra: exact, and fast without a loop over the samples.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.playback.sink import SAMPLE_RATE

#: What voices and chimes are brought to. One channel: on two loudspeakers it is 3 LU more.
TARGET_LUFS: Final = -20.0

_BLOCK_S: Final = 0.4
_STEP_S: Final = 0.1
_ABSOLUTE_GATE: Final = -70.0
_RELATIVE_GATE: Final = -10.0
#: For the filters to fade away behind the last sample; the slower one has a corner of 38 Hz.
_TAIL_S: Final = 0.25

Biquad = tuple[tuple[float, float, float], tuple[float, float, float]]


def loudness(samples: NDArray[Any], rate: int = SAMPLE_RATE) -> float | None:
    """Of ``samples`` (one dimension, 1.0 is full scale). None of what is silent, or shorter than a sound.

    What is shorter than a block of 0.4 s is taken as if silence followed it.
    """
    block, step = round(_BLOCK_S * rate), round(_STEP_S * rate)
    if len(samples) == 0:
        return None
    weighted = _k_weighted(samples, rate)
    power = np.concatenate(([0.0], np.cumsum(weighted * weighted)))
    starts = np.arange(0, max(len(samples) - block, 0) + 1, step)
    ends = np.minimum(starts + block, len(power) - 1)
    blocks = (power[ends] - power[starts]) / block
    for gate in (_ABSOLUTE_GATE, _RELATIVE_GATE):
        relative = 0.0 if gate == _ABSOLUTE_GATE else _lufs(float(blocks.mean()))
        blocks = blocks[blocks > 10 ** ((relative + gate + 0.691) / 10)]
        if not len(blocks):
            return None
    return _lufs(float(blocks.mean()))


def gain_to(target: float, measured: float | None, peak: float, ceiling: float) -> float:
    """The factor that brings sound of ``measured`` LUFS to ``target``, its ``peak`` not above ``ceiling``.

    1.0 for what has no loudness.
    """
    if measured is None or peak <= 0:
        return 1.0
    return float(min(10 ** ((target - measured) / 20), ceiling / peak))


def _lufs(power: float) -> float:
    return -0.691 + 10 * math.log10(power)


def _k_weighted(samples: NDArray[Any], rate: int) -> NDArray[np.float64]:
    size = 1 << (len(samples) + round(_TAIL_S * rate) - 1).bit_length()
    spectrum = np.fft.rfft(samples, size)
    z = np.exp(-2j * np.pi * np.arange(len(spectrum)) / size)
    for numerator, denominator in (shelf(rate), high_pass(rate)):
        spectrum *= _polynomial(numerator, z)
        spectrum /= _polynomial(denominator, z)
    return np.fft.irfft(spectrum, size)[: len(samples) + round(_TAIL_S * rate)]


def _polynomial(c: tuple[float, float, float], z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    return c[0] + z * (c[1] + z * c[2])


def shelf(rate: int) -> Biquad:
    """The head: +4 dB above some 2 kHz, for the recommendation's analogue prototype at any rate."""
    k = math.tan(math.pi * 1681.974450955533 / rate)
    q, high = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    middle = high**0.4996667741545416
    a0 = 1 + k / q + k * k
    numerator = (high + middle * k / q + k * k, 2 * (k * k - high), high - middle * k / q + k * k)
    return (
        (numerator[0] / a0, numerator[1] / a0, numerator[2] / a0),
        (1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0),
    )


def high_pass(rate: int) -> Biquad:
    """What is low counts little: a corner of 38 Hz."""
    k = math.tan(math.pi * 38.13547087602444 / rate)
    q = 0.5003270373238773
    a0 = 1 + k / q + k * k
    return (1.0, -2.0, 1.0), (1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)
