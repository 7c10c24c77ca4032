"""Hermes at the broker: what is asked, what is answered, and whose business it is."""

from __future__ import annotations

import io
import json
import struct
import wave
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cosyedge.announcements.announcement import Reply
from cosyedge.announcements.result import Result
from cosyedge.errors import AnnouncementError
from cosyedge.mqtt.hermes import Hermes
from tests.broker import Broker, Peer
from tests.mqtt.conftest import Node

MakeNode = Callable[..., Node]
MakePeer = Callable[..., Peer]

SAY = "hermes/tts/say"
SAY_FINISHED = "hermes/tts/sayFinished"
SAY_ERROR = "hermes/error/tts"
PLAY = "hermes/audioServer/attic/playBytes/"
PLAY_FINISHED = "hermes/audioServer/attic/playFinished"
PLAY_ERROR = "hermes/error/audioServer/play"


@pytest.fixture
def bridge() -> Hermes:
    return Hermes("attic", {"xiaoyan": "a woman, warm"})


@pytest.fixture
def node(broker: Broker, make_node: MakeNode, bridge: Hermes) -> Node:
    node = make_node(broker, bridges=[bridge])
    node.wait_status("ok")
    return node


@pytest.fixture
def peer(broker: Broker, make_peer: MakePeer) -> Peer:
    return make_peer(broker)


def say(**keys: Any) -> str:
    return json.dumps({"text": "good", "siteId": "attic", "id": "7", "sessionId": "s", **keys})


def told(peer: Peer, topic: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(peer.wait(topic).payload)
    return value


def end(node: Node, state: Any, **more: Any) -> None:
    """What the speaker tells of the last announcement."""
    announcement = node.announcements[-1]
    node.client.publish_result(Result(announcement.id, state, **more), announcement.reply)


def test_say_is_an_announcement_and_is_finished_when_that_is(node: Node, peer: Peer) -> None:
    peer.publish(SAY, say(lang="en_US", volume=0.5))
    node.wait_texts("good")
    (announcement,) = node.announcements
    assert (announcement.lang, announcement.scale, announcement.volume) == ("en", 0.5, None)
    assert announcement.content is not None, "Hermes gives no ids by which duplicates could be told"
    for state in ("queued", "started", "queued", "started"):
        end(node, state)
    end(node, "finished", audio_s=1.0)
    assert told(peer, SAY_FINISHED) == {"id": "7", "sessionId": "s", "siteId": "attic"}
    states = [json.loads(m.payload)["state"] for m in peer.messages if m.topic.endswith("/result")]
    assert states[-1] == "finished", "it is told in our own words as well"
    assert [message.topic for message in peer.messages].count(SAY_FINISHED) == 1


def test_what_went_wrong_is_told_before_the_end(node: Node, peer: Peer) -> None:
    for number, state in enumerate(("failed", "expired"), 1):
        peer.publish(SAY, say(id=state))
        node.wait(lambda number=number: len(node.announcements) == number, state)  # type: ignore[misc]
        end(node, state, error="overloaded", message="There is no room.")
        assert told(peer, SAY_ERROR) == {
            "error": "There is no room. [overloaded]",
            "siteId": "attic",
            "context": state,
            "sessionId": "s",
        }
        assert told(peer, SAY_FINISHED)["id"] == state
    topics = [message.topic for message in peer.messages if message.topic in (SAY_ERROR, SAY_FINISHED)]
    assert topics == [SAY_ERROR, SAY_FINISHED] * 2


def test_what_was_stopped_or_said_already_is_finished_too(node: Node, peer: Peer) -> None:
    for number, state in enumerate(("cancelled", "finished", "duplicate"), 1):
        peer.publish(SAY, say(id=state))
        node.wait(lambda number=number: len(node.announcements) == number, state)  # type: ignore[misc]
        end(node, state)
        assert told(peer, SAY_FINISHED)["id"] == state
    assert SAY_ERROR not in {message.topic for message in peer.messages}


def test_what_can_not_be_said_is_an_error_and_finished(node: Node, peer: Peer) -> None:
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"text": None}, "missing_text"),
        ({"text": 1}, "bad_value"),
        ({"text": "{{ states('x') }}"}, "template_not_rendered"),
        ({"text": "x" * 1001}, "text_too_long"),
        ({"lang": "it_IT"}, "unknown_lang"),
        ({"lang": 7}, "bad_value"),
        ({"volume": 2}, "bad_value"),
        ({"volume": True}, "bad_value"),
        ({"volume": "loud"}, "bad_value"),
    )
    for payload, code in cases:
        peer.publish(SAY, say(**payload))
        assert told(peer, SAY_ERROR)["error"].endswith(f"[{code}]"), payload
        assert told(peer, SAY_FINISHED) == {"id": "7", "sessionId": "s", "siteId": "attic"}
    assert node.announcements == []


