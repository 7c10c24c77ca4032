"""What the callback learns from the clock and the card: underruns, and what was lost in them."""

from __future__ import annotations

import numpy as np
import pytest

from cosyedge.playback import feed as module
from cosyedge.playback.feed import OUTPUT_UNDERFLOW, Feed
from tests.playback.feeds import PERIOD, ask, make, tone


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
