"""The whole of the sound path into an ALSA PCM that writes a file: exact, and as fast as it can."""

from __future__ import annotations

import gc
import logging
import math
import os
import random
import sys
import threading
import time

import numpy as np
import pytest

from cosyedge.errors import PlaybackError
from cosyedge.playback import card
from cosyedge.playback.sink import Played
from tests.playback.sound import (
    as_card,
    assert_heard,
    file_pcm,
    noise,
    recorded,
    trimmed,
    use_pcms,
    write_pcms,
)

#: The card is unpaced, so all of an announcement is gathered before it is started, and it stops by itself.
EXACT = {"ring_s": 6.0, "start_s": 6.0, "idle_close_s": 0.0, "lead_in_s": 0.1}


@pytest.fixture
def capture(monkeypatch, tmp_path):
    use_pcms(monkeypatch, tmp_path / "asound.conf", file_pcm("capture", tmp_path / "card.raw"))
    return tmp_path / "card.raw"


def announce(sink, samples, chunk=1000) -> Played:
    sink.begin()
    for first in range(0, len(samples), chunk):
        sink.play(samples[first : first + chunk])
    return sink.drain()


@pytest.mark.parametrize("rate", [48_000, 44_100, 24_000])
@pytest.mark.parametrize("channels", [2, 1])
def test_every_sample_reaches_the_card_once(capture, make_sink, rate, channels):
    samples = noise(2.0)
    sink = make_sink("capture", rate=rate, channels=channels, **EXACT)
    played = announce(sink, samples)
    sink.close()
    expected = as_card(samples, rate)
    assert len(expected) == 2 * rate
    [start] = assert_heard(recorded(capture, channels), trimmed(expected))
    assert start >= 0.1 * rate, "the lead-in comes first"
    assert played == Played(audio_s=2.0, underruns=0)
    assert sink.underruns == 0


@pytest.mark.parametrize("chunk", [1, 777, 48_000])
def test_the_way_the_samples_are_cut_does_not_matter(capture, make_sink, chunk):
    samples = noise(0.1 if chunk == 1 else 2.0)
    sink = make_sink("capture", **EXACT)
    announce(sink, samples, chunk)
    sink.close()
    assert_heard(recorded(capture), trimmed(as_card(samples, 48_000)))


def test_announcements_follow_each_other(capture, make_sink):
    sounds = [noise(seconds, seed) for seed, seconds in enumerate((0.5, 0.0001, 1.0))]
    sink = make_sink("capture", **EXACT)
    for sound in sounds:
        announce(sink, sound)
        recording = recorded(capture)  # each open begins the file anew
        assert_heard(recording, trimmed(as_card(sound, 48_000)))


def test_an_announcement_without_samples_is_heard_as_nothing(capture, make_sink):
    sink = make_sink("capture", **EXACT)
    assert announce(sink, noise(0)) == Played(0.0, 0)
    sink.close()
    assert not recorded(capture).any()


def test_the_tail_is_silence_as_long_as_the_card_holds(capture, make_sink):
    sink = make_sink("capture", period=256, **EXACT)
    announce(sink, noise(0.5))
    sink.close()
    loud = np.flatnonzero(recorded(capture).any(axis=1))
    assert len(recorded(capture)) - loud[-1] > 2 * 256


def test_volume_and_mute_are_exact_when_they_stand_still(capture, make_sink):
    samples = noise(0.5)
    sink = make_sink("capture", **EXACT)
    sink.set_volume(0.5)
    announce(sink, samples)
    expected = np.rint(as_card(samples, 48_000) * np.float32(0.125)).astype(np.int16)
    assert_heard(recorded(capture), trimmed(expected))
    sink.set_volume(0.5, mute=True)
    assert announce(sink, samples).audio_s == 0.5
    assert not recorded(capture).any()


def test_an_undrained_announcement_does_not_spill_into_the_next(capture, make_sink):
    sink = make_sink("capture", **EXACT)
    sink.begin()
    sink.play(noise(1.0, seed=1))
    announce(sink, noise(0.5, seed=2))
    sink.close()
    assert_heard(recorded(capture), trimmed(as_card(noise(0.5, seed=2), 48_000)))


def test_a_cut_before_anything_was_played_is_silence(capture, make_sink):
    sink = make_sink("capture", **EXACT)
    sink.begin()
    sink.play(noise(1.0))
    sink.cut()
    sink.play(noise(1.0))
    assert sink.drain() == Played(0.0, 0)
    announce(sink, noise(0.5, seed=2))
    sink.close()
    assert_heard(recorded(capture), trimmed(as_card(noise(0.5, seed=2), 48_000)))


