"""What takes minutes: many announcements in one process, and everything that goes wrong meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.soak import Plan, Soak

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
    node = make_node(
        broker.port,
        environment={"ALSA_CONFIG_PATH": str(configuration)},
        audio_device="card",
        cache_max_mb=0,  # so that each is made
    )
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


def test_two_thousand_announcements_with_all_that_goes_wrong_are_accounted_for(tmp_path: Path) -> None:
    """On a card in real time; deaths of the process are another test's (test_deaths.py)."""
    report = Soak(Plan(count=2000), tmp_path, print).run()
    print(report)
    assert report.wrong == []
    assert report.underruns == 0
    assert report.rss_growth_mb <= 2.0
    assert report.open_files[1] - report.open_files[0] <= 12, "a card that is open, a connection that is made"
    assert report.threads[1] <= 8, "six of ours, and what the sound server brings along"
    assert report.card_losses >= 5
    assert report.broker_restarts >= 9
