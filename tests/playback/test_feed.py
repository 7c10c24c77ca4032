"""The callback on its own, called as PortAudio calls it: sound, silence, gaps, cuts and volume."""

from __future__ import annotations

import numpy as np
import pytest

from cosyedge.playback import feed as module
from cosyedge.playback.feed import COMPLETE, CONTINUE
from tests.playback.feeds import NOW, PERIOD, ask, make, tone


def test_it_rests_in_silence_until_there_is_sound():
    feed = make()
    assert all(not ask(feed)[0].any() for _ in range(5))
    feed.arm(1)
    assert not ask(feed)[0].any()
    assert feed.gaps == 0, "before the first sound there is no gap"


def test_pieces_are_handed_out_as_they_are():
    feed = make()
    feed.arm(1)
    sound = tone(3 * PERIOD)
    feed.ring.write(sound)
    feed.ring.end()
    feed.ended = True
    out = np.concatenate([ask(feed)[0] for _ in range(3)])
    assert (out == sound[:, np.newaxis]).all()
    assert not feed.at_rest
    ask(feed)
    assert feed.at_rest
    assert feed.sound_frames == 3 * PERIOD
    assert feed.latency_s == pytest.approx(0.05)


def test_the_lead_in_comes_before_the_sound():
    feed = make(lead_in_s=1000 / 48_000)
    feed.arm(1)
    feed.ring.write(tone(PERIOD))
    silent = [ask(feed)[0].any() for _ in range(5)]
    assert silent == [False] * 4 + [True]


def test_it_waits_for_as_much_as_was_asked_or_the_end():
    feed = make()
    feed.arm(3)
    feed.ring.write(tone(2 * PERIOD))
    assert not ask(feed)[0].any()
    feed.ring.write(tone(PERIOD))
    assert ask(feed)[0].any()

    feed = make()
    feed.arm(10)
    feed.ring.write(tone(PERIOD))
    assert not ask(feed)[0].any()
    feed.ended = True
    assert ask(feed)[0].any()


def test_a_gap_is_counted_once_and_sound_is_gathered_again(monkeypatch):
    monkeypatch.setattr(module, "GATHER_S", 3 * PERIOD / 48_000)
    feed = make()
    feed.arm(1)
    feed.ring.write(tone(PERIOD))
    assert ask(feed)[0].any()
    for _ in range(4):
        assert not ask(feed)[0].any()
    assert feed.gaps == 1
    feed.ring.write(tone(2 * PERIOD))
    assert not ask(feed)[0].any()
    feed.ring.write(tone(PERIOD))
    assert all(ask(feed)[0].any() for _ in range(3))
    feed.ended = True
    ask(feed)
    assert feed.gaps == 1


def test_it_completes_after_the_tail():
    feed = make()
    feed.tail_pieces = 3
    feed.arm(1)
    feed.ring.write(tone(PERIOD))
    feed.finishing = True
    feed.ended = True
    verdicts = [ask(feed)[1] for _ in range(4)]
    assert verdicts == [CONTINUE, CONTINUE, CONTINUE, COMPLETE]
    assert feed.completed


def test_silence_that_was_long_enough_does_not_end_what_begins_now():
    """Rests from before the sound are no tail."""
    feed = make()
    feed.tail_pieces = 2
    feed.arm(1)
    for _ in range(10):
        ask(feed)
    feed.ring.write(tone(PERIOD))
    feed.finishing = True
    feed.ended = True
    assert ask(feed)[0].any()


@pytest.mark.parametrize("period", [100, 256, 960, 1024, 4096])
def test_a_cut_fades_over_20_ms_and_drops_the_rest(period):
    feed = make(period=period, pieces=64)
    feed.arm(1)
    sound = np.full(40 * period, 10_000, np.int16)
    feed.ring.write(sound)
    ask(feed)
    feed.cut()
    out = np.concatenate([ask(feed)[0] for _ in range(12)])[:, 0]
    ramp = 0.5 + 0.5 * np.cos(np.pi * np.arange(960) / 960)
    assert np.abs(out[:960] - 10_000 * ramp).max() <= 1
    assert not out[960:].any()
    assert feed.at_rest
    assert feed.sound_frames == period + 960
    assert feed.ring.filled == 0


