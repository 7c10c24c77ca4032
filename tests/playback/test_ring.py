from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.playback.ring import Ring


def take_all(ring: Ring) -> list[np.ndarray]:
    taken = []
    while ring.give_back():
        taken.append(ring.views[ring.take()].copy())
    return taken


@given(
    st.lists(st.integers(0, 40), max_size=30),
    st.integers(2, 5),
    st.integers(1, 9),
    st.integers(1, 2),
)
def test_what_is_written_comes_out_once_and_in_order(sizes, pieces, period, channels):
    ring = Ring(pieces, period, channels)
    written = np.arange(1, sum(sizes) + 1, dtype=np.int16)
    taken: list[np.ndarray] = []
    position = 0
    for size in sizes:
        chunk = written[position : position + size]
        position += size
        while len(chunk):
            count = ring.write(chunk)
            chunk = chunk[count:]
            if len(chunk):
                assert ring.filled == pieces or ring.filled == pieces - 1
                taken += take_all(ring)
    ring.end()
    taken += take_all(ring)
    out = np.concatenate(taken) if taken else np.zeros((0, channels), np.int16)
    assert len(out) % period == 0
    assert len(out) - len(written) < period
    assert (out[: len(written)] == written[:, np.newaxis]).all()
    assert not out[len(written) :].any(), "the last piece is filled with silence"
    assert ring.frames == len(written)


def test_a_piece_in_the_hands_of_the_card_is_not_written_to():
    ring = Ring(2, 4, 1)
    assert ring.write(np.arange(1, 20, dtype=np.int16)) == 8
    assert ring.give_back() == 2
    lent = ring.views[ring.take()]
    assert ring.write(np.full(4, 99, np.int16)) == 0
    assert lent[:, 0].tolist() == [1, 2, 3, 4]
    assert ring.give_back() == 1
    assert ring.write(np.full(9, 99, np.int16)) == 4


def test_what_is_written_at_once_is_there_at_once():
    """However long whoever writes it is kept from running in the middle of it."""
    ring = Ring(8, 4, 1)
    waiting: set[int] = set()

    class Watched(np.ndarray):
        """Every piece that is cut from it for the ring is a moment at which the card might ask."""

        def __getitem__(self, key):
            waiting.add(ring.filled)
            return np.asarray(self)[key]

    assert ring.write(np.arange(20, dtype=np.int16).view(Watched)) == 20
    assert waiting == {0}
    assert ring.filled == 5


def test_reset_and_discard_leave_nothing():
    ring = Ring(3, 4, 2)
    ring.write(np.ones(6, np.int16))
    ring.give_back()
    ring.discard()
    assert ring.filled == 0
    ring.reset()
    ring.end()
    assert (ring.filled, ring.frames) == (0, 0)


def test_a_ring_has_two_pieces():
    with pytest.raises(ValueError, match="two pieces"):
        Ring(1, 4, 1)


def test_two_threads_without_a_lock(quick_switching):
    """A producer and a consumer that interrupt each other anywhere: every frame once, in order."""
    ring = Ring(4, 16, 2)
    total = 50_000
    source = (np.arange(total) % 32_000).astype(np.int16)
    done = threading.Event()

    def produce() -> None:
        position = 0
        while position < total:
            count = ring.write(source[position : position + 37])
            position += count
            if not count:
                time.sleep(0)
        ring.end()
        done.set()

    producer = threading.Thread(target=produce, name="test-producer", daemon=True)
    producer.start()
    position = 0
    while True:
        finished = done.is_set()
        if not ring.give_back():
            if finished:
                break
            time.sleep(0)
            continue
        piece = ring.views[ring.take()]
        count = min(16, total - position)
        assert (piece[:count] == source[position : position + count, np.newaxis]).all()
        position += count
    producer.join(10)
    assert position == total


@pytest.fixture
def quick_switching():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
