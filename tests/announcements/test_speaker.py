"""From an announcement in the queue to what is heard and told, with the real stages."""

from __future__ import annotations

import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from cosyedge.announcements.announcement import Announcement, Priority
from cosyedge.announcements.journal import Journal
from cosyedge.announcements.own_words import TEST_SENTENCES
from cosyedge.announcements.result import Result
from cosyedge.announcements.settings import Settings
from cosyedge.playback.chime import make_chime
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle
from tests.announcements.stage import DEADLINE_S, Stage, as_pcm, on_stage

EN: Final = "Dinner is ready. The kitchen door is open."
ZH: Final = "晚饭好了。你好！"


def test_what_is_heard_is_what_the_voice_made_sample_by_sample(stage: Stage) -> None:
    text = f"{ZH} {EN}"
    stage.hear(text)
    (heard,) = stage.sink.heard()
    np.testing.assert_array_equal(heard, as_pcm(stage.speech(text)))


def test_it_is_told_as_it_happens_and_measured(stage: Stage) -> None:
    id_ = stage.say(EN)
    stage.end_of(id_)
    queued, started, finished = stage.told(id_)
    assert queued == Result(id_, "queued")
    assert started.state == "started"
    assert (started.lang, started.voice) == ("en", "en_us")
    assert started.first_audio_ms is not None
    assert started.first_audio_ms > 0
    assert started.waited_s is not None
    assert (started.audio_s, started.rtf) == (None, None)
    assert finished.state == "finished"
    assert finished.first_audio_ms == started.first_audio_ms
    (heard,) = stage.sink.heard()
    assert finished.audio_s == len(heard) / 24_000
    assert finished.rtf is not None
    assert finished.rtf > 0
    assert finished.skipped is finished.error is None


def test_one_thread_speaks(stage: Stage) -> None:
    for _ in range(3):
        stage.hear(EN)
    assert stage.threads == {"speech"}


@pytest.mark.parametrize("text", ["", "  ", "!!! …", "😀🎉", "*** ---"])
def test_what_has_nothing_to_say_finishes_at_once(stage: Stage, text: str) -> None:
    id_ = stage.say(text, chime=True)
    result = stage.end_of(id_)
    assert (result.state, result.skipped, result.audio_s) == ("finished", "empty", None)
    assert stage.states(id_) == ["queued", "finished"]
    assert stage.sink.files() == []


def test_characters_that_cannot_be_read_cost_only_themselves(stage: Stage) -> None:
    result = stage.hear("你好。안녕")
    assert (result.state, result.skipped) == ("finished", "unknown characters: 2")
    assert len(stage.sink.heard()[0]) >= len(stage.speech("你好。"))


def test_the_first_clause_is_heard_before_the_second_is_made(test_bundle: Bundle, tmp_path: Path) -> None:
    made: list[str] = []

    class Noting(Synthesizer):
        def stream(self, clause: Any, voice: Any, speed: float = 1.0) -> Any:
            made.append(clause.spans[0].text)
            return super().stream(clause, voice, speed)

    with on_stage(test_bundle, tmp_path, synthesizer=Noting(test_bundle)) as stage:
        stage.sink.hold_after = 1
        id_ = stage.say(EN)
        stage.wait_until_held()
        assert stage.states(id_) == ["queued", "started"]
        assert len(made) == 1
        stage.sink.release()
        assert stage.end_of(id_).state == "finished"
        assert len(made) == 2


def test_voice_lang_and_speed_are_the_announcements_own_or_the_nodes(stage: Stage) -> None:
    stage.settings = Settings(voice="xiaoyan", lang="zh", speed=0.5)
    slow = stage.hear(EN)
    assert slow.voice == "xiaoyan"
    own = stage.hear(EN, voice="en_us", lang="en", speed=2.0)
    assert (own.voice, own.lang) == ("en_us", "en")
    found = stage.hear(ZH, voice="auto", lang="auto", speed=1.0)
    assert (found.voice, found.lang) == ("zhitian", "zh")
    heard = stage.sink.heard()
    np.testing.assert_array_equal(heard[0], as_pcm(stage.speech(EN, "xiaoyan", 0.5, "zh")))
    np.testing.assert_array_equal(heard[1], as_pcm(stage.speech(EN, "en_us", 2.0, "en")))
    np.testing.assert_array_equal(heard[2], as_pcm(stage.speech(ZH)))


