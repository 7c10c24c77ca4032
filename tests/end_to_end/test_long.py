"""What takes minutes: many announcements in one process, and many deaths of it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode

pytestmark = [pytest.mark.long, pytest.mark.timeout(5400)]

TEXTS = (
    "好。",
    "今天天气不错，出去走走吧。",
    "Dinner is ready.",
    "10:30, 21°C",
    "😀",
    "{{ broken }}",
    "洗衣机洗完了。" * 9,
)
BATCH = 50


def test_memory_does_not_grow_over_five_thousand_announcements(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], tmp_path: Path
) -> None:
    """Through the sound card's whole path, on a card that takes sound as fast as it comes."""
    configuration = tmp_path / "asound.conf"
    configuration.write_text("pcm.card {\n type null\n}\npcm.absent {\n type hw\n card absent\n}\n")
    node = make_node(broker.port, environment={"ALSA_CONFIG_PATH": str(configuration)}, audio_device="card")
    node.wait_until_ready()
    resident = Path(f"/proc/{node.process.pid}/statm")
    megabytes = []
    for batch in range(100):
        for number in range(BATCH):
            say = {"id": f"{batch}-{number}", "text": TEXTS[number % len(TEXTS)]}
            peer.publish("cosyedge/attic/say", json.dumps(say))
        for _ in range(BATCH):
            peer.wait(
                "cosyedge/attic/result",
                lambda m: b'"finished"' in m.payload or b'"failed"' in m.payload,
                PATIENCE_S,
            )
        peer.messages.clear()
        peer._seen.clear()
        megabytes.append(int(resident.read_text().split()[1]) * 4096 / 2**20)
    assert max(megabytes[-10:]) - max(megabytes[10:20]) <= 2.0, megabytes
    assert node.stop() == 0


def test_nothing_that_was_taken_is_lost_however_often_the_process_is_killed(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    chance = random.Random(1)
    taken: set[str] = set()
    for life in range(20):
        node = make_node(broker.port, **wav)
        node.wait_until_ready()
        peer.wait("cosyedge/attic/availability", lambda m: m.payload == b"online", PATIENCE_S)
        for number in range(10):
            id_ = f"{life}-{number}"
            peer.publish(
                "cosyedge/attic/say", json.dumps({"id": id_, "text": "今天天气不错，出去走走吧。" * 3})
            )
            taken.add(id_)  # with the broker, which keeps it until the journal has it
        for _ in range(chance.randrange(12)):
            peer.wait("cosyedge/attic/result", timeout_s=PATIENCE_S)
        node.process.kill()
        node.ended()
    node = make_node(broker.port, **wav)
    finished: set[str] = set()
    while finished != taken:
        message = peer.wait("cosyedge/attic/result", timeout_s=PATIENCE_S)
        result = json.loads(message.payload)
        assert result["state"] in ("queued", "started", "finished", "duplicate"), result
        if result["state"] == "finished":
            finished.add(result["id"])
    assert node.stop() == 0
