"""What is spoken once though it comes twice: by its id, and by its content within a window."""

from __future__ import annotations

from cosyedge.announcements.duplicates import CONTENT_WINDOW_S, REDELIVERY_WINDOW_S, Duplicates
from tests.announcements.desk import URGENT, Desk, told


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
