"""A queue with clocks that are moved by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from cosyedge.announcements.announcement import Announcement, Mode, Priority
from cosyedge.announcements.queue import AnnouncementQueue, Ending

LOW, NORMAL, HIGH, URGENT = Priority
WALL: Final = 1.7e9


@dataclass
class Clock:
    """Both clocks, moved by hand; ``wall_off_s`` is how wrong the wall clock is."""

    now: float = 1000.0
    wall_off_s: float = 0.0
    synchronised: bool = True

    def monotonic(self) -> float:
        return self.now

    def unix(self) -> float:
        return WALL + self.now + self.wall_off_s


@dataclass
class Desk:
    """A queue with a clock that is moved by hand."""

    options: dict[str, Any] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    cuts: int = 0

    def __post_init__(self) -> None:
        self.queue = AnnouncementQueue(
            on_cut=self._cut,
            clock=self.clock.monotonic,
            wall=self.clock.unix,
            synchronised=lambda: self.clock.synchronised,
            **self.options,
        )

    def _cut(self) -> None:
        self.cuts += 1

    def make(self, id_: str, priority: Priority = NORMAL, mode: Mode = "queue", **more: Any) -> Announcement:
        more = {"text": id_, "arrived_monotonic": self.clock.now, "arrived_unix": self.clock.unix()} | more
        return Announcement(id_, priority=priority, mode=mode, **more)

    def put(self, id_: str, priority: Priority = NORMAL, mode: Mode = "queue", **more: Any) -> dict[str, str]:
        return told(self.queue.put(self.make(id_, priority, mode, **more)))

    def take(self, **more: Any) -> str | None:
        announcement, ended = self.queue.take(0, **more)
        assert not ended
        return announcement.id if announcement else None

    def cut(self) -> str | None:
        cut, ended = self.queue.check()
        assert not ended
        return cut

    def speak_all(self) -> list[str]:
        spoken = []
        while (id_ := self.take()) is not None:
            spoken.append(id_)
            self.queue.finish("finished")
        return spoken


def told(ended: list[Ending]) -> dict[str, str]:
    return {ending.announcement.id: ending.state for ending in ended}
