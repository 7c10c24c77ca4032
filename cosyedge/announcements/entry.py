"""An announcement's place in the queue, and how it leaves it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final, Literal

from cosyedge.announcements.announcement import Announcement, Priority
from cosyedge.announcements.result import Result
from cosyedge.errors import AnnouncementError, CosyError

Cut = Literal["interrupted", "cancelled"]

# What an announcement costs besides its text: the value, its entry, its line in the journal.
_BYTES_BESIDES_TEXT: Final = 1024


@dataclass(frozen=True, slots=True)
class Ending:
    """How an announcement ended. ``of`` is the id of the one that a duplicate repeats."""

    announcement: Announcement
    state: Literal["finished", "failed", "expired", "cancelled", "duplicate"]
    error: CosyError | None = None
    message: str | None = None
    of: str | None = None

    def result(self) -> Result:
        """The result of one that was not performed; what it waited ends now."""
        return Result(
            self.announcement.id,
            self.state,
            error=self.error.code if self.error else None,
            message=self.error.sentence if self.error else self.message,
            waited_s=max(0.0, time.monotonic() - self.announcement.arrived_monotonic),
        )


@dataclass(eq=False, slots=True)
class Entry:
    """One that waits or speaks. Guarded by the queue's lock."""

    announcement: Announcement
    order: int
    bytes: int = field(init=False)
    arrived: float = field(init=False)  # monotonic; the latest that it can have been where ``undated``
    undated: bool = False
    preempts: bool = field(
        init=False
    )  # what it interrupts or replaces is still to be interrupted or replaced
    tried: bool = False  # it was taken before and waits to be tried again
    heard: int = 0  # clauses from its beginning that need not be said again
    cut: Cut | None = None
    cut_by: str | None = None

    def __post_init__(self) -> None:
        size = len(self.announcement.text.encode()) + len(self.announcement.sound or b"")
        self.bytes = size + _BYTES_BESIDES_TEXT
        self.arrived = self.announcement.arrived_monotonic
        self.preempts = self.announcement.mode != "queue" or self.announcement.priority == Priority.URGENT

    def age_s(self, now: float, wall: float) -> float:
        """Seconds since it could be spoken; negative before its ``at``."""
        age = now - self.arrived
        at = None if self.announcement.render else self.announcement.at  # whoever plays it waits
        # The clock may have been set since it came: it can't have been due for longer than it is here.
        return age if at is None else min(wall - at, age)

    def rank(self) -> tuple[int, bool, int]:
        """The lowest speaks first."""
        waits = self.announcement.mode == "queue"
        return -self.announcement.priority, waits, self.order if waits else -self.order


def full(entry: Entry) -> Ending:
    """There is no room for it."""
    error = AnnouncementError("queue_full", "The queue is full of announcements of no lower priority.")
    return Ending(entry.announcement, "failed", error)


def expired(entry: Entry) -> Ending:
    """It waited longer than its ``ttl_s``."""
    sentence = f"It could not be spoken within its {entry.announcement.ttl_s:g} s."
    return Ending(entry.announcement, "expired", AnnouncementError("expired", sentence))


def cancelled(entry: Entry) -> Ending:
    """It was stopped, or cut by another for good."""
    if entry.cut_by is None:
        message = "It was stopped."
    else:
        verb = "interrupted" if entry.cut == "interrupted" else "replaced"
        message = f"It was {verb} by {entry.cut_by}."
    return Ending(entry.announcement, "cancelled", message=message)
