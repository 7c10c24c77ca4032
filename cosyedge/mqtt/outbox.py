"""What waits to be published: bounded, so that a broker that is away for a week costs no memory."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from cosyedge.announcements.seldom_log import SeldomLog

MOST_MESSAGES: Final = 512
MOST_BYTES: Final = 512 * 1024


@dataclass(frozen=True, slots=True)
class Publication:
    """One message to be published with QoS 1. The fields after ``retain`` are MQTT 5 properties."""

    topic: str
    payload: bytes
    retain: bool = False
    content_type: str | None = None
    correlation: bytes | None = None
    user: tuple[tuple[str, str], ...] = ()
    whole: bool = False  # a part of something that is worth nothing with a part missing: never dropped
    passing: bool = False  # a state that another will follow: dropped before what is final
    taken: Callable[[], None] | None = field(default=None, compare=False)
    """called once, in the network thread, when the broker has it; must not wait"""


class Outbox:
    """Filled by any thread, emptied by the network thread.

    Values are kept by topic: only the newest counts, and all are due again after a reconnect, since a broker
    without persistence has forgotten them. Everything else queues in order. What is `whole` waits
    for room before it enters; of the rest the oldest is dropped, and counted, when there is too much of it,
    and what is `passing` first.
    """

    def __init__(self, most_messages: int = MOST_MESSAGES, most_bytes: int = MOST_BYTES) -> None:
        self._most_messages = most_messages
        self._most_bytes = most_bytes
        self._changed = threading.Condition()
        self._queue: deque[Publication] = deque()
        self._load = {False: _Load(), True: _Load()}  # by `whole`
        self._kept: dict[str, Publication] = {}
        self._due: dict[str, None] = {}  # an ordered set of topics
        self._dropped = 0
        self._losses = SeldomLog(logging.getLogger(__name__))

    @property
    def dropped(self) -> int:
        """How many results were lost for want of room."""
        return self._dropped

    def __len__(self) -> int:
        with self._changed:
            return len(self._queue) + len(self._due)

    def put(self, publication: Publication) -> None:
        """Queues a result; never waits."""
        lost: list[bool] = []  # whether each was passing
        with self._changed:
            self._queue.append(publication)
            self._load[publication.whole].add(publication)
            while self._full(self._load[False]):
                oldest = min(
                    (index for index, queued in enumerate(self._queue) if not queued.whole),
                    key=lambda index: (not self._queue[index].passing, index),
                )
                lost.append(self._queue[oldest].passing)
                self._load[False].remove(self._queue[oldest])
                del self._queue[oldest]
                self._dropped += 1
        for passing in lost:
            kind = "a passing result" if passing else "a final result"
            self._losses.warn(kind, f"{kind} was dropped: more wait for the broker than there is room for")

    def tell_losses(self) -> None:
        """Logs how many there were; to be called every second or so."""
        self._losses.flush()

    def put_waiting(self, publication: Publication, timeout_s: float) -> bool:
        """Queues what is `whole` once there is room for it; False when there was none in time."""
        with self._changed:
            load = self._load[True]
            if not self._changed.wait_for(lambda: not self._full(load, publication), timeout_s):
                return False
            self._queue.append(publication)
            load.add(publication)
        return True

    def keep(self, publication: Publication) -> None:
        """Replaces the value of its topic; publishes it only if it is another one."""
        with self._changed:
            known = self._kept.get(publication.topic)
            if known is None or known.payload != publication.payload:
                self._kept[publication.topic] = publication
                self._due[publication.topic] = None

    def keep_again(self) -> None:
        """A new connection, or somebody who has lost them: every value is due."""
        with self._changed:
            self._due = dict.fromkeys(self._kept)

    def take(self) -> Publication | None:
        """The next one to publish."""
        with self._changed:
            if self._due:
                topic = next(iter(self._due))
                del self._due[topic]
                return self._kept[topic]
            if not self._queue:
                return None
            publication = self._queue.popleft()
            self._load[publication.whole].remove(publication)
            self._changed.notify_all()
            return publication

    def give_back(self, unconfirmed: Iterable[Publication]) -> None:
        """The connection broke: these, oldest first, were sent but never confirmed."""
        with self._changed:
            lost = [p for p in unconfirmed if not p.retain and p.topic not in self._kept]
            for publication in reversed(lost):
                self._queue.appendleft(publication)
                self._load[publication.whole].add(publication)

    def _full(self, load: _Load, more: Publication | None = None) -> bool:
        """Whether this is too much; a single message never is."""
        messages = load.messages + (more is not None)
        payload_bytes = load.payload_bytes + (len(more.payload) if more is not None else 0)
        return messages > 1 and (messages > self._most_messages or payload_bytes > self._most_bytes)


@dataclass(slots=True)
class _Load:
    messages: int = 0
    payload_bytes: int = 0

    def add(self, publication: Publication) -> None:
        self.messages += 1
        self.payload_bytes += len(publication.payload)

    def remove(self, publication: Publication) -> None:
        self.messages -= 1
        self.payload_bytes -= len(publication.payload)