def test_volume_is_the_announcements_own_or_the_nodes_and_mute_is_for_all(stage: Stage) -> None:
    stage.hear(EN)
    stage.settings = Settings(volume=0.5)
    stage.hear(EN)
    stage.hear(EN, volume=1.0)
    stage.settings = Settings(volume=0.5, mute=True)
    stage.hear(EN, volume=1.0)
    loud, half, own, mute = stage.sink.heard()
    np.testing.assert_allclose(half, loud / 8, atol=1)
    np.testing.assert_array_equal(own, loud)
    assert not mute.any()
    assert len(mute) == len(loud)


def test_mute_holds_in_the_middle_of_a_word(stage: Stage) -> None:
    stage.sink.hold_after = 2
    id_ = stage.say(EN)
    stage.wait_until_held()
    stage.settings = Settings(mute=True)
    stage.speaker.settings_changed()
    stage.sink.release()
    stage.end_of(id_)
    (heard,) = stage.sink.heard()
    assert heard[:1000].any()
    assert not heard[len(heard) // 2 :].any()


def test_a_chime_comes_first_in_the_same_sound(stage: Stage) -> None:
    result = stage.hear(EN, chime="soft")
    (heard,) = stage.sink.heard()
    chime = make_chime("soft")
    np.testing.assert_array_equal(heard[: len(chime)], as_pcm(chime))
    np.testing.assert_array_equal(heard[len(chime) :], as_pcm(stage.speech(EN)))
    assert result.audio_s == len(heard) / 24_000
    stage.hear(EN, chime=False)
    np.testing.assert_array_equal(stage.sink.heard()[1], as_pcm(stage.speech(EN)))


def test_an_urgent_one_passes_five_hundred_that_wait(test_bundle: Bundle, tmp_path: Path) -> None:
    options = {"queue": {"max_announcements": 500}, "journal": tmp_path / "state"}
    with on_stage(test_bundle, tmp_path, **options) as stage:
        stage.sink.hold_after = 0
        first = stage.say(EN, priority=Priority.HIGH)
        stage.wait_until_held()
        waiting = [stage.say("", priority=Priority(index % 3)) for index in range(500)]
        urgent = stage.say(ZH, priority=Priority.URGENT)
        assert stage.end_of(waiting[498]).error == "queue_full", "the newest of the lowest priority"
        stage.sink.release()
        stage.wait(lambda: len(stage.order_of("finished")) == 501)
        expected = [id_ for rank in (2, 1, 0) for id_ in waiting[rank::3] if id_ != waiting[498]]
        assert stage.order_of("finished") == [urgent, first, *expected], "and nobody else passes anybody"


def test_a_repeated_id_is_played_once_and_all_are_acknowledged(stage: Stage) -> None:
    first = stage.say(EN, id="door")
    stage.say(EN, id="door")
    stage.end_of(first)
    stage.say(EN, id="door")
    stage.wait(lambda: len(stage.safe) == 3)
    assert sorted(stage.states("door")) == ["duplicate", "duplicate", "finished", "queued", "started"]
    assert len(stage.sink.files()) == 1


def test_what_finds_no_room_is_told_and_acknowledged(
    test_bundle: Bundle, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with on_stage(test_bundle, tmp_path, queue={"max_announcements": 1}) as stage:
        stage.sink.hold_after = 1
        first = stage.say(EN)
        stage.wait_until_held()
        second, third = stage.say(EN), stage.say(EN)
        stage.sink.release()
        assert stage.end_of(first).state == stage.end_of(second).state == "finished"
        assert [result.error for result in stage.told(third)] == ["queue_full"]
        assert [line for line in caplog.messages if line.endswith("[queue_full]")] == [
            f"announcement {third} failed: The queue is full of announcements of no lower priority. "
            "Wait until the queue is shorter, or raise queue.max_announcements. [queue_full]"
        ]
        stage.wait(lambda: sorted(stage.safe) == sorted([first, second, third]))


def test_repeat_says_the_last_one_again(stage: Stage) -> None:
    stage.speaker.repeat()
    stage.wait(lambda: len(stage.results) == 2)
    assert stage.results[-1].skipped == "empty"
    stage.hear(EN, voice="xiaoyan", speed=1.5, chime="short", priority=Priority.HIGH, ttl_s=5.0)
    stage.hear("")
    stage.speaker.repeat()
    stage.speaker.repeat()
    stage.wait(lambda: len(stage.order_of("finished")) == 5)
    first, *repeated = stage.sink.heard()
    assert len(repeated) == 2
    for heard in repeated:
        np.testing.assert_array_equal(heard, first)


@pytest.mark.parametrize("lang", ["auto", "zh", "en"])
def test_test_speaks_a_sentence_in_the_language_that_is_set(stage: Stage, lang: str) -> None:
    stage.settings = Settings(lang=lang)
    stage.speaker.test()
    stage.wait(lambda: len(stage.order_of("finished")) == 1)
    (heard,) = stage.sink.heard()
    np.testing.assert_array_equal(heard, as_pcm(stage.speech(TEST_SENTENCES[lang], lang=lang)))


def test_there_is_a_test_sentence_for_every_language() -> None:
    from cosyedge.announcements.say_object import LANGS

    assert set(TEST_SENTENCES) == set(LANGS)


def test_the_heartbeat_follows_the_work(stage: Stage) -> None:
    stage.sink.hold_after = 2
    before = stage.speaker.heartbeat
    id_ = stage.say(EN)
    stage.wait_until_held()
    held = stage.speaker.heartbeat
    assert held > before
    assert stage.speaker.heartbeat == held  # a speaker that hangs has no pulse
    stage.sink.release()
    stage.end_of(id_)
    assert stage.speaker.heartbeat > held


def test_in_a_storm_every_announcement_ends_once_and_is_acknowledged_once(
    test_bundle: Bundle, tmp_path: Path
) -> None:
    with on_stage(test_bundle, tmp_path, queue={"max_announcements": 20}) as stage:
        submitted: list[str] = []

        def send(seed: int) -> None:
            random = np.random.default_rng(seed)
            for i in range(25):
                id_ = f"s{seed}-{random.integers(20)}"
                submitted.append(id_)
                stage.say(
                    "" if random.random() < 0.2 else "你好",
                    id=id_,
                    priority=Priority(random.integers(4)),
                    mode=str(random.choice(["queue", "queue", "queue", "interrupt", "replace"])),
                    ttl_s=None if random.random() < 0.7 else float(random.random() / 10),
                    render=bool(random.random() < 0.2),
                )
                if i % 10 == 9:
                    stage.speaker.stop(clear=bool(random.random() < 0.5))

        senders = [threading.Thread(target=send, args=(seed,)) for seed in range(3)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join(DEADLINE_S)
        stage.end_of(stage.say(EN, id="last", priority=Priority.LOW))
        stage.wait(lambda: len(stage.safe) == len(submitted) + 1)
    for id_ in set(submitted):
        states = stage.states(id_)
        times = submitted.count(id_)
        accepted = states.count("queued") - _returns(states)
        finals = [state for state in states if state in ("finished", "failed", "expired", "cancelled")]
        refused = sum(result.error == "queue_full" for result in stage.told(id_))
        assert states.count("duplicate") + len(finals) == times
        assert accepted <= len(finals) <= accepted + refused
        assert stage.safe.count(id_) == times


def _returns(states: list[str]) -> int:
    """How often it went back to the queue: it was queued when it had started."""
    changes = [state for state in states if state != "duplicate"]
    return sum(a == "started" and b == "queued" for a, b in pairwise(changes))


def test_what_expired_while_nobody_was_there_is_told(test_bundle: Bundle, tmp_path: Path) -> None:
    now = time.monotonic()
    journal = Journal(tmp_path / "state")
    journal.recover()
    journal.start()
    journal.put(Announcement("late", EN, ttl_s=60.0, arrived_monotonic=now - 61.0))
    journal.put(Announcement("in time", EN, ttl_s=60.0, arrived_monotonic=now - 1.0))
    journal.close()
    with on_stage(test_bundle, tmp_path, journal=tmp_path / "state") as stage:
        assert stage.end_of("late").state == "expired"
        assert stage.end_of("in time").state == "finished"
