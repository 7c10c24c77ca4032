"""What the service manager sees and does: the status line, a reload, a thread that hangs."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode

HANG = "hang here"


def wait_for_log(node: RunningNode, words: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while words not in node.log:
        assert time.monotonic() < deadline, f"not logged: {words}\n{node.log}"
        time.sleep(0.02)


def test_the_status_line_says_what_goes_on(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, **wav)
    node.notified("STATUS=loading the voice")
    node.notified("READY=1\nSTATUS=")
    node.notified("STATUS=ready as attic")
    peer.publish("cosyedge/attic/say", json.dumps({"id": "a", "text": "今天天气不错。" * 40}))
    peer.publish("cosyedge/attic/say", json.dumps({"id": "b", "text": "好。"}))
    node.notified("STATUS=speaking, 1 waiting")
    broker.kill()
    node.notified("STATUS=The connection to the broker at")
    assert node.stop() == 0


def test_a_reload_takes_over_what_it_can_and_names_the_rest(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "cosyedge.yaml"
    file.write_text("limits:\n  max_chars: 1000\n")
    node = make_node(broker.port, config=file, **wav)
    node.wait_until_ready()
    file.write_text("limits:\n  max_chars: 3\naudio:\n  lead_in_s: 1\n")
    before = len(node.told())
    node.process.send_signal(signal.SIGHUP)
    told = node.notified("RELOADING=1\nMONOTONIC_USEC=")
    node.notified("READY=1", after=told.index("RELOADING=1", before))
    assert "limits.max_chars changed" in node.log
    assert "audio.lead_in_s: a restart is needed" in node.log
    peer.publish("cosyedge/attic/say", json.dumps({"id": "a", "text": "four"}))
    assert peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="a")["error"] == "text_too_long"
    file.write_text("limits:\n  max_cars: 3\n")
    before = len(node.told())
    node.process.send_signal(signal.SIGHUP)
    node.notified("READY=1", after=before)
    assert "limits.max_cars is not an option." in node.log
    assert "Nothing was changed." in node.log
    peer.publish("cosyedge/attic/say", json.dumps({"id": "b", "text": "one"}))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="b", state="finished")
    assert node.stop() == 0


def test_an_announcement_at_which_the_daemon_hung_is_not_tried_for_ever(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any], tmp_path: Path
) -> None:
    """The watchdog's signal comes from here, and as soon as the thread hangs, not 20 s later."""
    impatient = "import cosyedge.liveness\ncosyedge.liveness.SPEECH_ALLOWANCE_S = -1000\n"
    (tmp_path / "sitecustomize.py").write_text(impatient)
    hangs = {"COSYEDGE_TEST_HANG": HANG, "PYTHONPATH": str(tmp_path), "WATCHDOG_USEC": "400000"}
    node = make_node(broker.port, environment=hangs, **wav)
    node.wait_until_ready()
    for id_, text in (("bad", HANG), ("good", "好。")):
        peer.publish("cosyedge/attic/say", json.dumps({"id": id_, "text": text}))
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="queued")
    wait_for_log(node, "hanging, as COSYEDGE_TEST_HANG wants it")
    assert "WATCHDOG=1" not in node.told()
    node.process.send_signal(signal.SIGABRT)
    assert node.ended() == 71
    assert "given up by the watchdog" in node.log
    assert "in read" in node.log, "the stack of the thread that hangs"
    again = make_node(broker.port, **wav)
    failed = peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="bad")
    assert (failed["state"], failed["error"]) == ("failed", "internal")
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="good", state="finished")
    assert again.stop() == 0
