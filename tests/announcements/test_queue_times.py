"""The queue and its clocks: `at`, time to live, and what comes back from a journal."""

from __future__ import annotations

from tests.announcements.desk import HIGH, LOW, NORMAL, URGENT, WALL, Desk, told


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
