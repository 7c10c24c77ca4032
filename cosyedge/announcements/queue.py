"""Which announcement speaks now: priority, then order of arrival; expiry, duplicates, a bound.

Every announcement that :meth:`AnnouncementQueue.put` is given ends exactly once: as an :class:`Ending` in
the return value of whichever call ended it. Nothing is ever dropped without one.

Order
    Higher priority first. Within one, those of mode ``interrupt`` or ``replace`` come first, the newest of
    them before the others, then those of mode ``queue`` by arrival. One with ``at`` takes no part before
    its time.

Interruption
    ``urgent`` interrupts whatever speaks with a lower priority; mode ``interrupt`` whatever speaks with the
    same or a lower one. What was interrupted waits again in its old place and is spoken from its beginning
    (``resume="restart"``), from the clause in which it fell silent (``"continue"``), or ends as cancelled
    (``"drop"``). Mode ``replace`` cancels what speaks and what waits with the same or a lower priority, but
    not what waits for its ``at``.

Bound
    When it is full, those of the lowest priority fail with ``queue_full``, the newest of them first. That may
    be the one that just came: it never pushes out one of its own priority.

Time to live
    ``ttl_s`` counts from arrival, or from ``at`` where that is later, on the monotonic clock.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from typing import Final, Literal

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.duplicates import Duplicates
from cosyedge.announcements.entry import Cut, Ending, Entry, cancelled, expired, full
from cosyedge.errors import CosyError

__all__ = ["AnnouncementQueue", "Cut", "Ending", "Resume"]

Resume = Literal["restart", "continue", "drop"]

# While something waits for a time of day, the clock is read this often: it may be set at any moment.
_CLOCK_POLL_S: Final = 1.0
# So long before its ``at``, one that interrupts falls upon the one that speaks.
_CLEAR_S: Final = 0.5


class AnnouncementQueue:
    """Any thread may call anything; one, the speaker's, takes.

    ``on_cut`` is called when the one that speaks is to fall silent. It runs under the queue's lock, so that
    it can't hit the next one, and must return at once. ``clock`` and ``wall`` give monotonic and Unix
    seconds; ``synchronised`` says whether the latter can be trusted. What has an ``at`` is taken up to
    ``ahead_s`` before it, so that it can be made and begins on the second.
    """

    def __init__(
        self,
        *,
        max_announcements: int = 100,
        max_bytes: int = 4 << 20,
        resume: Resume = "restart",
        on_cut: Callable[[], None] = lambda: None,
        duplicates: Duplicates | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        synchronised: Callable[[], bool] = lambda: True,
        ahead_s: float = 0.0,
    ) -> None:
        self._max_announcements = max_announcements
        self._max_bytes = max_bytes
        self._resume = resume
        self._on_cut = on_cut
        self._duplicates = duplicates or Duplicates()
        self._clock = clock
        self._wall = wall
        self._synchronised = synchronised
        self._ahead_s = ahead_s
        self._clear_s = min(_CLEAR_S, ahead_s)
        self._changed = threading.Condition()
        self._waiting: dict[str, Entry] = {}
        self._current: Entry | None = None
        self._bytes = 0
        self._orders = 0
        self._closed = False

    def __len__(self) -> int:
        """How many wait; the one that speaks is not among them."""
        with self._changed:
            return len(self._waiting)

    @property
    def current(self) -> Announcement | None:
        """The one that speaks."""
        with self._changed:
            return self._current.announcement if self._current else None

    @property
    def heard(self) -> int:
        """How many clauses of :attr:`current` were heard before it was interrupted, and need not be again."""
        with self._changed:
            return self._current.heard if self._current else 0

    @property
    def is_closed(self) -> bool:
        with self._changed:
            return self._closed

    def bound(self, max_announcements: int, max_bytes: int, resume: Resume) -> None:
        """Other bounds from now on. What is there already may stay."""
        with self._changed:
            self._max_announcements, self._max_bytes, self._resume = max_announcements, max_bytes, resume

    def put(self, announcement: Announcement) -> list[Ending]:
        """Takes one: it waits now, unless it is itself among the endings."""
        with self._changed:
            now, wall = self._clock(), self._wall()
            of = self._repeats(announcement, now)
            if of is not None:
                return [Ending(announcement, "duplicate", message=f"It repeats {of}.", of=of)]
            ended = self._pass_time(now, wall)
            entry = self._entry(announcement)
            preempts_now = entry.preempts and entry.age_s(now, wall) >= -self._clear_s
            replaced = self._replaced(entry, now, wall) if preempts_now else []
            victims = self._victims(entry, replaced)
            if victims is None:
                return [*ended, full(entry)]
            if preempts_now:
                ended += self._preempt(entry, now, wall)
            for victim in victims:
                ended.append(self._end(victim, full(victim)))
                self._duplicates.forget(victim.announcement.id)
            self._insert(entry)
            self._duplicates.remember(announcement, now)
            return ended

    def restore(self, announcements: Iterable[tuple[Announcement, bool]]) -> None:
        """Takes again what a journal kept, in its order. It was taken once, so no bound holds.

        The flag says that nobody knows yet for how long the machine was off: one with a ``ttl_s`` then waits
        until the clock is synchronised, or until its time is over for certain.
        """
        with self._changed:
            now = self._clock()
            for announcement, undated in announcements:
                entry = self._entry(announcement)
                entry.undated = undated and announcement.ttl_s is not None
                # What was due has interrupted and replaced whom it could before the restart.
                entry.preempts = entry.preempts and entry.age_s(now, self._wall()) < 0
                self._insert(entry)
                self._duplicates.restore(announcement.id, announcement.content, now)

    def restore_ended(self, ended: Iterable[tuple[str, str | None]]) -> None:
        """Ids and content digests of what ended before a restart: it is not spoken again."""
        with self._changed:
            for id_, content in ended:
                self._duplicates.restore(id_, content, self._clock())

    def take(
        self, timeout_s: float | None, *, audible_after: float = 0.0
    ) -> tuple[Announcement | None, list[Ending]]:
        """Waits for the one that speaks next and makes it :attr:`current`.

        Before ``audible_after`` (monotonic) only those are taken that are rendered and not played. Returns
        without one after ``timeout_s``, when others have ended, and at once when the queue is closed. With
        one come those that it replaces.
        """
        with self._changed:
            give_up = math.inf if timeout_s is None else self._clock() + timeout_s
            while True:
                now, wall = self._clock(), self._wall()
                ended = self._pass_time(now, wall)
                if ended or self._closed:
                    return None, ended
                able = [
                    entry
                    for entry in self._waiting.values()
                    if self._is_due(entry, now, wall, self._ahead_s)
                    and (entry.announcement.render or now >= audible_after)
                ]
                if able:
                    entry = min(able, key=Entry.rank)
                    self._remove(entry)
                    if entry.preempts:  # it is taken before its time, and those that it replaces never are
                        ended = self._preempt(entry, now, wall)
                    entry.tried = True
                    self._current = entry
                    return entry.announcement, ended
                if now >= give_up:
                    return None, []
                wait_s = min(give_up - now, self._next_change_s(now, wall, audible_after))
                self._changed.wait(None if wait_s == math.inf else max(wait_s, 0.001))

    def check(self) -> tuple[Cut | None, list[Ending]]:
        """Whether the one that speaks is to fall silent, and what has ended meanwhile.

        The speaker asks between two pieces of sound: while it speaks, nobody else watches the clock for what
        expires or has its ``at``.
        """
        with self._changed:
            ended = self._pass_time(self._clock(), self._wall())
            return (self._current.cut if self._current else None), ended

    def finish(self, state: Literal["finished", "failed"], error: CosyError | None = None) -> Ending:
        """The one that speaks has been heard to its end, or can't be."""
        with self._changed:
            entry = self._speaking()
            return self._end(entry, Ending(entry.announcement, state, error))

    def give_back(self, heard: int = 0) -> Ending | None:
        """The one that speaks was not heard to its end and is to be tried again.

        ``heard`` is the number of clauses from its beginning that were. None if it waits again, in its old
        place; else it had been stopped, replaced, or interrupted with ``resume="drop"``, and has ended.
        """
        with self._changed:
            entry = self._speaking()
            if entry.cut == "cancelled" or (entry.cut == "interrupted" and self._resume == "drop"):
                return self._end(entry, cancelled(entry))
            self._current = None
            if entry.cut == "interrupted" and self._resume == "continue":
                entry.heard = heard
            entry.cut = entry.cut_by = None
            self._insert(entry)
            return None

    def stop(self, *, clear: bool = False) -> list[Ending]:
        """Silences the one that speaks, or ends the one whose sound card is being waited for; with ``clear``
        ends all that wait. The one that speaks ends when the speaker gives it back.
        """
        with self._changed:
            ended = []
            if self._current is not None:
                self._silence(self._current, "cancelled", None)
            elif tried := [entry for entry in self._waiting.values() if entry.tried]:
                entry = min(tried, key=Entry.rank)
                ended.append(self._end(entry, cancelled(entry)))
            if clear:
                ended += [self._end(entry, cancelled(entry)) for entry in list(self._waiting.values())]
            self._changed.notify_all()
            return ended

    def close(self) -> None:
        """No more is taken. What waits stays: the journal brings it back."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def abandon(self) -> list[Ending]:
        """Ends the sounds that wait, for no journal brings them back."""
        with self._changed:
            sounds = [entry for entry in self._waiting.values() if entry.announcement.sound is not None]
            return [self._end(entry, cancelled(entry)) for entry in sounds]

    def _entry(self, announcement: Announcement) -> Entry:
        self._orders += 1
        return Entry(announcement, self._orders)

    def _insert(self, entry: Entry) -> None:
        self._waiting[entry.announcement.id] = entry
        self._bytes += entry.bytes
        self._changed.notify_all()

    def _remove(self, entry: Entry) -> None:
        del self._waiting[entry.announcement.id]
        self._bytes -= entry.bytes

    def _end(self, entry: Entry, ending: Ending) -> Ending:
        if entry is self._current:
            self._current = None
        else:
            self._remove(entry)
        return ending

    def _speaking(self) -> Entry:
        if self._current is None:
            raise RuntimeError("nothing was taken")
        return self._current

    def _repeats(self, announcement: Announcement, now: float) -> str | None:
        # Those that live are known however many have been remembered since.
        if announcement.id in self._waiting:
            return announcement.id
        if self._current is not None and self._current.announcement.id == announcement.id:
            return announcement.id
        return self._duplicates.find(announcement, now)

    def _is_due(self, entry: Entry, now: float, wall: float, ahead_s: float) -> bool:
        return not entry.undated and entry.age_s(now, wall) >= -ahead_s

    def _pass_time(self, now: float, wall: float) -> list[Ending]:
        """What time alone brings: dates, expiry, and the interruptions of those whose ``at`` has come."""
        ended = []
        for entry in list(self._waiting.values()):
            if entry.undated and self._synchronised():
                entry.arrived = now - max(now - entry.arrived, wall - entry.announcement.arrived_unix)
                entry.undated = False
            ttl_s = entry.announcement.ttl_s
            if ttl_s is not None and entry.age_s(now, wall) >= ttl_s:
                ended.append(self._end(entry, expired(entry)))
        for entry in sorted((e for e in self._waiting.values() if e.preempts), key=Entry.rank):
            if entry.announcement.id in self._waiting and self._is_due(entry, now, wall, self._clear_s):
                ended += self._preempt(entry, now, wall)
        return ended

    def _preempt(self, entry: Entry, now: float, wall: float) -> list[Ending]:
        """Silences and ends what ``entry`` interrupts or replaces."""
        entry.preempts = False
        by = entry.announcement
        current = self._current
        if current is not None:
            lower = current.announcement.priority < by.priority
            same = current.announcement.priority == by.priority
            if by.mode == "replace" and (lower or same):
                self._silence(current, "cancelled", by.id)
            elif lower or (same and by.mode == "interrupt"):
                self._silence(current, "interrupted", by.id)
        ended = []
        for replaced in self._replaced(entry, now, wall):
            replaced.cut_by = by.id
            ended.append(self._end(replaced, cancelled(replaced)))
        return ended

    def _replaced(self, entry: Entry, now: float, wall: float) -> list[Entry]:
        if entry.announcement.mode != "replace":
            return []
        return [
            other
            for other in self._waiting.values()
            if other is not entry
            and other.announcement.priority <= entry.announcement.priority
            and (other.announcement.at is None or other.age_s(now, wall) >= 0)
        ]

    def _silence(self, entry: Entry, cut: Cut, by: str | None) -> None:
        if entry.cut == "cancelled":
            return
        if entry.cut is None:
            self._on_cut()
        entry.cut = cut
        entry.cut_by = by

    def _victims(self, entry: Entry, replaced: list[Entry]) -> list[Entry] | None:
        """Those that must fail so that ``entry`` fits, None if it must fail itself."""
        others = [other for other in self._waiting.values() if other not in replaced]
        count = len(others) + 1 - self._max_announcements
        size = sum(other.bytes for other in others) + entry.bytes - self._max_bytes
        victims = []
        for victim in sorted(others, key=lambda other: (other.announcement.priority, -other.order)):
            if count <= 0 and size <= 0:
                break
            if victim.announcement.priority >= entry.announcement.priority:
                return None
            victims.append(victim)
            count -= 1
            size -= victim.bytes
        return victims if count <= 0 and size <= 0 else None

    def _next_change_s(self, now: float, wall: float, audible_after: float) -> float:
        """Seconds until time alone can make a difference."""
        next_s = math.inf
        for entry in self._waiting.values():
            age_s = entry.age_s(now, wall)
            ttl_s = entry.announcement.ttl_s
            if entry.undated:
                next_s = min(next_s, _CLOCK_POLL_S)
            elif age_s < -self._ahead_s:
                next_s = min(next_s, -age_s - self._ahead_s, _CLOCK_POLL_S)
            else:
                next_s = min(next_s, audible_after - now if audible_after > now else math.inf)
            if ttl_s is not None:
                next_s = min(next_s, ttl_s - age_s)
        return next_s
