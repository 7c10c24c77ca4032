"""Every file of config/examples does what it says, with the programs that it is for and a node."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cosyedge.mqtt.topics import Topics
from tests.broker import Broker, Peer, free_port
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.end_to_end.test_home_assistant import ENTITIES, complaints
from tests.peers.places import node_red, python_of
from tests.peers.program import Program

EXAMPLES = Path(__file__).parent.parent.parent / "config" / "examples"
MakeNode = Callable[..., RunningNode]


def test_each_file_is_in_the_list_and_tested() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    files = {str(file.relative_to(EXAMPLES)) for file in EXAMPLES.rglob("*") if file.is_file()}
    assert files == {
        "README.md",
        "mosquitto/announce.sh",
        "mosquitto/house.acl",
        "homeassistant/automations.yaml",
        "homeassistant/dashboard.yaml",
        "node-red/flow.json",
    }
    assert all(f"({file})" in listed for file in files - {"README.md"})


# --- mosquitto


def announce(port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [EXAMPLES / "mosquitto" / "announce.sh", *arguments],
        env={**os.environ, "MQTT_PORT": str(port)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


def test_mosquitto(
    broker: Broker, peer: Peer, make_node: MakeNode, wav: dict[str, Any], tmp_path: Path
) -> None:
    node = make_node(broker.port, **wav)
    node.wait_until_ready()
    done = announce(broker.port, "attic", 'He said: "Dinner\tis\nready\\".')
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list((tmp_path / "wav").iterdir())) == 1, "heard before it was over"
    refused = announce(broker.port, "attic", "{{ states('x') }}")
    assert refused.returncode == 1
    assert json.loads(refused.stderr)["error"] == "template_not_rendered"
    assert node.stop() == 0
    away = announce(broker.port, "attic", "Dinner is ready.")
    assert (away.returncode, away.stderr) == (1, "attic is offline\n")
    assert announce(broker.port, "attic").returncode == 2
    spoken = [json.loads(m.payload) for m in peer.messages if m.topic == "cosyedge/attic/say"]
    assert spoken[0]["text"] == 'He said: "Dinner is ready\\".'
    assert len(spoken) == 2


# --- Home Assistant


def entities_of(value: Any) -> Iterator[str]:
    """Whatever stands as an entity in a dashboard or an automation."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("entity", "entity_id") and isinstance(inner, str):
                yield inner
            else:
                yield from entities_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from entities_of(inner)


def test_the_dashboard_shows_what_a_node_brings() -> None:
    dashboard = yaml.safe_load((EXAMPLES / "homeassistant" / "dashboard.yaml").read_text(encoding="utf-8"))
    shown = set(entities_of(dashboard))
    assert shown <= ENTITIES
    assert ENTITIES - shown == {"notify.cosyedge_attic"}, "which has nothing to show"
    known = {"entities", "horizontal-stack", "button", "gauge", "history-graph"}
    cards = [card for view in dashboard["views"] for card in view["cards"]]
    assert {card["type"] for card in cards} <= known
    gauge = next(card for card in cards if card["type"] == "gauge")
    assert gauge["max"] == 420, "the default of memory.limit_mb"


