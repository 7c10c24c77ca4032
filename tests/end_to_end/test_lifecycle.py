"""Starting, stopping, and what is lost and found on the way: the broker, the card, the power."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.broker import Broker, Peer, free_port
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.playback.sound import file_pcm

LONG = "今天天气不错，出去走走吧。" * 20


def say(id_: str, text: str = "好。", **keys: Any) -> str:
    return json.dumps({"id": id_, "text": text, **keys})


def test_one_thread_computes_and_all_have_names(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], tmp_path: Path
) -> None:
    configuration = tmp_path / "asound.conf"
    configuration.write_text(file_pcm("card", tmp_path / "card.raw"))
    node = make_node(
        broker.port,
        environment={"ALSA_CONFIG_PATH": str(configuration)},
        audio_device="card",
        audio_idle_close_s=1000,
    )
    node.wait_until_ready()
    before = node.threads()
    peer.publish("cosyedge/attic/say", say("long", LONG))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="long", state="started")
    during = node.threads()
    assert set(during) == {"main", "mqtt", "journal", "speech", "audio-device", "audio"}
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="long", state="finished")
    spent = {name: ticks - before.get(name, 0) for name, ticks in node.threads().items()}
    others = sum(spent[name] for name in ("main", "mqtt", "journal", "audio-device"))
    assert spent["speech"] > 4 * others, spent
    health = peer.wait_json("cosyedge/attic/health", PATIENCE_S)
    assert health["threads"] == len(during) or health["status"] == "starting"
    assert node.stop() == 0


def test_a_clean_stop_finishes_what_is_heard_and_says_offline(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, **wav)
    node.wait_until_ready()
    peer.publish("cosyedge/attic/say", say("last", LONG))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="last", state="started")
    assert node.stop() == 0
    results = [json.loads(m.payload) for m in peer.messages if m.topic == "cosyedge/attic/result"]
    assert [result["state"] for result in results] == ["queued", "started", "finished"]
    assert "STOPPING=1" in node.told()
    last = [message for message in peer.messages if message.topic.startswith("cosyedge/attic/")][-1]
    assert last.topic == "cosyedge/attic/availability"
    assert last.payload == b"offline"
    late = Peer(broker, "cosyedge/attic/availability")
    assert late.wait("cosyedge/attic/availability").retain
    late.close()
    assert "WARNING" not in node.log, node.log


def test_a_broker_that_comes_late_is_found(
    make_broker: Callable[..., Broker],
    make_peer: Callable[..., Peer],
    make_node: Callable[..., RunningNode],
    wav: dict[str, Any],
) -> None:
    port = free_port()
    node = make_node(port, **wav)
    node.wait_until_ready()
    node.notified("can't be reached")
    assert node.process.poll() is None
    broker = make_broker(port=port)
    peer = make_peer(broker)
    peer.wait("cosyedge/attic/availability", lambda message: message.payload == b"online", PATIENCE_S)
    peer.wait_json("cosyedge/attic/health", PATIENCE_S, status="ok", reasons=[])
    peer.publish("cosyedge/attic/say", say("late"))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="late", state="finished")
    broker.restart()  # and it has forgotten all about us
    again = make_peer(broker)
    again.wait("cosyedge/attic/availability", lambda message: message.payload == b"online", PATIENCE_S)
    again.publish("cosyedge/attic/say", say("again"))
    again.wait_json("cosyedge/attic/result", PATIENCE_S, id="again", state="finished")
    assert node.stop() == 0


def test_without_a_broker_it_still_stops_cleanly(
    make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(free_port(), **wav)
    node.wait_until_ready()
    assert node.stop(signal.SIGINT) == 0


def test_without_a_card_it_is_degraded_and_loses_nothing(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], tmp_path: Path, wav: dict[str, Any]
) -> None:
    """The announcement waits for a card, through a kill, until there is something to speak with."""
    node = make_node(broker.port, audio_device="CARD=Unplugged")
    node.wait_until_ready()
    health = peer.wait_json("cosyedge/attic/health", PATIENCE_S, status="degraded")
    assert health["reasons"] == ["audio_missing"]
    assert "audio_missing" in node.log
    peer.publish("cosyedge/attic/say", say("patient"))
    peer.publish("cosyedge/attic/say", say("impatient", ttl_s=0.5))
    expired = peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="expired")
    assert expired["id"] == "impatient"
    node.process.kill()
    node.ended()
    peer.wait("cosyedge/attic/availability", lambda message: message.payload == b"offline", PATIENCE_S)
    heard = make_node(broker.port, **wav)
    heard.wait_until_ready()
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="patient", state="finished")
    peer.publish("cosyedge/attic/say", say("patient"))
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="patient", state="duplicate")
    assert heard.stop() == 0
    assert len(list(Path(wav["audio_wav_path"]).iterdir())) == 1


def test_the_watchdog_is_fed_and_signals_are_answered(
    broker: Broker, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, environment={"WATCHDOG_USEC": "400000"}, **wav)
    told = node.notified("WATCHDOG=1")
    assert told.index("READY=1") < told.index("WATCHDOG=1")
    assert "speaking" in told or "ready" in told
    node.process.send_signal(signal.SIGHUP)
    node.process.send_signal(signal.SIGUSR1)
    node.notified("WATCHDOG=1\nWATCHDOG=1\n")
    assert node.stop() == 0
    assert "SIGHUP" in node.log
    assert "is speech" in node.log
    assert "in serve" in node.log, "the stack of the main thread"


def test_stop_empties_the_queue(broker: Broker, peer: Peer, make_node: Callable[..., RunningNode]) -> None:
    node = make_node(broker.port, audio_device="CARD=Unplugged")
    node.wait_until_ready()
    for id_ in ("a", "b", "c"):
        peer.publish("cosyedge/attic/say", say(id_))
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="queued")
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, queue=3, speaking=False)
    peer.publish("cosyedge/attic/stop", '{"queue": true}')
    cancelled = {peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="cancelled")["id"] for _ in "abc"}
    assert cancelled == {"a", "b", "c"}
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, queue=0, speaking=False)
    assert node.stop() == 0
