"""When a clause may begin to sound, on a machine that may be too slow to make it while it sounds.

A listener forgives a pause between clauses and not one inside a word. So the beginning of a clause is held
back until the rest of it will be made in time, at the speed that was measured on this machine a moment ago:
on a fast one its first chunk is enough, on one that is slower than speech it may take the whole clause.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Final, Protocol

import numpy as np

from cosyedge.playback.sink import SAMPLE_RATE, Buffering, Samples

#: Stands for a chunk that is made but held back: nothing is to be played yet, and a pause may follow.
NOTHING_YET: Final[Samples] = np.zeros(0, np.float32)

#: The machine may become slower than it was by so much before anybody hears it.
_SAFETY: Final = 1.25
#: Sound over which the speed is averaged, in seconds; what is older counts less.
_REMEMBERED_S: Final = 3.0
#: Above this the time until the first chunk of a clause may be longer than what is ready of the one before.
_SLOW: Final = 0.5
#: A resampler hands out later up to a third of a short beginning, and never more than this of any.
_RESAMPLER_S: Final = 0.04


class Maker(Protocol):
    """What makes the chunks: :class:`cosyedge.speech.synthesizer.Synthesizer`."""

    samples_left: int
    """Of the clause, after the chunk that came last."""

    @property
    def largest_chunk(self) -> int:
        """Samples of the longest chunk."""


class Pace:
    """How fast this machine makes samples, as it was measured over the last seconds of sound."""

    def __init__(self) -> None:
        self._work_s = 0.0
        self._audio_s = 0.0

    def made(self, work_s: float, audio_s: float) -> None:
        """So much sound more was made in so much time on the wall."""
        kept = math.exp(-audio_s / _REMEMBERED_S)
        self._work_s = self._work_s * kept + work_s
        self._audio_s = self._audio_s * kept + audio_s

    @property
    def rtf(self) -> float | None:
        """Seconds of work for a second of sound; None before anything was measured."""
        return self._work_s / self._audio_s if self._audio_s else None

    @property
    def is_slow(self) -> bool:
        """Whether it is not certain that clauses follow each other without a pause."""
        return self.rtf is None or self.rtf * _SAFETY > _SLOW

    def may_begin(self, held: int, last: int, left: int, largest: int, buffering: Buffering) -> bool:
        """Whether a clause will not run dry if it begins to sound now.

        Args:
            held: samples of it that are made.
            last: of these, in the last chunk; the next may be twice as long, up to ``largest``.
            left: samples of it that are not made yet.
        """
        if not left:
            return True
        rtf = self.rtf
        if rtf is None:
            return False  # with the next chunk it is known
        # What does not fit into the sink makes its giver wait, and nothing is made meanwhile.
        ready_s = min(held / SAMPLE_RATE, buffering.room_s) - buffering.kept_s
        ready_s -= min(_RESAMPLER_S, held / SAMPLE_RATE / 3)
        return _needed_s(last, left, largest, rtf * _SAFETY) <= ready_s


def _needed_s(last: int, left: int, largest: int, rtf: float) -> float:
    """The sound in s that must be ready so that each chunk comes before all that precedes it was heard."""
    made = needed = 0.0
    size = last
    while left > 0:
        size = min(2 * size, largest, left)
        # When this one is there, so much has sounded; and so much of it had been made after the beginning.
        needed = max(needed, (made + size) * rtf - made)
        made += size
        left -= size
    return needed / SAMPLE_RATE


def held_back(
    chunks: Iterator[Samples],
    maker: Maker,
    pace: Pace,
    buffering: Buffering,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Samples]:
    """``chunks`` of one clause, each a view that the next overwrites, the first ones perhaps later.

    :data:`NOTHING_YET` comes for each that is held back.
    """
    held: list[Samples] = []
    count = 0
    sounds = False
    while True:
        began = clock()
        chunk = next(chunks, None)
        if chunk is None:
            break
        if count:  # the first had to wait for the acoustic model
            pace.made(clock() - began, len(chunk) / SAMPLE_RATE)
        count += len(chunk)
        if not sounds:
            sounds = pace.may_begin(count, len(chunk), maker.samples_left, maker.largest_chunk, buffering)
            if not sounds:
                held.append(chunk.copy())
                yield NOTHING_YET
                continue
            yield from held
            held.clear()
        yield chunk
    yield from held
