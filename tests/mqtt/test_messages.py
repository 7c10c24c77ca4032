"""What comes in: each message gets its answer and its acknowledgement, and none harms the next."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from cosyedge.announcements.result import Result
from cosyedge.errors import AnnouncementError
from cosyedge.mqtt.commands import Command
from tests.broker import Broker, Peer
from tests.mqtt.conftest import Node, acknowledged, until

MakeNode = Callable[..., Node]
MakePeer = Callable[..., Peer]
BASE = "cosyedge/kitchen"
SAY = f"{BASE}/say"
RESULT = f"{BASE}/result"
BAD_PAYLOADS: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (b"\xff\xfe\xfa", "not_utf8"),
    "UTF-16": ("早上好".encode("utf-16"), "not_utf8"),
    "broken JSON": (b'{"text": "dinner', "bad_json"),
    "a list in JSON": (b'{"text": ["a"]}', "bad_value"),
    "an unknown key": (b'{"text": "a", "volum": 1}', "unknown_key"),
    "no text": (b'{"lang": "zh"}', "missing_text"),
    "a number for text": (b'{"text": 7}', "bad_value"),
    "an unknown voice": (b'{"text": "a", "voice": "nobody"}', "unknown_voice"),
    "an unknown language": (b'{"text": "a", "lang": "fr"}', "unknown_lang"),
    "a template": (b"It is {{ states('sensor.outside') }}.", "template_not_rendered"),
    "1 MB of text": (b"x" * 1_000_000, "text_too_long"),
    "1 MB of JSON": (b'{"text": "' + b"x" * 1_000_000 + b'"}', "text_too_long"),
}


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_bad_payloads_get_their_code_and_the_next_good_one_passes(
    protocol: str, broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker, protocol=protocol)
    node.wait_status("ok")
    for name, (payload, code) in BAD_PAYLOADS.items():
        peer.publish(SAY, payload)
        result = peer.wait_json(RESULT)
        assert (result["state"], result["error"]) == ("failed", code), name
        assert result["id"]
        assert result["message"]
        peer.publish(SAY, name)
        node.wait(lambda name=name: node.announcements[-1:] and node.announcements[-1].text == name, name)
    assert len(node.announcements) == len(BAD_PAYLOADS)
    assert node.client.counts().failed == len(BAD_PAYLOADS)


def test_a_text_that_is_too_long_is_told_in_the_product_s_own_words(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    make_node(broker).wait_status("ok")
    peer.publish(SAY, json.dumps({"id": "long", "text": "长" * 1001}))
    result = peer.wait_json(RESULT, id="long")
    assert (result["error"], result["message"]) == ("text_too_long", "text too long > 1000 chars")


def test_a_packet_of_3_mb_is_kept_back_by_the_broker(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    peer.publish(SAY, b"x" * 3_000_000)
    peer.publish(SAY, "after it")
    node.wait_texts("after it")
    assert node.client.counts().received == 1
    assert node.client.counts().connections == 1


def test_a_packet_of_3_mb_is_answered_where_the_broker_lets_it_through(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker, protocol="3.1.1")
    node.wait_status("ok")
    peer.publish(SAY, b'{"id": "big", "lang": "' + b"x" * 3_000_000 + b'"}')
    assert peer.wait_json(RESULT, id="big")["error"] == "payload_too_large"
    peer.publish(SAY, "after it")
    node.wait_texts("after it")


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
def test_retained_commands_are_ignored(
    protocol: str, broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    for topic in (SAY, f"{BASE}/stop", f"{BASE}/volume/set", "cosyedge/all/say"):
        peer.publish(topic, "1", retain=True)
    node = make_node(broker, protocol=protocol)
    node.wait_status("ok")
    peer.publish(SAY, "new")
    peer.publish(f"{BASE}/volume/set", "10")
    node.wait_texts("new")
    node.wait(lambda: bool(node.commands), "no command")
    assert node.commands == [Command("volume", 0.1)]
    assert node.client.counts().retained_ignored == (0 if protocol == "5" else 4)
    # A live message that is published with the flag is a command like any other.
    peer.publish(SAY, "live", retain=True)
    node.wait_texts("new", "live")


def test_a_group_that_was_left_is_not_heard_though_the_broker_remembers(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker, groups=("adults",))
    node.wait_status("ok")
    assert node.client.stop()
    again = make_node(broker)
    again.wait_status("ok")
    peer.publish("cosyedge/group/adults/say", "secrets of adults")
    peer.publish(SAY, "for all")
    again.wait_texts("for all")
    until(lambda: acknowledged(broker) == 2, "not all were acknowledged")


def test_every_command_arrives(broker: Broker, make_node: MakeNode, make_peer: MakePeer) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    for topic, payload in (
        ("stop", ""),
        ("stop", '{"queue": true}'),
        ("volume/set", "25"),
        ("mute/set", "ON"),
        ("voice/set", "xiaoyan"),
        ("lang/set", "yue"),
        ("speed/set", "1.5"),
        ("test", "PRESS"),
        ("repeat", ""),
    ):
        peer.publish(f"{BASE}/{topic}", payload)
    node.wait(lambda: len(node.commands) == 9, "not every command arrived")
    assert node.commands == [
        Command("stop", False),
        Command("stop", True),
        Command("volume", 0.25),
        Command("mute", True),
        Command("voice", "xiaoyan"),
        Command("lang", "yue"),
        Command("speed", 1.5),
        Command("test"),
        Command("repeat"),
    ]


def test_a_bad_command_is_answered_and_the_next_one_passes(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    peer.publish(f"{BASE}/volume/set", "loud", ResponseTopic="answers", CorrelationData=b"7")
    for topic in (RESULT, "answers"):
        result = peer.wait_json(topic)
        assert result["id"] == "volume/set"
        assert result["error"] == "bad_value"
        assert result["message"] == "volume/set takes a number from 0 to 100."
    peer.publish(f"{BASE}/volume/set", "30")
    node.wait(lambda: node.commands == [Command("volume", 0.3)], "the good command did not arrive")


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (AnnouncementError("queue_full", "The queue is full."), "queue_full"),
        (ZeroDivisionError(), "internal"),
    ],
)
def test_what_a_collaborator_raises_is_answered_and_the_loop_lives(
    raised: Exception,
    code: str,
    broker: Broker,
    make_node: MakeNode,
    make_peer: MakePeer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    node.acknowledges_at_once = False
    node.raises = raised
    node.defects_expected = 2 if code == "internal" else 0
    peer.publish(SAY, '{"id": "a", "text": "my secret"}')
    assert peer.wait_json(RESULT, id="a")["error"] == code
    peer.publish(f"{BASE}/test")
    assert peer.wait_json(RESULT, id="test")["error"] == code
    node.raises = None
    peer.publish(SAY, "good")
    node.wait(lambda: node.announcements[-1].text == "good", "the loop is dead")
    node.client.ack(node.announcements[-1])
    until(lambda: acknowledged(broker) == 3, "not all were acknowledged")
    assert node.client.counts().defects == node.defects_expected
    assert "my secret" not in caplog.text


def test_a_status_that_nobody_can_take_does_not_end_the_loop(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    node = make_node(broker, start=False)
    node.status_raises = True
    node.client.start()
    node.wait_status("ok")
    broker.kill()
    node.wait_status("mqtt_unreachable")
    broker.start()
    node.wait_status("ok", times=2)
    make_peer(broker).publish(SAY, "good")
    node.wait_texts("good")
    node.defects_expected = len(node.statuses)  # "broke", and perhaps "can't be reached" before it is there


def test_results_go_to_the_sender_s_topic_too_with_its_correlation(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    peer.publish(SAY, '{"id": "7", "text": "a"}', ResponseTopic="home/answers", CorrelationData=b"\0\xff")
    node.wait_texts("a")
    reply = node.announcements[0].reply
    assert reply is not None
    for state in ("queued", "started", "finished"):
        node.client.publish_result(Result("7", state), reply)  # type: ignore[arg-type]
    for state in ("queued", "started", "finished"):
        here, there = peer.wait(RESULT), peer.wait("home/answers")
        assert here.payload == there.payload
        assert json.loads(there.payload)["state"] == state
        assert there.properties.CorrelationData == b"\0\xff"
        assert not hasattr(here.properties, "CorrelationData")
        assert there.properties.ContentType == "application/json"
        assert not there.retain
        assert there.qos == 1


@pytest.mark.parametrize("topic", [SAY, "cosyedge/cellar/say", f"{BASE}/availability", "$SYS/x"])
def test_a_response_topic_that_would_do_harm_is_refused(
    topic: str, broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    peer.publish(SAY, '{"id": "loop", "text": "a"}', ResponseTopic=topic)
    result = peer.wait_json(RESULT, id="loop")
    assert (result["state"], result["error"]) == ("failed", "bad_value")
    assert "response topic" in result["message"]
    peer.publish(SAY, "good")
    node.wait_texts("good")


def test_a_message_that_expires_says_when(broker: Broker, make_node: MakeNode, make_peer: MakePeer) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    peer.publish(SAY, "soon over", MessageExpiryInterval=40)
    peer.publish(SAY, '{"text": "sooner over", "ttl_s": 5}', MessageExpiryInterval=40)
    peer.publish(SAY, "never over")
    node.wait_texts("soon over", "sooner over", "never over")
    first, second, third = (announcement.ttl_s for announcement in node.announcements)
    assert first is not None
    assert 38 <= first <= 40
    assert (second, third) == (5, None)


def test_render_needs_somewhere_to_answer(broker: Broker, make_node: MakeNode, make_peer: MakePeer) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    peer.publish(f"{BASE}/render", '{"id": "r", "text": "a"}')
    assert peer.wait_json(RESULT, id="r")["error"] == "bad_value"
    peer.publish(f"{BASE}/render", '{"id": "s", "text": "a"}', ResponseTopic="audio", CorrelationData=b"9")
    node.wait_texts("a")
    announcement = node.announcements[0]
    assert announcement.render
    assert announcement.reply is not None
    parts = [bytes([number]) * 100_000 for number in range(12)]  # more than fits into the outbox at once
    for number, part in enumerate(parts):
        node.client.publish_audio(announcement.reply, "s", number, part, last=number == len(parts) - 1)
    heard = [peer.wait("audio") for _ in parts]
    assert [bytes(message.payload) for message in heard] == parts
    assert [dict(message.properties.UserProperty) for message in heard] == [
        {"id": "s", "chunk": str(number), "last": str(number == 11).lower()} for number in range(12)
    ]
    assert {message.properties.ContentType for message in heard} == {"audio/wav"}
    assert {message.properties.CorrelationData for message in heard} == {b"9"}


def test_qos_0_is_heard_too(broker: Broker, make_node: MakeNode, make_peer: MakePeer) -> None:
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    for number in range(3):
        peer.publish(SAY, f"message {number}", qos=number)
    node.wait_texts("message 0", "message 1", "message 2")
    until(lambda: acknowledged(broker) == 2, "QoS 1 and 2 were not acknowledged")


def test_the_text_is_not_in_the_log(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    peer = make_peer(broker)
    node = make_node(broker)
    node.wait_status("ok")
    secrets: list[Any] = [
        "my secret",
        '{"text": "my secret", "volum": 1}',
        b"my secret\xff",
        "my secret" * 9999,
    ]
    for payload in secrets:
        peer.publish(SAY, payload)
    for _ in secrets[1:]:
        peer.wait_json(RESULT, state="failed")
    assert "my secret" not in caplog.text


def test_a_refusal_is_logged_with_what_to_do_and_not_again_at_once(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer, caplog: pytest.LogCaptureFixture
) -> None:
    node = make_node(broker)
    node.wait_status("ok")
    peer = make_peer(broker)
    for payload in ('{"text": "my secret"', '{"text": "my secret', '{"text": "x", "vol": 1}'):
        peer.publish(f"{BASE}/say", payload)
    codes = [json.loads(peer.wait(f"{BASE}/result").payload)["error"] for _ in range(3)]
    assert codes == ["bad_json", "bad_json", "unknown_key"]
    told = [record.getMessage() for record in caplog.records if record.getMessage().startswith("refused")]
    assert [line.rpartition(" ")[2] for line in told] == ["[bad_json]", "[unknown_key]"]
    assert told[0].startswith(f"refused on {BASE}/say, as its result says: Send plain text")
    assert "my secret" not in caplog.text
