"""A node and Home Assistant itself, with nothing between them but the broker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.broker import Broker, Peer, free_port
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.peers.places import python_of
from tests.peers.program import Program

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

MakeNode = Callable[..., RunningNode]

#: What a node called attic brings into the house.
ENTITIES = {
    "notify.cosyedge_attic",
    "select.cosyedge_attic_voice",
    "select.cosyedge_attic_language",
    "number.cosyedge_attic_volume",
    "number.cosyedge_attic_speed",
    "switch.cosyedge_attic_mute",
    "button.cosyedge_attic_stop",
    "button.cosyedge_attic_test",
    "button.cosyedge_attic_repeat",
    "binary_sensor.cosyedge_attic_speaking",
    "binary_sensor.cosyedge_attic_problem",
    "sensor.cosyedge_attic_queue",
    "sensor.cosyedge_attic_memory",
    "sensor.cosyedge_attic_first_audio",
    "sensor.cosyedge_attic_real_time_factor",
    "sensor.cosyedge_attic_cpu_temperature",
    "sensor.cosyedge_attic_version",
}


@pytest.fixture
def home(broker: Broker, tmp_path: Path) -> Iterator[Program]:
    program = Path(__file__).parent.parent / "peers" / "home_assistant.py"
    command = [python_of("home-assistant"), program, broker.port, tmp_path / "home", free_port()]
    with Program(command, tmp_path / "home.log") as running:
        yield running


def complaints(home: Program) -> list[str]:
    """What its log has against us, as far as a component says it."""
    found = ("ERROR", "WARNING:homeassistant.components", "WARNING:homeassistant.helpers.template")
    return [line for line in home.log.splitlines() if line.startswith(found)]


def removed(broker: Broker) -> list[str]:
    """What `cosyedge discovery remove` says of the node that is called cellar now."""
    command = [sys.executable, "-m", "cosyedge", "discovery", "remove", "--json", "--config", os.devnull]
    command += ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--mqtt-node", "cellar"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    topics: list[str] = json.loads(done.stdout.splitlines()[-1])["removed"]
    return topics


def test_a_node_is_a_device_that_can_be_used(
    home: Program, broker: Broker, peer: Peer, make_node: MakeNode, wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, **wav)
    assert home("wait", entity="binary_sensor.cosyedge_attic_problem", state="off") is True
    assert home("wait", entity="number.cosyedge_attic_volume", state="100") is True
    states = home("states")
    ours = {entity for entity, state in states.items() if (state["unique_id"] or "").startswith("cosyedge_")}
    assert ours == ENTITIES
    ids = {states[entity]["unique_id"] for entity in ours}
    assert len(ids) == len(ENTITIES)
    assert not any("attic" in id_ for id_ in ids)
    version = states["sensor.cosyedge_attic_version"]
    assert version["state"][0].isdigit()
    assert float(states["sensor.cosyedge_attic_memory"]["state"]) > 10
    assert states["select.cosyedge_attic_voice"]["state"] == "auto"
    assert set(states["select.cosyedge_attic_voice"]["attributes"]["options"]) > {"auto", "xiaoyan"}
    assert states["select.cosyedge_attic_language"]["attributes"]["options"][:2] == ["auto", "zh"]
    assert states["sensor.cosyedge_attic_first_audio"]["state"] == "unknown", "nothing was said yet"

    home(
        "call",
        service="notify.send_message",
        data={"entity_id": "notify.cosyedge_attic", "message": "Dinner is ready."},
    )
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="finished", lang="en")
    for service, entity, values, topic, wanted in (
        ("select.select_option", "select.cosyedge_attic_voice", {"option": "xiaoyan"}, "voice", "xiaoyan"),
        ("select.select_option", "select.cosyedge_attic_language", {"option": "en"}, "lang", "en"),
        ("number.set_value", "number.cosyedge_attic_volume", {"value": 30}, "volume", 30),
        ("number.set_value", "number.cosyedge_attic_speed", {"value": 1.15}, "speed", 1.15),
        ("switch.turn_on", "switch.cosyedge_attic_mute", {}, "mute", True),
    ):
        home("call", service=service, data={"entity_id": entity, **values})
        peer.wait_json("cosyedge/attic/state", PATIENCE_S, **{topic: wanted})
        shown = {True: "on", 30: "30"}.get(wanted, str(wanted))  # type: ignore[call-overload]
        assert home("wait", entity=entity, state=shown) is True
    for button in ("test", "repeat"):
        home("call", service="button.press", data={"entity_id": f"button.cosyedge_attic_{button}"})
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="finished", voice="xiaoyan")
    home("call", service="button.press", data={"entity_id": "button.cosyedge_attic_stop"})

    assert node.stop() == 0
    assert home("wait", entity="notify.cosyedge_attic", state="unavailable") is True
    assert all(home("states")[entity]["state"] == "unavailable" for entity in ENTITIES)
    assert complaints(home) == []


def test_it_keeps_its_place_when_it_is_renamed_and_leaves_when_it_is_told_to(
    home: Program, broker: Broker, peer: Peer, make_node: MakeNode, wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, homeassistant_last_text=True, **wav)
    assert home("wait", entity="sensor.cosyedge_attic_last_text", state="unknown") is True
    peer.publish("cosyedge/attic/say", "Good night, house.")
    assert home("wait", entity="sensor.cosyedge_attic_last_text", state="Good night, house.") is True
    before = {entity: state["unique_id"] for entity, state in home("states").items()}
    assert node.stop() == 0

    node = make_node(broker.port, mqtt_node="cellar", **wav)
    peer.wait("cosyedge/cellar/availability", timeout_s=PATIENCE_S)
    assert home("absent", entity="sensor.cosyedge_attic_last_text") is True, "it was switched off"
    assert home("wait", entity="number.cosyedge_attic_volume", state="100") is True
    home("call", service="number.set_value", data={"entity_id": "number.cosyedge_attic_volume", "value": 40})
    peer.wait_json("cosyedge/cellar/state", PATIENCE_S, volume=40)
    after = {entity: state["unique_id"] for entity, state in home("states").items()}
    assert after == {entity: id_ for entity, id_ in before.items() if "last_text" not in entity}

    peer.publish("homeassistant/device/cosyedge_other/config", json.dumps({"not": "ours"}), retain=True)
    assert node.stop() == 0
    assert removed(broker) == [f"homeassistant/device/{_device(before)}/config"]
    assert home("absent", entity="notify.cosyedge_attic") is True
    assert not set(home("states")) & ENTITIES
    assert removed(broker) == []


def test_a_home_that_was_away_is_told_all_again(
    home: Program, broker: Broker, peer: Peer, make_node: MakeNode, wav: dict[str, Any]
) -> None:
    make_node(broker.port, **wav).wait_until_ready()
    assert home("wait", entity="switch.cosyedge_attic_mute", state="off") is True
    peer.publish("cosyedge/attic/mute/set", "ON")
    assert home("wait", entity="switch.cosyedge_attic_mute", state="on") is True
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, mute=True)
    seen = len(peer.messages)
    home("birth")
    peer.wait("homeassistant/status")
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, mute=True)
    peer.wait("cosyedge/attic/health")
    peer.wait(
        f"homeassistant/device/{_device(_ids(home))}/config",
        lambda message: peer.messages.index(message) >= seen,
        PATIENCE_S,
    )
    assert complaints(home) == []


def _ids(home: Program) -> dict[str, str]:
    return {entity: state["unique_id"] for entity, state in home("states").items()}


def _device(ids: dict[str, str]) -> str:
    """The name of the device in its discovery topic."""
    return ids["notify.cosyedge_attic"].removesuffix("_say")
