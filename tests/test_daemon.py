"""The node's own judgement, on real parts in this process; what it does as a process is in end_to_end."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosyedge import liveness
from cosyedge.announcements.announcement import Announcement
from cosyedge.config import load_config
from cosyedge.daemon import Event, Node
from cosyedge.errors import AnnouncementError, HostError, PlaybackError
from cosyedge.host.limits import Admission
from cosyedge.host.notify import Notifier
from tests.broker import free_port


@pytest.fixture
def node(test_bundle_path: Path, tmp_path: Path) -> Iterator[Node]:
    flags = {
        "models.dir": str(test_bundle_path.parent),
        "models.bundle": test_bundle_path.name,
        "mqtt.port": str(free_port()),
        "audio.output": "wav",
        "audio.wav_path": str(tmp_path),
        "state.dir": str(tmp_path / "state"),
    }
    before = threading.active_count()
    node = Node(load_config(None, flags, {}), queue.SimpleQueue[Event]())
    node.start()
    yield node
    node.stop(Notifier({}))
    assert threading.active_count() == before, "a thread was left behind"


def test_threads_without_progress_keep_the_watchdog_hungry(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    assert node._is_well(now)
    assert not node._is_well(now + 10_000), "by then nothing will have been heard of them"
    assert "internal" in node.report.health()["reasons"]
    assert node._is_well(time.monotonic())
    assert "internal" not in node.report.health()["reasons"]
    monkeypatch.setattr(liveness, "SPEECH_ALLOWANCE_S", -10.0)
    assert not node._is_well(time.monotonic())


def test_a_speech_thread_that_has_ended_ends_the_daemon(node: Node) -> None:
    assert node._speaker.close(30)
    with pytest.raises(HostError, match="has ended"):
        node.serve(Notifier({}))


def test_a_sound_library_that_is_stuck_ends_the_daemon(node: Node) -> None:
    node._on_card(PlaybackError("audio_lost", "It vanished."))
    assert node._is_well(time.monotonic())
    node._on_card(PlaybackError("audio_stuck", "It is not let go."))
    with pytest.raises(PlaybackError, match="not let go"):
        node.serve(Notifier({}))


def test_work_beyond_the_memory_budget_is_refused_until_there_is_room(node: Node) -> None:
    node._admits = Admission(limit_mb=1)
    with pytest.raises(AnnouncementError, match="overloaded"):
        node._on_announcement(Announcement("a", "好。"))
    assert "overloaded" in node.report.health()["reasons"]
    node._admits = Admission(limit_mb=100_000)
    node._on_announcement(Announcement("b", "好。"))
    assert "overloaded" not in node.report.health()["reasons"]
