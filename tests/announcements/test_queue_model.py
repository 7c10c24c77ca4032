"""Whatever is done to the queue, in whatever order, every announcement ends exactly once."""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cosyedge.announcements.announcement import Announcement, Mode, Priority
from cosyedge.announcements.duplicates import Duplicates
from cosyedge.announcements.queue import AnnouncementQueue, Ending

WALL = 1.7e9
MOST = 4


class QueueMachine(RuleBasedStateMachine):
    """The queue, and beside it only who was taken in and who has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0
        self.cut_told = False
        self.queue = AnnouncementQueue(
            max_announcements=MOST,
            on_cut=self.on_cut,
            duplicates=Duplicates(remembered=1000),
            clock=lambda: self.now,
            wall=lambda: WALL + self.now,
        )
        self.made = 0
        self.waiting: dict[str, Announcement] = {}
        self.order: dict[str, int] = {}
        self.current: str | None = None
        self.endings: Counter[str] = Counter()
        self.accepted: set[str] = set()

    def on_cut(self) -> None:
        assert self.current is not None
        assert not self.cut_told
        self.cut_told = True

    def count(self, ended: list[Ending]) -> None:
        for ending in ended:
            id_ = ending.announcement.id
            assert self.waiting.pop(id_).id == id_
            self.endings[id_] += 1

    @rule(
        priority=st.sampled_from(Priority),
        mode=st.sampled_from(get_args(Mode)),
        at_s=st.none() | st.sampled_from([-5.0, 5.0, 20.0]),
        ttl_s=st.none() | st.sampled_from([4.0, 15.0]),
        content=st.sampled_from([None, None, None, "same"]),
    )
    def put(
        self, priority: Priority, mode: Any, at_s: float | None, ttl_s: float | None, content: Any
    ) -> None:
        self.made += 1
        announcement = Announcement(
            f"a{self.made}",
            "text",
            priority=priority,
            mode=mode,
            at=None if at_s is None else WALL + self.now + at_s,
            ttl_s=ttl_s,
            content=content,
            arrived_monotonic=self.now,
            arrived_unix=WALL + self.now,
        )
        ended = self.queue.put(announcement)
        if ended and ended[-1].announcement is announcement:
            refused = ended.pop()
            assert refused.state in ("duplicate", "failed")
        else:
            self.waiting[announcement.id] = announcement
            self.order[announcement.id] = self.made
            self.accepted.add(announcement.id)
        self.count(ended)

    @precondition(lambda self: self.accepted)
    @rule(data=st.data())
    def put_again(self, data: st.DataObject) -> None:
        id_ = data.draw(st.sampled_from(sorted(self.accepted)))
        refused = self.endings[id_] and id_ not in self.waiting and id_ != self.current
        ended = self.queue.put(Announcement(id_, "again", arrived_monotonic=self.now))
        if [ending.state for ending in ended] != ["duplicate"]:
            # Only what had been pushed out by a full queue may come again; it then counts anew.
            assert refused
            del self.endings[id_]
            self.waiting[id_] = Announcement(id_, "again")
            self.order[id_] = self.made = self.made + 1
            if ended and ended[-1].announcement.id == id_:
                del self.waiting[id_]
                self.accepted.remove(id_)
                ended.pop()
            self.count(ended)

    @precondition(lambda self: self.current is None)
    @rule(audible=st.booleans())
    def take(self, audible: bool) -> None:
        announcement, ended = self.queue.take(0, audible_after=0.0 if audible else self.now + 1)
        self.count(ended)
        if announcement is None:
            return
        assert audible
        assert not ended
        chosen = self.waiting.pop(announcement.id)
        wall = WALL + self.now
        due = [other for other in self.waiting.values() if other.at is None or other.at <= wall]
        assert all(other.priority <= chosen.priority for other in due)
        peers = [other for other in due if other.priority == chosen.priority]
        if chosen.mode == "queue":
            assert all(
                other.mode == "queue" and self.order[other.id] > self.order[chosen.id] for other in peers
            )
        self.current, self.cut_told = announcement.id, False

    @precondition(lambda self: self.current is not None)
    @rule()
    def check(self) -> None:
        cut, ended = self.queue.check()
        self.count(ended)
        assert (cut is not None) == self.cut_told

    @precondition(lambda self: self.current is not None)
    @rule(state=st.sampled_from(["finished", "failed"]))
    def finish(self, state: Any) -> None:
        ending = self.queue.finish(state)
        assert ending.announcement.id == self.current
        self.endings[ending.announcement.id] += 1
        self.current = None

    @precondition(lambda self: self.current is not None)
    @rule()
    def give_back(self) -> None:
        current = self.queue.current
        assert current is not None
        ending = self.queue.give_back()
        if ending is None:
            self.waiting[current.id] = current
        else:
            assert self.cut_told
            assert ending.state == "cancelled"
            self.endings[current.id] += 1
        self.current = None

    @rule(clear=st.booleans())
    def stop(self, clear: bool) -> None:
        self.count(self.queue.stop(clear=clear))
        if clear:
            assert not self.waiting

    @rule(seconds=st.sampled_from([0.5, 3.0, 10.0]))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def all_are_accounted_for(self) -> None:
        assert len(self.queue) == len(self.waiting) <= MOST + 1  # what was interrupted is always let in again
        assert (self.queue.current.id if self.queue.current else None) == self.current
        for id_ in self.accepted:
            lives = (id_ in self.waiting) + (id_ == self.current)
            assert lives + self.endings[id_] == 1

    def teardown(self) -> None:
        self.count(self.queue.stop(clear=True))
        if self.current is not None:
            self.give_back()
        assert not self.waiting
        assert all(self.endings[id_] == 1 for id_ in self.accepted)


TestQueueModel = QueueMachine.TestCase
TestQueueModel.settings = settings(max_examples=80, stateful_step_count=30, deadline=None, derandomize=True)
