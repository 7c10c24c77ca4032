"""config/HEALTH.md has the fields that the messages of a node have, and no others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cosyedge.cli import main
from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode

DOCUMENT = Path(__file__).parent.parent.parent / "config" / "HEALTH.md"


def documented(table: str) -> list[str]:
    """The fields of one table, in its order."""
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = text.partition(f"<!-- {table}:begin -->")[2].partition(f"<!-- {table}:end -->")[0]
    return re.findall(r"^\| `([a-z0-9_.]+)` \|", rows, re.MULTILINE)


def fields(message: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in message.items():
        if isinstance(value, dict):
            yield from fields(value, f"{prefix}{name}.")
        else:
            yield prefix + name


def test_every_field_is_documented_and_every_documented_field_is_there(
    broker: Broker,
    peer: Peer,
    make_node: Callable[..., RunningNode],
    wav: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    node = make_node(broker.port, **wav)
    node.wait_until_ready()
    peer.publish("cosyedge/attic/say", "Dinner is ready.")
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="finished")
    peer.publish("cosyedge/attic/status/get")
    status = json.loads(peer.wait("cosyedge/attic/status", timeout_s=PATIENCE_S).payload)
    assert set(status) == {"state", "health", "history"}
    for table, message in status.items():
        assert sorted(documented(table)) == sorted(fields(message)), table
    for table in ("state", "health"):
        retained = json.loads(peer.wait(f"cosyedge/attic/{table}").payload)
        assert sorted(documented(table)) == sorted(fields(retained)), table
    told = [m.topic for m in peer.messages if b"Dinner" in m.payload]
    assert told == ["cosyedge/attic/say"], "what is spoken is told to nobody"
    assert len(status["history"]["rtf"]) == len(status["history"]["first_audio_ms"]) == 1
    at = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--mqtt-node", "attic"]
    assert main(["status", "--timeout", str(PATIENCE_S), *at]) == 0
    drawn = capsys.readouterr().out
    assert drawn.startswith("attic is online, ok, up for ")
    assert "1 queued, 1 finished" in drawn
    assert node.stop() == 0


def test_the_document_names_what_home_assistant_reads() -> None:
    from tests.mqtt.test_homeassistant import HEALTH, STATE

    assert set(documented("state")) == STATE
    assert {field.split(".")[0] for field in documented("health")} >= HEALTH
