"""What the callback must never do: grow, allocate, wait, or let an exception out."""

from __future__ import annotations

import dis
import gc
import tracemalloc

import pytest

from cosyedge.playback.feed import ABORT, CONTINUE, OUTPUT_UNDERFLOW, Feed
from cosyedge.playback.ring import Ring
from tests.playback.feeds import NOW, PERIOD, make, tone


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
