from __future__ import annotations

import threading

import pytest

from cosyedge.errors import PlaybackError
from cosyedge.playback.device_thread import DeviceThread


@pytest.fixture
def thread():
    made = DeviceThread(idle=lambda: None, due=lambda: None)
    yield made
    made.stop(5)


def test_results_and_errors_come_back(thread):
    assert thread.call(lambda: threading.current_thread().name, 5) == "audio-device"
    with pytest.raises(ZeroDivisionError):
        thread.call(lambda: 1 / 0, 5)
    assert thread.call(lambda: 7, 5) == 7


def test_jobs_run_one_after_another_in_order(thread):
    seen: list[int] = []
    for number in range(100):
        thread.post(lambda number=number: seen.append(number))
    assert thread.call(lambda: list(seen), 5) == list(range(100))


def test_a_failure_that_nobody_waits_for_ends_nothing(thread):
    thread.post(lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    assert thread.call(lambda: 7, 5) == 7


def test_a_call_that_hangs_is_given_up_and_undone_when_it_returns(thread):
    hang, undone = threading.Event(), threading.Event()
    got: list[str] = []

    def undo(result: str) -> None:
        got.append(result)
        undone.set()

    def open_card() -> str:
        hang.wait(20)
        return "card"

    with pytest.raises(PlaybackError, match="has not answered") as caught:
        thread.call(open_card, 0.05, undo)
    assert caught.value.code == "audio_lost"
    with pytest.raises(PlaybackError, match="has not answered"):
        thread.call(lambda: 7, 60)  # at once, not after a minute
    hang.set()
    assert undone.wait(5)
    assert got == ["card"]
    assert thread.call(lambda: 7, 5) == 7


def test_stop_does_not_wait_for_a_thread_that_hangs(caplog):
    thread, hang = DeviceThread(idle=lambda: None, due=lambda: None), threading.Event()
    try:
        thread.post(lambda: hang.wait(20) and None)
        thread.stop(0.05)
        assert "is left behind" in caplog.text
    finally:
        hang.set()


def test_after_stop_nothing_begins():
    thread = DeviceThread(idle=lambda: None, due=lambda: None)
    assert thread.call(lambda: 7, 5) == 7
    thread.stop(5)
    thread.stop(5)
    thread.post(lambda: None)
    with pytest.raises(PlaybackError, match="was closed"):
        thread.call(lambda: 7, 5)
    assert "audio-device" not in {each.name for each in threading.enumerate()}


def test_idle_is_called_when_it_is_due():
    called = threading.Event()
    due: list[float | None] = [None]

    def idle() -> None:
        due[0] = None
        called.set()

    thread = DeviceThread(idle, lambda: due[0])
    thread.call(lambda: None, 5)
    assert not called.is_set()
    due[0] = 0.01
    thread.post(lambda: None)
    assert called.wait(5)
    thread.stop(5)
