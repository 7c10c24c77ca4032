from __future__ import annotations

import pytest

from cosyedge.playback import watch as module
from cosyedge.playback.watch import Watch


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_a_card_that_goes_on_is_not_stalled(clock):
    watch = Watch(0)
    for calls in range(1, 100):
        clock[0] += 0.02
        assert watch.stalled_s(calls) == 0.0


def test_a_card_that_stands_is(clock):
    watch = Watch(5)
    for turn in range(1, 50):
        clock[0] += 0.1
        assert watch.stalled_s(5) == pytest.approx(0.1 * turn)
    assert watch.stalled_s(6) == 0.0


def test_a_watcher_that_was_away_accuses_nobody(clock):
    watch = Watch(5)
    clock[0] += 60
    assert watch.stalled_s(5) == pytest.approx(0.25)


def test_after_a_rest_one_look_is_enough(clock):
    watch = Watch(5)
    assert not watch.stood_still(5)
    clock[0] += 1
    assert watch.stood_still(5)
    assert not watch.stood_still(6)
