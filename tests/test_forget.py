"""`cosyedge forget`: nothing at the broker tells of a node that has gone for good."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from cosyedge.cli import main
from tests.broker import Broker, Peer, broker, make_broker, make_peer

__all__ = ["broker", "make_broker", "make_peer"]

RETAINED = {"availability": "offline", "state": '{"queue": 2}', "health": '{"status": "ok"}'}


@pytest.fixture
def flags(broker: Broker, make_peer: Callable[..., Peer]) -> list[str]:
    """A broker at which the nodes attic and cellar have left all that a node leaves."""
    peer = make_peer(broker)
    for node in ("attic", "cellar"):
        for name, payload in RETAINED.items():
            peer.publish(f"cosyedge/{node}/{name}", payload, retain=True)
        known = {"origin": {"name": "cosyedge"}, "availability_topic": f"cosyedge/{node}/availability"}
        peer.publish(f"homeassistant/device/{node}/config", json.dumps(known), retain=True)
    return ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port)]


def kept(broker: Broker) -> set[str]:
    """The topics that are retained."""
    late = Peer(broker, "#")
    late.publish("end", "", retain=False)
    late.wait("end")
    late.close()
    return {message.topic for message in late.messages if message.retain}


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_the_node_is_forgotten_and_no_other(
    broker: Broker, flags: list[str], protocol: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asleep = Peer(broker, "cosyedge/attic/say", session="cosyedge-attic")
    asleep.close()
    ours = {f"cosyedge/attic/{name}" for name in RETAINED} | {"homeassistant/device/attic/config"}
    before = kept(broker)
    assert ours <= before
    command = ["forget", "--json", *flags, "--mqtt-node", "attic", "--mqtt-protocol", protocol]
    assert main(command) == 0
    assert set(json.loads(capsys.readouterr().out)["forgotten"]) == ours
    assert kept(broker) == before - ours
    # What was waiting for it has gone with its session.
    sender = Peer(broker, "none")
    sender.publish("cosyedge/attic/say", "too late")
    sender.close()
    awake = Peer(broker, "end", session="cosyedge-attic")
    awake.publish("end")
    awake.wait("end")
    awake.close()
    assert [message.topic for message in awake.messages] == ["end"]
    assert main([*command, "--timeout", "0.5"]) == 0, "again is no error"
    assert json.loads(capsys.readouterr().out)["forgotten"] == []


def test_a_node_that_runs_is_left_alone(
    broker: Broker, flags: list[str], make_peer: Callable[..., Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    make_peer(broker).publish("cosyedge/attic/availability", "online", retain=True)
    before = kept(broker)
    assert main(["forget", "--json", *flags, "--mqtt-node", "attic"]) == 69
    assert json.loads(capsys.readouterr().out)["error"] == "node_online"
    assert kept(broker) == before


def test_without_a_broker_it_says_so(
    broker: Broker, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    broker.kill()
    assert main(["forget", "--json", *flags, "--mqtt-node", "attic", "--timeout", "1"]) == 69
    assert json.loads(capsys.readouterr().out)["error"] == "mqtt_unreachable"
