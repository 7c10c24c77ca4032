"""Who sends too much is told so, and takes nothing from anybody else."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest

from cosyedge.announcements.announcement import from_bytes
from cosyedge.errors import AnnouncementError
from cosyedge.mqtt.client import MqttClient
from cosyedge.mqtt.hermes import Hermes
from cosyedge.mqtt.rates import BURST_S, Allowance, Rates
from cosyedge.mqtt.settings import MqttSettings
from cosyedge.mqtt.topics import Topics
from tests.broker import Broker, Peer
from tests.mqtt.conftest import LIMITS, until


def test_ten_seconds_worth_may_come_at_once_and_no_more() -> None:
    now = 0.0
    rates = Rates(2.0, lambda: now)
    for _ in range(round(2 * BURST_S)):
        rates.admit("say")
    with pytest.raises(AnnouncementError) as error:
        rates.admit("say")
    assert error.value.code == "rate_limited"
    rates.admit("stop")
    now = 0.5
    rates.admit("say")
    with pytest.raises(AnnouncementError):
        rates.admit("say")
    now = 3600
    for _ in range(round(2 * BURST_S)):
        rates.admit("say")
    with pytest.raises(AnnouncementError):
        rates.admit("say")


@pytest.fixture
def flooded(broker: Broker) -> MqttClient:
    """A node that takes two messages at a time of each kind."""

    def acknowledge(announcement: object) -> None:
        client.ack(announcement)  # type: ignore[arg-type]

    client = MqttClient(
        MqttSettings(host=broker.host, port=broker.port),
        Topics("kitchen"),
        parse=partial(from_bytes, limits=LIMITS),
        on_announcement=acknowledge,
        on_command=lambda command: None,
        on_status=lambda trouble: None,
        allowance=Allowance(0.2, 4096),
        bridges=[Hermes("default", {"xiaoyan": "warm"})],
    )
    return client


@pytest.mark.parametrize(
    ("topic", "payload", "where", "id_"),
    [
        ("cosyedge/kitchen/say", '{"id": "mine", "text": "x"}', "cosyedge/kitchen/result", "mine"),
        ("cosyedge/kitchen/status/get", "", "cosyedge/kitchen/result", "status/get"),
        ("cosyedge/kitchen/test", "", "cosyedge/kitchen/result", "test"),
        ("cosyedge/kitchen/stop", "", "cosyedge/kitchen/result", "stop"),
        ("hermes/audioServer/default/playBytes/{}", "RIFF", "hermes/audioServer/default/playFinished", "4"),
        ("hermes/tts/say", '{"text": "x", "id": "h"}', "hermes/tts/sayFinished", "h"),
    ],
)
def test_a_flood_is_an_error_for_who_sends_it(
    broker: Broker,
    make_peer: Callable[..., Peer],
    flooded: MqttClient,
    topic: str,
    payload: str,
    where: str,
    id_: str,
) -> None:
    peer = make_peer(broker)
    flooded.start()
    try:
        peer.wait("cosyedge/kitchen/availability")
        for number in range(5):
            peer.publish(topic.format(number), payload)
        told = [peer.wait_json("cosyedge/kitchen/result", error="rate_limited") for _ in range(3)]
        assert {result["state"] for result in told} == {"failed"}
        if where == "cosyedge/kitchen/result":
            assert {result["id"] for result in told} == {id_}
        else:
            assert peer.wait_json(where, id=id_)["id"] == id_, "who asked is told, in his own protocol"
        peer.publish("cosyedge/kitchen/volume/set", "50")
        peer.publish("cosyedge/kitchen/volume/set", "loud")
        assert peer.wait_json("cosyedge/kitchen/result", id="volume/set")["error"] == "bad_value"
    finally:
        flooded.stop(1.0, await_acks=False)


def test_what_only_asks_is_limited_too(
    broker: Broker, make_peer: Callable[..., Peer], flooded: MqttClient
) -> None:
    peer = make_peer(broker)
    flooded.start()
    try:
        peer.wait("cosyedge/kitchen/availability")
        for _ in range(5):
            peer.publish("rhasspy/tts/getVoices", "{}")
        until(lambda: flooded.counts().commands_failed == 3, "three of five are too many")
        answers = [message for message in peer.messages if message.topic == "rhasspy/tts/voices"]
        assert len(answers) <= 2
    finally:
        flooded.stop(1.0, await_acks=False)


@pytest.mark.parametrize(
    "topic",
    ["cosyedge/kitchen/play", "hermes/audioServer/default/playBytes/big", "cosyedge/kitchen/status/get"],
)
def test_what_is_too_large_is_an_error(
    broker: Broker, make_peer: Callable[..., Peer], flooded: MqttClient, topic: str
) -> None:
    peer = make_peer(broker)
    flooded.start()
    try:
        peer.wait("cosyedge/kitchen/availability")
        peer.publish(topic, b"RIFF" * 1025)
        assert json.loads(peer.wait("cosyedge/kitchen/result").payload)["error"] == "payload_too_large"
    finally:
        flooded.stop(1.0, await_acks=False)
