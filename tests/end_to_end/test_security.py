"""Who may speak and who may only read; secrets that stay secret; hostile messages, and a flood of them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from cosyedge.cli import main
from cosyedge.config import load_config
from cosyedge.errors import ConfigError
from tests.broker import Broker, Certificates, Peer, certificates
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.end_to_end.test_examples import EXAMPLES

__all__ = ["certificates"]

PASSWORD = "swordfish-9b1c"
USERS = {"attic": PASSWORD, "home": "h", "doorbell": "d", "display": "s"}
MakeNode = Callable[..., RunningNode]


def test_in_a_locked_house_everybody_does_what_he_may_and_no_secret_is_told(
    make_broker: Callable[..., Broker],
    make_peer: Callable[..., Peer],
    make_node: MakeNode,
    certificates: Certificates,
    wav: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """TLS with certificates on both sides, a password as a systemd credential, the example's access list."""
    acl = (EXAMPLES / "mosquitto" / "house.acl").read_text(encoding="utf-8")
    # The test sees all, and the node's neighbour waits for its sound.
    broker = make_broker(
        users={**USERS, "test": "t"},
        acl=acl + "\nuser test\ntopic readwrite #\n",
        certificates=certificates,
        require_client_certificate=True,
    )
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "mqtt-password").write_text(PASSWORD + "\n")
    flags = {
        "mqtt_username": "attic",
        "mqtt_groups": "upstairs",
        "mqtt_tls": "true",
        "mqtt_tls_ca": certificates.ca,
        "mqtt_tls_certificate": certificates.client,
        "mqtt_tls_key": certificates.client_key,
        "log_level": "debug",
        "queue_journal": "state",
        **wav,
    }
    node = make_node(broker.port, environment={"CREDENTIALS_DIRECTORY": str(credentials)}, **flags)
    everything = make_peer(broker, username="test", password="t")
    node.wait_until_ready()
    everything.wait("cosyedge/attic/availability", lambda m: m.payload == b"online", PATIENCE_S)

    people = {
        name: make_peer(broker, username=name, password=USERS[name]) for name in USERS if name != "attic"
    }
    result = "cosyedge/attic/result"
    people["home"].publish("cosyedge/attic/say", json.dumps({"id": "home", "text": "好。"}))
    people["doorbell"].publish("cosyedge/group/upstairs/say", json.dumps({"id": "bell", "text": "好。"}))
    for id_ in ("home", "bell"):
        everything.wait_json(result, PATIENCE_S, id=id_, state="finished")
    people["home"].publish("cosyedge/attic/render", "好。", ResponseTopic="replies/home")
    people["home"].wait("replies/home", lambda m: m.properties.ContentType == "audio/wav", PATIENCE_S)
    lent = json.dumps({"id": "lent", "text": "好。"})
    people["home"].publish("cosyedge/attic/render", lent, ResponseTopic="cosyedge/cellar/play")
    everything.wait("cosyedge/cellar/play", lambda m: m.properties.ContentType == "audio/wav", PATIENCE_S)

    forbidden = [
        ("doorbell", "cosyedge/attic/say"),
        ("doorbell", "cosyedge/all/say"),
        ("doorbell", "cosyedge/attic/volume/set"),
        ("display", "cosyedge/attic/say"),
        ("display", "cosyedge/group/upstairs/say"),
        ("display", "cosyedge/attic/state"),
        ("home", "cosyedge/attic/availability"),
        ("home", "cosyedge/attic/health"),
    ]
    for number, (who, topic) in enumerate(forbidden):
        people[who].publish(topic, json.dumps({"id": f"forbidden {number}", "text": "好。"}))
    people["home"].publish("cosyedge/attic/say", json.dumps({"id": "last", "text": "好。"}))
    everything.wait_json(result, PATIENCE_S, id="last", state="finished")
    assert not [m for m in everything.messages if b"forbidden" in m.payload], "the broker let it through"
    people["display"].wait("cosyedge/attic/health")
    heard = {message.topic.rpartition("/")[2] for message in people["display"].messages}
    assert heard <= {"availability", "state", "health"}
    assert people["doorbell"].messages == []

    # What the node tells anybody, writes anywhere or prints.
    everything.publish("cosyedge/attic/status/get")
    everything.wait("cosyedge/attic/status", timeout_s=PATIENCE_S)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(credentials))
    login = [
        "--config", "/dev/null", "--mqtt-host", broker.host, "--mqtt-port", str(broker.port),
        "--mqtt-node", "attic",
        *(part for name, value in flags.items() if name.startswith("mqtt_")
          for part in ("--" + name.replace("_", "-"), str(value))),
    ]  # fmt: skip
    assert main(["status", "--timeout", str(PATIENCE_S), *login]) == 0
    for command in (["config"], ["config", "--json"], ["check"], ["check", "--json"]):
        main([*command, *login])
    by_flag = ["--config", "/dev/null", "--mqtt-username", "attic", "--mqtt-password", PASSWORD]
    for command in (["config"], ["config", "--json"], ["config", "--systemd"]):
        main([*command, *by_flag])
    printed = capsys.readouterr()
    assert "mqtt.password" in printed.out
    assert node.stop() == 0
    key = certificates.client_key.read_text().splitlines()[1]
    told = [message.topic.encode() + message.payload for message in everything.messages]
    written = [file.read_bytes() for file in node.folder.rglob("*") if file.is_file()]
    assert len(written) >= 3, "a log and a state were there to be searched"
    for secret in (PASSWORD, key):
        for text in [printed.out.encode(), printed.err.encode(), *told, *written]:
            assert secret.encode() not in text


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (key, name)
        for key in ("mqtt.node", "mqtt.groups")
        for name in ("a/b", "+", "#", "a/#", "../x", "$SYS", "all", "group", "a b", "a\0", "x" * 65, "é")
        if (key, name) != ("mqtt.groups", "a b")
    ]
    + [("hermes.site", "a/b"), ("hermes.site", "+"), ("homeassistant.prefix", "a/#")],
)
def test_no_name_reaches_into_the_topics_of_others(key: str, name: str) -> None:
    from cosyedge.broker import node_topics

    with pytest.raises(ConfigError) as error:
        node_topics(load_config(None, {key: name}, {}))
    assert error.value.code == "config_bad_value"


