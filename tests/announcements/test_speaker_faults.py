"""A sound card that fails costs no announcement."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from cosyedge.announcements import card_trouble
from cosyedge.announcements.announcement import Priority
from cosyedge.errors import PlaybackError
from cosyedge.playback.alsa import AlsaSink
from cosyedge.speech.voice import Bundle
from tests.announcements.stage import Stage, as_pcm, on_stage
from tests.playback.sound import as_card, assert_heard, file_pcm, recorded, trimmed, use_pcms

EN: Final = "Dinner is ready."
ZH: Final = "晚饭好了。"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_trouble, "FIRST_RETRY_S", 0.02)
    monkeypatch.setattr(card_trouble, "LONGEST_RETRY_S", 0.1)


def missing() -> PlaybackError:
    return PlaybackError("audio_missing", "There is no sound card 'usb'.")


def lost() -> PlaybackError:
    return PlaybackError("audio_lost", "The sound card 'usb' vanished.")


def test_a_card_that_is_missing_is_waited_for(stage: Stage) -> None:
    stage.sink.failures["begin"] = [missing() for _ in range(5)]
    id_ = stage.say(EN)
    assert stage.end_of(id_).state == "finished"
    assert stage.states(id_) == ["queued", "started", "finished"]
    assert stage.degraded == ["audio_missing", None]  # told once, not with every attempt
    np.testing.assert_array_equal(stage.sink.heard()[0], as_pcm(stage.speech(EN)))


def test_every_change_of_the_trouble_is_told(stage: Stage) -> None:
    stage.sink.failures["begin"] = [missing(), missing(), lost(), missing()]
    stage.hear(EN)
    assert stage.degraded == ["audio_missing", "audio_lost", "audio_missing", None]


@pytest.mark.parametrize("where", ["play", "drain"])
def test_a_card_that_is_lost_in_the_middle_is_told_and_the_announcement_begins_anew(
    stage: Stage, where: str
) -> None:
    id_ = stage.say("")
    stage.end_of(id_)
    stage.sink.failures[where] = [lost()]
    if where == "drain":
        stage.sink.failures[where].append(lost())  # also when the sink is silenced
    id_ = stage.say(EN)
    assert stage.end_of(id_).state == "finished"
    expected = ["queued", "started", "finished"]
    if where == "drain":
        expected[1:1] = ["started", "queued"]
    assert stage.states(id_) == expected
    assert stage.degraded == ["audio_lost", None]
    np.testing.assert_array_equal(stage.sink.heard()[-1], as_pcm(stage.speech(EN)))


def test_what_has_nothing_to_say_is_no_sign_of_a_card_that_works(stage: Stage) -> None:
    stage.sink.failures["begin"] = [missing()]
    stage.hear(EN)
    stage.sink.failures["begin"] = [missing() for _ in range(3)]
    id_ = stage.say(EN)
    stage.wait(lambda: len(stage.degraded) == 3)
    stage.say("", priority=Priority.URGENT)
    stage.end_of(id_)
    assert stage.degraded == ["audio_missing", None, "audio_missing", None]


def test_while_the_card_is_away_others_expire_and_can_be_stopped(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_trouble, "FIRST_RETRY_S", 1000.0)
    monkeypatch.setattr(card_trouble, "LONGEST_RETRY_S", 1000.0)
    stage.sink.failures["begin"] = [missing()]
    tried = stage.say(EN)
    stage.wait(lambda: stage.degraded == ["audio_missing"])
    late = stage.say(EN, ttl_s=0.05)
    result = stage.end_of(late)
    assert (result.state, result.error) == ("expired", "expired")
    assert result.waited_s is not None
    assert result.waited_s >= 0.05
    waits = stage.say(EN)
    stage.speaker.stop()
    assert stage.end_of(tried).state == "cancelled"
    stage.speaker.stop(clear=True)
    assert stage.end_of(waits).state == "cancelled"


def test_an_announcement_is_tried_until_its_time_is_over(stage: Stage) -> None:
    stage.sink.failures["begin"] = [missing() for _ in range(1000)]
    result = stage.hear(EN, ttl_s=0.2)
    assert (result.state, result.error) == ("expired", "expired")
    assert 900 < len(stage.sink.failures["begin"]) < 1000


def test_when_the_card_is_back_the_most_urgent_speaks_first(stage: Stage) -> None:
    stage.sink.failures["begin"] = [missing() for _ in range(3)]
    low = stage.say(EN, priority=Priority.LOW)
    stage.wait(lambda: stage.degraded == ["audio_missing"])
    urgent = stage.say(ZH, priority=Priority.URGENT)
    assert stage.end_of(low).state == "finished"
    assert stage.order_of("finished") == [urgent, low]


def test_a_file_that_cannot_be_written_fails_the_announcement(stage: Stage) -> None:
    folder = stage.sink.folder
    folder.rename(folder.with_name("elsewhere"))
    result = stage.hear(EN)
    assert (result.state, result.error) == ("failed", "wav_unwritable")
    assert stage.degraded == ["wav_unwritable"]
    folder.mkdir()
    assert stage.hear(EN).state == "finished"
    assert stage.degraded == ["wav_unwritable", None]


def test_closing_does_not_wait_for_a_card_that_is_away(test_bundle: Bundle, tmp_path: Path) -> None:
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        stage.sink.failures["begin"] = [missing() for _ in range(1000)]
        id_ = stage.say(EN)
        stage.wait(lambda: bool(stage.degraded))
        assert stage.speaker.close(1000.0)
        assert "cancelled" not in stage.states(id_)
        assert "failed" not in stage.states(id_)
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        assert stage.end_of(id_).state == "finished"


class Card(AlsaSink):
    """A real sound card of ALSA's, in the place of the stage's files."""

    def release(self) -> None:
        """A card takes all that it is given."""


def test_a_real_card_that_appears_plays_what_has_waited(
    test_bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PortAudio and ALSA: no such PCM at first, then one that writes what it is given to a file."""
    use_pcms(monkeypatch, tmp_path / "asound.conf")
    capture = tmp_path / "card.raw"
    exact = {"ring_s": 6.0, "start_s": 6.0, "idle_close_s": 0.0, "lead_in_s": 0.0}
    sink = Card("capture", rate=48_000, **exact)
    with on_stage(test_bundle, tmp_path, sink=sink) as stage:
        id_ = stage.say(f"{ZH} {EN}")
        stage.wait(lambda: stage.degraded == ["audio_missing"])
        assert stage.states(id_) == ["queued"]
        new = tmp_path / "new.conf"
        new.write_text((tmp_path / "asound.conf").read_text() + file_pcm("capture", capture))
        os.replace(new, tmp_path / "asound.conf")
        result = stage.end_of(id_)
        assert result.state == "finished"
        assert stage.degraded == ["audio_missing", None]
        speech = stage.speech(f"{ZH} {EN}")
    assert_heard(recorded(capture), trimmed(as_card(speech, 48_000)))
    assert result.audio_s == pytest.approx(len(speech) / 24_000)


