"""The sound path in real time, into a PulseAudio that can be killed and stopped."""

from __future__ import annotations

import math
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from cosyedge.errors import PlaybackError
from cosyedge.playback import portaudio
from cosyedge.playback.feed import Feed
from cosyedge.playback.sink_kind import LEAD_IN_S
from tests.playback.sound import as_card, assert_heard, file_pcm, noise, recorded, trimmed, use_pcms

PERIOD_S = 1024 / 48_000


@pytest.fixture
def card(monkeypatch, tmp_path, pulse) -> Path:
    """The PCM ``card`` plays to PulseAudio, and writes what it is given to the file that is returned."""
    file = tmp_path / "card.raw"
    use_pcms(monkeypatch, tmp_path / "asound.conf", pulse.pcm("server"), file_pcm("card", file, "server"))
    return file


def until(condition, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.005)


def test_announcements_are_whole_and_the_second_needs_no_lead_in(card, make_sink):
    sink = make_sink("card", lead_in_s=0.3, start_s=0.0, idle_close_s=math.inf)
    sounds = [noise(0.6, 1), noise(0.4, 2)]
    began = time.monotonic()
    for sound in sounds:
        sink.begin()
        sink.play(sound)
        played = sink.drain()
        assert played.audio_s == len(sound) / 24_000
    assert time.monotonic() - began >= 0.3 + 1.0, "what is said to be heard takes its time"
    assert sink.is_open
    sink.close()
    first, second = assert_heard(recorded(card), *(trimmed(as_card(sound, 48_000)) for sound in sounds))
    assert first >= 0.3 * 48_000
    # From the end of the first to the second: the card's buffer, a few periods, no lead-in of 0.3 s.
    assert second - (first + 0.6 * 48_000) < 0.3 * 48_000


def test_what_is_heard_has_left_the_card(monkeypatch, tmp_path, pulse, make_sink):
    """The other end of the wire: PulseAudio's own recording of what the null sink played."""
    use_pcms(monkeypatch, tmp_path / "asound.conf", pulse.pcm("server"))
    recording = tmp_path / "air.raw"
    with open(recording, "wb") as file:
        parec = subprocess.Popen(
            ["parec", f"--server=unix:{pulse.socket}", "-d", "tnull.monitor", "--raw", "--format=s16le",
             "--rate=48000", "--channels=2", "--latency-msec=10"],
            stdout=file,
        )  # fmt: skip
    try:
        until(lambda: recording.stat().st_size > 0)
        sound = noise(0.5)
        sink = make_sink("server", idle_close_s=0.0)
        sink.begin()
        sink.play(sound)
        sink.drain()
        sink.close()
        frames = len(recorded(recording))
        until(lambda: len(recorded(recording)) > frames + 9600)
    finally:
        parec.terminate()
        parec.wait()
    assert_heard(recorded(recording), trimmed(as_card(sound, 48_000)))


def test_a_cut_fades_within_20_ms_and_the_card_stays_open(card, make_sink):
    sink = make_sink("card", lead_in_s=0.0, idle_close_s=math.inf)
    sound = noise(20.0)
    sink.begin()
    player = threading.Thread(target=sink.play, args=(sound,), name="test-player")
    player.start()
    until(lambda: len(np.flatnonzero(recorded(card)[:, 0])) > 9600)
    sink.cut()
    player.join(5)
    assert not player.is_alive(), "play() must return at once"
    played = sink.drain()
    assert played.audio_s < 2.0
    sink.begin()
    sink.play(noise(0.3, 7))
    sink.drain()
    sink.close()

    heard, expected = recorded(card), trimmed(as_card(sound, 48_000))
    start = int(np.flatnonzero(heard.any(axis=1))[0])
    wrong = np.flatnonzero(heard[start:, 0] != expected[: len(heard) - start])
    # The fade begins a sample or two before its first sample that differs.
    ramp = (0.5 + 0.5 * np.cos(np.pi * np.arange(960) / 960)).astype(np.float32)
    fades = [
        first
        for first in range(int(wrong[0]) - 20, int(wrong[0]) + 1)
        if np.abs(heard[start + first :][:960, 0] - np.rint(expected[first:][:960] * ramp)).max() <= 1
    ]
    assert len(fades) == 1
    end = fades[0] + 960
    assert not heard[start + end : start + end + 1000].any(), "silent after 20 ms"
    assert played.audio_s == pytest.approx(end / 48_000, abs=2 / 48_000)
    assert_heard(heard[start + end :], trimmed(as_card(noise(0.3, 7), 48_000)))


