"""What can be read from samples alone: F0, and faults that no announcement may have.

F0 is tracked by YIN's normalised difference function (de Cheveigné and Kawahara, 2002) with the path through
its dips that changes least. It knows nothing of what was meant to be said, so teacher, student and other
programs are measured alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import soxr
from numpy.typing import NDArray

SAMPLE_RATE = 24000
HOP = 300
_RATE = 12000
_STEP = HOP * _RATE // SAMPLE_RATE
_LOWEST_HZ, _HIGHEST_HZ = 60.0, 480.0
_LAGS = np.arange(int(_RATE / _HIGHEST_HZ), int(_RATE / _LOWEST_HZ) + 2)
_WINDOW = 400
_DIPS = 5
#: what it costs to call a frame unvoiced, to begin or end a voice, and to jump by an octave
_UNVOICED_COST, _SWITCH_COST, _OCTAVE_COST = 0.6, 0.2, 1.2
#: a higher dip is taken only where it is that much deeper: half the frequency fits as well
_LONG_LAG_COST = 0.06
_SILENCE_DB = -42.0

Floats = NDArray[np.float32]


def f0(audio: Floats) -> Floats:
    """F0 in Hz every 300 samples of 24 kHz sound, 0 where there is no voice."""
    frames = len(audio) // HOP
    if frames == 0:
        return np.zeros(0, np.float32)
    difference, level = _difference(soxr.resample(audio.astype(np.float32), SAMPLE_RATE, _RATE), frames)
    lags, costs = _dips(difference)
    audible = level > level.max() * 10 ** (_SILENCE_DB / 20)
    costs[~audible] = 9.0
    chosen = _path(lags, costs)
    voiced = chosen < _DIPS
    best = lags[np.arange(frames), np.minimum(chosen, _DIPS - 1)]
    return np.where(voiced, _RATE / np.maximum(best, 1), 0).astype(np.float32)


def _difference(audio: Floats, frames: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[T, lags] cumulative-mean normalised difference, and [T] RMS."""
    longest = int(_LAGS[-1]) + 1
    width = _WINDOW + longest
    centred = np.pad(audio.astype(np.float64), (width // 2, width + _STEP))
    starts = np.arange(frames) * _STEP + _STEP // 2
    pieces = centred[starts[:, None] + np.arange(width)]
    pieces = pieces - pieces.mean(1, keepdims=True)
    size = 1 << (width + _WINDOW - 1).bit_length()
    head = np.fft.rfft(pieces[:, :_WINDOW], size)
    correlation = np.fft.irfft(np.fft.rfft(pieces, size) * head.conj(), size)[:, : longest + 1]
    energy = np.concatenate([np.zeros((frames, 1)), np.cumsum(pieces**2, 1)], 1)
    shifted = np.stack([energy[:, lag + _WINDOW] - energy[:, lag] for lag in range(longest + 1 - 1)], 1)
    squared = shifted[:, :1] + shifted - 2 * correlation[:, : shifted.shape[1]]
    squared = np.maximum(squared, 0)
    lags = np.arange(1, squared.shape[1])
    mean = np.cumsum(squared[:, 1:], 1) / lags
    normalised = np.concatenate([np.ones((frames, 1)), squared[:, 1:] / np.maximum(mean, 1e-12)], 1)
    level = np.sqrt((pieces**2).mean(1))
    return normalised, level


def _dips(difference: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The deepest dips of each frame: lags [T, n] by parabola, and costs [T, n]."""
    low, high = int(_LAGS[0]), difference.shape[1] - 1
    middle = difference[:, low:high]
    before, after = difference[:, low - 1 : high - 1], difference[:, low + 1 : high + 1]
    is_dip = (middle <= before) & (middle < after)
    ranked = np.where(is_dip, middle + _LONG_LAG_COST * np.log2(np.arange(low, high) / low), 9.0)
    order = np.argpartition(ranked, _DIPS, axis=1)[:, :_DIPS]
    cost = np.take_along_axis(ranked, order, 1)
    a, b, c = (np.take_along_axis(values, order, 1) for values in (before, middle, after))
    curve = a - 2 * b + c
    shift = np.where(curve > 1e-9, (a - c) / (2 * np.maximum(curve, 1e-9)), 0)
    return order + low + np.clip(shift, -0.5, 0.5), cost


def _path(lags: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.int64]:
    """[T] which dip, or ``_DIPS`` for none: the cheapest way through all frames."""
    frames = len(lags)
    pitch = np.log2(lags)
    total = np.append(costs[0], _UNVOICED_COST)
    back = np.zeros((frames, _DIPS + 1), np.int64)
    step = np.full((_DIPS + 1, _DIPS + 1), _SWITCH_COST)
    step[-1, -1] = 0
    for t in range(1, frames):
        step[:-1, :-1] = _OCTAVE_COST * np.abs(pitch[t - 1][:, None] - pitch[t][None])
        ways = total[:, None] + step
        back[t] = ways.argmin(0)
        total = ways[back[t], np.arange(_DIPS + 1)] + np.append(costs[t], _UNVOICED_COST)
    chosen = np.empty(frames, np.int64)
    chosen[-1] = total.argmin()
    for t in range(frames - 1, 0, -1):
        chosen[t - 1] = back[t, chosen[t]]
    return chosen


@dataclass(frozen=True)
class Faults:
    """What a listener would complain about, whatever was said."""

    not_numbers: int
    clipped: int
    #: largest mean of 50 ms: speech has none
    offset: float
    #: largest level of the first and of the last two samples: else the sound begins or ends with a click
    edge: float

    @property
    def any(self) -> bool:
        return bool(self.not_numbers or self.clipped > 2 or self.offset > 0.03 or self.edge > 0.02)


def faults(audio: Floats) -> Faults:
    """A sample is clipped where it and a neighbour stand at the same full-scale value."""
    not_numbers = int((~np.isfinite(audio)).sum())
    sound = np.nan_to_num(audio, nan=0.0, posinf=0.0, neginf=0.0).astype(np.float64)
    flat = (np.abs(sound[1:]) > 0.985) & (sound[1:] == sound[:-1])
    width = SAMPLE_RATE // 20
    sums = np.concatenate([[0.0], np.cumsum(sound)])
    means = (sums[width:] - sums[:-width]) / width if len(sound) >= width else np.zeros(1)
    edges = np.concatenate([sound[:2], sound[-2:]]) if len(sound) else np.zeros(1)
    return Faults(
        not_numbers,
        int(flat.sum()),
        round(float(np.abs(means).max()), 4),
        round(float(np.abs(edges).max()), 4),
    )


def levelled(audio: Floats, rms_db: float = -24.0) -> Floats:
    """As loud as every other: the RMS of what is not silence at ``rms_db``, no peak above 0.99."""
    frames = len(audio) // HOP
    if frames == 0:
        return audio
    levels = np.sqrt((audio[: frames * HOP].astype(np.float64).reshape(frames, HOP) ** 2).mean(1))
    active = levels[levels > levels.max() * 0.03]
    if not len(active):
        return audio
    gain = 10 ** (rms_db / 20) / np.sqrt((active**2).mean())
    loudest = max(1e-9, float(np.abs(audio).max()))
    result: Floats = (audio * min(gain, 0.99 / loudest)).astype(np.float32)
    return result
