"""A broker that is not there, refuses us, or throws us out: it is called by its name, and tried again."""

import json
import re
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cosyedge.announcements.announcement import Reply
from cosyedge.announcements.result import Result
from cosyedge.errors import MqttError
from cosyedge.mqtt import client as client_module
from cosyedge.mqtt.bridge import Bridge
from cosyedge.mqtt.hermes import Hermes
from cosyedge.mqtt.homeassistant import Described, HomeAssistant
from cosyedge.mqtt.settings import MqttSettings, name_failure, openssl_words, read_password, tls_context
from cosyedge.mqtt.topics import Topics
from tests.broker import Broker, Certificates, Peer
from tests.mqtt.conftest import Node, until

MakeBroker = Callable[..., Broker]
MakeNode = Callable[..., Node]
MakePeer = Callable[..., Peer]
BASE = "cosyedge/kitchen"


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
    told = node.troubles[0].sentence
    assert not re.search(r"Errno|\[|_ssl|\(\d", told), told


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


def test_why_is_said_in_words_without_the_numbers_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xe9")
    (tmp_path / "no.pem").write_text("no")
    for file, why in (("none", "No such file or directory"), ("latin", "it is not UTF-8")):
        with pytest.raises(MqttError) as caught:
            read_password(tmp_path / file)
        assert caught.value.sentence == f"The password in {tmp_path / file} can't be read: {why}."
    named = (
        ({"tls_ca": tmp_path / "none"}, "none: No such file or directory"),
        ({"tls_ca": tmp_path / "no.pem"}, "no.pem: no certificate or crl found"),
        (
            {"tls_ca": tmp_path / "none", "tls_certificate": tmp_path / "no.pem"},
            "none: No such file or directory",
        ),
        (
            {"tls_certificate": tmp_path / "no.pem"},
            "no.pem: no PEM, an encrypted key, or a key of another certificate",
        ),
    )
    for files, why in named:
        with pytest.raises(MqttError) as caught:
            tls_context(MqttSettings(**files))
        assert caught.value.sentence == f"The TLS files can't be used ({tmp_path}/{why})."
    refused = name_failure(MqttSettings(port=9), ConnectionRefusedError(111, "Connection refused"))
    assert refused.sentence == "The broker at localhost:9 can't be reached: Connection refused."
    alert = "failed to receive on socket: [SSL: TLSV13_ALERT] tlsv13 alert certificate required (_ssl.c:2580)"
    assert openssl_words(alert) == "tlsv13 alert certificate required"
