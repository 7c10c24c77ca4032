"""Whether the threads that speak and that listen to the broker make progress, which the watchdog lives on."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from cosyedge.errors import HostError, PlaybackError

#: The speech thread reports progress at least every 5 s when idle, and waits for the sound system for up to
#: 10 s, or until the ring has been heard; after this, and as long as the ring is, it hangs.
SPEECH_ALLOWANCE_S: Final = 20.0


class Speaking(Protocol):
    """:class:`cosyedge.announcements.speaker.Speaker`."""

    heartbeat: float

    @property
    def is_alive(self) -> bool: ...


class Liveness:
    """Args:
    speaker: has a thread that says when it last made progress.
    mqtt_alive_until: the moment after which the thread of the broker hangs. All times are monotonic.
    ring_s: how long the speech thread may wait for sound to be heard.
    """

    def __init__(self, speaker: Speaking, mqtt_alive_until: Callable[[], float], ring_s: float) -> None:
        self._speaker = speaker
        self._mqtt_alive_until = mqtt_alive_until
        self._ring_s = ring_s
        #: The sound library does not come back: only another process can use the card again.
        self.stuck: PlaybackError | None = None

    def check(self, now: float) -> HostError | None:
        """Which threads make no progress, in words.

        Raises:
            HostError: ``internal``, the thread that speaks has ended.
            PlaybackError: ``audio_stuck``.
        """
        if not self._speaker.is_alive:
            raise HostError("internal", "The thread that speaks has ended.")
        if self.stuck is not None:
            raise self.stuck
        hung = []
        if self.speech_hangs(now):
            hung.append("speech")
        if now > self._mqtt_alive_until():
            hung.append("mqtt")
        return HostError("internal", f"No progress in {' and '.join(hung)}.") if hung else None

    def speech_hangs(self, now: float | None = None) -> bool:
        now = time.monotonic() if now is None else now
        return now - self._speaker.heartbeat > SPEECH_ALLOWANCE_S + self._ring_s
