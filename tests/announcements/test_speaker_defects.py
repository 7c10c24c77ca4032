"""A defect, in whatever part, costs one announcement and never the speaker."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.result import Result
from cosyedge.errors import PlaybackError, SpeechError
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle
from cosyedge.text.reader import Reader
from tests.announcements.stage import Stage, as_pcm, on_stage

EN: Final = "Dinner is ready. The kitchen door is open."
ZH: Final = "晚饭好了。你好！"


def test_a_text_that_cannot_be_read_at_all_fails_and_the_next_is_spoken(stage: Stage) -> None:
    result = stage.hear("안녕하세요")
    assert (result.state, result.error) == ("failed", "language_unavailable")
    assert stage.hear(EN).state == "finished"


def test_a_voice_that_is_gone_fails_by_name(stage: Stage) -> None:
    result = stage.hear(EN, voice="ja_jp")
    assert (result.state, result.error) == ("failed", "unknown_voice")


def test_a_chime_that_is_gone_costs_no_announcement(test_bundle: Bundle, tmp_path: Path) -> None:
    def no_chime(name: str | bool) -> Any:
        raise PlaybackError("chime_unreadable", f"The chime {name} is gone.")

    with on_stage(test_bundle, tmp_path, chime=no_chime) as stage:
        assert stage.hear(EN, chime="gong").state == "finished"
        np.testing.assert_array_equal(stage.sink.heard()[0], as_pcm(stage.speech(EN)))


class Spoiled(Synthesizer):
    """Raises what it is given, after as many chunks as it is told."""

    error: BaseException | None = None
    after = 0

    def stream(self, clause: Any, voice: Any, speed: float = 1.0) -> Any:
        for i, chunk in enumerate(super().stream(clause, voice, speed)):
            if self.error is not None and i == self.after:
                error, self.error = self.error, None
                raise error
            yield chunk


@pytest.mark.parametrize("after", [0, 3])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RuntimeError("the text: 4711"), "synthesis_failed"),
        (
            SpeechError("synthesis_failed", "The vocoder gave samples that are no numbers."),
            "synthesis_failed",
        ),
        (MemoryError(), "overloaded"),
    ],
)
def test_a_synthesis_that_fails_costs_one_announcement(
    test_bundle: Bundle, tmp_path: Path, error: Exception, code: str, after: int
) -> None:
    spoiled = Spoiled(test_bundle)
    with on_stage(test_bundle, tmp_path, synthesizer=spoiled) as stage:
        spoiled.error, spoiled.after = error, after
        first, second = stage.say(EN), stage.say(ZH)
        result = stage.end_of(first)
        assert (result.state, result.error) == ("failed", code)
        assert "4711" not in (result.message or "")
        assert stage.end_of(second).state == "finished"
        np.testing.assert_array_equal(stage.sink.heard()[-1], as_pcm(stage.speech(ZH)))
        assert stage.degraded == []


def test_a_reader_that_fails_costs_one_announcement(test_bundle: Bundle, tmp_path: Path) -> None:
    class Spoilt(Reader):
        def read(self, text: str, lang: Any = "auto", voice_lang: Any = "zh") -> Any:
            if "spoil" in text:
                raise KeyError(text)
            return super().read(text, lang, voice_lang)

    reader = Spoilt(test_bundle.path, test_bundle.languages)
    with on_stage(test_bundle, tmp_path, reader=reader) as stage:
        result = stage.hear("spoil 4711")
        assert (result.state, result.error) == ("failed", "synthesis_failed")
        assert "4711" not in (result.message or "")
        assert stage.hear(EN).state == "finished"


@pytest.mark.parametrize("where", ["begin", "play", "drain"])
@pytest.mark.parametrize(("error", "code"), [(ValueError("4711"), "internal"), (MemoryError(), "overloaded")])
def test_a_defect_in_the_sink_costs_one_announcement(
    stage: Stage, where: str, error: Exception, code: str
) -> None:
    stage.sink.failures[where].append(error)
    result = stage.hear(EN)
    assert (result.state, result.error) == ("failed", code)
    assert "4711" not in (result.message or "")
    assert stage.hear(EN).state == "finished"
    np.testing.assert_array_equal(stage.sink.heard()[-1], as_pcm(stage.speech(EN)))


def test_a_listener_that_fails_does_not_end_the_speaker(stage: Stage) -> None:
    def fail(announcement: object, result: Result) -> None:
        stage._on_result(announcement, result)  # type: ignore[arg-type]
        raise RuntimeError("a listener's defect")

    stage.on_result = fail
    assert stage.hear(EN).state == "finished"
    assert stage.hear(EN).state == "finished"


def test_the_text_is_in_no_log_above_debug(
    test_bundle: Bundle, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    spoiled = Spoiled(test_bundle)
    with on_stage(test_bundle, tmp_path, synthesizer=spoiled) as stage:
        stage.hear("The code is one two three.")
        spoiled.error = RuntimeError("The code is one two three.")
        stage.hear("The code is one two three.")
        stage.sink.failures["play"] = [ValueError("The code is one two three.")]
        stage.hear("The code is one two three.")
    assert len(caplog.records) >= 2
    assert "code is" not in caplog.text
    assert "code is" not in repr(Announcement("a", "The code is one two three."))
