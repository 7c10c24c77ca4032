"""A sound card that is kept awake: with silence, and taken again when it was lost in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cosyedge.announcements import speaker
from cosyedge.playback.alsa import AlsaSink
from cosyedge.speech.voice import Bundle
from tests.announcements.stage import on_stage
from tests.playback.sound import PulseNull, file_pcm, recorded, use_pcms
from tests.playback.test_alsa_paced import until


class Card(AlsaSink):
    def release(self) -> None: ...


@pytest.fixture
def pulse() -> Iterator[PulseNull]:
    server = PulseNull()
    try:
        server.start()
        yield server
    finally:
        server.close()


def test_silence_keeps_the_card_awake_and_one_that_was_lost_is_taken_again(
    test_bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pulse: PulseNull
) -> None:
    monkeypatch.setattr(speaker, "_HEARTBEAT_S", 0.1)
    file = tmp_path / "card.raw"
    use_pcms(monkeypatch, tmp_path / "asound.conf", pulse.pcm("server"), file_pcm("card", file, "server"))
    sink = Card("card", lead_in_s=0.5, idle_close_s=0.0, keep_alive=True)

    def look() -> None:
        sink.begin()
        sink.cut()
        sink.drain()

    with on_stage(test_bundle, tmp_path, sink=sink, look=look) as stage:
        until(lambda: sink.is_open)
        until(lambda: file.exists() and len(recorded(file)) > 24_000)
        assert not recorded(file).any()
        stage.hear("好。", speed=2.0)
        frames = len(recorded(file))
        until(lambda: len(recorded(file)) > frames + 9600)
        assert not recorded(file)[frames:].any(), "silence goes on behind it"

        pulse.vanish()
        until(lambda: stage.degraded != [])
        pulse.start()
        until(lambda: stage.degraded[-1] is None)
        assert sink.is_open
        stage.hear("好。", speed=2.0)
        loud = np.flatnonzero(recorded(file).any(axis=1))
        assert loud[0] >= 24_000, "it was asleep, and so there is a lead-in"