def test_a_cut_without_an_announcement_does_nothing(capture, make_sink):
    sink = make_sink("capture", **EXACT)
    sink.cut()
    announce(sink, noise(0.5))
    sink.cut()
    announce(sink, noise(0.5))
    assert_heard(recorded(capture), trimmed(as_card(noise(0.5), 48_000)))


def test_overshoots_bend_and_do_not_wrap(capture, make_sink):
    square = np.where(np.arange(12_000) % 200 < 100, 1.0, -1.0).astype(np.float32)
    sink = make_sink("capture", **EXACT)
    announce(sink, square)
    sink.close()
    sound = recorded(capture)[:, 0].astype(np.int32)
    loud = np.flatnonzero(sound)
    assert np.abs(sound).max() <= 32767
    assert np.abs(np.diff(sound[loud[0] : loud[-1]])).max() < 2 * 32767
    assert sound.max() > 0.97 * 32767 > 0.95 * 32767 > -0.97 * 32767 > sound.min()


def test_what_is_no_sound_is_refused(capture, make_sink):
    sink = make_sink("capture", **EXACT)
    sink.begin()
    with pytest.raises(ValueError, match="float32"):
        sink.play(np.zeros(10))
    with pytest.raises(ValueError, match="one dimension"):
        sink.play(np.zeros((10, 2), np.float32))
    with pytest.raises(ValueError, match="finite"):
        sink.play(np.full(5000, np.nan, np.float32))
    announce(sink, noise(0.5))
    sink.close()
    assert_heard(recorded(capture), trimmed(as_card(noise(0.5), 48_000)))


def test_a_sink_says_what_it_is(capture, make_sink):
    sink = make_sink("capture", **EXACT)
    assert sink.name == "alsa:capture"
    assert not sink.is_open
    with pytest.raises(RuntimeError, match="begin"):
        sink.play(noise(0.1))
    sink.begin()
    assert sink.is_open
    sink.close()
    sink.close()
    assert not sink.is_open
    with pytest.raises(RuntimeError, match="closed"):
        sink.begin()


def test_the_environment_is_as_before(capture, make_sink):
    before = os.environ["ALSA_CONFIG_PATH"]
    sink = make_sink("capture", **EXACT)
    announce(sink, noise(0.1))
    assert os.environ["ALSA_CONFIG_PATH"].startswith(f"{before}:")
    sink.close()
    assert os.environ["ALSA_CONFIG_PATH"] == before


def test_too_fast_a_card_is_reported(capture, make_sink, caplog):
    announce(make_sink("capture", **EXACT), noise(2.0))
    assert "is it a real card?" in caplog.text


@pytest.mark.parametrize("device", ["capture", "my speaker", "plug:unpaced", "null"])
def test_a_device_is_any_name_that_alsa_takes(monkeypatch, tmp_path, make_sink, device):
    speaker = (
        'pcm."my speaker" {\n type null\n}\npcm.plug {\n @args [ SLAVE ]\n @args.SLAVE {\n type string\n }\n'
    )
    speaker += " type plug\n slave.pcm $SLAVE\n}\npcm.null {\n type null\n}\n"
    use_pcms(monkeypatch, tmp_path / "asound.conf", speaker, file_pcm("capture", tmp_path / "card.raw"))
    assert announce(make_sink(device, **EXACT), noise(0.5)).audio_s == 0.5


def fixed_rate(rate: int) -> str:
    """A PCM that runs at one rate, as many a card: the AC-3 encoder of alsa-plugins."""
    return f'pcm.fixed {{\n type a52\n slavepcm "unpaced"\n rate {rate}\n channels 2\n}}\n'


def fixed_channels(count: int) -> str:
    """A PCM that has one number of channels. (It can be opened; over ``null`` it never moves.)"""
    bindings = "".join(f" bindings.{n}.slave a\n bindings.{n}.channel {n}\n" for n in range(count))
    return f"pcm.fixed {{\n type multi\n slaves.a.pcm unpaced\n slaves.a.channels {count}\n{bindings}}}\n"


def test_a_card_of_another_rate_is_resampled_for(monkeypatch, tmp_path, make_sink):
    unpaced = file_pcm("capture", tmp_path / "card.raw")
    use_pcms(monkeypatch, tmp_path / "asound.conf", fixed_rate(44_100), unpaced)
    assert announce(make_sink("fixed", **EXACT), noise(1.0)).audio_s == 1.0


