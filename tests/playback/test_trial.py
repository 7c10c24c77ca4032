"""What a test of a sound card says of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cosyedge.errors import PlaybackError
from cosyedge.playback.alsa import AlsaSink
from cosyedge.playback.trial import try_device
from tests.playback.sound import (
    PulseNull,
    as_card,
    assert_heard,
    file_pcm,
    noise,
    recorded,
    trimmed,
    use_pcms,
)


def test_a_card_in_real_time_plays_all_and_takes_its_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pulse: PulseNull, make_sink: Callable[..., AlsaSink]
) -> None:
    file = tmp_path / "card.raw"
    use_pcms(monkeypatch, tmp_path / "asound.conf", pulse.pcm("server"), file_pcm("card", file, "server"))
    sink = make_sink("card", lead_in_s=0.1)
    trial = try_device(sink, noise(0.5))
    assert (trial.rate, trial.channels, trial.whole, trial.underruns) == (48_000, 2, True, 0)
    assert trial.audio_s == 0.5
    assert trial.took_s >= 0.6
    assert "played a chime of 0.50 s to its end" in trial.in_words()
    assert "with no gaps" in trial.in_words()
    assert "if you did not hear it" in trial.in_words()
    assert_heard(recorded(file), trimmed(as_card(noise(0.5), 48_000)))
    assert not sink.is_open


def test_a_card_that_is_not_there_leaves_nothing_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, make_sink: Callable[..., AlsaSink]
) -> None:
    use_pcms(monkeypatch, tmp_path / "asound.conf")
    with pytest.raises(PlaybackError) as caught:
        try_device(make_sink("card"), noise(0.5))
    assert caught.value.code == "audio_missing"
