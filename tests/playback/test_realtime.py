"""The sound card's thread for a long time: nothing grows, nothing waits, nothing is missing.

The card runs at four times the usual rate, so its callback comes four times as often as in a house.
"""

from __future__ import annotations

import gc
import math
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

from tests.playback.sound import PulseNull, noise, use_pcms

FAST = 4 * 48_000


@pytest.fixture
def fast_card(monkeypatch, tmp_path):
    server = PulseNull(rate=FAST)
    try:
        server.start()
        use_pcms(monkeypatch, tmp_path / "asound.conf", server.pcm("fast"))
        yield "fast"
    finally:
        server.close()


def until(condition, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.005)


@pytest.mark.parametrize(
    "seconds",
    [5, pytest.param(600, marks=[pytest.mark.long, pytest.mark.timeout(1200)])],
    ids=lambda seconds: f"{seconds} s",
)
def test_nothing_of_ours_grows_however_long_it_plays(fast_card, make_sink, seconds):
    """Memory by line of our code, and blocks of the interpreter; PyAudio's own objects come and go."""
    sink = make_sink(fast_card, rate=FAST, lead_in_s=0.0, ring_s=1.0, idle_close_s=math.inf)
    block = noise(0.25)

    def play(frames: int) -> None:
        """So many frames at the rate of the card, with a volume that moves."""
        for number in range(round(frames / FAST / 0.25)):
            sink.set_volume((1.0, 0.5, 0.7)[number % 3])
            sink.play(block)

    ours = [tracemalloc.Filter(True, "*/cosyedge/playback/*")]
    # Neither begun nor ended while PortAudio's thread runs: Python up to 3.12 can crash then.
    tracemalloc.start(1)
    try:
        sink.begin()
        feed = sink._card.open_card.feed
        play(FAST)  # everything is made that ever will be
        before = tracemalloc.take_snapshot().filter_traces(ours)
        gc.collect()
        blocks, calls = sys.getallocatedblocks(), feed.calls
        play(seconds * 48_000)
        gc.collect()
        blocks, calls = sys.getallocatedblocks() - blocks, feed.calls - calls
        lines = tracemalloc.take_snapshot().filter_traces(ours).compare_to(before, "lineno")
        played = sink.drain()
        failure = feed.failure
    finally:
        sink.close()
        tracemalloc.stop()
    assert failure is None
    assert calls >= 0.9 * seconds * 48_000 / 1024
    assert played.audio_s == pytest.approx(1 + seconds / 4, abs=0.3)
    # Counters become other objects as they count, but not more of them.
    assert sum(line.count_diff for line in lines) <= 32, lines[:5]
    assert sum(line.size_diff for line in lines) <= 2048, lines[:5]
    assert blocks < 200, "however many callbacks there were"


def locks_of(thing: object, seen: set[int]) -> list[object]:
    """Every lock that can be reached from ``thing`` through fields of our own objects."""
    if id(thing) in seen:
        return []
    seen.add(id(thing))
    if isinstance(thing, type(threading.Lock()) | type(threading.RLock())):
        return [thing]
    fields = [getattr(thing, name) for name in getattr(type(thing), "__slots__", ()) if hasattr(thing, name)]
    fields += getattr(thing, "__dict__", {}).values()
    module = type(thing).__module__
    if not module.startswith(("cosyedge", "threading")) or isinstance(thing, threading.Thread):
        return []
    return [lock for field in fields for lock in locks_of(field, seen)]


def test_the_callback_goes_on_while_every_lock_of_the_sink_is_held(fast_card, make_sink):
    sink = make_sink(fast_card, rate=FAST, lead_in_s=0.0, ring_s=2.0, idle_close_s=math.inf)
    sink.begin()
    sink.play(np.full(24_000, 0.25, np.float32))
    feed = sink._card.open_card.feed
    until(lambda: feed.sound_frames > 0)
    locks = locks_of(sink, set())
    assert len(locks) >= 4
    held = [lock for lock in locks if lock.acquire(timeout=10)]
    try:
        assert held == locks
        frames, calls = feed.sound_frames, feed.calls
        until(lambda: feed.calls > calls + 40)
        assert feed.sound_frames > frames
    finally:
        for lock in held:
            lock.release()
    assert sink.drain().audio_s == pytest.approx(1.0)