def test_pauses_between_attempts_grow_to_a_bound(stage: Stage) -> None:
    times: list[float] = []

    class Noting(list[Exception]):
        def pop(self, index: object = -1) -> Exception:
            times.append(time.monotonic())
            return super().pop(0)

    stage.sink.failures["begin"] = Noting(missing() for _ in range(6))
    stage.hear(EN)
    pauses = np.diff(times)
    assert (pauses >= [0.02, 0.04, 0.08, 0.1, 0.1]).all()


def test_a_card_that_comes_back_is_noticed_though_nobody_speaks(test_bundle: Bundle, tmp_path: Path) -> None:
    answers = [missing(), missing(), lost(), None]

    def look() -> None:
        answer = answers.pop(0)
        if answer is not None:
            raise answer

    with on_stage(test_bundle, tmp_path, look=look) as stage:
        stage.speaker.look()
        stage.wait(lambda: stage.degraded == ["audio_missing", "audio_lost", None])
        assert answers == [], "and is not looked at when it works"


def test_a_look_that_fails_in_an_unknown_way_ends_nothing(test_bundle: Bundle, tmp_path: Path) -> None:
    answers: list[Exception] = [RuntimeError("odd"), RuntimeError("odd")]

    def look() -> None:
        if answers:
            raise answers.pop(0)

    with on_stage(test_bundle, tmp_path, look=look) as stage:
        stage.speaker.look()
        stage.wait(lambda: stage.degraded == ["audio_lost", None])
        assert stage.hear(EN).state == "finished"