@pytest.mark.parametrize(("asked", "known"), [(None, 1), (2, 1), (None, 2)])
def test_a_card_of_other_channels_is_mixed_for(monkeypatch, tmp_path, make_sink, caplog, asked, known):
    caplog.set_level(logging.INFO)
    unpaced = file_pcm("capture", tmp_path / "card.raw")
    use_pcms(monkeypatch, tmp_path / "asound.conf", fixed_channels(known), unpaced)
    make_sink("fixed", channels=asked, **EXACT).begin()
    assert f"fixed: 48000 Hz, {known} channels, periods of 1024 frames" in caplog.text


def test_a_card_that_takes_nothing_is_refused(monkeypatch, tmp_path, make_sink):
    monkeypatch.setattr(card, "RATES", (48_000,))
    unpaced = file_pcm("capture", tmp_path / "card.raw")
    use_pcms(monkeypatch, tmp_path / "asound.conf", fixed_rate(44_100), unpaced)
    with pytest.raises(PlaybackError, match=r"takes none of 48000 Hz stereo, 48000 Hz mono\.") as caught:
        make_sink("fixed", **EXACT).begin()
    assert caught.value.code == "audio_refused"


def test_a_missing_card_is_found_once_it_is_there(monkeypatch, tmp_path, make_sink):
    conf = tmp_path / "asound.conf"
    use_pcms(monkeypatch, conf, file_pcm("other", tmp_path / "other.raw"))
    sink = make_sink("capture", **EXACT)
    for _ in range(2):
        with pytest.raises(PlaybackError, match="'capture' was not found") as caught:
            sink.begin()
        assert caught.value.code == "audio_missing"
        assert not sink.is_open
    write_pcms(conf, file_pcm("capture", tmp_path / "card.raw"))
    announce(sink, noise(0.5))
    sink.close()
    assert_heard(recorded(tmp_path / "card.raw"), trimmed(as_card(noise(0.5), 48_000)))


def test_a_broken_configuration_is_told_in_its_own_words(monkeypatch, tmp_path, make_sink, capfd):
    (tmp_path / "asound.conf").write_text("pcm.capture {\n type null\n")
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(tmp_path / "asound.conf"))
    sink = make_sink("capture", **EXACT)
    with pytest.raises(PlaybackError, match=r"ALSA says: .*:\d+:\d+:") as caught:
        sink.begin()
    assert caught.value.code == "audio_refused"
    assert "ALSA lib" not in capfd.readouterr().err


def test_the_libraries_chatter_only_at_debug_level(capture, make_sink, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    announce(make_sink("capture", **EXACT), noise(0.1))
    assert capfd.readouterr().err == ""
    chatter = [record for record in caplog.records if record.name == "cosyedge.playback.chatter"]
    assert chatter
    assert {record.levelno for record in chatter} == {logging.DEBUG}


def test_many_periods_grow_nothing(monkeypatch, tmp_path, make_sink):
    """PyAudio makes a few objects for each callback: they must all go again."""
    use_pcms(monkeypatch, tmp_path / "asound.conf", file_pcm("unused", tmp_path / "x.raw"))
    sink = make_sink("unpaced", lead_in_s=0.0, idle_close_s=math.inf)
    sink.begin()
    sink.drain()
    feed = sink._card.open_card.feed

    def blocks_after(calls: int) -> int:
        until = feed.calls + calls
        deadline = time.monotonic() + 60
        while feed.calls < until:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        gc.collect()
        return sys.getallocatedblocks()

    before = blocks_after(1000)
    assert blocks_after(10_000) - before < 200


def test_cuts_at_any_moment_never_hang_and_never_spill(monkeypatch, tmp_path, make_sink):
    """A card that asks as fast as it can, and a second thread that cuts and turns the volume all the time."""
    use_pcms(monkeypatch, tmp_path / "asound.conf", file_pcm("unused", tmp_path / "x.raw"))
    sink = make_sink("unpaced", ring_s=0.3, lead_in_s=0.0, idle_close_s=math.inf)
    done = threading.Event()
    chance = random.Random(1)

    def meddle() -> None:
        while not done.wait(chance.random() * 0.004):
            sink.cut()
            sink.set_volume(chance.random())

    meddler = threading.Thread(target=meddle, name="test-meddler")
    meddler.start()
    try:
        for turn in range(60):
            sink.begin()
            frames = 0
            for _ in range(turn % 3):
                sink.play(noise(0.3, turn))
                frames += 14_400
            assert sink.drain().audio_s <= frames / 48_000
    finally:
        done.set()
        meddler.join()
