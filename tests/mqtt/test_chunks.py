"""Sounds that come in chunks: put together, bounded, and once."""

from __future__ import annotations

import pytest

from cosyedge.announcements.announcement import (
    Announcement,
    AnnouncementFailed,
    Arrival,
    Priority,
    from_sound,
)
from cosyedge.mqtt.chunks import PATIENCE_S, Chunks, Sound, wishes_of

MOST = 1000


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def chunks(clock: Clock) -> Chunks:
    return Chunks(MOST, clock)


def give(chunks: Chunks, index: int, payload: bytes, id_: str = "a", *, last: bool = False) -> Sound | None:
    marks = [("id", id_), ("chunk", str(index)), ("last", str(last).lower())]
    return chunks.add(payload, marks)


def test_chunks_become_one_sound(chunks: Chunks) -> None:
    assert give(chunks, 0, b"RIFF") is None
    assert give(chunks, 0, b"other", "b") is None, "two come at a time"
    assert give(chunks, 1, b"xx") is None
    assert give(chunks, 2, b"y", last=True) == Sound("a", b"RIFFxxy", {})
    assert len(chunks) == len(b"other")


def test_what_comes_twice_is_taken_once(chunks: Chunks) -> None:
    for payload in (b"RIFF", b"RIFF"):
        assert give(chunks, 0, payload) is None
    assert give(chunks, 1, b"x") is None
    assert give(chunks, 1, b"x") is None
    assert give(chunks, 2, b"y", last=True) is not None
    assert give(chunks, 2, b"y", last=True) is None, "the whole of it was taken"
    assert give(chunks, 0, b"RIFF") is None
    assert len(chunks) == 0


def test_what_was_interrupted_begins_again(chunks: Chunks) -> None:
    give(chunks, 0, b"RIFF")
    give(chunks, 1, b"old")
    give(chunks, 0, b"RIFF")
    assert give(chunks, 1, b"new", last=True) == Sound("a", b"RIFFnew", {})


@pytest.mark.parametrize(
    "marks",
    [
        [("id", "a"), ("chunk", "3")],
        [("id", "a"), ("chunk", "-1")],
        [("id", "a"), ("chunk", "x" * 1000)],
        [("id", "a"), ("chunk", "٣")],
        [("chunk", "0")],
        [("id", "x" * 129), ("chunk", "0")],
        [("id", "a\n"), ("chunk", "0")],
        [("id", "a"), ("priority", "highest")],
        [("id", "a"), ("mode", "")],
        [("id", "a"), ("at", "soon")],
        [("id", "a"), ("at", "nan")],
        [("id", "a"), ("ttl_s", "-1")],
    ],
)
def test_marks_that_are_none_are_refused(chunks: Chunks, marks: list[tuple[str, str]]) -> None:
    with pytest.raises(AnnouncementFailed) as error:
        chunks.add(b"RIFF", marks)
    assert error.value.code == "bad_value"
    assert len(chunks) == 0


def test_a_missing_chunk_gives_the_sound_up(chunks: Chunks) -> None:
    give(chunks, 0, b"RIFF")
    with pytest.raises(AnnouncementFailed, match="missing") as error:
        give(chunks, 2, b"y", last=True)
    assert error.value.id == "a"
    assert len(chunks) == 0
    assert give(chunks, 3, b"z", last=True) is None, "it was told of once"
    give(chunks, 0, b"RIFF")
    assert give(chunks, 1, b"x", last=True) == Sound("a", b"RIFFx", {}), "and may be sent again"


def test_a_sound_is_never_larger_than_it_may_be(chunks: Chunks) -> None:
    give(chunks, 0, b"x" * 900)
    for attempt in (lambda: give(chunks, 1, b"x" * 101), lambda: chunks.add(b"x" * 1001, [])):
        with pytest.raises(AnnouncementFailed) as error:
            attempt()
        assert error.value.code == "payload_too_large"
    assert len(chunks) == 0


def test_those_that_never_end_cost_no_more_than_two(chunks: Chunks, clock: Clock) -> None:
    for number in range(1000):
        clock.now += 0.01
        give(chunks, 0, b"x" * 900, f"n{number}")
        assert len(chunks) <= 2 * MOST
    give(chunks, 1, b"y", "n999", last=True)
    clock.now += PATIENCE_S + 1
    give(chunks, 0, b"z", "late")
    assert len(chunks) == 1, "what does not go on is given up"


def test_the_results_of_who_renders_are_no_sound(chunks: Chunks) -> None:
    assert chunks.add(b'{"id": "a", "state": "finished"}', []) is None


def test_what_an_announcement_was_travels_with_its_sound(chunks: Chunks) -> None:
    made = Announcement("a", "x", priority=Priority.URGENT, mode="interrupt", ttl_s=5.5, at=1700000000.125)
    sound = chunks.add(b"RIFF", [("id", "a"), *wishes_of(made)])
    assert sound is not None
    arrival = Arrival(monotonic=1.0, unix=2.0, expiry_s=9.0)
    played = from_sound(sound.wav, arrival=arrival, id_=sound.id, wishes=sound.wishes)
    for name in ("id", "priority", "mode", "ttl_s", "at"):
        assert getattr(played, name) == getattr(made, name)
    assert played.content is None, "its id alone tells whether it was played before"
    assert wishes_of(Announcement("b", "x")) == ()
