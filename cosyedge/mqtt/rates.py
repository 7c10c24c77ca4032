"""How often anybody may speak to us: what comes faster is answered with an error, and costs nothing more."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cosyedge.errors import AnnouncementError

#: So many seconds' worth may come at once: what waited at the broker while we were away does.
BURST_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Allowance:
    """What others may send: messages a second on one topic, and bytes of one sound."""

    max_rate: float = math.inf
    most_sound_bytes: int = 2 << 20


class Rates:
    """One allowance for each key, of which there are a few: a node's topics, the commands of a bridge.

    Used by the network thread alone.
    """

    def __init__(self, a_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.a_second = a_second
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # key → allowance, and when it was that

    def admit(self, key: str) -> None:
        """Raises :class:`AnnouncementError` ``rate_limited``."""
        now = self._clock()
        most = max(1.0, self.a_second * BURST_S)
        left, then = self._left.get(key, (most, now))
        left = min(most, left + (now - then) * self.a_second)
        self._left[key] = (max(left - 1.0, 0.0) if left >= 1.0 else left, now)
        if left < 1.0:
            raise AnnouncementError(
                "rate_limited", f"More than {self.a_second:g} messages a second came on {key}."
            )