# --- hostile messages

BASE = "cosyedge/attic"
TOPICS = (
    *(f"{BASE}/{end}" for end in (
        "say", "say", "say", "render", "play", "play", "stop", "volume/set", "mute/set", "voice/set",
        "lang/set", "speed/set", "test", "status/get", "cache/warm", "cache/clear",
    )),
    "cosyedge/all/say", "hermes/tts/say", "hermes/audioServer/default/playBytes/x",
    "hermes/audioServer/toggleOn", "rhasspy/audioServer/setVolume", "rhasspy/tts/getVoices",
    "homeassistant/status",
)  # fmt: skip
KEYS = (
    "text",
    "id",
    "at",
    "lang",
    "voice",
    "priority",
    "mode",
    "ttl_s",
    "volume",
    "speed",
    "chime",
    "__class__",
    "",
)
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1e308, -1e308, 10**40, "", "a", "\0", "\ud800", "\u202e\u2066x", "x" * 2000,
    "{{ x }}", "../..",
    [], {}, [[]] * 50, {"a": {"b": {}}}, "%s%n",
    "<speak><break time='9999s'/></speak>", "😀" * 300, "e\u0301" * 400,
    "9" * 900, "1" + "/1" * 400, "$(reboot)", "auto", "urgent", "replace", "interrupt", "好", 1.7e9, 1e11,
)  # fmt: skip
MARKS = ("id", "chunk", "last", "at", "priority", "mode", "ttl_s", "x")
MARKED = (
    "",
    "0",
    "1",
    "-1",
    "999999999",
    "true",
    "nan",
    "inf",
    "a",
    "x" * 500,
    "urgent",
    "1e99",
    "٣",
    "replace",
)


def hostile(chance: random.Random) -> bytes:
    """One payload of the worst kinds; a good one now and then is nobody's harm."""
    kind = chance.randrange(8)
    if kind == 0:
        return chance.randbytes(chance.choice((0, 1, 3, 64, 1024)))
    if kind == 1:
        return b"[" * chance.choice((10, 1000, 100_000)) + chance.randbytes(4)
    if kind == 2:
        say = json.dumps({"text": "好。" * 20, "volume": 0.5}).encode()
        return say[: chance.randrange(len(say))] + chance.randbytes(2)
    if kind == 3:
        return b"RIFF" + chance.randbytes(4) + b"WAVEfmt " + chance.randbytes(chance.choice((4, 40, 4000)))
    if kind == 4:
        return b"{" + b'"a":{' * chance.choice((5, 5000)) + b"}" * 10
    if kind == 5:
        return b'{"text": ' + b"9" * chance.choice((5, 5000)) + b"}"
    if kind == 6 and chance.random() < 0.05:
        return b"x" * chance.choice((100_000, 1_000_000))
    keys = chance.sample(KEYS, chance.randrange(1, 5))
    return json.dumps({key: chance.choice(VALUES) for key in keys}).encode()


