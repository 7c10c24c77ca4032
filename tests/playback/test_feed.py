"""The callback on its own, called as PortAudio calls it."""

from __future__ import annotations

import dis
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
    feed = Feed(Ring(pieces, period, channels), rate, gain=gain)
    feed.lead_in(lead_in_s)
    return feed


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


def test_the_cards_underruns_are_counted_while_something_sounds():
    feed = make()
    ask(feed, OUTPUT_UNDERFLOW)
    feed.arm(1)
    ask(feed, OUTPUT_UNDERFLOW)
    assert feed.card_underruns == 0, "silence that is longer is no gap"
    feed.ring.write(tone(3 * PERIOD))
    feed.ended = True
    ask(feed, OUTPUT_UNDERFLOW)
    assert feed.card_underruns == 0, "it came before the first sound"
    ask(feed, OUTPUT_UNDERFLOW)
    ask(feed, OUTPUT_UNDERFLOW | 16)
    assert feed.card_underruns == 2
    ask(feed)
    ask(feed, OUTPUT_UNDERFLOW)
    assert feed.card_underruns == 2, "and that one behind the last"


class Clock:
    """Calls a feed as a card that holds two periods when it asks for the third."""

    def __init__(self, feed: Feed, monkeypatch, drift: float = 1.0) -> None:
        self.feed = feed
        self.now = 1000.0
        self.period_s = feed.ring.period / feed.rate * drift
        self.dry_at = self.now + 3 * self.period_s
        self.inside = 0.0  # periods that the next call takes
        self._as_it_is = feed._next
        monkeypatch.setattr(module, "monotonic", lambda: self.now)
        monkeypatch.setattr(feed, "_next", self._slowly)

    def call(self, late: float = 0.0, status: int = 0) -> np.ndarray:
        """A call ``late`` periods after its time, in which the card went on playing."""
        self.now = max(self.now, self.dry_at - 2 * self.period_s) + late * self.period_s
        held_s = max(0.0, self.dry_at - self.now)
        self.dry_at = max(self.dry_at, self.now) + self.period_s
        there = self.now + 7e8  # the card's clock is another one
        return self.ask({"current_time": there, "output_buffer_dac_time": there + held_s}, status)

    def ask(self, info: dict[str, float], status: int = 0) -> np.ndarray:
        return self.feed(None, self.feed.ring.period, info, status)[0].copy()

    def _slowly(self):
        self.now += self.inside * self.period_s
        self.inside = 0.0
        return self._as_it_is()


def counting(frames: int) -> np.ndarray:
    return np.arange(1, frames + 1).astype(np.int16)


def test_a_callback_that_comes_when_all_was_played_is_an_underrun_by_the_clock(monkeypatch):
    """Nobody says so: the driver of a card may not notice, or not tell."""
    feed = make(pieces=32)
    clock = Clock(feed, monkeypatch)
    feed.arm(1)
    feed.ring.write(tone(30 * PERIOD))
    for late in (0.0, 1.0, 0.0, 1.9, 0.0, 0.0):
        clock.call(late)
    assert feed.card_underruns == 0
    for late in (2.1, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0):
        clock.call(late)
    assert feed.card_underruns == 2
    clock.call(3.0)
    clock.call(status=OUTPUT_UNDERFLOW)
    clock.call()
    assert feed.card_underruns == 3, "said and measured, it is one all the same"
    clock.call(status=OUTPUT_UNDERFLOW)
    assert feed.card_underruns == 4, "only said"


def test_the_clock_of_a_card_may_be_a_little_fast_or_slow(monkeypatch):
    for drift in (0.999, 1.001):
        feed = make(pieces=8)
        clock = Clock(feed, monkeypatch, drift)
        feed.arm(1)
        for _ in range(20_000):
            feed.ring.write(tone(PERIOD))
            clock.call()
        assert feed.underruns == 0
        clock.call(2.3)
        assert feed.card_underruns == 1


def test_what_a_callback_handed_out_too_late_is_handed_out_again(monkeypatch):
    """PortAudio finds that the card ran dry when it writes what it was handed, drops it, and says so next."""
    feed = make(pieces=32)
    clock = Clock(feed, monkeypatch)
    feed.arm(1)
    sound = counting(20 * PERIOD)
    feed.ring.write(sound)
    heard = [clock.call() for _ in range(3)]
    clock.inside = 4.0
    clock.call()  # lost
    heard += [clock.call(status=OUTPUT_UNDERFLOW), clock.call()]
    clock.call(4.0)  # lost too: it waited before it began, for another thread of Python's
    heard += [clock.call(status=OUTPUT_UNDERFLOW), clock.call()]
    assert np.array_equal(np.concatenate(heard)[:, 0], sound[: len(heard) * PERIOD])
    assert feed.card_underruns == 2
    assert feed.sound_frames == len(heard) * PERIOD


def test_what_was_played_before_the_card_ran_dry_is_not_handed_out_again(monkeypatch):
    """PortAudio's own thread was late, and noticed before it asked."""
    feed = make(pieces=32)
    clock = Clock(feed, monkeypatch)
    feed.arm(1)
    sound = counting(20 * PERIOD)
    feed.ring.write(sound)
    heard = [clock.call() for _ in range(3)]
    heard.append(clock.call(5.0, OUTPUT_UNDERFLOW))
    heard.append(clock.call(5.0, OUTPUT_UNDERFLOW))
    heard.append(clock.call())
    assert np.array_equal(np.concatenate(heard)[:, 0], sound[: len(heard) * PERIOD])
    assert feed.card_underruns == 2


