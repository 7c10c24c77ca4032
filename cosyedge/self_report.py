"""What a node tells of itself: its state, its health, both with a history, and one line for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from cosyedge import __version__
from cosyedge.announcements.clock import is_synchronised
from cosyedge.announcements.phrase_cache import PhraseCache
from cosyedge.announcements.queue import AnnouncementQueue
from cosyedge.announcements.settings import Settings
from cosyedge.condition import Condition
from cosyedge.host.health import Health
from cosyedge.playback.sink import Sink


class Counts(Protocol):
    """:class:`cosyedge.mqtt.counts.Counts`."""

    @property
    def failed(self) -> int: ...

    @property
    def commands_failed(self) -> int: ...

    @property
    def results_dropped(self) -> int: ...


class SelfReport:
    """Asked by the main thread; ``speaking`` is set by those that tell results.

    Args:
        node: its name in topics.
        bundle: name and version.
        counts: of messages, as the connection has them.
    """

    def __init__(
        self,
        *,
        node: str,
        bundle: str,
        limit_mb: int,
        condition: Condition,
        settings: Callable[[], Settings],
        queue: AnnouncementQueue,
        sink: Sink,
        cache: PhraseCache | None,
        counts: Callable[[], Counts],
    ) -> None:
        self._node = node
        self._bundle = bundle
        self._limit_mb = limit_mb
        self._condition = condition
        self._settings = settings
        self._queue = queue
        self._sink = sink
        self._cache = cache
        self._counts = counts
        self._readings = Health()
        self.speaking: str | None = None
        """the announcement that is heard"""
        self.recovered: Mapping[str, int] = {}
        """what the journal had at the start"""
        self.rss_after_load_mb: float | None = None

    def state(self) -> dict[str, Any]:
        """The payload of the topic ``state``."""
        settings, speaking, current = self._settings(), self.speaking, self._queue.current
        # One that was taken but is not heard yet still waits: perhaps for a sound card.
        is_waiting = current is not None and current.id != speaking
        return {
            "speaking": speaking is not None,
            "queue": len(self._queue) + is_waiting,
            "volume": round(100 * settings.volume),
            "mute": settings.mute,
            "voice": settings.voice,
            "lang": settings.lang,
            "speed": settings.speed,
            "output": self._sink.name,
        }

    def health(self) -> dict[str, Any]:
        """The payload of the topic ``health``; config/HEALTH.md has it field by field."""
        counts = self._counts()
        return self._condition.report(
            self._readings.read(),
            also_failed=counts.failed,
            commands_failed=counts.commands_failed,
            results_dropped=counts.results_dropped,
            journal=self.recovered,
            rss_after_load_mb=self.rss_after_load_mb,
            limit_mb=self._limit_mb,
            clock_synchronised=is_synchronised(),
            underruns=self._sink.underruns,
            cache=self._cache.figures() if self._cache else None,
            queue=len(self._queue),
            bundle=self._bundle,
            version=__version__,
        )

    def status(self) -> dict[str, Any]:
        """The payload of the topic ``status``."""
        return {"state": self.state(), "health": self.health(), "history": self._condition.history()}

    def sentence(self) -> str:
        """One line for ``systemctl status``: what is wrong, or what goes on, and what waits."""
        state = self.state()
        now = self._condition.sentence()
        if now == "ready":
            now = "speaking" if state["speaking"] else f"ready as {self._node}"
        return f"{now}, {state['queue']} waiting" if state["queue"] else now
