"""What Home Assistant is told of a node, and when."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cosyedge.mqtt.commands import parse_command
from cosyedge.mqtt.homeassistant import Described, HomeAssistant, device, is_of
from cosyedge.mqtt.topics import Topics
from tests.broker import Broker, Peer
from tests.mqtt.conftest import Node
from tests.mqtt.discovery import check

KITCHEN = Topics("kitchen")
DESCRIBED = Described("0123456789abcdef", ["xiaoyan", "en_us"], ["zh", "en"], "0.1.0", "zh-en 1")
DISCOVERY = "homeassistant/device/cosyedge_0123456789abcdef/config"

#: What the two retained messages have; that they have it is tested where they are made.
STATE = {"speaking", "queue", "volume", "mute", "voice", "lang", "speed", "output"}
HEALTH = {"status", "reasons", "rss_mb", "first_audio_ms", "rtf", "cpu_temp_c", "version"}


def components(described: Described = DESCRIBED, topics: Topics = KITCHEN) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = device(topics, described)["components"]
    return found


@pytest.mark.parametrize("last_text", [False, True])
def test_the_message_is_what_home_assistant_takes(last_text: bool) -> None:
    message = device(KITCHEN, replace(DESCRIBED, last_text=last_text))
    check(message)
    assert message["availability_topic"] == "cosyedge/kitchen/availability"
    assert {key: component["platform"] for key, component in message["components"].items()} == {
        "say": "notify",
        "voice": "select",
        "language": "select",
        "volume": "number",
        "speed": "number",
        "mute": "switch",
        "stop": "button",
        "test": "button",
        "repeat": "button",
        "speaking": "binary_sensor",
        "problem": "binary_sensor",
        "queue": "sensor",
        "memory": "sensor",
        "first_audio": "sensor",
        "rtf": "sensor",
        "temperature": "sensor",
        "version": "sensor",
        "last_text": "sensor",
    }


def test_the_check_of_messages_can_fail() -> None:
    for key, value in (("unit_of_measurement", "MBit"), ("state_topc", "a"), ("unique_id", "a b")):
        message = device(KITCHEN, DESCRIBED)
        message["components"]["memory"][key] = value
        with pytest.raises(AssertionError):
            check(message)


def test_what_was_said_last_is_told_to_nobody_unless_it_is_wanted() -> None:
    assert components()["last_text"] == {"platform": "sensor"}, "which takes back what was wanted earlier"
    assert components(replace(DESCRIBED, last_text=True))["last_text"]["state_topic"].endswith("/last_text")


def test_ids_outlive_the_name() -> None:
    renamed = Topics("cellar")
    for key, component in components().items():
        if len(component) > 1:
            assert component["unique_id"] == components(topics=renamed)[key]["unique_id"]
            assert "kitchen" not in component["unique_id"]
    old, new = (
        HomeAssistant(topics, DESCRIBED, prefix="ha", status_topic="s") for topics in (KITCHEN, renamed)
    )
    assert old.retained[0].topic == new.retained[0].topic == DISCOVERY.replace("homeassistant", "ha")
    identifiers = [json.loads(bridge.retained[0].payload)["device"]["identifiers"] for bridge in (old, new)]
    assert identifiers[0] == identifiers[1]


def test_whose_message_it_is() -> None:
    payload = json.dumps(device(KITCHEN, DESCRIBED)).encode()
    assert is_of(KITCHEN, payload)
    assert not is_of(Topics("cellar"), payload)
    for other in (
        b"",
        b"[]",
        b"null",
        b'"x"',
        b'{"origin": 1}',
        b'{"origin": {"name": "cosyedge"}}',
        b"[" * 9999,
    ):
        assert not is_of(KITCHEN, other)


def test_every_command_is_one_that_the_node_carries_out() -> None:
    for component in components().values():
        if "command_topic" not in component:
            continue
        command = KITCHEN.command_of(component["command_topic"])
        assert command is not None
        for payload in _payloads(component):
            if command != "say":
                parse_command(command, payload.encode())


def _payloads(component: dict[str, Any]) -> list[str]:
    match component["platform"]:
        case "select":
            return list(component["options"])
        case "number":
            return [str(component["min"]), str(component["max"]), str(component["min"] + component["step"])]
        case "switch":
            return ["ON", "OFF"]
        case _:
            return [component.get("payload_press", "PRESS")]


def test_stop_makes_silence() -> None:
    payload = components()["stop"]["payload_press"]
    assert parse_command("stop", payload.encode()).value is True


def test_every_value_is_one_that_the_node_tells() -> None:
    known = {KITCHEN.state: STATE, KITCHEN.health: HEALTH}
    for component in components().values():
        for kind in ("state", "json_attributes"):
            template = component.get("value_template" if kind == "state" else "json_attributes_template")
            if template is None:
                continue
            fields = set(re.findall(r"value_json\.(\w+)", template))
            assert fields
            assert fields <= known[component[f"{kind}_topic"]]


def test_it_is_told_at_every_connection_and_when_home_assistant_starts(
    broker: Broker, make_node: Callable[..., Node], make_peer: Callable[..., Peer]
) -> None:
    bridge = HomeAssistant(KITCHEN, DESCRIBED, prefix="homeassistant", status_topic="homeassistant/status")
    node = make_node(broker, start=False, bridges=[bridge])
    node.client.publish_state({"queue": 0})
    node.client.publish_health({"status": "ok"})
    node.client.start()
    node.wait_status("ok")
    peer = make_peer(broker)
    kept = ["cosyedge/kitchen/state", "cosyedge/kitchen/health", DISCOVERY]
    for topic in kept:
        message = peer.wait(topic)
    check(json.loads(message.payload))
    for word in ("offline", "ONLINE", ""):
        peer.publish("homeassistant/status", word)
    before = len(peer.messages)
    peer.publish("homeassistant/status", "online")
    peer.wait(DISCOVERY)
    again = [message.topic for message in peer.messages[before:] if message.topic in kept]
    assert again == kept, "values first, so that nothing is unknown for a moment"
    broker.restart()
    node.wait_status("ok", times=2)
    make_peer(broker).wait(DISCOVERY)  # kept, or as it is sent: from now on it is there
    assert make_peer(broker).wait(DISCOVERY).retain


def test_the_last_text_is_not_kept_by_the_broker(
    broker: Broker, make_node: Callable[..., Node], make_peer: Callable[..., Peer]
) -> None:
    bridge = HomeAssistant(KITCHEN, DESCRIBED, prefix="homeassistant", status_topic="homeassistant/status")
    node = make_node(broker, bridges=[bridge])
    node.wait_status("ok")
    peer = make_peer(broker)
    node.client.publish_last_text("Good night.")
    assert peer.wait("cosyedge/kitchen/last_text").payload == b"Good night."
    peer.publish("homeassistant/status", "online")
    assert peer.wait("cosyedge/kitchen/last_text").payload == b"Good night.", "Home Assistant has lost it"
    node.client.publish_last_text("晚" * 300)
    assert peer.wait("cosyedge/kitchen/last_text").payload.decode() == "晚" * 255, "the most that it takes"
    late = make_peer(broker)
    late.wait(DISCOVERY)
    assert not any(message.topic.endswith("last_text") for message in late.messages)