def test_what_the_node_refuses_is_an_error_and_finished(node: Node, peer: Peer) -> None:
    node.raises = AnnouncementError("queue_full", "The queue is full.")
    peer.publish(SAY, say())
    peer.publish(PLAY + "r1", b"RIFF")
    assert told(peer, SAY_ERROR)["error"] == "The queue is full. [queue_full]"
    told(peer, SAY_FINISHED)
    assert told(peer, PLAY_ERROR)["context"] == "r1"
    assert told(peer, PLAY_FINISHED) == {"id": "r1", "sessionId": "r1"}


def test_what_is_for_another_site_is_none_of_ours(node: Node, peer: Peer) -> None:
    for site in ("kitchen", "default", "ATTIC", "attic ", "", None, ["attic"], 7):
        peer.publish(SAY, say(siteId=site))
        for topic in (
            "hermes/audioServer/toggleOff",
            "rhasspy/audioServer/setVolume",
            "rhasspy/tts/getVoices",
        ):
            peer.publish(topic, json.dumps({"siteId": site, "volume": 0.1}))
    peer.publish("hermes/audioServer/kitchen/playBytes/1", b"RIFF")
    peer.publish(SAY, say(text="ours"))
    node.wait_texts("ours")
    assert node.commands == []
    heard = {message.topic for message in peer.messages}
    assert not heard & {SAY_FINISHED, SAY_ERROR, PLAY_ERROR, "rhasspy/tts/voices", "cosyedge/kitchen/result"}