def test_what_the_card_had_got_in_time_is_not_handed_out_again(monkeypatch):
    """The clock's estimate is the careful one, for gaps; the card knows better what it still holds."""
    feed = make(pieces=32)
    clock = Clock(feed, monkeypatch)
    feed.arm(1)
    sound = counting(20 * PERIOD)
    feed.ring.write(sound)

    def call(at: float, holds: float, waited: float = 0.0, status: int = 0) -> np.ndarray:
        """At ``at`` periods from now, ``waited`` after the card said that it holds so many periods."""
        clock.now = 1000.0 + at * clock.period_s
        there = clock.now - waited * clock.period_s
        times = {"current_time": there, "output_buffer_dac_time": there + holds * clock.period_s}
        return clock.ask(times, status)

    heard = [call(0.0, 1.0)]
    heard.append(call(2.2, 1.5))  # late by what it held at the last call, but it was slower than that
    heard.append(call(6.0, 0.0, status=OUTPUT_UNDERFLOW))  # the thread was late, not what was handed out
    heard.append(call(6.5, 1.0))
    call(9.0, 1.0, waited=1.5)  # lost: it waited for longer than the card held
    heard.append(call(12.0, 0.0, status=OUTPUT_UNDERFLOW))
    heard.append(call(12.5, 1.0))
    call(13.0, 1.0)  # lost after it had returned: no card plays it in no time
    heard.append(call(13.1, 0.0, status=OUTPUT_UNDERFLOW))
    assert np.array_equal(np.concatenate(heard)[:, 0], sound[: len(heard) * PERIOD])
    assert feed.sound_frames == len(heard) * PERIOD


def test_what_holds_no_sound_has_no_clock(monkeypatch):
    feed = make(pieces=32)
    clock = Clock(feed, monkeypatch)
    feed.arm(1)
    feed.ring.write(tone(30 * PERIOD))
    for held_s in (0.0, -3.0, 1e9, 0.01):
        clock.now += 60.0
        clock.ask({"current_time": 5.0, "output_buffer_dac_time": 5.0 + held_s})
    assert feed.card_underruns == 0
    assert feed.latency_s == pytest.approx(0.01)


def test_no_exception_leaves_the_callback():
    feed = make()
    piece, verdict = feed(None, PERIOD + 1, NOW, 0)
    assert verdict == ABORT
    assert not piece.any()
    assert "asked for 257 frames" in str(feed.failure)
    assert feed(None, PERIOD, NOW, 0)[1] == CONTINUE, "and the next call is served"
    assert feed(None, PERIOD, {}, 0)[1] == ABORT


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


def test_no_call_allocates_more_than_its_counters():
    """The peak within each single call: a buffer of numpy's, even one given back at once, is kilobytes."""
    feed = make(period=1024)
    sound = tone(2 * 1024)
    largest = 0
    tracemalloc.start(1)
    try:
        for turn in range(60):
            feed.ring.reset()
            feed.arm(1)
            feed.ring.write(sound)
            gain = (1.0, 0.5, 0.25)[turn % 3]
            for call in range(8):
                if call == 1:
                    feed.target_gain = gain
                if call == 2 and turn % 4 == 0:
                    feed.cut()
                status = OUTPUT_UNDERFLOW if call == 3 else 0
                tracemalloc.reset_peak()
                before, _ = tracemalloc.get_traced_memory()
                feed(None, 1024, NOW, status)
                _, peak = tracemalloc.get_traced_memory()
                if turn >= 3:
                    largest = max(largest, peak - before)
    finally:
        tracemalloc.stop()
    assert largest <= 256


#: All that a callback runs: a function that is added to it must be added here.
IN_THE_CALLBACK = (
    Feed.__call__,
    Feed._look_at_clock,
    Feed._came_too_late,
    Feed._next,
    Feed._rest,
    Feed._at_gain,
    Feed._round_into,
    Feed._slide,
    Feed._fade_out,
    Feed._make_fade,
    Ring.give_back,
    Ring.take,
    Ring.discard,
    Ring.filled.fget,
)
#: What else it may call: none of it waits.
HARMLESS = {
    *("multiply", "add", "rint", "copyto", "fill", "enumerate", "len", "min", "bool", "monotonic"),
    *("ValueError", "BaseException", "set_thread_name"),
}


def test_the_callback_calls_nothing_that_could_wait():
    """Read from the compiled code: no `with`, and no name that is not a field, ours or harmless."""
    ours = {function.__name__ for function in IN_THE_CALLBACK}
    fields = {*vars(make()), *vars(make().ring)}
    constants = {
        "CONTINUE",
        "COMPLETE",
        "ABORT",
        "OUTPUT_UNDERFLOW",
        "math",
        "inf",
        "np",
        "ring",
        "views",
        "_DRIFT_S",
    }
    for function in IN_THE_CALLBACK:
        instructions = list(dis.get_instructions(function))
        assert not any("WITH" in each.opname and "EXCEPT" not in each.opname for each in instructions)
        names = {each.argval for each in instructions if each.opname.startswith(("LOAD_GLOBAL", "LOAD_ATTR"))}
        names |= {each.argval for each in instructions if each.opname.startswith("LOAD_METHOD")}
        assert names <= ours | fields | constants | HARMLESS, function.__name__


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
