"""PortAudio's thread that runs in circles: told apart from a sound server that stands still."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cosyedge.errors import PlaybackError
from cosyedge.playback.alsa import AlsaSink
from cosyedge.playback.stuck import Circles
from cosyedge.playback.thread_name import set_thread_name
from tests.playback.sound import file_pcm, use_pcms


@contextmanager
def thread_in_circles(name: str) -> Iterator[None]:
    done = threading.Event()

    def circle() -> None:
        set_thread_name(name)
        while not done.is_set():
            pass

    thread = threading.Thread(target=circle, name="test-circles")
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def begin_until(sink: AlsaSink, code: str) -> list[str]:
    """Codes of the errors, up to that one."""
    codes: list[str] = []
    deadline = time.monotonic() + 30
    while code not in codes:
        assert time.monotonic() < deadline, codes
        with pytest.raises(PlaybackError) as caught:
            sink.begin()
        codes.append(caught.value.code)
        time.sleep(0.1)
    return codes


def test_a_card_that_is_not_let_go_is_stuck_and_one_that_hangs_is_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, make_sink: Callable[..., AlsaSink]
) -> None:
    use_pcms(monkeypatch, tmp_path / "asound.conf", file_pcm("card", tmp_path / "card.raw"))
    sink = make_sink("card", open_timeout_s=0.2)
    hang = threading.Event()
    sink._card._thread.post(lambda: hang.wait(60) and None)
    try:
        for _ in range(12):
            assert begin_until(sink, "audio_lost") == ["audio_lost"]
        with thread_in_circles("audio"):
            assert set(begin_until(sink, "audio_stuck")) == {"audio_lost", "audio_stuck"}
    finally:
        hang.set()
    sink.close()


def test_only_the_thread_of_that_name_counts() -> None:
    with thread_in_circles("other"):
        circles = Circles("audio")
        assert not circles.seen()
        time.sleep(1.1)
        assert not circles.seen()
        circles = Circles("other")
        assert not circles.seen(), "one look says nothing"
        time.sleep(1.1)
        assert circles.seen()
        circles.reset()
        assert not circles.seen()