def test_drain_returns_soon_after_a_cut(card, make_sink):
    sink = make_sink("card", lead_in_s=0.0, ring_s=30.0, idle_close_s=math.inf)
    sink.begin()
    sink.play(noise(25.0))
    cutter = threading.Timer(0.3, sink.cut)
    cutter.name = "test-cutter"
    cutter.start()
    assert sink.drain().audio_s < 10.0


def test_volume_slides_without_a_step(card, make_sink):
    sink = make_sink("card", lead_in_s=0.0, idle_close_s=math.inf)
    sink.begin()
    sink.play(np.full(36_000, 0.5, np.float32))
    until(lambda: np.count_nonzero(recorded(card)[:, 0]) > 9600)
    sink.set_volume(0.3)
    sink.drain()
    sink.close()
    heard = recorded(card)[9600:-9600, 0].astype(int)  # without the ringing of the filter at both ends
    high, low = 0.5 * 32767, 0.5 * 32767 * 0.3**3
    slide = heard[(heard < high - 2) & (heard > low + 2)]
    assert len(slide) == pytest.approx(1024, abs=4), "one period long"
    assert np.diff(slide).max() <= 0
    assert -np.diff(slide).min() < 40, "no step that clicks"


def test_a_starved_ring_is_a_counted_gap_and_nothing_is_lost(card, make_sink):
    sink = make_sink("card", lead_in_s=0.0, idle_close_s=math.inf)
    # Whole pieces, so that the gap falls between the two and not into one that is half filled.
    first, second = noise(20 * PERIOD_S, 1), noise(20 * PERIOD_S, 2)
    sink.begin()
    sink.play(first)
    until(lambda: sink.underruns == 1)
    sink.play(second)
    played = sink.drain()
    sink.close()
    assert played.underruns == 1
    assert played.audio_s == 40 * 1024 / 48_000
    heard = recorded(card)[:, 0]
    loud = heard[np.flatnonzero(heard)]
    expected = as_card(np.concatenate((first, second)), 48_000)
    assert np.array_equal(loud, expected[np.flatnonzero(expected)])


def test_a_pause_that_was_announced_is_no_gap_and_nothing_is_lost(card, make_sink):
    sink = make_sink("card", lead_in_s=0.0, idle_close_s=math.inf)
    first, second = noise(20 * PERIOD_S, 1), noise(20 * PERIOD_S, 2)
    sink.begin()
    sink.play(first)
    sink.expect_pause()
    calls = sink._card.open_card.feed
    until(lambda: calls.silent_calls > 5 and calls.sound_frames > 0)
    sink.play(second)
    played = sink.drain()
    assert (played.underruns, played.audio_s) == (0, 40 * 1024 / 48_000)
    sink.close()
    heard = recorded(card)[:, 0]
    expected = as_card(np.concatenate((first, second)), 48_000)
    assert np.array_equal(heard[np.flatnonzero(heard)], expected[np.flatnonzero(expected)])


def test_a_late_callback_is_counted_by_the_clock_and_nothing_is_lost(card, make_sink, monkeypatch):
    """As on a machine that is too busy: PortAudio drops what the callback handed out too late.

    All of the sound waits in the ring before the card begins, so that no other gap can come in between.
    """
    before: list[int] = []
    as_it_is = Feed._next

    def once_late(feed):
        if feed.sound_frames > 9600 and not before:
            before.append(feed.underruns)
            time.sleep(0.25)
        return as_it_is(feed)

    monkeypatch.setattr(Feed, "_next", once_late)
    sink = make_sink("card", lead_in_s=0.0, start_s=1.5, idle_close_s=math.inf)
    sound = noise(1.0)
    sink.begin()
    sink.play(sound)
    played = sink.drain()
    assert sink.underruns - before[0] >= 1
    assert sink._card.open_card.feed.gaps == 0
    assert played.audio_s == 1.0
    sink.close()
    assert_heard(recorded(card), trimmed(as_card(sound, 48_000)))


