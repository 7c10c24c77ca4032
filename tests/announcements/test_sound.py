"""A WAV file in place of a text: in the same queue, on the same card, with an end of its own."""

from __future__ import annotations

import io
import time
import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cosyedge.announcements.announcement import Arrival, Priority, from_sound
from cosyedge.announcements.settings import Settings
from cosyedge.speech.voice import Bundle
from tests.announcements.stage import DEADLINE_S, Stage, on_stage

EN = "Dinner is ready. The kitchen door is open."


def samples(seconds: float = 0.5) -> NDArray[np.int16]:
    at = np.arange(round(24_000 * seconds)) / 24_000
    return np.rint(8000 * np.sin(2 * np.pi * 500 * at)).astype(np.int16)


def wav(pcm: NDArray[np.int16]) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, 24_000, 0, "NONE", ""))
        writer.writeframes(pcm.astype("<i2").tobytes())
    return file.getvalue()


def test_it_is_played_in_its_turn_and_finished_when_it_was_heard(stage: Stage) -> None:
    stage.sink.hold_after = 1
    said = stage.say(EN)
    stage.wait_until_held()
    played = stage.say("", sound=wav(samples()))
    stage.wait(lambda: played in stage.safe)
    assert stage.states(played) == ["queued"]
    stage.sink.release()
    result = stage.end_of(played)
    assert stage.order_of("finished") == [said, played]
    assert stage.states(played) == ["queued", "started", "finished"]
    assert (result.audio_s, result.rtf, result.voice, result.skipped) == (0.5, None, None, None)
    np.testing.assert_allclose(stage.sink.heard()[1], samples(), atol=1)


def test_its_volume_is_a_share_of_the_nodes(stage: Stage) -> None:
    stage.settings = Settings(volume=0.5)
    stage.hear("", sound=wav(samples()))
    stage.hear("", sound=wav(samples()), scale=0.5)
    stage.hear("", sound=wav(samples()), scale=0.0)
    whole, half, none = stage.sink.heard()
    np.testing.assert_allclose(whole, samples() / 8, atol=1)
    np.testing.assert_allclose(half, samples() / 64, atol=1)
    assert not none.any()


def test_one_that_can_not_be_read_fails_and_harms_nothing(stage: Stage) -> None:
    result = stage.hear("", sound=b"no sound")
    assert (result.state, result.error) == ("failed", "sound_unreadable")
    assert stage.hear(EN).state == "finished"
    assert stage.degraded == []
    assert len(stage.sink.files()) == 1


def test_a_broken_one_stops_where_it_breaks(stage: Stage) -> None:
    broken = bytearray(wav(samples()))
    broken[20:22] = (3).to_bytes(2, "little")  # float, which its 16 bits can't be
    assert stage.hear("", sound=bytes(broken)).state == "failed"


def test_repeat_says_the_words_before_it(stage: Stage) -> None:
    stage.hear(EN)
    stage.hear("", sound=wav(samples()))
    stage.speaker.repeat()
    stage.wait(lambda: len(stage.order_of("finished")) == 3)
    heard = stage.sink.heard()
    np.testing.assert_array_equal(heard[2], heard[0])


def test_an_urgent_word_interrupts_it_and_it_is_played_again(stage: Stage) -> None:
    stage.sink.hold_after = 2
    played = stage.say("", sound=wav(samples()))
    stage.wait_until_held()
    urgent = stage.say(EN, priority=Priority.URGENT)
    stage.sink.release()
    assert stage.end_of(played).state == "finished"
    assert stage.order_of("finished") == [urgent, played]
    np.testing.assert_allclose(stage.sink.heard()[-1], samples(), atol=1)


def test_no_journal_keeps_it_and_at_a_stop_it_is_cancelled(test_bundle: Bundle, tmp_path: Path) -> None:
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        stage.sink.hold_after = 1
        first = stage.say("", sound=wav(samples()))
        stage.wait_until_held()
        waiting, kept = stage.say("", sound=wav(samples(0.3))), stage.say(EN)
        stage.wait(lambda: len(stage.safe) == 3)
        assert stage.speaker.close(DEADLINE_S, cut=True)
        for id_ in (first, waiting):
            assert stage.end_of(id_).state == "cancelled"
        assert stage.states(kept) == ["queued"]
        journal = (tmp_path / "state" / "announcements.journal").read_bytes()
        assert kept.encode() in journal
        assert waiting.encode() not in journal
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        assert stage.end_of(kept).state == "finished"
        assert stage.order_of("queued") == []


def test_as_much_waits_as_there_is_room_for(stage: Stage) -> None:
    stage.sink.hold_after = 1
    stage.say(EN)
    stage.wait_until_held()
    most = bytes(2 * 1024 * 1024 - 2000)
    assert [stage.states(stage.say("", sound=most))[-1] for _ in range(3)] == ["queued", "queued", "failed"]
    assert stage.results[-1].error == "queue_full"


def test_one_with_an_id_is_played_once(stage: Stage) -> None:
    sound = wav(samples())
    for state in ("finished", "duplicate"):
        now = Arrival(monotonic=time.monotonic(), unix=time.time())
        stage.speaker.submit(from_sound(sound, arrival=now, id_="doorbell"))
        stage.wait(lambda state=state: state in stage.states("doorbell"))
    assert len(stage.sink.heard()) == 1
