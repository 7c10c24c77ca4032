"""Announcements that have an ``at``: made before it, heard at it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cosyedge.playback.sink import Samples
from cosyedge.speech.voice import Bundle
from tests.announcements.stage import Loudspeaker, Stage, as_pcm, on_stage

TEXT = "门开了。洗衣机洗完了。"


class Punctual(Loudspeaker):
    """Notes when it was begun, and when it took the first sound."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.begun: list[float] = []
        self.sounded: list[float] = []
        self.opened = threading.Event()

    def begin(self) -> None:
        super().begin()
        self.begun.append(time.time())
        self.sounded.append(0.0)
        self.opened.set()

    def play(self, samples: Samples) -> None:
        super().play(samples)
        self.sounded[-1] = self.sounded[-1] or time.time()


@pytest.fixture
def stage(test_bundle: Bundle, tmp_path: Path) -> Iterator[Stage]:
    """All is loaded, and taken ahead as soon as it comes, so that a busy machine is late for nothing."""
    sink = Punctual(tmp_path / "heard")
    with on_stage(test_bundle, tmp_path, sink=sink, queue={"ahead_s": 60.0}) as stage:
        stage.hear(TEXT)
        sink.opened.clear()
        yield stage


def test_the_output_is_begun_before_the_moment_and_sounds_not_before_it(stage: Stage) -> None:
    assert isinstance(stage.sink, Punctual)
    at = time.time() + 2
    result = stage.hear(TEXT, at=at)
    assert result.state == "finished"
    assert stage.sink.begun[-1] < at <= stage.sink.sounded[-1]
    assert np.array_equal(stage.sink.heard()[-1], as_pcm(stage.speech(TEXT))), "nothing is lost or doubled"
    assert result.first_audio_ms is not None
    assert result.first_audio_ms < 1900, "waiting for the moment is no work"


@pytest.mark.parametrize("at", [0.0, -1.0])
def test_a_moment_that_is_past_is_now(stage: Stage, at: float) -> None:
    result = stage.hear("好。", at=0.0 if at == 0.0 else time.time() + at)
    assert result.state == "finished"
    assert len(stage.sink.heard()) == 2, "with the one before"


def test_one_that_waits_for_its_moment_can_be_stopped(stage: Stage) -> None:
    assert isinstance(stage.sink, Punctual)
    id_ = stage.say(TEXT, at=time.time() + 50)
    assert stage.sink.opened.wait(10)
    stage.speaker.stop()
    assert stage.end_of(id_).state == "cancelled"
    assert stage.states(id_) == ["queued", "cancelled"], "it was never heard"
    assert stage.hear("好。").state == "finished"


def test_an_urgent_one_does_not_wait_for_the_moment_of_another(stage: Stage) -> None:
    from cosyedge.announcements.announcement import Priority

    assert isinstance(stage.sink, Punctual)
    at = time.time() + 2
    waiting = stage.say(TEXT, at=at)
    assert stage.sink.opened.wait(10)
    urgent = stage.hear("好。", priority=Priority.URGENT)
    assert urgent.state == "finished"
    assert stage.end_of(waiting).state == "finished"
    assert stage.sink.sounded[-1] >= at