@pytest.mark.parametrize("kind", LEAD_IN_S)
def test_the_lead_in_goes_by_what_the_card_is(card, make_sink, monkeypatch, kind):
    monkeypatch.setattr(portaudio, "opened_kind", lambda pcm: kind)
    sink = make_sink("card", lead_ins={**LEAD_IN_S, "usb": 0.35, "hdmi": 0.5, "bluetooth": 0.4})
    sink.begin()
    sink.play(noise(0.1))
    sink.drain()
    sink.close()
    [start] = assert_heard(recorded(card), trimmed(as_card(noise(0.1), 48_000)))
    wanted = {"usb": 0.35, "hdmi": 0.5, "bluetooth": 0.4}.get(kind, 0.2)
    assert wanted * 48_000 <= start < (wanted + 0.1) * 48_000


def test_an_idle_card_is_given_back_and_taken_again(card, make_sink):
    sink = make_sink("card", lead_in_s=0.0, idle_close_s=0.1)
    for seed in range(2):
        sink.begin()
        sink.play(noise(0.1, seed))
        sink.drain()
        assert sink.is_open
        until(lambda: not sink.is_open)


def test_a_device_that_vanishes_is_lost_and_found(card, pulse, make_sink):
    sink = make_sink("card", lead_in_s=0.0, idle_close_s=math.inf, open_timeout_s=20.0)
    sink.begin()
    sink.play(noise(0.5))
    pulse.vanish()
    with pytest.raises(PlaybackError, match="vanished") as caught:
        sink.play(noise(30.0))
    assert caught.value.code == "audio_lost"
    assert not sink.is_open
    with pytest.raises(PlaybackError) as caught:
        sink.drain()
    assert caught.value.code == "audio_lost"
    with pytest.raises(PlaybackError, match="sound server that can't be reached") as caught:
        sink.begin()
    assert caught.value.code == "audio_refused"

    pulse.start()
    sink.begin()
    sink.play(noise(0.3))
    assert sink.drain().audio_s == pytest.approx(0.3)


def test_a_device_that_vanished_while_idle_is_opened_anew(card, pulse, make_sink):
    sink = make_sink("card", lead_in_s=0.0, idle_close_s=math.inf)
    sink.begin()
    sink.play(noise(0.1))
    sink.drain()
    pulse.vanish()
    pulse.start()
    sink.begin()
    sink.play(noise(0.2))
    assert sink.drain().audio_s == pytest.approx(0.2)


def test_a_device_that_stands_still_is_lost_and_nothing_hangs(card, pulse, make_sink):
    sink = make_sink("card", lead_in_s=0.0, idle_close_s=math.inf, stall_s=0.3, open_timeout_s=1.0)
    sink.begin()
    sink.play(noise(0.5))
    pulse.freeze()
    with pytest.raises(PlaybackError, match=r"taken no sound for 0\.3 s") as caught:
        sink.drain()
    assert caught.value.code == "audio_lost"
    # Closing it, or opening it again, hangs on the thread for that: the caller is told, in time.
    with pytest.raises(PlaybackError, match="has not answered") as caught:
        sink.begin()
    assert caught.value.code == "audio_lost"
    with pytest.raises(PlaybackError, match="has not answered"):
        sink.begin()
    pulse.thaw()
    deadline = time.monotonic() + 60
    while True:
        try:
            sink.begin()
            break
        except PlaybackError:
            assert time.monotonic() < deadline, "the card never came back"
            time.sleep(0.05)
    sink.play(noise(0.2))
    assert sink.drain().audio_s == pytest.approx(0.2)


def test_an_open_that_hangs_is_given_up(card, pulse, make_sink):
    sink = make_sink("card", open_timeout_s=0.5)
    pulse.freeze()
    with pytest.raises(PlaybackError, match="has not answered") as caught:
        sink.begin()
    assert caught.value.code == "audio_lost"
    assert not sink.is_open
    pulse.thaw()
    sink.close()


def test_closing_ends_a_play_that_waits(card, make_sink):
    sink = make_sink("card", idle_close_s=math.inf)
    sink.begin()
    player = threading.Thread(target=sink.play, args=(noise(30.0),), name="test-player")
    player.start()
    until(lambda: len(recorded(card)) > 9600)
    sink.close()
    player.join(5)
    assert not player.is_alive()


def test_the_threads_have_names(card, make_sink):
    sink = make_sink("card", idle_close_s=math.inf)
    sink.begin()
    sink.play(noise(0.1))
    sink.drain()
    names = {path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")}
    assert {"audio", "audio-device"} <= names
    assert "audio-device" in {thread.name for thread in threading.enumerate()}
