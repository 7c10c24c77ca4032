"""When a message is acknowledged to the broker, and what comes again when it was not."""

import re
from collections.abc import Callable

import pytest

from tests.broker import Broker, Peer
from tests.mqtt.conftest import Node, acknowledged, until

MakeBroker = Callable[..., Broker]
MakeNode = Callable[..., Node]
MakePeer = Callable[..., Peer]
BASE = "cosyedge/kitchen"
SAY = f"{BASE}/say"
RESULT = f"{BASE}/result"


def test_acknowledgements_are_given_when_told_and_in_order_of_arrival(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    node.acknowledges_at_once = False
    for number in range(3):
        peer.publish(SAY, f"message {number}")
    node.wait_texts("message 0", "message 1", "message 2")
    first, second, third = node.announcements
    node.client.ack(third)
    node.client.ack(second)
    # A bad message behind them is answered now, and acknowledged when it is its turn.
    peer.publish(SAY, b"\xff")
    peer.wait_json(RESULT, error="not_utf8")
    assert acknowledged(broker) == 0
    node.client.ack(first)
    until(lambda: acknowledged(broker) == 4, "not all were acknowledged")
    mids = re.findall(r"Received PUBACK from cosyedge-kitchen \(Mid: (\d+)", broker.log)
    assert mids == sorted(mids, key=int)
    assert len(mids) == 4
    node.client.ack(first)  # once more does no harm
    assert acknowledged(broker) == 4


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_what_was_not_acknowledged_comes_again_to_the_next_process(
    protocol: str, broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker, protocol=protocol)
    node.wait_status("ok")
    node.acknowledges_at_once = False
    for number in range(3):
        peer.publish(SAY, f"message {number}")
    node.wait_texts("message 0", "message 1", "message 2")
    node.client.ack(node.announcements[0])
    until(lambda: acknowledged(broker) == 1, "the first was not acknowledged")
    node.client.stop(0.0)
    again = make_node(broker, protocol=protocol)
    again.wait_texts("message 1", "message 2")
    assert [announcement.redelivered for announcement in again.announcements] == [True, True]


def test_a_connection_that_breaks_meanwhile_does_not_double_what_is_in_hand(
    make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    broker = make_broker()
    peer = make_peer(broker)
    node = make_node(broker, keepalive_s=1)
    node.wait_status("ok")
    node.acknowledges_at_once = False
    peer.publish(SAY, "in hand")
    peer.publish(SAY, "in hand")
    node.wait_texts("in hand", "in hand")
    broker.freeze()
    node.wait_status("mqtt_unreachable")
    node.client.ack(node.announcements[1])
    broker.thaw()
    node.wait_status("ok", times=2)
    peer.publish(SAY, "new")
    node.wait_texts("in hand", "in hand", "new")
    assert acknowledged(broker) == 0
    node.client.ack(node.announcements[0])
    node.client.ack(node.announcements[2])
    until(lambda: acknowledged(broker) == 3, "not all were acknowledged")


def test_more_than_the_broker_sends_at_once_arrives_when_acknowledged(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    texts = [f"message {number}" for number in range(100)]
    for text in texts:
        peer.publish(SAY, text)
    node.wait_texts(*texts)
    until(lambda: acknowledged(broker) == 100, "not all were acknowledged")
