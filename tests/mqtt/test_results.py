"""Results: who has them, which are dropped first, and what a crash between two packets costs."""

from __future__ import annotations

import json
from collections.abc import Callable

from cosyedge.announcements.announcement import Reply
from cosyedge.announcements.result import Result
from cosyedge.mqtt.outbox import Outbox, Publication
from tests.broker import Broker, Peer
from tests.mqtt.conftest import Node, until

BASE = "cosyedge/kitchen"

MakeNode = Callable[..., Node]
MakePeer = Callable[..., Peer]


def test_a_result_is_taken_when_the_broker_has_it_on_both_topics(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    broker.freeze()
    taken: list[str] = []
    node.client.publish_result(Result("a", "finished"), Reply("answers"), lambda: taken.append("a"))
    node.client.publish_result(Result("b", "finished"), None, lambda: taken.append("b"))
    until(lambda: len(node.client._outbox) == 0, "nothing was sent")
    assert taken == []
    broker.thaw()
    until(lambda: len(taken) == 2, "nothing was taken")
    assert taken == ["a", "b"]
    peer.wait_json("answers", id="a", state="finished")


def test_a_result_that_was_on_its_way_when_the_broker_died_is_taken_once(
    broker: Broker, make_node: MakeNode
) -> None:
    node = make_node(broker)
    node.wait_status("ok")
    broker.freeze()
    taken: list[str] = []
    node.client.publish_result(Result("a", "finished"), None, lambda: taken.append("a"))
    until(lambda: len(node.client._outbox) == 0, "nothing was sent")
    broker.kill()
    node.wait_status("mqtt_unreachable")
    assert taken == []
    broker.start()
    until(lambda: taken == ["a"], "nothing was taken")


def test_a_refused_message_is_acknowledged_after_its_result_is_sent(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    node = make_node(broker)
    node.wait_status("ok")
    make_peer(broker).publish(f"{BASE}/say", '{"text": "x", "volumne": 1}')
    until(lambda: "Received PUBACK from cosyedge-kitchen" in broker.log, "it was not acknowledged")
    result = broker.log.index(f"'{BASE}/result'")
    assert result < broker.log.index("Received PUBACK from cosyedge-kitchen")


def test_a_stop_need_not_wait_for_acknowledgements_that_nobody_will_give(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    """With as much time as it may need for the results, it would wait for ten minutes."""
    peer = make_peer(broker)
    node = make_node(broker)
    node.acknowledges_at_once = False
    peer.wait(f"{BASE}/availability")
    for text in ("done", "never finished"):
        peer.publish(f"{BASE}/say", text)
    node.wait_texts("done", "never finished")
    node.client.ack(node.announcements[0])
    node.client.publish_result(Result("done", "finished"))
    assert node.client.stop(600, await_acks=False)
    peer.wait_json(f"{BASE}/result", id="done")
    make_node(broker).wait_texts("never finished")


def test_failed_commands_are_no_failed_announcements(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    peer.publish(f"{BASE}/volume/set", "loud")
    peer.publish(f"{BASE}/speed/set", "9")
    peer.publish(f"{BASE}/say", "{")
    for id_ in ("volume/set", "speed/set"):
        peer.wait_json(f"{BASE}/result", id=id_, state="failed")
    peer.wait_json(f"{BASE}/result", state="failed", error="bad_json")
    counts = node.client.counts()
    assert (counts.failed, counts.commands_failed) == (1, 2)


def test_what_is_final_is_dropped_last() -> None:
    outbox = Outbox(most_messages=4)
    for id_ in "abc":
        for state, passing in (("queued", True), ("started", True), ("finished", False)):
            outbox.put(Publication("result", json.dumps([id_, state]).encode(), passing=passing))
    kept = []
    while (publication := outbox.take()) is not None:
        kept.append(json.loads(publication.payload))
    assert kept == [["a", "finished"], ["b", "finished"], ["c", "started"], ["c", "finished"]]
    assert outbox.dropped == 5
