"""What the rest of the daemon knows of playback: a sink, and that something was heard.

A sink takes one announcement at a time: ``begin``, ``play`` as often as there are samples, ``drain``.
There are two words for stopping: ``drain`` waits until the last sample was heard, ``cut`` fades out and drops
the rest. An announcement whose making fails half-way is ended by ``cut`` and ``drain``, like any that is cut.
``begin``, ``play`` and ``drain`` belong to one thread; everything else may come from any thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

#: Samples per second of everything that is given to a sink: mono, float32, in [-1, 1].
SAMPLE_RATE: Final = 24_000

#: How long a cut takes to become silent, in seconds.
FADE_S: Final = 0.020

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Played:
    """What was heard of one announcement, said by the sink once it was heard."""

    audio_s: float
    """In seconds; after a cut, up to the end of the fade."""
    underruns: int
    """Gaps: the card or the ring ran dry in the middle of the announcement."""


@dataclass(frozen=True, slots=True)
class Buffering:
    """How a sink that plays in real time deals with what is ahead of it."""

    room_s: float
    """Seconds of sound that are taken without waiting."""
    kept_s: float
    """What is taken is heard in portions of so many seconds, each when it is whole."""


class Sink(Protocol):
    """A sound card or a file. Errors are :class:`~cosyedge.errors.PlaybackError`."""

    @property
    def name(self) -> str:
        """For people and for the state topic, such as ``alsa:default`` or ``wav:/run/x.wav``."""

    @property
    def underruns(self) -> int:
        """Gaps since the sink was made."""

    @property
    def is_open(self) -> bool:
        """Whether a device or a file is held at the moment."""

    @property
    def buffering(self) -> Buffering | None:
        """None where nothing is heard in real time, as in a file: it never runs dry."""

    @property
    def keep_alive(self) -> bool:
        """Whether the device is to be held between announcements, and taken again when it was lost."""

    def begin(self) -> None:
        """Start an announcement, opening the device where that is needed (``audio_*``, ``wav_unwritable``).

        It takes back every earlier :meth:`cut`, and drops what an earlier announcement left undrained.
        """

    def hold_until(self, moment: float) -> None:
        """Between ``begin`` and the first ``play``: the first sample is heard at ``moment`` on the monotonic
        clock, as nearly as the sink can, and at once where that is past. Lead-in and silence go before it.
        """

    def play(self, samples: Samples) -> None:
        """Take all of ``samples`` (float32, one dimension, 24 kHz), blocking while there is no room.

        Returns at once after :meth:`cut`. Raises ``audio_lost`` when the device vanishes or stalls.
        """

    def expect_pause(self) -> None:
        """What is played next may be long in coming: silence until then is a pause and no gap."""

    def drain(self) -> Played:
        """Wait until the last sample was heard, and end the announcement. Returns soon after :meth:`cut`."""

    def cut(self) -> None:
        """Fade the running announcement out within 20 ms and drop the rest; nothing happens without one."""

    def set_volume(self, level: float, mute: bool = False) -> None:
        """``level`` in 0..1 (see :mod:`cosyedge.playback.volume`), reached smoothly, also in mid-sentence."""

    def close(self) -> None:
        """Cut, and give everything back. The sink can't be used again."""


def try_out(sink: Sink) -> None:
    """Opens the device that ``sink`` is to play on, without a sound; raises as ``begin`` and ``drain``."""
    sink.begin()
    sink.cut()
    sink.drain()


def checked(samples: Samples) -> Samples:
    """``samples``, or :class:`ValueError`: a sink is given float32 in one dimension and nothing else."""
    if samples.dtype != np.float32 or samples.ndim != 1:
        raise ValueError(f"samples must be float32 in one dimension, not {samples.dtype} in {samples.ndim}")
    return samples
