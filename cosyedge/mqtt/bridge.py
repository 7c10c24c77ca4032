"""The seam to the other protocols that a node speaks over the same connection, each in a module of its own.

A bridge translates: what it hears into what one of our own topics could have said, and results of what came
through it into its own messages. All else (order, acknowledgement, bounds, errors) is as for our own topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cosyedge.announcements.announcement import Reply
from cosyedge.announcements.result import Result
from cosyedge.errors import CosyError
from cosyedge.mqtt.outbox import Publication


@dataclass(frozen=True, slots=True)
class Heard:
    """A foreign message in our own terms.

    Attributes:
        command: the end of a topic of ours, such as ``say`` or ``mute/set``; None if nothing is asked of the
            node but what follows.
        payload: what would have come on that topic.
        reply: what the bridge needs for its answers.
        scale: of an announcement: a volume in 0..1, taken of the node's own.
        error: it can't be done, which is to be answered.
        publish: to be published at once.
        afresh: whether all that is retained is to be published again.
    """

    command: str | None = None
    payload: bytes = b""
    reply: Reply | None = None
    scale: float = 1.0
    error: CosyError | None = None
    publish: tuple[Publication, ...] = ()
    afresh: bool = False


class Bridge(Protocol):
    """One other protocol."""

    @property
    def name(self) -> str:
        """What stands in :attr:`Reply.bridge` for it."""

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """Topic filters."""

    @property
    def is_dispensable(self) -> bool:
        """Whether the node is well without them, where the broker refuses."""

    @property
    def retained(self) -> tuple[Publication, ...]:
        """What it wants to be known for as long as the node is there."""

    def hears(self, topic: str) -> bool:
        """Whether the topic is one of the subscriptions."""

    def hear(self, topic: str, payload: bytes) -> Heard | None:
        """A message on such a topic, None for one that is meant for others. In the thread ``mqtt``.

        Raises :class:`AnnouncementError` for what can't even be answered.
        """

    def answer(self, result: Result, reply: Reply) -> tuple[Publication, ...]:
        """What this state of an announcement is called there. In any thread."""