def test_the_automations_know_the_node() -> None:
    rules = yaml.safe_load((EXAMPLES / "homeassistant" / "automations.yaml").read_text(encoding="utf-8"))
    ours = {entity for entity in entities_of(rules) if "cosyedge" in entity}
    assert ours <= ENTITIES
    assert len({rule["id"] for rule in rules}) == len(rules) == 5
    topics = Topics("attic")
    for rule in rules:
        for action in rule["actions"]:
            if action["action"] == "mqtt.publish":
                assert topics.command_of(action["data"]["topic"]) is not None


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_automations_speak(
    broker: Broker, peer: Peer, make_node: MakeNode, wav: dict[str, Any], tmp_path: Path
) -> None:
    program = Path(__file__).parent.parent / "peers" / "home_assistant.py"
    automations = EXAMPLES / "homeassistant" / "automations.yaml"
    command = [python_of("home-assistant"), program, broker.port, tmp_path / "home", free_port(), automations]
    with Program(command, tmp_path / "home.log") as home:
        node = make_node(broker.port, **wav)
        node.wait_until_ready()
        assert home("wait", entity="number.cosyedge_attic_volume", state="100") is True

        home("set", entity="sensor.washing_machine_power", state="3")
        home("call", service="automation.trigger", data={"entity_id": "automation.washing_is_done"})
        said = peer.wait("cosyedge/attic/say", timeout_s=PATIENCE_S).payload.decode()
        assert said.startswith("The washing is done.")
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="finished")

        name = {"friendly_name": 'The "big" door'}
        home("set", entity="binary_sensor.front_door", state="off", attributes=name)
        home("set", entity="binary_sensor.front_door", state="on", attributes=name)
        door = peer.wait_json("cosyedge/attic/say", PATIENCE_S, priority="urgent")
        assert door == {
            "text": 'The "big" door was opened.', "priority": "urgent", "chime": True, "ttl_s": 60,
        }  # fmt: skip
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="finished")

        home("call", service="automation.trigger", data={"entity_id": "automation.quiet_at_night"})
        peer.wait_json("cosyedge/attic/state", PATIENCE_S, volume=30)

        peer.publish("cosyedge/attic/say", "{{ not rendered }}")
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="failed")
        shown = until(lambda: home("notifications"), "Not spoken")
        assert shown["Not spoken"] == "The text still has a {{ template }} in it."

        assert node.stop() == 0
        make_node(broker.port, audio_device="CARD=Unplugged").wait_until_ready()
        shown = until(lambda: home("notifications"), "The loudspeaker in the attic")
        assert shown["The loudspeaker in the attic"] == "audio_missing"
        others = [line for line in complaints(home) if "sensor.washing_machine_power" not in line]
        assert others == [], "that sensor is of the house, and came late"


def until(look: Callable[[], dict[str, str]], key: str) -> dict[str, str]:
    """What is seen once ``key`` is in it."""
    deadline = time.monotonic() + PATIENCE_S
    while key not in (seen := look()):
        assert time.monotonic() < deadline, seen
        time.sleep(0.1)
    return seen


# --- Node-RED


class NodeRed:
    """Node-RED with the flow of the example, whose broker alone is another."""

    def __init__(self, folder: Path, broker_port: int) -> None:
        self.port = free_port()
        self.log_path = folder / "node-red.log"
        flow = json.loads((EXAMPLES / "node-red" / "flow.json").read_text(encoding="utf-8"))
        (at,) = [node for node in flow if node["type"] == "mqtt-broker"]
        at["broker"], at["port"] = "127.0.0.1", str(broker_port)
        folder.mkdir()
        (folder / "flow.json").write_text(json.dumps(flow))
        (folder / "settings.js").write_text(
            "module.exports = {uiHost: '127.0.0.1', flowFile: 'flow.json', telemetry: {enabled: false},"
            " logging: {console: {level: 'info', metrics: false, audit: false}}};"
        )
        command = [node_red(), "--userDir", folder, "--port", str(self.port)]
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, "HOME": str(folder)}
            )

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def wait_until_connected(self, patience_s: float = 180) -> None:
        deadline = time.monotonic() + patience_s
        while "Connected to broker" not in self.log:
            assert self.process.poll() is None, self.log
            assert time.monotonic() < deadline, self.log
            time.sleep(0.1)

    def press(self, node: str) -> None:
        """The button of an inject node."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/inject/{node}", data=b"", method="POST"
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(20)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_node_red(
    broker: Broker, peer: Peer, make_node: MakeNode, wav: dict[str, Any], tmp_path: Path
) -> None:
    flow = NodeRed(tmp_path / "red", broker.port)
    try:
        flow.wait_until_connected()
        node = make_node(broker.port, **wav)
        node.wait_until_ready()
        status = peer.wait("home/problems", timeout_s=PATIENCE_S).payload
        assert status == b"attic is ok", "what it was at first is no change"

        for watts in ("2", "2100", "450", "3", "3"):
            peer.publish("home/washing-machine/power", watts)
        said = peer.wait_json("cosyedge/attic/say", PATIENCE_S)
        assert said["text"].startswith("The washing is done.")
        assert said["ttl_s"] == 3600
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=said["id"], state="finished")
        assert [message.topic for message in peer.messages].count("cosyedge/attic/say") == 1, "said once"

        peer.publish("cosyedge/attic/say", "{{ not rendered }}")
        problem = peer.wait("home/problems", timeout_s=PATIENCE_S).payload
        assert problem == b"The text still has a {{ template }} in it."

        flow.press("cosyedge.night")
        peer.wait_json("cosyedge/attic/state", PATIENCE_S, volume=30)
        assert node.stop() == 0
        assert "[error]" not in flow.log
        assert "[warn] [" not in flow.log, "which nodes say"
    finally:
        flow.close()