def test_a_cut_near_the_end_fades_what_is_left():
    feed = make(pieces=64)
    feed.arm(1)
    feed.ring.write(np.full(2 * PERIOD, 10_000, np.int16))
    feed.ended = True
    ask(feed)
    feed.cut()
    out = np.concatenate([ask(feed)[0] for _ in range(6)])[:, 0]
    assert out[:PERIOD].all()
    assert not out[PERIOD:].any()
    assert feed.at_rest


def test_a_cut_in_silence_makes_no_sound():
    feed = make(lead_in_s=1.0)
    feed.arm(4)
    feed.ring.write(tone(2 * PERIOD))
    ask(feed)
    feed.cut()
    assert not any(ask(feed)[0].any() for _ in range(6))
    assert feed.at_rest
    assert feed.sound_frames == 0


def test_after_a_cut_the_next_announcement_is_whole():
    feed = make(pieces=64)
    feed.arm(1)
    feed.ring.write(tone(20 * PERIOD))
    ask(feed)
    feed.cut()
    for _ in range(8):
        ask(feed)
    feed.ring.write(tone(PERIOD))  # a producer that had not seen the cut yet
    assert not ask(feed)[0].any()
    feed.ring.reset()
    feed.arm(1)
    sound = tone(2 * PERIOD)
    feed.ring.write(sound)
    out = np.concatenate([ask(feed)[0] for _ in range(2)])
    assert (out == sound[:, np.newaxis]).all()


def test_gain_slides_over_one_period_and_then_stands():
    feed = make()
    feed.arm(1)
    feed.ring.write(np.full(4 * PERIOD, 10_000, np.int16))
    assert (ask(feed)[0] == 10_000).all()
    feed.target_gain = 0.25
    slide = ask(feed)[0][:, 0].astype(int)
    assert slide[0] > 9900
    assert slide[-1] == 2500
    assert np.diff(slide).max() < 0
    assert (ask(feed)[0] == 2500).all()
    feed.target_gain = 0.0
    assert ask(feed)[0][-1, 0] == 0


def test_a_volume_set_in_silence_is_there_at_once():
    feed = make()
    ask(feed)
    feed.target_gain = 0.5
    feed.arm(1)
    ask(feed)
    feed.ring.write(np.full(PERIOD, 10_000, np.int16))
    assert (ask(feed)[0] == 5000).all()


def test_an_empty_ring_that_was_announced_is_a_pause_and_no_gap(monkeypatch):
    monkeypatch.setattr(module, "GATHER_S", 2 * PERIOD / 48_000)
    feed = make()
    feed.arm(1)
    feed.ring.write(tone(PERIOD))
    feed.may_pause = True
    assert [ask(feed)[0].any() for _ in range(3)] == [True, False, False]
    feed.ring.write(tone(PERIOD))
    feed.may_pause = False
    assert not ask(feed)[0].any(), "after a pause too, a little is gathered first"
    feed.ring.write(tone(PERIOD))
    assert [ask(feed)[0].any() for _ in range(3)] == [True, True, False]
    assert feed.gaps == 1, "the second time nobody had announced it"


@pytest.mark.parametrize("latency_s", [0.0, 0.05, 0.3])
def test_the_first_sound_leaves_the_card_at_its_moment(monkeypatch, latency_s):
    now = 100.0
    monkeypatch.setattr(module, "monotonic", lambda: now)
    feed = make(pieces=64, lead_in_s=0.1)
    feed.arm(1)
    feed.hold_until(101.0)
    feed.ring.write(tone(3 * PERIOD))
    feed.ended = True
    times = {**NOW, "output_buffer_dac_time": NOW["current_time"] + latency_s}
    while not feed(None, PERIOD, times, 0)[0].any():
        now += PERIOD / 48_000
        assert now < 102.0
    assert now + latency_s == pytest.approx(101.0, abs=0.51 * PERIOD / 48_000)
    assert feed.underruns == 0, "silence before the moment is no gap"
    feed.cut()
    while not feed.at_rest:
        feed(None, PERIOD, times, 0)
    feed.arm(1)
    feed.ring.write(tone(PERIOD))
    assert feed(None, PERIOD, times, 0)[0].any(), "the moment was the last one's"


def test_a_moment_that_is_past_holds_nothing_back():
    feed = make()
    feed.arm(1)
    feed.hold_until(module.monotonic() - 5)
    feed.ring.write(tone(PERIOD))
    assert ask(feed)[0].any()
