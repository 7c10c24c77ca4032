from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.broker import Broker, Peer, broker, make_broker, make_peer
from tests.end_to_end.node import RunningNode
from tests.playback.sound import PulseNull

__all__ = ["broker", "make_broker", "make_peer"]


@pytest.fixture
def peer(broker: Broker, make_peer: Callable[..., Peer]) -> Peer:
    return make_peer(broker)


@pytest.fixture
def make_node(tmp_path: Path, test_bundle_path: Path) -> Iterator[Callable[..., RunningNode]]:
    """``make_node(port, **flags)`` starts a daemon on the tiny voice; all are ended with the test.

    Those of one test share a folder, as a daemon that is started again does.
    """
    nodes: list[RunningNode] = []

    def make(port: int, bundle: Path = test_bundle_path, **options: Any) -> RunningNode:
        nodes.append(RunningNode(tmp_path / "node", bundle, port, **options))
        return nodes[-1]

    yield make
    for node in nodes:
        node.close()


@pytest.fixture
def wav(tmp_path: Path) -> dict[str, Any]:
    """Flags for announcements into files ``announcement-0001.wav`` and so on, below ``tmp_path / "wav"``."""
    folder = tmp_path / "wav"
    folder.mkdir()
    return {"audio_output": "wav", "audio_wav_path": folder}


@pytest.fixture
def pulse() -> Iterator[PulseNull]:
    server = PulseNull()
    try:
        server.start()
        yield server
    finally:
        server.close()
