"""Being there, and saying so: at a real broker, through everything that brokers do."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from cosyedge.announcements.result import Result
from cosyedge.mqtt import client as client_module
from tests.broker import Broker, Peer
from tests.mqtt.conftest import Node, until

MakeBroker = Callable[..., Broker]
MakeNode = Callable[..., Node]
MakePeer = Callable[..., Peer]
BASE = "cosyedge/kitchen"
AVAILABILITY = f"{BASE}/availability"


def availabilities(peer: Peer) -> list[bytes]:
    return [bytes(message.payload) for message in peer.messages if message.topic == AVAILABILITY]


LIVES_UNTIL_KILLED = """
import json, sys, time
from cosyedge.mqtt.client import MqttClient
from cosyedge.mqtt.settings import MqttSettings
from cosyedge.mqtt.topics import Topics

def nothing(*_):
    pass

MqttClient(
    MqttSettings(**json.loads(sys.argv[1])), Topics("kitchen"),
    parse=nothing, on_announcement=nothing, on_command=nothing, on_status=nothing,
).start()
time.sleep(60)
"""


@contextmanager
def node_process(broker: Broker, **settings: int) -> Iterator[subprocess.Popen[bytes]]:
    values = json.dumps({"host": broker.host, "port": broker.port, **settings})
    with subprocess.Popen([sys.executable, "-c", LIVES_UNTIL_KILLED, values]) as process:
        try:
            yield process
        finally:
            process.kill()


def test_online_then_the_will_when_the_process_dies(broker: Broker, make_peer: MakePeer) -> None:
    peer = make_peer(broker)
    with node_process(broker):
        assert peer.wait(AVAILABILITY).payload == b"online"
    assert peer.wait(AVAILABILITY).payload == b"offline"
    late = make_peer(broker)
    assert late.wait(AVAILABILITY, lambda message: message.retain).payload == b"offline"


def test_with_a_will_delay_a_quick_restart_goes_unnoticed(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    with node_process(broker, will_delay_s=600):
        assert peer.wait(AVAILABILITY).payload == b"online"
    make_node(broker, will_delay_s=600)
    assert peer.wait(AVAILABILITY).payload == b"online"
    assert availabilities(peer) == [b"online", b"online"]


def test_online_means_listening(broker: Broker, make_node: MakeNode, make_peer: MakePeer) -> None:
    peer = make_peer(broker)
    node = make_node(broker, groups=("adults",))
    peer.wait(AVAILABILITY)
    for topic in (
        f"{BASE}/say",
        "cosyedge/all/say",
        "cosyedge/group/adults/say",
        "cosyedge/group/children/say",
    ):
        peer.publish(topic, topic)
    peer.publish("cosyedge/all/say", "end")
    node.wait_texts(f"{BASE}/say", "cosyedge/all/say", "cosyedge/group/adults/say", "end")


def test_the_mosquitto_client_is_heard(broker: Broker, make_node: MakeNode) -> None:
    node = make_node(broker)
    node.wait_status("ok")
    where = ["-h", broker.host, "-p", str(broker.port), "-t", f"{BASE}/say"]
    command = ["mosquitto_pub", *where, "-q", "1", "-m", "晚饭好了, dinner is ready"]
    subprocess.run(command, check=True, timeout=10)
    node.wait_texts("晚饭好了, dinner is ready")


def test_a_clean_stop_says_offline_last_and_without_the_will(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.acknowledges_at_once = False
    peer.wait(AVAILABILITY)
    peer.publish(f"{BASE}/say", "the last words")
    node.wait_texts("the last words")
    announcement = node.announcements[0]

    def finish() -> None:
        until(lambda: node.client._stop.is_set(), "the stop did not begin")
        node.client.publish_state({"speaking": False})
        node.client.publish_result(Result("some-id", "finished"))
        node.client.ack(announcement)

    finisher = threading.Thread(target=finish)
    finisher.start()
    assert node.client.stop(10)
    finisher.join()
    peer.wait(AVAILABILITY, lambda message: message.payload == b"offline")
    topics = [message.topic for message in peer.messages]
    assert topics[-1] == AVAILABILITY
    assert topics.index(f"{BASE}/result") < len(topics) - 1
    assert f"{BASE}/state" in topics
    assert "Sending Will" not in broker.log
    assert availabilities(peer) == [b"online", b"offline"]
    # Nothing comes again: it was acknowledged.
    again = make_node(broker)
    again.wait_status("ok")
    peer.publish(f"{BASE}/say", "new")
    again.wait_texts("new")


def test_a_stop_waits_no_longer_than_it_may(broker: Broker, make_node: MakeNode, make_peer: MakePeer) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.acknowledges_at_once = False
    peer.wait(AVAILABILITY)
    peer.publish(f"{BASE}/say", "never finished")
    node.wait_texts("never finished")
    assert node.client.stop(0.1)
    assert peer.wait(AVAILABILITY).payload == b"offline"
    again = make_node(broker)
    again.wait_texts("never finished")
    assert again.announcements[0].redelivered


def test_what_comes_while_stopping_is_left_for_the_next_start(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    peer.wait(AVAILABILITY)
    node.client.hold()
    peer.publish(f"{BASE}/say", "too late")
    assert node.client.stop()
    peer.publish(f"{BASE}/say", "later still")
    assert node.announcements == []
    make_node(broker).wait_texts("too late", "later still")


@pytest.mark.parametrize("persistence", [False, True])
def test_after_a_broker_was_killed_everything_is_as_before(
    persistence: bool, make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    broker = make_broker(persistence=persistence)
    node = make_node(broker)
    node.wait_status("ok")
    node.client.publish_state({"volume": 40})
    node.client.publish_health({"status": "ok"})
    broker.kill()
    node.wait_status("mqtt_unreachable")
    node.client.publish_state({"volume": 50})
    broker.start()
    node.wait_status("ok", times=2)
    peer = make_peer(broker)
    peer.wait(AVAILABILITY, lambda message: message.payload == b"online")
    assert peer.wait_json(f"{BASE}/state", volume=50) == {"volume": 50}
    assert peer.wait_json(f"{BASE}/health") == {"status": "ok"}
    late = make_peer(broker)
    assert late.wait(f"{BASE}/state", lambda message: message.retain).payload == b'{"volume":50}'
    for topic in (f"{BASE}/say", "cosyedge/all/say"):
        peer.publish(topic, topic)
    node.wait_texts(f"{BASE}/say", "cosyedge/all/say")
    assert node.client.counts().connections == 2


def test_results_wait_for_the_broker_and_keep_their_order(
    make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    broker = make_broker(persistence=True)
    make_peer(broker, f"{BASE}/result", session="watcher").close()
    node = make_node(broker)
    node.wait_status("ok")
    broker.freeze()
    # More than may be on the wire at once: some are lost with the connection, some were never sent.
    for number in range(40):
        node.client.publish_result(Result(str(number), "finished"))
    until(lambda: len(node.client._outbox) < 40, "nothing was sent")
    broker.kill()
    node.wait_status("mqtt_unreachable")
    node.client.publish_result(Result("last", "finished"))
    broker.start()
    peer = make_peer(broker, f"{BASE}/result", session="watcher")
    peer.wait_json(f"{BASE}/result", id="last")
    ids = [json.loads(message.payload)["id"] for message in peer.messages]
    assert list(dict.fromkeys(ids)) == [*(str(number) for number in range(40)), "last"]


def test_a_dead_connection_is_noticed(broker: Broker, make_node: MakeNode) -> None:
    node = make_node(broker, keepalive_s=1)
    node.wait_status("ok")
    broker.freeze()
    node.wait_status("mqtt_unreachable")
    broker.thaw()
    node.wait_status("ok", times=2)


def test_a_thread_that_hangs_can_be_told_from_one_that_waits(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "TURN_ALLOWANCE_S", 0.3)
    monkeypatch.setattr(client_module, "POLL_S", 0.05)
    node = make_node(broker)
    node.wait_status("ok")
    peer = make_peer(broker)
    node.goes_on.clear()
    peer.publish(f"{BASE}/test")
    until(lambda: time.monotonic() > node.client.alive_until, "nobody could notice")
    node.goes_on.set()
    until(lambda: time.monotonic() < node.client.alive_until, "it is alive, and nobody notices")
