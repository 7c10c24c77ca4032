"""A broker that comes back with an older database: a power cut took the last of what it had written."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from cosyedge.announcements.result import FINAL
from cosyedge.mqtt.deliveries import MOST_IN_FLIGHT
from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode

BASE = "cosyedge/attic"
SAY = f"{BASE}/say"
RESULT = f"{BASE}/result"
STATE = f"{BASE}/state"

MakeBroker = Callable[..., Broker]
MakeNode = Callable[..., RunningNode]
MakePeer = Callable[..., Peer]


def say(id_: str, **more: Any) -> str:
    return json.dumps({"id": id_, "text": "好。"} | more)


def results(*peers: Peer) -> list[dict[str, Any]]:
    """All that these have heard."""
    return [json.loads(m.payload) for peer in peers for m in peer.messages if m.topic == RESULT]


def ends(*peers: Peer) -> Counter[tuple[str, str]]:
    """Id and final state → how often that was told."""
    return Counter((told["id"], told["state"]) for told in results(*peers) if told["state"] in FINAL)


def spoken(wav: dict[str, Any]) -> int:
    return len(list(Path(wav["audio_wav_path"]).glob("*.wav")))


def wait_finished(peer: Peer, count: int) -> None:
    for _ in range(count):
        peer.wait_json(RESULT, PATIENCE_S, state="finished")


def use_up_low_identifiers(peer: Peer) -> None:
    """Until it is seen that the broker counts its packets."""
    for _ in range(MOST_IN_FLIGHT):
        peer.publish(f"{BASE}/mute/set", "OFF")


def retained(broker: Broker, make_peer: MakePeer) -> dict[str, bytes]:
    """What the broker keeps of the node, but its health, which has a clock in it, and its state."""
    peer = make_peer(broker)
    peer.wait(f"{BASE}/availability", timeout_s=PATIENCE_S)
    peer.publish("last", "", qos=1)  # comes behind all that is retained
    peer.wait("last", timeout_s=PATIENCE_S)
    kept = {message.topic: message.payload for message in peer.messages if message.retain}
    return {topic: b"" if topic in (STATE, f"{BASE}/health") else value for topic, value in kept.items()}


@pytest.mark.parametrize(
    ("then", "protocol"),
    [
        ("in flight", "5"),
        pytest.param("waiting", "5", marks=pytest.mark.long),
        pytest.param("in flight", "3.1.1", marks=pytest.mark.long),
        pytest.param("waiting", "3.1.1", marks=pytest.mark.long),
    ],
)
def test_what_was_acknowledged_is_not_done_again(
    make_broker: MakeBroker,
    make_node: MakeNode,
    make_peer: MakePeer,
    wav: dict[str, Any],
    then: Literal["in flight", "waiting"],
    protocol: str,
) -> None:
    """``then``, when the database was written, some messages were on their way to the node, which had not
    acknowledged them, or were still to be sent to it.
    """
    broker = make_broker(persistence=True)
    peer = make_peer(broker, f"{BASE}/#")
    node = make_node(broker.port, mqtt_protocol=protocol, **wav)
    node.wait_until_ready()
    use_up_low_identifiers(peer)
    if then == "in flight":
        node.freeze()
    else:
        assert node.stop() == 0
    for payload in (say("named"), "好。", say("later", at=time.time() + 3600)):
        peer.publish(SAY, payload)
    peer.publish(f"{BASE}/volume/set", "30")
    peer.publish(f"{BASE}/test")
    older = broker.database()
    if then == "in flight":
        node.thaw()
    else:
        node = make_node(broker.port, mqtt_protocol=protocol, **wav)
    wait_finished(peer, 3)
    peer.wait_json(STATE, PATIENCE_S, volume=30)
    peer.publish(f"{BASE}/test")
    wait_finished(peer, 1)
    peer.publish(f"{BASE}/volume/set", "60")
    peer.wait_json(STATE, PATIENCE_S, volume=60)
    peer.close()

    node.freeze()
    broker.fall_back(older)
    later = make_peer(broker, f"{BASE}/#")  # hears whatever the node does from now on
    node.thaw()
    later.wait(f"{BASE}/availability", lambda m: m.payload == b"online" and not m.retain, PATIENCE_S)
    # The broker counts from where it was: it gives this the number that it gave to the same thing before.
    later.publish(f"{BASE}/test")
    later.publish(f"{BASE}/volume/set", "70")
    later.publish(SAY, say("last"))
    later.wait_json(RESULT, PATIENCE_S, id="last", state="finished")

    assert {state for _, state in ends(later)} == {"finished"}
    assert len(ends(later)) == 2
    later.publish(f"{BASE}/stop", '{"queue": true}')
    later.wait_json(RESULT, PATIENCE_S, id="later", state="cancelled")
    volumes = [json.loads(m.payload)["volume"] for m in later.messages if m.topic == STATE and not m.retain]
    assert list(dict.fromkeys(volumes)) == [60, 70]
    assert set(ends(peer, later).values()) == {1}
    assert node.stop() == 0
    assert spoken(wav) == 6


@pytest.mark.long
def test_what_had_finished_is_not_said_again_by_a_daemon_that_fell_as_well(
    make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer, wav: dict[str, Any]
) -> None:
    broker = make_broker(persistence=True)
    peer = make_peer(broker, f"{BASE}/#")
    node = make_node(broker.port, **wav)
    node.wait_until_ready()
    use_up_low_identifiers(peer)
    assert node.stop() == 0
    for payload in (say("named"), "好。"):
        peer.publish(SAY, payload)
    older = broker.database()
    node = make_node(broker.port, **wav)
    wait_finished(peer, 2)
    node.process.kill()
    assert node.ended() == -9
    peer.close()

    broker.fall_back(older)
    later = make_peer(broker, f"{BASE}/#")
    node = make_node(broker.port, **wav)
    for _ in range(2):
        later.wait_json(RESULT, PATIENCE_S, state="duplicate")
    later.publish(SAY, say("last"))
    later.wait_json(RESULT, PATIENCE_S, id="last", state="finished")
    # An end of which the daemon did not learn any more that the broker has it is told twice.
    news = ends(later).keys() - ends(peer).keys()
    assert {("named", "duplicate"), ("last", "finished")} < news
    assert sorted(state for _, state in news) == ["duplicate", "duplicate", "finished"]
    assert node.stop() == 0
    assert spoken(wav) == 3


@pytest.mark.parametrize("protocol", ["5", pytest.param("3.1.1", marks=pytest.mark.long)])
def test_a_broker_that_has_forgotten_us_hears_everything_again(
    make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer, wav: dict[str, Any], protocol: str
) -> None:
    broker = make_broker(persistence=True)
    peer = make_peer(broker, f"{BASE}/#")
    peer.publish(f"{BASE}/availability", "offline", retain=True)  # it has known an earlier node
    older = broker.database()
    node = make_node(broker.port, mqtt_protocol=protocol, mqtt_groups="upstairs", **wav)
    node.wait_until_ready()
    peer.publish(f"{BASE}/volume/set", "60")
    peer.wait_json(STATE, PATIENCE_S, volume=60)
    before = retained(broker, make_peer)
    asked = [f"n{number}" for number in range(6)]
    for id_ in asked:
        peer.publish(SAY, say(id_))
    peer.wait_json(RESULT, PATIENCE_S, id=asked[-1], state="queued")

    node.freeze()  # while it speaks, somewhere
    broker.fall_back(older)
    later = make_peer(broker)
    node.thaw()
    later.wait(f"{BASE}/availability", lambda m: m.payload == b"online", PATIENCE_S)
    more = [SAY, "cosyedge/all/say", "cosyedge/group/upstairs/say"]
    for topic in more:
        later.publish(topic, say(topic.replace("/", "-")))
    for topic in more:
        later.wait_json(RESULT, PATIENCE_S, id=topic.replace("/", "-"), state="finished")

    told = ends(peer, later)
    # Some are told twice, where the broker fell before it said thanks.
    assert all(told[id_, "finished"] for id_ in asked)
    assert {state for _, state in told} == {"finished"}
    assert retained(broker, make_peer) == before
    late = make_peer(broker)
    assert json.loads(late.wait(STATE, lambda m: m.retain).payload)["volume"] == 60
    assert node.stop() == 0
    assert spoken(wav) == len(asked) + len(more)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [1, 2])
def test_however_often_it_falls_back_each_announcement_is_heard_once(
    make_broker: MakeBroker, make_node: MakeNode, make_peer: MakePeer, wav: dict[str, Any], seed: int
) -> None:
    """Its database is of this round or of the one before; the daemon still speaks, or falls as well."""
    chance = random.Random(seed)
    broker = make_broker(persistence=True)
    peer = make_peer(broker, f"{BASE}/#")
    node = make_node(broker.port, **wav)
    node.wait_until_ready()
    use_up_low_identifiers(peer)
    older, asked, killed = broker.database(), 0, 0
    for _ in range(20):
        snapshot_at, is_frozen = chance.randrange(5), chance.random() < 0.5
        before, kills = older, chance.random() < 0.3
        if is_frozen:
            node.freeze()
        for number in range(4):
            if number == snapshot_at:
                older = broker.database()
            asked += 1
            text = f"第{asked}。"  # no two are the same
            peer.publish(SAY, say(f"n{asked}", text=text) if chance.random() < 0.5 else text)
        if snapshot_at == 4:
            older = broker.database()
        asked += 1
        mark = f"n{asked}"  # comes behind the others, and is heard behind them
        peer.publish(SAY, say(mark, priority="low"))
        node.thaw()
        peer.wait_json(RESULT, PATIENCE_S, id=mark, state="finished" if kills else "queued")
        if kills:
            killed += 1
            node.process.kill()
            node.ended()
        else:
            node.freeze()
        peer.close()
        broker.fall_back(chance.choice([before, older]))
        peer = make_peer(broker, f"{BASE}/#")
        if kills:
            node = make_node(broker.port, **wav)
        node.thaw()
        peer.wait(f"{BASE}/availability", lambda m: m.payload == b"online" and not m.retain, PATIENCE_S)
    peer.publish(SAY, say("last", priority="low"))
    peer.wait_json(RESULT, PATIENCE_S, id="last", state="finished")
    assert node.stop() == 0
    assert killed > 2
    assert spoken(wav) == asked + 1
