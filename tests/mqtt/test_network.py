"""What a network does to a connection without a word: silence, slowness, names that can't be resolved."""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from cosyedge.announcements.result import Result
from tests.broker import Broker, Peer
from tests.mqtt.conftest import Node, until
from tests.proxy import Proxy

MakeNode = Callable[..., Node]
MakePeer = Callable[..., Peer]
BASE = "cosyedge/kitchen"


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_a_connection_that_is_half_open_is_left_and_nothing_is_lost(
    protocol: str, broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    with Proxy(broker.port) as wire:
        node = make_node(broker, port=wire.port, keepalive_s=1, protocol=protocol)
        node.wait_status("ok")
        peer.publish(f"{BASE}/say", "before")
        node.wait_texts("before")
        node.acknowledges_at_once = False
        peer.publish(f"{BASE}/say", "in hand")
        node.wait_texts("before", "in hand")
        wire.freeze()
        node.acknowledges_at_once = True
        peer.publish(f"{BASE}/say", "meanwhile")
        node.client.publish_result(Result("r", "finished"))
        node.wait_status("ok", times=2)  # the broker sends again what it was not thanked for
        node.client.ack(node.announcements[1])
        assert node.statuses[1] in ("mqtt_unreachable", "mqtt_taken_over")
        peer.publish(f"{BASE}/say", "after")
        node.wait_texts("before", "in hand", "meanwhile", "after")
        assert peer.wait_json(f"{BASE}/result")["id"] == "r"
        assert node.client.counts().connections == 2


def test_a_slow_broker_is_no_broken_one(broker: Broker, make_node: MakeNode, make_peer: MakePeer) -> None:
    peer = make_peer(broker)
    with Proxy(broker.port, delay_s=0.25) as wire:
        node = make_node(broker, port=wire.port, keepalive_s=1)
        node.wait_status("ok")
        texts = [f"text {number}" for number in range(30)]
        for text in texts:
            peer.publish(f"{BASE}/say", text)
            node.client.publish_result(Result(text, "finished"))
        node.wait_texts(*texts)
        told = Counter(peer.wait_json(f"{BASE}/result")["id"] for _ in texts)
        assert told == Counter(texts), "each once"
        assert node.statuses == ["ok"]


def test_a_name_that_is_resolved_again_later(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve, asked = socket.getaddrinfo, []

    def fail(host: Any, *arguments: Any, **more: Any) -> Any:
        if host != "broker.house":
            return resolve(host, *arguments, **more)
        asked.append(host)
        if len(asked) <= 3:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return resolve(broker.host, *arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    node = make_node(broker, host="broker.house")
    node.wait_status("ok")
    assert node.statuses == ["mqtt_unreachable", "ok"]
    assert len(asked) == 4
    make_peer(broker).publish(f"{BASE}/say", "hello")
    node.wait_texts("hello")


def test_brokers_that_come_and_go_are_called_again_soon(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    """However often a broker was restarted: the pause does not grow as it does where none is."""
    node = make_node(broker)
    for number in range(1, 9):
        node.wait_status("ok", times=number)
        broker.restart()
    node.wait_status("ok", times=9)
    peer = make_peer(broker)
    peer.publish(f"{BASE}/say", json.dumps({"text": "hello"}))
    node.wait_texts("hello")
    assert set(node.statuses) == {"ok", "mqtt_unreachable"}, "nobody took its place"
    until(lambda: node.client.counts().connections == 9, "each was served")