def test_a_site_that_is_not_named_is_the_default(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    node = make_node(broker, bridges=[Hermes("default", {})])
    node.wait_status("ok")
    peer = make_peer(broker)
    peer.publish(SAY, '{"text": "bare"}')
    node.wait_texts("bare")
    end(node, "finished")
    assert told(peer, SAY_FINISHED) == {"id": None, "sessionId": None, "siteId": "default"}


def test_mute_and_volume(node: Node, peer: Peer) -> None:
    site = '{"siteId": "attic"}'
    peer.publish("hermes/audioServer/toggleOff", site)
    peer.publish("hermes/audioServer/toggleOn", site)
    peer.publish("rhasspy/audioServer/setVolume", '{"siteId": "attic", "volume": 0.25}')
    peer.publish("rhasspy/audioServer/setVolume", '{"siteId": "attic", "volume": 1e-9}')
    node.wait(lambda: len(node.commands) == 4, "four commands")
    assert [(command.name, command.value) for command in node.commands] == [
        ("mute", True),
        ("mute", False),
        ("volume", 0.25),
        ("volume", 0.0),
    ]


def test_voices_are_listed_for_who_asks(node: Node, peer: Peer) -> None:
    peer.publish("rhasspy/tts/getVoices", '{"siteId": "attic", "id": "q"}')
    assert told(peer, "rhasspy/tts/voices") == {
        "voices": [{"voiceId": "xiaoyan", "description": "a woman, warm"}],
        "id": "q",
        "siteId": "attic",
    }


def test_a_sound_is_an_announcement_too(node: Node, peer: Peer) -> None:
    for name, sound in (("r1", wav()), ("r2", with_info(wav(), b'{"volume": 0.5}'))):
        peer.publish(PLAY + name, sound)
        node.wait(lambda sound=sound: any(a.sound == sound for a in node.announcements), name)  # type: ignore[misc]
        end(node, "started")
        end(node, "finished", audio_s=0.1)
        assert told(peer, PLAY_FINISHED) == {"id": name, "sessionId": name}
    assert [announcement.scale for announcement in node.announcements] == [1.0, 0.5]
    end(node, "failed", error="sound_unreadable", message="The sound can't be used: it is empty.")
    error = told(peer, PLAY_ERROR)
    assert (error["context"], error["siteId"]) == ("r2", "attic")


@pytest.mark.parametrize(
    "info", [b"", b"{", b"[]", b'{"volume": 3}', b'{"volume": null}', b"INFO", b"[" * 3000, b'{"x": 1}']
)
def test_other_chunks_are_no_volume(bridge: Hermes, info: bytes) -> None:
    heard = bridge.hear(PLAY + "r", with_info(wav(), info))
    assert heard is not None
    assert heard.scale == 1.0


@pytest.mark.parametrize(
    "payload", [b"", b"RIFF", bytes(100_000), b"\xff" * 40, b"RIFF\0\0\0\0WAVEdata\xff\xff\xff\xff"]
)
def test_what_is_no_sound_has_no_volume_either(bridge: Hermes, payload: bytes) -> None:
    heard = bridge.hear(PLAY + "r", payload)
    assert heard is not None
    assert (heard.scale, heard.payload) == (1.0, payload)


def test_what_is_no_object_harms_nothing(node: Node, peer: Peer, bridge: Hermes) -> None:
    bad = (b"", b"text", b"[]", b"\xff", b'{"siteId": "attic",}', b"[" * 5000, b"1")
    for payload in bad:
        for topic in bridge.subscriptions[:-1]:
            peer.publish(topic, payload)
    peer.publish(SAY, say(text="still here"))
    node.wait_texts("still here")
    assert node.client.counts().commands_failed == 5 * len(bad)
    assert SAY_FINISHED not in {message.topic for message in peer.messages}, "whose it was nobody knows"


_SITES = st.sampled_from(["attic", "kitchen", None, 1, ["attic"]])
_VALUES = (
    st.none()
    | st.booleans()
    | st.floats(allow_subnormal=False)
    | st.text(max_size=5)
    | st.lists(st.integers(), max_size=2)
)
_KEYS = st.sampled_from(["text", "lang", "id", "sessionId", "volume", "more"])
_OBJECTS = st.builds(
    lambda site, keys: json.dumps({"siteId": site, **keys}).encode(), _SITES, st.dictionaries(_KEYS, _VALUES)
)


@settings(max_examples=300, deadline=None)
@given(payload=st.binary(max_size=60) | _OBJECTS, position=st.integers(0, 5))
def test_whatever_comes_is_heard_or_refused(payload: bytes, position: int) -> None:
    bridge = Hermes("attic", {})
    topic = bridge.subscriptions[position].replace("+", "r")
    try:
        heard = bridge.hear(topic, payload)
    except AnnouncementError:
        return
    if heard is None or heard.reply is None:
        return
    finished = bridge.answer(Result("a", "failed", error="internal", message="No."), heard.reply)[-1]
    assert finished.topic in (SAY_FINISHED, PLAY_FINISHED)
    json.loads(finished.payload)


def test_one_that_comes_twice_is_finished_when_the_first_is(bridge: Hermes) -> None:
    heard = bridge.hear(SAY, say().encode())
    assert heard is not None
    assert isinstance(heard.reply, Reply)
    assert bridge.answer(Result("a", "queued"), heard.reply) == ()
    assert bridge.answer(Result("a", "duplicate"), heard.reply) == ()
    assert len(bridge.answer(Result("a", "finished"), heard.reply)) == 1
    assert len(bridge.answer(Result("a", "duplicate"), heard.reply)) == 1, "a late one is done at once"


def test_retained_ones_are_not_spoken_at_a_start(
    broker: Broker, make_node: MakeNode, peer: Peer, bridge: Hermes
) -> None:
    peer.publish(SAY, say(text="old"), retain=True)
    node = make_node(broker, bridges=[bridge], protocol="3.1.1")
    node.wait_status("ok")
    peer.publish(SAY, say(text="new"))
    node.wait_texts("new")
    assert node.client.counts().retained_ignored == 1


def test_a_reply_can_not_be_made_to_speak(node: Node, peer: Peer) -> None:
    for topic in (SAY, PLAY + "x", "rhasspy/tts/getVoices"):
        peer.publish("cosyedge/kitchen/say", "hello", ResponseTopic=topic)
        assert peer.wait_json("cosyedge/kitchen/result")["error"] == "bad_value"
    assert node.announcements == []


def test_a_bridge_that_was_switched_off_keeps_nobody_from_his_result(
    broker: Broker, make_node: MakeNode, make_peer: MakePeer
) -> None:
    node = make_node(broker)
    node.wait_status("ok")
    peer = make_peer(broker)
    node.client.publish_result(Result("a", "finished"), Reply(SAY_FINISHED, b"[null, null]", "hermes"))
    assert peer.wait_json("cosyedge/kitchen/result")["id"] == "a"
    assert SAY_FINISHED not in {message.topic for message in peer.messages}


def wav() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, 24_000, 0, "NONE", ""))
        writer.writeframes(bytes(200))
    return file.getvalue()


def with_info(sound: bytes, info: bytes) -> bytes:
    return sound + b"INFO" + struct.pack("<I", len(info)) + info


def test_half_a_character_is_no_obstacle(node: Node, peer: Peer) -> None:
    asked = {"siteId": "attic", "text": "hello \ud800", "id": "\udfff", "sessionId": "\ud800x"}
    peer.publish("hermes/tts/say", json.dumps(asked))
    node.wait_texts("hello \ufffd")
    announcement = node.announcements[0]
    node.client.publish_result(Result(announcement.id, "finished"), announcement.reply)
    done = peer.wait_json("hermes/tts/sayFinished")
    assert (done["id"], done["sessionId"]) == (asked["id"], asked["sessionId"])
