"""Callbacks against the clock: whether a sound card still takes what it is given."""

from __future__ import annotations

import time
from typing import Final

#: The most that one look adds to a stall. Whoever is not run for a while (a busy machine, a debugger) must
#: not take that for a card that stood still: the callbacks were not run either.
_LOOK_S: Final = 0.25


class Watch:
    """``calls`` is the number of callbacks so far; every method looks at the clock."""

    def __init__(self, calls: int) -> None:
        self._calls = calls
        self._looked = time.monotonic()
        self._stalled_s = 0.0

    def stalled_s(self, calls: int) -> float:
        """For how long no callback has come, as far as that was watched."""
        now = time.monotonic()
        if calls != self._calls:
            self._calls = calls
            self._stalled_s = 0.0
        else:
            self._stalled_s += min(now - self._looked, _LOOK_S)
        self._looked = now
        return self._stalled_s

    def stood_still(self, calls: int) -> bool:
        """Whether no callback has come since the last look, which is longer ago than a callback takes."""
        return calls == self._calls and time.monotonic() - self._looked > _LOOK_S
