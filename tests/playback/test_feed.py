"""The callback on its own, called as PortAudio calls it."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest

from cosyedge.playback import feed as module
from cosyedge.playback.feed import ABORT, COMPLETE, CONTINUE, OUTPUT_UNDERFLOW, Feed
from cosyedge.playback.ring import Ring

PERIOD = 256
NOW = {"input_buffer_adc_time": 0.0, "current_time": 10.0, "output_buffer_dac_time": 10.05}


def make(pieces=16, channels=2, lead_in_s=0.0, gain=1.0, rate=48_000, period=PERIOD) -> Feed:
    return Feed(Ring(pieces, period, channels), rate, lead_in_s=lead_in_s, gain=gain)


def ask(feed: Feed, status: int = 0) -> tuple[np.ndarray, int]:
    piece, verdict = feed(None, feed.ring.period, NOW, status)
    return piece.copy(), verdict


def tone(frames: int) -> np.ndarray:
    return (10_000 * np.sin(np.arange(1, frames + 1) / 5)).astype(np.int16)


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
    monkeypatch.setattr(module, "REGATHER_S", 3 * PERIOD / 48_000)
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


def test_the_cards_underruns_are_counted():
    feed = make()
    ask(feed, OUTPUT_UNDERFLOW)
    ask(feed)
    ask(feed, OUTPUT_UNDERFLOW | 16)
    assert feed.card_underruns == 2


def test_no_exception_leaves_the_callback():
    feed = make()
    piece, verdict = feed(None, PERIOD + 1, NOW, 0)
    assert verdict == ABORT
    assert not piece.any()
    assert "asked for 257 frames" in str(feed.failure)
    assert feed(None, PERIOD, {}, 0)[1] == CONTINUE, "time is only looked at with sound"


@pytest.mark.parametrize("gain", [1.0, 0.3])
def test_many_calls_grow_nothing_of_ours(gain):
    """Counted with tracemalloc: sound, rests, gaps, a sliding volume and cuts, over and over."""
    feed = make(gain=gain)
    sound = tone(2 * PERIOD)

    def rounds(count: int) -> None:
        for turn in range(count):
            feed.ring.reset()
            feed.arm(1)
            feed.ring.write(sound)
            feed(None, PERIOD, NOW, 0)
            feed.target_gain = gain if turn % 2 else gain / 2
            feed(None, PERIOD, NOW, 0)
            feed(None, PERIOD, NOW, 0)
            if turn % 3 == 0:
                feed.cut()
            for _ in range(7):
                feed(None, PERIOD, NOW, 0)

    rounds(50)
    gc.collect()
    tracemalloc.start(1)
    try:
        rounds(50)
        before = tracemalloc.take_snapshot()
        calls = feed.calls
        rounds(500)
        after = tracemalloc.take_snapshot()
        calls = feed.calls - calls
    finally:
        tracemalloc.stop()
    assert calls == 5000
    ours = [tracemalloc.Filter(True, "*/cosyedge/playback/*")]
    growth = after.filter_traces(ours).compare_to(before.filter_traces(ours), "lineno")
    # Counters become other objects as they count, but not more of them.
    assert sum(line.count_diff for line in growth) <= 8
    assert sum(line.size_diff for line in growth) <= 512
