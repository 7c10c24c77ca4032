"""The static ring between the speech thread and the sound card's callback.

One producer, one consumer, no lock. The ring is a fixed number of pieces, each exactly what the card asks
for at a time. The producer fills pieces and then counts them as written; the consumer takes a written piece,
and gives it back only when it asks for the next one, because the card's library copies it after the
callback has returned. Each counter has one writer, and the interpreter lock orders the samples before the
count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Ring:
    """``pieces`` pieces of ``period`` frames in ``channels`` channels, int16."""

    def __init__(self, pieces: int, period: int, channels: int) -> None:
        if pieces < 2:
            raise ValueError("a ring has at least two pieces: one to fill, one to play")
        self.pieces = pieces
        self.period = period
        self.channels = channels
        #: One view for each piece, made once: int16 [period, channels].
        self.views: tuple[NDArray[np.int16], ...] = tuple(np.zeros((pieces, period, channels), np.int16))
        #: Frames that were written since the last reset, without the padding of the last piece.
        self.frames = 0
        self._fill = 0  # frames in the piece that the producer is filling
        self._written = 0  # pieces, by the producer
        self._returned = 0  # pieces, by the consumer
        self._lent = 0  # 1 while the consumer holds a piece

    @property
    def filled(self) -> int:
        """Whole pieces that wait to be taken."""
        return self._written - self._returned - self._lent

    # The producer's side.

    def write(self, pcm: NDArray[np.int16]) -> int:
        """Copy mono int16 frames to every channel; the number that there was room for, without waiting.

        All of them are there for the consumer at once: were each piece counted when it is filled, whoever is
        kept from running between two of them would let the card run dry with the second in his hands.
        """
        taken, written = 0, self._written
        while taken < len(pcm) and written - self._returned < self.pieces:
            count = min(self.period - self._fill, len(pcm) - taken)
            piece = self.views[written % self.pieces]
            piece[self._fill : self._fill + count] = pcm[taken : taken + count, np.newaxis]
            taken += count
            self._fill += count
            self.frames += count
            if self._fill == self.period:
                self._fill = 0
                written += 1
        self._written = written
        return taken

    def end(self) -> None:
        """Fill the piece that was begun with silence, so that it can be played."""
        if self._fill:
            self.views[self._written % self.pieces][self._fill :] = 0
            self._fill = 0
            self._written += 1

    def reset(self) -> None:
        """Drop all that is written. Only while the consumer rests: it took nothing in its last call."""
        self._written = self._returned
        self._fill = 0
        self.frames = 0

    # The consumer's side.

    def give_back(self) -> int:
        """Return the piece taken last; the number of pieces that wait."""
        if self._lent:
            self._returned += 1
            self._lent = 0
        return self._written - self._returned

    def take(self) -> int:
        """The index in :attr:`views` of the next piece. Only after ``give_back()`` said there is one."""
        self._lent = 1
        return self._returned % self.pieces

    def discard(self) -> None:
        """Drop every piece that waits."""
        self._returned = self._written
        self._lent = 0
