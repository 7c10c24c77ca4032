"""A disk that is full, can't be written or has lost bits: speech goes on, and health says what that costs."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode

NO_CARD = {"audio_device": "CARD=Unplugged"}


def say(id_: str, text: str = "好。", **keys: Any) -> str:
    return json.dumps({"id": id_, "text": text, **keys})


def test_what_a_damaged_journal_lost_is_named_and_the_rest_is_spoken(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, **NO_CARD)
    node.wait_until_ready()
    for id_ in ("before", "damaged", "after"):
        peer.publish("cosyedge/attic/say", say(id_, text=f"{id_} now"))
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="queued")
    _wait_acknowledged(broker, 3)
    node.process.kill()
    node.ended()
    journal = node.folder / "state" / "announcements.journal"
    whole = journal.read_bytes()
    assert whole.count(b"damaged now") == 1
    journal.write_bytes(whole.replace(b"damaged now", b"damaged mow"))

    node = make_node(broker.port, **wav)
    damaged = {"status": "degraded", "reasons": ["journal_damaged"]}
    health = peer.wait_json("cosyedge/attic/health", PATIENCE_S, **damaged)
    assert health["messages"][0].endswith("lost with them: damaged.")
    assert health["journal"]["recovered"] == 2
    assert health["journal"]["damaged_bytes"] > 50
    failed = peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="failed")
    assert (failed["id"], failed["error"]) == ("damaged", "journal_damaged")
    for id_ in ("before", "after"):
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="finished")
    peer.publish("cosyedge/attic/say", say("damaged"))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="damaged", state="finished")
    assert node.stop() == 0

    node = make_node(broker.port, **wav)
    node.wait_until_ready()
    health = peer.wait_json("cosyedge/attic/health", PATIENCE_S, status="ok")
    assert (health["reasons"], health["messages"], health["journal"]["damaged_bytes"]) == ([], [], 0)
    assert node.stop() == 0


def _wait_acknowledged(broker: Broker, count: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while broker.log.count("Received PUBACK from cosyedge-attic") < count:
        assert time.monotonic() < deadline, "not all was acknowledged"
        time.sleep(0.01)


def test_a_full_disk_degrades_and_speech_goes_on(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], tmp_path: Path
) -> None:
    """The kernel lets the process write no more to any file."""
    configuration = tmp_path / "asound.conf"
    configuration.write_text("pcm.card {\n type null\n}\npcm.absent {\n type hw\n card absent\n}\n")
    node = make_node(broker.port, environment={"ALSA_CONFIG_PATH": str(configuration)}, audio_device="card")
    node.wait_until_ready()
    peer.publish("cosyedge/attic/say", say("room"))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="room", state="finished")
    unlimited = resource.RLIM_INFINITY
    resource.prlimit(node.process.pid, resource.RLIMIT_FSIZE, (0, unlimited))
    peer.publish("cosyedge/attic/say", say("full"))
    health = peer.wait_json("cosyedge/attic/health", PATIENCE_S, reasons=["journal_unwritable"])
    assert "File too large" in health["messages"][0]
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="full", state="finished")
    peer.publish("cosyedge/attic/volume/set", "40")
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, volume=40)
    peer.wait_json("cosyedge/attic/health", PATIENCE_S, reasons=["journal_unwritable", "settings_unwritable"])
    resource.prlimit(node.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
    peer.wait_json("cosyedge/attic/health", PATIENCE_S, reasons=["journal_unwritable"])  # settings are kept
    assert node.stop() == 0

    node = make_node(broker.port, environment={"ALSA_CONFIG_PATH": str(configuration)}, audio_device="card")
    node.wait_until_ready()
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, volume=40)
    peer.publish("cosyedge/attic/say", say("room"))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="room", state="duplicate")
    assert node.stop() == 0


def test_a_folder_that_nobody_can_write_degrades_from_the_start(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, **wav, state_dir="/proc/cosyedge")
    node.wait_until_ready()
    health = peer.wait_json("cosyedge/attic/health", PATIENCE_S, status="degraded")
    assert health["reasons"] == ["journal_unwritable"]
    assert "/proc/cosyedge" in health["messages"][0]
    peer.publish("cosyedge/attic/say", say("spoken"))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="spoken", state="finished")
    assert node.stop() == 0


def test_without_a_journal_the_broker_keeps_what_has_not_ended(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    """And a stop does not wait for what nobody will finish: it says good-bye within its time."""
    node = make_node(broker.port, **NO_CARD, queue_journal="off")
    node.wait_until_ready()
    for id_ in ("a", "b"):
        peer.publish("cosyedge/attic/say", say(id_))
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="queued")
    assert node.stop() == 0
    assert "Received PUBACK from cosyedge-attic" not in broker.log
    assert "Received DISCONNECT from cosyedge-attic" in broker.log
    assert not (node.folder / "state" / "announcements.journal").exists()
    node = make_node(broker.port, **wav, queue_journal="off")
    for id_ in ("a", "b"):
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="finished")
    assert node.stop() == 0
