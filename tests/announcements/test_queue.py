"""The queue: who speaks now, who is interrupted, who ends and how."""

from __future__ import annotations

import threading

import pytest

from cosyedge.announcements.announcement import Announcement, Priority
from cosyedge.announcements.queue import AnnouncementQueue
from tests.announcements.desk import HIGH, LOW, NORMAL, URGENT, Desk, told


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


def test_what_was_taken_before_a_restart_is_bound_by_nothing() -> None:
    desk = Desk({"max_announcements": 1})
    desk.queue.restore([(desk.make(id_), False) for id_ in "abc"])
    assert desk.put("d") == {"d": "failed"}
    assert desk.speak_all() == ["a", "b", "c"]


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
