"""How long to wait before the next connection, and whom to suspect when they end again and again."""

from __future__ import annotations

import random
from typing import Final

from cosyedge.errors import MqttError

#: A connection that lasted this long was a good one: the next failure starts with the shortest pause.
STABLE_S: Final = 30.0
_MOST_EVICTIONS: Final = 3
#: A broker that takes us is called again sooner than one that is away.
_MOST_FAILURES_SERVED: Final = 2


class Retry:
    """Used by the network thread alone."""

    def __init__(self, least_s: float, most_s: float) -> None:
        self._least_s = least_s
        self._most_s = most_s
        self._failures = 0
        self._evictions = 0

    def forgotten(self) -> None:
        """The broker does not know us any more: it was restarted, and nobody took our place."""
        self._evictions = 0

    def defect(self) -> None:
        """It failed through a fault of our own."""
        self._failures += 1

    def failed(self, error: MqttError, *, lasted_s: float, stable_s: float, was_served: bool) -> MqttError:
        """One attempt, or one connection, has ended; what that is to be called.

        Only MQTT 5 has a word for being thrown out by one's own double, and not every broker says it
        (mosquitto 2.0.11 does not): but then it happens again and again.
        """
        is_stable = lasted_s > stable_s
        self._failures = 1 if is_stable else self._failures + 1
        if was_served:
            self._failures = min(self._failures, _MOST_FAILURES_SERVED)
        self._evictions = self._evictions + 1 if was_served and not is_stable else 0
        if self._evictions < _MOST_EVICTIONS or error.code != "mqtt_unreachable":
            return error
        sentence = "The broker takes us and drops us, over and over: probably a second client has our id."
        return MqttError("mqtt_taken_over", sentence)

    def pause_s(self) -> float:
        """With jitter, or all nodes of a house come back in the same instant after a power cut."""
        longest_s = min(self._least_s * 2.0 ** min(self._failures, 16), self._most_s)
        return max(random.uniform(longest_s / 2, longest_s), self._least_s)
