"""What is heard is cut, by another or by a stop: what is heard of it then, and what becomes of it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from cosyedge.announcements.announcement import Announcement, Priority
from cosyedge.playback.chime import make_chime
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle
from tests.announcements.stage import DEADLINE_S, Stage, as_pcm, on_stage

EN: Final = "Dinner is ready. The kitchen door is open."
ZH: Final = "晚饭好了。你好！"


def test_urgent_cuts_what_is_heard_and_that_is_spoken_again_from_its_beginning(stage: Stage) -> None:
    stage.sink.hold_after = 3
    low = stage.say(EN)
    stage.wait_until_held()
    stage.sink.hold_after = None
    urgent = stage.say(ZH, priority=Priority.URGENT)
    assert stage.end_of(low).state == "finished"
    assert stage.states(low) == ["queued", "started", "queued", "started", "finished"]
    assert stage.states(urgent) == ["queued", "started", "finished"]
    assert stage.order_of("finished") == [urgent, low]
    cut, first, second = stage.sink.heard()
    whole = as_pcm(stage.speech(EN))
    assert len(cut) < len(whole)
    np.testing.assert_array_equal(first, as_pcm(stage.speech(ZH)))
    np.testing.assert_array_equal(second, whole)


def test_what_was_interrupted_can_go_on_at_the_clause_that_was_cut(
    test_bundle: Bundle, tmp_path: Path
) -> None:
    clauses = ("今天天气不错。", "Dinner is ready.", "已经十点半了。")
    chime = len(make_chime("short"))
    begun_with = set()
    with on_stage(test_bundle, tmp_path, queue={"resume": "continue"}) as stage:
        ends = [len(stage.speech(" ".join(clauses[:count]))) for count in (1, 2, 3)]
        stage.hear(" ".join(clauses), chime="short")
        pieces = stage.sink.plays
        for hold_after in (1, pieces // 2, pieces - 2):
            stage.sink.hold_after = hold_after
            low = stage.say(" ".join(clauses), chime="short")
            stage.wait_until_held()
            stage.sink.hold_after = None
            stage.end_of(stage.say(ZH, priority=Priority.URGENT))
            result = stage.end_of(low)
            assert (result.state, result.skipped) == ("finished", None)
            cut, _, rest = stage.sink.heard()[-3:]
            heard = sum(end <= len(cut) - chime for end in ends)
            begun_with.add(heard)
            np.testing.assert_array_equal(rest[chime:], as_pcm(stage.speech(" ".join(clauses[heard:]))))
    assert len(begun_with) > 1, "in different clauses"


def test_rendering_that_was_interrupted_begins_anew_even_so(test_bundle: Bundle, tmp_path: Path) -> None:
    """Its chunks are one file: half of it would be worth nothing."""
    chunks: list[int] = []
    with on_stage(test_bundle, tmp_path, queue={"resume": "continue"}) as stage:
        goes_on = threading.Event()
        waits = threading.Event()

        def take(announcement: Announcement, index: int, data: bytes, last: bool) -> None:
            chunks.append(index)
            if index == 1 and not goes_on.is_set():
                waits.set()
                assert goes_on.wait(DEADLINE_S)

        stage.on_render = take
        low = stage.say(EN * 3, render=True)
        assert waits.wait(DEADLINE_S)
        urgent = stage.say(ZH, priority=Priority.URGENT)
        goes_on.set()
        assert stage.end_of(low).state == "finished"
        assert stage.order_of("finished") == [urgent, low]
        assert chunks[:2] == [0, 1]
        again = chunks.index(0, 1)
        assert chunks[again:] == list(range(len(chunks) - again))
        assert len(chunks) - again > 2


def test_what_was_interrupted_can_be_dropped(test_bundle: Bundle, tmp_path: Path) -> None:
    with on_stage(test_bundle, tmp_path, queue={"resume": "drop"}) as stage:
        stage.sink.hold_after = 3
        low = stage.say(EN)
        stage.wait_until_held()
        stage.sink.hold_after = None
        urgent = stage.say(ZH, priority=Priority.URGENT)
        result = stage.end_of(low)
        assert (result.state, result.message) == ("cancelled", f"It was interrupted by {urgent}.")
        assert stage.end_of(urgent).state == "finished"


def test_replace_cancels_what_is_heard_and_what_waits(stage: Stage) -> None:
    stage.sink.hold_after = 3
    first, second = stage.say(EN), stage.say(EN)
    stage.wait_until_held()
    stage.sink.hold_after = None
    third = stage.say(ZH, mode="replace")
    assert stage.end_of(third).state == "finished"
    assert stage.end_of(first).state == stage.end_of(second).state == "cancelled"
    assert stage.states(second) == ["queued", "cancelled"]


def test_stop_fades_what_is_heard_and_the_next_is_spoken(stage: Stage) -> None:
    stage.sink.hold_after = 4
    first, second = stage.say(EN), stage.say(ZH)
    stage.wait_until_held()
    stage.sink.hold_after = None
    stage.speaker.stop()
    result = stage.end_of(first)
    assert (result.state, result.message) == ("cancelled", "It was stopped.")
    assert stage.end_of(second).state == "finished"
    cut, whole = stage.sink.heard()
    assert result.audio_s == pytest.approx(len(cut) / 24_000)
    speech = as_pcm(stage.speech(EN))
    np.testing.assert_array_equal(cut[:-480], speech[: len(cut) - 480])
    assert abs(int(cut[-1])) <= 1  # faded within 20 ms
    np.testing.assert_array_equal(whole, as_pcm(stage.speech(ZH)))


def test_stop_can_empty_the_queue(stage: Stage) -> None:
    stage.sink.hold_after = 1
    ids = [stage.say(EN) for _ in range(4)]
    stage.wait_until_held()
    stage.speaker.stop(clear=True)
    assert [stage.end_of(id_).state for id_ in ids] == ["cancelled"] * 4
    stage.sink.release()
    assert stage.hear(EN).state == "finished"


def test_a_stop_between_taking_and_the_first_sound_is_not_lost(test_bundle: Bundle, tmp_path: Path) -> None:
    """The sink forgets a cut that came before begin(); the queue does not."""
    reached, go_on = threading.Event(), threading.Event()

    class Slow(Synthesizer):
        def stream(self, clause: Any, voice: Any, speed: float = 1.0) -> Any:
            reached.set()
            assert go_on.wait(DEADLINE_S)
            return super().stream(clause, voice, speed)

    with on_stage(test_bundle, tmp_path, synthesizer=Slow(test_bundle)) as stage:
        id_ = stage.say(EN)
        assert reached.wait(DEADLINE_S)
        stage.speaker.stop()
        go_on.set()
        assert stage.end_of(id_).state == "cancelled"
        assert stage.states(id_) == ["queued", "cancelled"]
        assert all(not len(heard) for heard in stage.sink.heard())


def test_closing_waits_for_what_is_heard_and_keeps_what_waits(test_bundle: Bundle, tmp_path: Path) -> None:
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        stage.sink.hold_after = 1
        first, second = stage.say(EN), stage.say(ZH)
        stage.wait_until_held()
        stage.wait(lambda: len(stage.safe) == 2)
        closer = threading.Thread(target=stage.speaker.close, args=(DEADLINE_S,))
        closer.start()
        stage.sink.release()
        closer.join(DEADLINE_S)
        assert not stage.speaker.is_alive
        assert stage.end_of(first).state == "finished"
        assert stage.states(second) == ["queued"]
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        assert stage.end_of(second).state == "finished"
        assert stage.hear(EN, id=first).state == "duplicate"
        assert len(stage.sink.files()) == 2


def test_closing_can_cut_what_is_heard_which_is_then_spoken_at_the_next_start(
    test_bundle: Bundle, tmp_path: Path
) -> None:
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        stage.sink.hold_after = 2
        id_ = stage.say(EN)
        stage.wait_until_held()
        assert stage.speaker.close(DEADLINE_S, cut=True)
        assert stage.states(id_) == ["queued", "started", "queued"]
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        assert stage.end_of(id_).state == "finished"
        np.testing.assert_array_equal(stage.sink.heard()[-1], as_pcm(stage.speech(EN)))


def test_closing_cuts_when_its_time_is_over(stage: Stage) -> None:
    stage.sink.hold_after = 2
    id_ = stage.say(EN)
    stage.wait_until_held()
    assert stage.speaker.close(0.01)
    assert stage.states(id_) == ["queued", "started", "queued"]