def dressed(chance: random.Random) -> Properties:
    properties = Properties(PacketTypes.PUBLISH)
    if chance.random() < 0.3:
        properties.ResponseTopic = chance.choice(
            [
                "a",
                "cosyedge/attic/say",
                "cosyedge/all/say",
                "$SYS/x",
                "x" * 2000,
                f"{BASE}/play",
                "hermes/tts/say",
            ]
        )
        properties.CorrelationData = chance.randbytes(chance.choice((0, 16, 4000)))
    if chance.random() < 0.3:
        properties.UserProperty = [
            (chance.choice(MARKS), chance.choice(MARKED)) for _ in range(chance.randrange(8))
        ]
    if chance.random() < 0.1:
        properties.MessageExpiryInterval = chance.choice((0, 1, 2**32 - 1))
    return properties


def rss_mb(node: RunningNode) -> float:
    return int(Path(f"/proc/{node.process.pid}/statm").read_text().split()[1]) * 4096 / 2**20


def silence(peer: Peer, number: int) -> None:
    """Ends all that was taken by mistake; the next good message is spoken."""
    peer.publish(f"{BASE}/stop", '{"queue": true}')
    for topic, payload in (
        ("mute/set", "OFF"),
        ("voice/set", "auto"),
        ("lang/set", "auto"),
        ("speed/set", "2"),
    ):
        peer.publish(f"{BASE}/{topic}", payload)
    say = {"id": f"good {number}", "text": "好。", "priority": "urgent", "mode": "replace"}
    peer.publish(f"{BASE}/say", json.dumps(say))
    peer.wait_json(f"{BASE}/result", PATIENCE_S, id=f"good {number}", state="finished")
    peer.messages.clear()
    peer._seen.clear()


@pytest.mark.parametrize(
    ("count", "growth_mb"),
    [(500, 6.0), pytest.param(20_000, 3.0, marks=[pytest.mark.long, pytest.mark.timeout(1800)])],
)
def test_hostile_messages_cost_nothing(
    broker: Broker,
    make_peer: Callable[..., Peer],
    make_node: MakeNode,
    wav: dict[str, Any],
    count: int,
    growth_mb: float,
) -> None:
    """From a fifth of them on, memory does not grow; and the next good message is spoken."""
    chance = random.Random(6)
    peer = make_peer(broker, f"{BASE}/result")
    node = make_node(
        broker.port, hermes_enabled="true", limits_max_rate=10_000, cache_max_mb=0, health_interval_s=5, **wav
    )
    node.wait_until_ready()
    silence(peer, 0)
    resident = []
    for part in range(1, 6):
        for number in range(count // 5):
            info = peer._client.publish(chance.choice(TOPICS), hostile(chance), 1, False, dressed(chance))
            if number % 16 == 15:
                info.wait_for_publish(PATIENCE_S)
        info.wait_for_publish(PATIENCE_S)
        silence(peer, part)
        resident.append(rss_mb(node))
        for file in Path(wav["audio_wav_path"]).iterdir():
            file.unlink()
    print(f"{count} messages: resident MB after each fifth {[round(mb, 1) for mb in resident]}")
    assert max(resident[1:]) - resident[0] <= growth_mb
    assert "Traceback" not in node.log
    assert node.process.poll() is None
    assert node.stop() == 0


def test_a_flood_costs_its_sender_errors_and_nobody_else_anything(
    broker: Broker, make_peer: Callable[..., Peer], make_node: MakeNode, wav: dict[str, Any]
) -> None:
    peer = make_peer(broker, f"{BASE}/result")
    node = make_node(broker.port, limits_max_rate=2, cache_max_mb=0, **wav)
    node.wait_until_ready()
    silence(peer, 0)
    for _ in range(300):
        info = peer._client.publish(f"{BASE}/say", json.dumps({"text": "好。" * 300}), 1)
    for _ in range(300):
        info = peer._client.publish(f"{BASE}/status/get", "", 1)
    info.wait_for_publish(PATIENCE_S)
    peer.wait_json(f"{BASE}/result", PATIENCE_S, error="rate_limited", id="status/get")
    # Others have their own topics: a group, all, urgent words to all.
    say = {"id": "other", "text": "好。", "priority": "urgent"}
    peer.publish("cosyedge/all/say", json.dumps(say))
    peer.wait_json(f"{BASE}/result", PATIENCE_S, id="other", state="finished")
    codes = [json.loads(message.payload).get("error") for message in peer.messages]
    assert codes.count("rate_limited") >= 300
    # The allowance comes back with time.
    deadline = time.monotonic() + PATIENCE_S
    for number in range(100):
        assert time.monotonic() < deadline
        peer.publish(f"{BASE}/stop", '{"queue": true}')
        peer.publish(f"{BASE}/say", json.dumps({"id": f"again {number}", "text": "好。"}))
        told = peer.wait(
            f"{BASE}/result", lambda m, id_=f"again {number}": id_.encode() in m.payload, PATIENCE_S
        )
        if json.loads(told.payload)["state"] == "queued":
            break
    assert node.stop() == 0
