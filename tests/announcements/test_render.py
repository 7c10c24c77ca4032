"""Announcements that are not played here but answered as WAV in numbered chunks."""

from __future__ import annotations

import io
import wave
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from cosyedge.announcements.announcement import Announcement, Priority, Reply
from cosyedge.announcements.render import CHUNK_BYTES, WavChunks
from cosyedge.announcements.settings import Settings
from cosyedge.errors import MqttError, PlaybackError
from cosyedge.playback.chime import make_chime
from tests.announcements.stage import Stage, as_pcm

EN: Final = "Dinner is ready. The kitchen door is open."
ZH: Final = "晚饭好了。"


def joined(chunks: list[tuple[int, bytes, bool]]) -> NDArray[np.int16]:
    """The samples of numbered chunks, which must be whole."""
    assert [index for index, _, _ in chunks] == list(range(len(chunks)))
    assert [last for _, _, last in chunks] == [False] * (len(chunks) - 1) + [True]
    assert all(0 < len(data) <= CHUNK_BYTES for _, data, _ in chunks)
    with wave.open(io.BytesIO(b"".join(data for _, data, _ in chunks))) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (24_000, 1, 2)
        return np.frombuffer(sound.readframes(1 << 30), np.int16)


@pytest.mark.parametrize("count", [0, 1, (CHUNK_BYTES - 44) // 2, (CHUNK_BYTES - 44) // 2 + 1, 100_000])
@pytest.mark.parametrize("piece", [1000, 100_000])
def test_chunks_are_one_file(count: int, piece: int) -> None:
    chunks: list[tuple[int, bytes, bool]] = []
    samples = np.random.default_rng(0).uniform(-0.9, 0.9, count).astype(np.float32)
    output = WavChunks(lambda *chunk: chunks.append(chunk))
    output.begin()
    for start in range(0, count, piece):
        output.play(samples[start : start + piece])
    played = output.drain()
    assert played.audio_s == count / 24_000
    np.testing.assert_array_equal(joined(chunks), as_pcm(samples))


def test_what_is_rendered_is_what_would_be_heard(stage: Stage) -> None:
    stage.settings = Settings(volume=0.1, mute=True)  # of this loudspeaker; the sound is for another
    id_ = stage.say(EN, render=True, chime="short", reply=Reply("answers"))
    result = stage.end_of(id_)
    assert stage.states(id_) == ["queued", "started", "finished"]
    assert {chunk[0] for chunk in stage.chunks} == {id_}
    sound = joined([chunk[1:] for chunk in stage.chunks])
    expected = np.concatenate((make_chime("short"), stage.speech(EN)))
    np.testing.assert_array_equal(sound, as_pcm(expected))
    assert result.audio_s == len(expected) / 24_000
    assert stage.sink.files() == []


def test_its_own_volume_is_in_the_samples(stage: Stage) -> None:
    stage.hear(EN, render=True, volume=0.5)
    sound = joined([chunk[1:] for chunk in stage.chunks])
    np.testing.assert_array_equal(sound, as_pcm(stage.speech(EN), 1 / 8))


def test_the_first_chunk_leaves_before_the_text_ends(stage: Stage) -> None:
    id_ = stage.say(EN * 4, render=True)
    stage.wait(lambda: bool(stage.chunks))
    assert stage.end_of(id_).state == "finished"
    assert len(stage.chunks) > 2


def test_nothing_to_say_is_no_chunk(stage: Stage) -> None:
    assert stage.hear("!!!", render=True).skipped == "empty"
    assert stage.chunks == []


def test_a_broker_that_takes_no_audio_fails_the_announcement(stage: Stage) -> None:
    def refuse(announcement: Announcement, index: int, data: bytes, last: bool) -> None:
        raise MqttError("mqtt_unreachable", "The broker took no audio for 30 s.")

    stage.on_render = refuse
    result = stage.hear(EN, render=True)
    assert (result.state, result.error) == ("failed", "mqtt_unreachable")
    assert stage.hear(EN).state == "finished"


def test_rendering_goes_on_while_the_card_is_away(stage: Stage) -> None:
    stage.sink.failures["begin"] = [PlaybackError("audio_missing", "no card") for _ in range(2)]
    loud = stage.say(EN)
    stage.wait(lambda: stage.degraded == ["audio_missing"])
    rendered = stage.say(ZH, render=True)
    assert stage.end_of(rendered).state == "finished"
    assert stage.end_of(loud).state == "finished"
    assert stage.order_of("finished") == [rendered, loud]


def test_rendering_that_is_interrupted_begins_again_at_chunk_0(stage: Stage) -> None:
    urgent: list[str] = []

    def interrupt(announcement: Announcement, index: int, data: bytes, last: bool) -> None:
        stage._on_render(announcement, index, data, last)
        if not urgent:
            urgent.append(stage.say(ZH, priority=Priority.URGENT))

    stage.on_render = interrupt
    id_ = stage.say(EN * 4, render=True)
    assert stage.end_of(id_).state == "finished"
    assert stage.order_of("finished") == [*urgent, id_]
    again = max(i for i, chunk in enumerate(stage.chunks) if chunk[1] == 0)
    assert again > 0
    assert not any(last for *_, last in stage.chunks[:again])
    np.testing.assert_array_equal(
        joined([chunk[1:] for chunk in stage.chunks[again:]]), as_pcm(stage.speech(EN * 4))
    )


def test_rendering_can_be_stopped(stage: Stage) -> None:
    def stop(announcement: Announcement, index: int, data: bytes, last: bool) -> None:
        stage._on_render(announcement, index, data, last)
        stage.speaker.stop()

    stage.on_render = stop
    assert stage.hear(EN * 4, render=True).state == "cancelled"
    assert len(stage.chunks) == 1
