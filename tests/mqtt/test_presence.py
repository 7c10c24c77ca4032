"""Being there, and saying so: at a real broker, through everything that brokers do."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cosyedge.announcements.announcement import Reply
from cosyedge.announcements.result import Result
from cosyedge.mqtt import client as client_module
from cosyedge.mqtt.bridge import Bridge
from cosyedge.mqtt.hermes import Hermes
from cosyedge.mqtt.homeassistant import Described, HomeAssistant
from cosyedge.mqtt.topics import Topics
from tests.broker import Broker, Certificates, Peer
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


def test_a_broker_that_is_not_there_at_boot(make_broker: MakeBroker, make_node: MakeNode) -> None:
    broker = make_broker(start=False)
    node = make_node(broker)
    node.client.publish_health({"status": "degraded"})
    node.wait_status("mqtt_unreachable")
    assert node.client.alive_until > time.monotonic()
    broker.start()
    node.wait_status("ok")
    assert node.statuses == ["mqtt_unreachable", "ok"]


def test_a_name_that_nobody_knows(make_node: MakeNode, make_broker: MakeBroker) -> None:
    node = make_node(make_broker(start=False), host="broker.invalid")
    node.wait_status("mqtt_unreachable")
    assert node.client.alive_until > time.monotonic()
    assert not node.client.stop()


def test_a_broker_that_takes_the_connection_and_says_nothing(
    make_node: MakeNode, make_broker: MakeBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "ANSWER_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        node = make_node(make_broker(start=False, port=mute.getsockname()[1]))
        node.wait_status("mqtt_unreachable")


def test_something_else_on_the_port(make_node: MakeNode, make_broker: MakeBroker) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        node = make_node(make_broker(start=False, port=server.getsockname()[1]))
        for _ in range(2):
            connection, _ = server.accept()
            connection.recv(100)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.close()
        node.wait_status("mqtt_unreachable")
        assert node.client.counts().defects == 0


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_a_wrong_password_then_the_right_one(
    protocol: str, make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer, tmp_path: Path
) -> None:
    broker = make_broker(users={"node": "right", "peer": "word"})
    password = tmp_path / "password"
    password.write_text("wrong\n")
    node = make_node(broker, protocol=protocol, username="node", password=password)
    node.wait_status("mqtt_refused")
    password.write_text("right\n")
    node.wait_status("ok")
    make_peer(broker, username="peer", password="word").publish(f"{BASE}/say", "hello")
    node.wait_texts("hello")
    assert node.statuses == ["mqtt_refused", "ok"]


def test_a_password_file_that_is_not_there(
    make_broker: MakeBroker, make_node: MakeNode, tmp_path: Path
) -> None:
    broker = make_broker(users={"node": "right"})
    node = make_node(broker, username="node", password=tmp_path / "missing")
    node.wait_status("mqtt_refused")
    (tmp_path / "missing").write_text("right")
    node.wait_status("ok")


def test_tls_with_a_client_certificate(
    make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer, certificates: Certificates
) -> None:
    broker = make_broker(certificates=certificates, require_client_certificate=True)
    made = certificates
    node = make_node(broker, tls=True, tls_ca=made.ca, tls_certificate=made.client, tls_key=made.client_key)
    node.wait_status("ok")
    peer = make_peer(broker)
    # Longer than a TLS record, so that a part of it waits inside the TLS layer where no select sees it.
    texts = ["x" * 1000 for _ in range(40)]
    for text in texts:
        peer.publish(f"{BASE}/say", text)
    node.wait_texts(*texts)


@pytest.mark.parametrize(
    "wrong", ["no authority", "no certificate", "no such file", "locked key", "plain port", "name"]
)
def test_tls_that_fails_is_called_so(
    wrong: str, make_broker: MakeBroker, make_node: MakeNode, certificates: Certificates, tmp_path: Path
) -> None:
    broker = make_broker(
        host="127.0.0.2" if wrong == "name" else "127.0.0.1",
        certificates=None if wrong == "plain port" else certificates,
        require_client_certificate=wrong == "no certificate",
    )
    ca = {"no authority": None, "no such file": tmp_path / "missing.pem"}.get(wrong, certificates.ca)
    keys = {}
    if wrong == "locked key":
        keys = {"tls_certificate": certificates.client, "tls_key": tmp_path / "locked.key"}
        lock = ["openssl", "ec", "-aes128", "-passout", "pass:word", "-in", certificates.client_key]
        subprocess.run([*lock, "-out", keys["tls_key"]], check=True, capture_output=True)
    node = make_node(broker, tls=True, tls_ca=ca, **keys)
    node.wait_status("mqtt_tls")
    assert set(node.statuses) == {"mqtt_tls"}


def test_being_taken_over_says_so_and_the_node_comes_back(
    broker: Broker, make_node: MakeNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "STABLE_S", 0.5)
    node = make_node(broker)
    node.wait_status("ok")
    rival = make_node(broker)
    node.wait_status("mqtt_taken_over")
    rival.client.stop()
    node.wait_status("ok", times=2)
    assert node.client.counts().connections >= 2


def test_a_dead_connection_is_noticed(broker: Broker, make_node: MakeNode) -> None:
    node = make_node(broker, keepalive_s=1)
    node.wait_status("ok")
    broker.freeze()
    node.wait_status("mqtt_unreachable")
    broker.thaw()
    node.wait_status("ok", times=2)


def test_a_subscription_that_is_refused_is_told_and_tried_again(
    make_broker: MakeBroker, make_node: MakeNode, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(client_module, "RESUBSCRIBE_S", 0.1)
    monkeypatch.setattr(client_module, "POLL_S", 0.05)
    plugin = Path("/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so")
    if not plugin.exists():
        pytest.skip("this mosquitto has no dynamic security plug-in")
    roles = tmp_path / "security.json"
    access = {
        "publishClientSend": True,
        "publishClientReceive": True,
        "subscribe": False,
        "unsubscribe": True,
    }
    roles.write_text(json.dumps({"defaultACLAccess": access}))
    broker = make_broker(extra=f"plugin {plugin}\nplugin_opt_config_file {roles}")
    node = make_node(broker)
    node.wait_status("mqtt_refused")
    until(lambda: broker.log.count("Received SUBSCRIBE from cosyedge-kitchen") >= 3, "it was not asked again")
    assert node.statuses == ["mqtt_refused"]


HOME_ASSISTANT = HomeAssistant(
    Topics("kitchen"), Described("0" * 16, [], [], "", ""), prefix="ha", status_topic="ha/status"
)


@pytest.mark.parametrize(
    ("bridge", "status"), [(HOME_ASSISTANT, "ok"), (Hermes("attic", {}), "mqtt_refused")]
)
def test_other_protocols_may_be_refused_unless_they_were_asked_for(
    make_node: MakeNode, make_broker: MakeBroker, bridge: Bridge, status: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        node = make_node(make_broker(start=False, port=server.getsockname()[1]), bridges=[bridge])
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(bytes.fromhex("20 03 00 00 00"))  # CONNACK
            subscribe = connection.recv(4096)
            reasons = bytes([1] * len(Topics("kitchen").subscriptions) + [0x87] * len(bridge.subscriptions))
            connection.sendall(bytes([0x90, 3 + len(reasons)]) + subscribe[3:5] + b"\0" + reasons)  # SUBACK
            node.wait_status(status)


def test_a_broker_that_says_why_it_throws_us_out(make_node: MakeNode, make_broker: MakeBroker) -> None:
    # mosquitto 2.0.11 just closes the connection, so this broker is three packets from a script.
    with socket.create_server(("127.0.0.1", 0)) as server:
        node = make_node(make_broker(start=False, port=server.getsockname()[1]))
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(bytes.fromhex("20 03 00 00 00"))  # CONNACK
            subscribe = connection.recv(4096)
            granted = bytes([1] * len(Topics("kitchen").subscriptions))
            connection.sendall(bytes([0x90, 3 + len(granted)]) + subscribe[3:5] + b"\0" + granted)  # SUBACK
            node.wait_status("ok")
            connection.sendall(
                bytes.fromhex("e0 07 8e 05 1f 00 02") + b"no"
            )  # DISCONNECT, session taken over
            node.wait_status("mqtt_taken_over")


def test_a_broker_that_is_too_old_for_mqtt_5(make_node: MakeNode, make_broker: MakeBroker) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        node = make_node(make_broker(start=False, port=server.getsockname()[1]))
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(
                bytes.fromhex("20 02 00 01")
            )  # CONNACK of 3.1.1: unacceptable protocol version
            node.wait_status("mqtt_refused")


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


def test_packets_that_the_broker_would_not_take_are_not_sent(
    make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    broker = make_broker(extra="max_packet_size 2000")
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    node.client.publish_state({"too": "x" * 2000})
    node.client.publish_result(Result("after", "finished"))
    peer.wait_json(f"{BASE}/result", id="after")
    assert node.client.counts().publications_refused == 1
    assert node.client.counts().connections == 1


def test_a_publication_that_is_not_allowed_is_counted(
    make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    broker = make_broker(acl="topic read #\ntopic write cosyedge/#")
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    node.client.publish_result(Result("1", "finished"), Reply("forbidden", b"x"))
    node.client.publish_result(Result("2", "finished"))
    peer.wait_json(f"{BASE}/result", id="1")
    peer.wait_json(f"{BASE}/result", id="2")
    until(lambda: node.client.counts().publications_refused == 1, "the refusal was not counted")
    assert "forbidden" not in {message.topic for message in peer.messages}
