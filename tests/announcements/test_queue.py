"""The queue: who speaks now, who is interrupted, who ends and how."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from cosyedge.announcements.announcement import Announcement, Mode, Priority
from cosyedge.announcements.duplicates import CONTENT_WINDOW_S, REDELIVERY_WINDOW_S, Duplicates
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


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_order_is_priority_and_then_arrival(desk: Desk) -> None:
    for id_, priority in [("a", NORMAL), ("b", LOW), ("c", HIGH), ("d", NORMAL), ("e", URGENT), ("f", HIGH)]:
        assert desk.put(id_, priority) == {}
    assert desk.speak_all() == ["e", "c", "f", "a", "d", "b"]


def test_interrupt_and_replace_come_first_within_their_priority_the_newest_before_the_others(
    desk: Desk,
) -> None:
    desk.put("h", HIGH)
    assert desk.take() == "h"
    for id_, mode in [("a", "queue"), ("b", "interrupt"), ("c", "queue"), ("d", "interrupt")]:
        desk.put(id_, NORMAL, mode)  # type: ignore[arg-type]
    assert desk.cut() is None
    desk.queue.finish("finished")
    assert desk.speak_all() == ["d", "b", "a", "c"]


def test_urgent_interrupts_what_is_lower_and_it_is_spoken_again_in_its_place(desk: Desk) -> None:
    for id_ in "abc":
        desk.put(id_)
    assert desk.take() == "a"
    assert desk.put("u", URGENT) == {}
    assert (desk.cut(), desk.cuts) == ("interrupted", 1)
    assert desk.queue.give_back() is None
    assert desk.cut() is None
    assert desk.speak_all() == ["u", "a", "b", "c"]


def test_urgent_waits_for_urgent(desk: Desk) -> None:
    desk.put("u", URGENT)
    assert desk.take() == "u"
    desk.put("v", URGENT)
    assert (desk.cut(), desk.cuts) == (None, 0)


def test_a_second_interruption_cuts_no_second_time(desk: Desk) -> None:
    desk.put("a")
    assert desk.take() == "a"
    desk.put("u", URGENT)
    desk.put("v", URGENT)
    assert desk.cuts == 1


@pytest.mark.parametrize(
    ("speaking", "coming", "cut"),
    [(LOW, NORMAL, "interrupted"), (NORMAL, NORMAL, "interrupted"), (HIGH, NORMAL, None)],
)
def test_interrupt_cuts_what_is_not_higher(
    desk: Desk, speaking: Priority, coming: Priority, cut: str | None
) -> None:
    desk.put("a", speaking)
    assert desk.take() == "a"
    desk.put("b", coming, "interrupt")
    assert desk.cut() == cut


def test_an_interrupter_that_is_interrupted_speaks_after_its_interrupter(desk: Desk) -> None:
    desk.put("a")
    assert desk.take() == "a"
    desk.put("b", mode="interrupt")
    desk.queue.give_back()
    assert desk.take() == "b"
    desk.put("c", mode="interrupt")
    desk.queue.give_back()
    assert desk.speak_all() == ["c", "b", "a"]


def test_what_is_interrupted_ends_where_that_is_wanted() -> None:
    desk = Desk({"resume": "drop"})
    desk.put("a")
    assert desk.take() == "a"
    desk.put("u", URGENT)
    ending = desk.queue.give_back()
    assert ending is not None
    assert (ending.state, ending.message) == ("cancelled", "It was interrupted by u.")
    assert desk.speak_all() == ["u"]


def test_dropping_is_for_the_interrupted_not_for_what_the_card_failed() -> None:
    desk = Desk({"resume": "drop"})
    desk.put("a")
    assert desk.take() == "a"
    assert desk.queue.give_back() is None
    assert desk.speak_all() == ["a"]


def test_replace_ends_what_is_not_higher_but_not_what_waits_for_its_time(desk: Desk) -> None:
    desk.put("low", LOW)
    assert desk.take() == "low"
    desk.put("normal")
    desk.put("high", HIGH)
    desk.put("later", at=desk.clock.unix() + 60)
    desk.put("past", at=desk.clock.unix() - 60)
    assert desk.put("r", mode="replace") == {"normal": "cancelled", "past": "cancelled"}
    assert desk.cut() == "cancelled"
    ending = desk.queue.give_back()
    assert ending is not None
    assert (ending.state, ending.message) == ("cancelled", "It was replaced by r.")
    assert desk.speak_all() == ["high", "r"]
    assert len(desk.queue) == 1


def test_replace_leaves_a_higher_one_speaking(desk: Desk) -> None:
    desk.put("high", HIGH)
    assert desk.take() == "high"
    desk.put("r", mode="replace")
    assert desk.cut() is None


def test_replaced_beats_interrupted(desk: Desk) -> None:
    desk.put("a")
    assert desk.take() == "a"
    desk.put("u", URGENT)
    desk.put("r", mode="replace")
    assert (desk.cut(), desk.cuts) == ("cancelled", 1)
    ending = desk.queue.give_back()
    assert ending is not None
    assert ending.state == "cancelled"
    assert desk.speak_all() == ["u", "r"]


def test_at_delays_the_start_and_the_wall_clock_decides(desk: Desk) -> None:
    desk.put("later", HIGH, at=desk.clock.unix() + 60)
    desk.put("now", LOW)
    assert desk.speak_all() == ["now"]
    desk.clock.now += 59
    assert desk.take() is None
    desk.clock.wall_off_s = 1  # the clock is set
    assert desk.speak_all() == ["later"]


def test_an_interruption_happens_when_its_at_has_come(desk: Desk) -> None:
    desk.put("u", URGENT, at=desk.clock.unix() + 10)
    desk.put("r", NORMAL, "replace", at=desk.clock.unix() + 20)
    desk.put("a")
    desk.put("b")
    assert desk.take() == "a"
    assert desk.cut() is None
    desk.clock.now += 10
    assert desk.cut() == "interrupted"
    assert desk.queue.give_back() is None
    assert desk.take() == "u"
    desk.clock.now += 10
    cut, ended = desk.queue.check()
    assert (cut, told(ended)) == (None, {"a": "cancelled", "b": "cancelled"})
    desk.queue.finish("finished")
    assert desk.speak_all() == ["r"]


def test_ttl_counts_from_arrival_on_the_monotonic_clock(desk: Desk) -> None:
    desk.put("a", ttl_s=10)
    desk.put("b", ttl_s=20)
    desk.put("c")
    desk.clock.wall_off_s = 1e6
    desk.clock.now += 10
    announcement, ended = desk.queue.take(0)
    assert (announcement, told(ended)) == (None, {"a": "expired"})
    assert ended[0].error is not None
    assert ended[0].error.code == "expired"
    assert "10 s" in ended[0].error.sentence
    assert desk.speak_all() == ["b", "c"]


def test_ttl_counts_from_at_where_that_is_later(desk: Desk) -> None:
    desk.put("a", ttl_s=10, at=desk.clock.unix() + 100)
    desk.clock.now += 109
    assert desk.queue.check() == (None, [])
    desk.clock.now += 1
    assert told(desk.queue.check()[1]) == {"a": "expired"}


def test_a_clock_that_is_set_past_an_at_expires_nothing_that_just_came(desk: Desk) -> None:
    desk.clock.wall_off_s = -WALL  # 1970: no battery, no network yet
    desk.put("a", ttl_s=10, at=WALL + 1000)
    desk.clock.now += 5
    desk.clock.wall_off_s = 3600.0
    assert desk.speak_all() == ["a"]


def test_what_expires_while_another_speaks_is_told_then(desk: Desk) -> None:
    desk.put("a")
    desk.put("b", ttl_s=1)
    assert desk.take() == "a"
    desk.clock.now += 1
    assert told(desk.queue.check()[1]) == {"b": "expired"}


def test_what_speaks_does_not_expire(desk: Desk) -> None:
    desk.put("a", ttl_s=1)
    assert desk.take() == "a"
    desk.clock.now += 100
    assert desk.queue.check() == (None, [])
    assert desk.queue.finish("finished").state == "finished"


def test_what_was_interrupted_still_expires(desk: Desk) -> None:
    desk.put("a", ttl_s=10)
    assert desk.take() == "a"
    desk.put("u", URGENT)
    assert desk.queue.give_back() is None
    desk.clock.now += 10
    assert told(desk.queue.check()[1]) == {"a": "expired"}


def test_a_full_queue_fails_the_newest_of_the_lowest_priority() -> None:
    desk = Desk({"max_announcements": 3})
    desk.put("n1")
    desk.put("l1", LOW)
    desk.put("l2", LOW)
    assert desk.put("l3", LOW) == {"l3": "failed"}
    assert desk.put("n2") == {"l2": "failed"}
    assert desk.put("h1", HIGH) == {"l1": "failed"}
    assert desk.put("n3") == {"n3": "failed"}
    assert desk.put("u1", URGENT) == {"n2": "failed"}
    assert desk.speak_all() == ["u1", "h1", "n1"]


def test_the_one_that_speaks_takes_no_place() -> None:
    desk = Desk({"max_announcements": 1})
    desk.put("a")
    assert desk.take() == "a"
    assert desk.put("b") == {}
    assert desk.put("c") == {"c": "failed"}


def test_the_bound_counts_bytes_too() -> None:
    desk = Desk({"max_bytes": 3 * 1024 + 300})
    assert desk.put("n", text="x" * 300) == {}
    assert desk.put("l1", LOW, text="") == {}
    assert desk.put("l2", LOW, text="") == {}
    assert desk.put("h", HIGH, text="晚" * 300) == {"l2": "failed", "l1": "failed"}
    assert desk.put("large", URGENT, text="x" * 4000) == {"large": "failed"}
    assert desk.speak_all() == ["h", "n"]


def test_nothing_is_pushed_out_for_one_that_does_not_fit_even_so() -> None:
    desk = Desk({"max_announcements": 2, "max_bytes": 5000})
    desk.put("h", HIGH, text="x" * 2000)
    desk.put("l", LOW, text="")
    assert desk.put("n", NORMAL, text="x" * 2500) == {"n": "failed"}
    assert desk.put("r", LOW, "replace", text="x" * 2500) == {"r": "failed"}
    assert desk.speak_all() == ["h", "l"]


def test_replace_makes_room_for_itself() -> None:
    desk = Desk({"max_announcements": 2})
    desk.put("a")
    desk.put("b")
    assert desk.put("r", mode="replace") == {"a": "cancelled", "b": "cancelled"}
    assert desk.speak_all() == ["r"]


def test_queue_full_has_its_code_and_may_be_tried_again() -> None:
    desk = Desk({"max_announcements": 1})
    desk.put("a", LOW)
    (ending,) = desk.queue.put(desk.make("b", LOW))
    assert ending.error is not None
    assert ending.error.code == "queue_full"
    assert desk.put("c") == {"a": "failed"}
    assert desk.speak_all() == ["c"]
    assert desk.put("a", LOW) == {}
    assert desk.speak_all() == ["a"]
    assert desk.put("b", LOW) == {}


def test_an_id_is_played_once(desk: Desk) -> None:
    desk.put("a")
    (ending,) = desk.queue.put(desk.make("a", text="other"))
    assert (ending.state, ending.of) == ("duplicate", "a")
    assert desk.take() == "a"
    assert desk.put("a") == {"a": "duplicate"}
    desk.queue.finish("finished")
    desk.clock.now += 1e6
    assert desk.put("a") == {"a": "duplicate"}
    desk.put("b", ttl_s=1)
    desk.clock.now += 1
    assert told(desk.queue.check()[1]) == {"b": "expired"}
    assert desk.put("b") == {"b": "duplicate"}


def test_ids_that_ended_are_forgotten_at_last_and_those_that_live_are_not() -> None:
    desk = Desk({"duplicates": Duplicates(remembered=3)})
    desk.put("lives")
    for i in range(5):
        desk.put(f"u{i}", URGENT)
        desk.take()
        desk.queue.finish("finished")
    assert desk.put("lives") == {"lives": "duplicate"}
    assert desk.put("u4") == {"u4": "duplicate"}
    assert desk.put("u0") == {}


def test_equal_content_without_an_id_is_a_duplicate_within_a_window(desk: Desk) -> None:
    desk.put("a1", content="same")
    (ending,) = desk.queue.put(desk.make("a2", content="same"))
    assert (ending.state, ending.of) == ("duplicate", "a1")
    assert desk.put("b", content="other") == {}
    assert desk.put("own") == {}
    desk.clock.now += CONTENT_WINDOW_S
    assert desk.put("a3", content="same") == {}


def test_the_window_does_not_grow_with_every_repetition(desk: Desk) -> None:
    desk.put("a0", content="same")
    desk.clock.now += CONTENT_WINDOW_S * 0.75
    assert desk.put("a1", content="same") == {"a1": "duplicate"}
    desk.clock.now += CONTENT_WINDOW_S * 0.75
    assert desk.put("a2", content="same") == {}


def test_dup_alone_proves_nothing_but_with_equal_content_it_does(desk: Desk) -> None:
    assert desk.put("a1", content="same", redelivered=True) == {}
    desk.clock.now += REDELIVERY_WINDOW_S * 0.9
    assert desk.put("a2", content="same", redelivered=True) == {"a2": "duplicate"}
    assert desk.put("a3", content="same") == {}
    desk.clock.now += REDELIVERY_WINDOW_S
    assert desk.put("a4", content="same", redelivered=True) == {}


def test_what_is_sent_again_bears_the_identifier_that_it_had(desk: Desk) -> None:
    """Two equal messages, and both came to a process that died: the second was never taken."""
    assert desk.put("a1", content="same.7") == {}
    desk.clock.now += CONTENT_WINDOW_S
    assert desk.put("b1", content="same.8", redelivered=True) == {}
    desk.clock.now += CONTENT_WINDOW_S
    assert desk.put("a2", content="same.7", redelivered=True) == {"a2": "duplicate"}
    assert desk.put("b2", content="same.8", redelivered=True) == {"b2": "duplicate"}
    desk.queue.restore_ended([("c1", "other.9")])
    assert desk.put("c2", content="other.3", redelivered=True) == {}
    assert desk.put("c3", content="other.9", redelivered=True) == {"c3": "duplicate"}
    assert desk.speak_all() == ["a1", "b1", "c2"]


def test_after_a_restart_what_ended_and_what_waits_is_known(desk: Desk) -> None:
    desk.queue.restore([(desk.make("waits", content="w"), False)])
    desk.queue.restore_ended([("ended", None), ("said", "s")])
    assert desk.put("waits") == {"waits": "duplicate"}
    assert desk.put("ended") == {"ended": "duplicate"}
    assert desk.put("w2", content="w", redelivered=True) == {"w2": "duplicate"}
    assert desk.put("s2", content="s", redelivered=True) == {"s2": "duplicate"}
    assert desk.put("s3", content="s") == {}
    assert desk.speak_all() == ["waits", "s3"]


def test_what_was_taken_before_a_restart_is_bound_by_nothing() -> None:
    desk = Desk({"max_announcements": 1})
    desk.queue.restore([(desk.make(id_), False) for id_ in "abc"])
    assert desk.put("d") == {"d": "failed"}
    assert desk.speak_all() == ["a", "b", "c"]


def test_an_undated_one_waits_for_the_clock(desk: Desk) -> None:
    desk.clock.synchronised = False
    old = desk.make("old", ttl_s=100, arrived_unix=desk.clock.unix() - 101)
    new = desk.make("new", ttl_s=100, arrived_unix=desk.clock.unix() - 50)
    forever = desk.make("forever", arrived_unix=desk.clock.unix() - 1e6)
    desk.queue.restore([(old, True), (new, True), (forever, True)])
    assert desk.speak_all() == ["forever"]
    desk.clock.synchronised = True
    assert told(desk.queue.check()[1]) == {"old": "expired"}
    assert desk.speak_all() == ["new"]


def test_an_undated_one_expires_when_its_time_is_over_for_certain(desk: Desk) -> None:
    desk.clock.synchronised = False
    desk.queue.restore([(desk.make("a", ttl_s=100), True)])
    desk.clock.now += 100
    assert told(desk.queue.check()[1]) == {"a": "expired"}


def test_stop_silences_the_one_that_speaks(desk: Desk) -> None:
    desk.put("a")
    desk.put("b")
    assert desk.take() == "a"
    assert desk.queue.stop() == []
    assert (desk.cut(), desk.cuts) == ("cancelled", 1)
    ending = desk.queue.give_back()
    assert ending is not None
    assert (ending.state, ending.message) == ("cancelled", "It was stopped.")
    assert desk.speak_all() == ["b"]


def test_stop_can_empty_the_queue(desk: Desk) -> None:
    for id_ in "abc":
        desk.put(id_)
    desk.put("later", at=desk.clock.unix() + 60)
    assert desk.take() == "a"
    assert told(desk.queue.stop(clear=True)) == dict.fromkeys(["b", "c", "later"], "cancelled")
    ending = desk.queue.give_back()
    assert ending is not None
    assert ending.state == "cancelled"
    assert len(desk.queue) == 0


def test_stop_without_anyone_speaking_ends_nobody_that_waits_its_turn(desk: Desk) -> None:
    desk.put("a")
    assert desk.queue.stop() == []
    assert desk.speak_all() == ["a"]


def test_stop_ends_the_one_that_waits_for_the_card(desk: Desk) -> None:
    desk.put("a")
    desk.put("b")
    assert desk.take() == "a"
    assert desk.queue.give_back() is None
    assert told(desk.queue.stop()) == {"a": "cancelled"}
    assert desk.speak_all() == ["b"]


def test_a_stop_that_comes_after_the_last_word_changes_nothing(desk: Desk) -> None:
    desk.put("a")
    assert desk.take() == "a"
    desk.queue.stop()
    assert desk.queue.finish("finished").state == "finished"
    assert desk.queue.current is None


def test_while_the_card_fails_only_rendering_goes_on(desk: Desk) -> None:
    desk.put("loud", HIGH)
    desk.put("file", LOW, render=True)
    until = desk.clock.now + 5
    assert desk.take(audible_after=until) == "file"
    desk.queue.finish("finished")
    assert desk.take(audible_after=until) is None
    desk.clock.now += 5
    assert desk.take(audible_after=until) == "loud"


def test_a_closed_queue_gives_nothing_and_keeps_all(desk: Desk) -> None:
    desk.put("a")
    desk.queue.close()
    assert desk.queue.is_closed
    assert desk.take() is None
    assert desk.put("b") == {}
    assert len(desk.queue) == 2


def test_nothing_can_end_that_was_not_taken(desk: Desk) -> None:
    desk.put("a")
    with pytest.raises(RuntimeError, match="nothing was taken"):
        desk.queue.finish("finished")
    with pytest.raises(RuntimeError, match="nothing was taken"):
        desk.queue.give_back()


def take_in_a_thread(queue: AnnouncementQueue) -> tuple[threading.Thread, list[str | None]]:
    taken: list[str | None] = []

    def take() -> None:
        announcement, _ = queue.take(60)
        taken.append(announcement.id if announcement else None)

    thread = threading.Thread(target=take, name="taker")
    thread.start()
    return thread, taken


def test_a_waiting_take_wakes_for_a_put() -> None:
    queue = AnnouncementQueue()
    thread, taken = take_in_a_thread(queue)
    queue.put(Announcement("a", "x"))
    thread.join(10)
    assert taken == ["a"]


def test_a_waiting_take_wakes_for_the_end() -> None:
    queue = AnnouncementQueue()
    thread, taken = take_in_a_thread(queue)
    queue.close()
    thread.join(10)
    assert taken == [None]


def test_a_waiting_take_wakes_by_itself_for_at_and_ttl() -> None:
    import time

    queue = AnnouncementQueue()
    now, wall = time.monotonic(), time.time()
    queue.put(Announcement("at", "x", at=wall + 0.05, arrived_monotonic=now, arrived_unix=wall))
    announcement, _ = queue.take(60)
    assert announcement is not None
    assert time.time() >= wall + 0.05
    queue.finish("finished")
    queue.put(Announcement("late", "x", ttl_s=0.05, arrived_monotonic=time.monotonic()))
    announcement, ended = queue.take(60, audible_after=time.monotonic() + 60)
    assert announcement is None
    assert told(ended) == {"late": "expired"}


def test_a_waiting_take_wakes_when_the_card_is_to_be_tried_again() -> None:
    import time

    queue = AnnouncementQueue()
    queue.put(Announcement("a", "x"))
    after = time.monotonic() + 0.05
    announcement, _ = queue.take(60, audible_after=after)
    assert announcement is not None
    assert time.monotonic() >= after


def test_after_a_restart_only_what_waits_for_its_at_replaces_others(desk: Desk) -> None:
    desk.queue.restore(
        [
            (desk.make("done", mode="replace"), False),
            (desk.make("a"), False),
            (desk.make("due", mode="replace", at=desk.clock.unix() - 1), False),
            (desk.make("r", mode="replace", at=desk.clock.unix() + 10), False),
        ]
    )
    assert desk.take() == "due"
    desk.queue.finish("finished")
    desk.clock.now += 10
    assert told(desk.queue.check()[1]) == {"done": "cancelled", "a": "cancelled"}
    assert desk.speak_all() == ["r"]


def test_what_has_its_time_is_taken_ahead_of_it_before_what_waits_behind() -> None:
    desk = Desk({"ahead_s": 4.0})
    at = desk.clock.unix() + 10
    desk.put("at", at=at)
    assert desk.queue.take(0) == (None, [])
    desk.clock.now += 6.5
    desk.put("later")
    taken, ended = desk.queue.take(0)
    assert taken is not None
    assert (taken.id, ended) == ("at", [])


def test_an_interruption_that_has_its_time_makes_room_shortly_before() -> None:
    desk = Desk({"ahead_s": 4.0})
    desk.put("long")
    desk.queue.take(0)
    desk.put("alarm", URGENT, at=desk.clock.unix() + 10)
    desk.clock.now += 9
    assert desk.queue.check() == (None, []), "not a second too early"
    desk.clock.now += 0.6
    assert desk.queue.check() == ("interrupted", [])


def test_one_that_replaces_and_is_taken_ahead_of_its_time_replaces_then() -> None:
    desk = Desk({"ahead_s": 4.0})
    desk.put("new", NORMAL, "replace", at=desk.clock.unix() + 10)
    desk.clock.now += 7
    desk.put("low", LOW)
    taken, ended = desk.queue.take(0)
    assert taken is not None
    assert (taken.id, told(ended)) == ("new", {"low": "cancelled"})


def test_rendering_waits_for_no_time() -> None:
    desk = Desk()
    desk.put("chunks", at=desk.clock.unix() + 100, render=True)
    assert desk.queue.take(0)[0] is not None
