"""`cosyedge check`, `status` and `discovery`, with a real broker and what others have said there."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cosyedge.cli import main
from tests.broker import Broker, Peer, broker, make_broker, make_peer
from tests.command import last_line, voice

__all__ = ["broker", "make_broker", "make_peer", "voice"]


def test_check_tries_everything_and_names_what_fails(
    voice: list[str], broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--audio-output", "wav"]
    good += ["--audio-wav-path", str(tmp_path)]
    assert main(["check", "--json", *voice, *good]) == 0
    told = last_line(capsys)
    assert told["ok"] is True
    assert [c["what"] for c in told["checks"]] == ["configuration", "voice", "state", "output", "broker"]
    assert main(["check", "--json", *voice, *good, "--audio-wav-path", str(tmp_path / "no" / "a.wav")]) == 74
    assert [c.get("error") for c in last_line(capsys)["checks"]] == [None, None, None, "wav_unwritable", None]
    # Root may write everywhere, and yet not in /proc.
    for option, error in (("--state-dir", "journal_unwritable"), ("--cache-dir", "cache_unwritable")):
        assert main(["check", "--json", *voice, *good, option, "/proc/cosyedge"]) == 71
        state = last_line(capsys)["checks"][2]
        assert (state["what"], state["error"]) == ("state", error)
        assert state["message"].startswith("/proc/cosyedge can't be written by this user: ")
    assert not [file for file in tmp_path.rglob("*") if file.name.startswith("tmp")], "what was tried is left"
    broker.kill()
    assert (
        main(["check", "--json", *voice, *good, "--audio-output", "alsa", "--audio-device", "CARD=no"]) == 74
    )
    told = last_line(capsys)
    assert told["ok"] is False
    assert {c["what"]: c.get("error") for c in told["checks"]} == {
        "configuration": None,
        "voice": None,
        "state": None,
        "output": "audio_missing",
        "broker": "mqtt_unreachable",
    }
    assert main(["check", *voice, *good]) == 69
    assert "FAILED broker: The broker at" in capsys.readouterr().out


def test_check_of_a_broker_that_refuses_us(
    voice: list[str], make_broker: Callable[..., Broker], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broker = make_broker(users={"node": "right"})
    flags = [*voice, "--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--audio-output", "wav"]
    (tmp_path / "secret").write_text("wrong\n")
    login = ["--mqtt-username", "node", "--mqtt-password-file", str(tmp_path / "secret")]
    assert main(["check", "--json", *flags, *login]) == 69
    assert last_line(capsys)["checks"][-1]["error"] == "mqtt_refused"
    (tmp_path / "secret").write_text("right\n")
    assert main(["check", "--json", *flags, *login]) == 0


def test_status_shows_what_a_node_has_said(
    broker: Broker, make_peer: Callable[..., Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--mqtt-node", "attic"]
    assert main(["status", "--json", "--timeout", "1", *flags]) == 69
    told = last_line(capsys)
    assert told["message"].startswith("No node 'attic' is known at ")
    assert "mqtt.node" in told["message"]
    assert told["error"] == "mqtt_unreachable"
    peer = make_peer(broker)
    peer.publish("cosyedge/attic/availability", "offline", retain=True)
    peer.publish("cosyedge/attic/state", '{"queue": 2}', retain=True)
    peer.publish("cosyedge/attic/health", '{"status": "ok"}', retain=True)
    assert main(["status", "--json", *flags, "--mqtt-protocol", "3.1.1"]) == 0
    said = {"availability": "offline", "state": {"queue": 2}, "health": {"status": "ok"}}
    assert last_line(capsys) == {"node": "attic", "answered": False, **said}
    assert main(["status", *flags]) == 0
    drawn = capsys.readouterr().out
    assert "attic is offline" in drawn
    assert "2 waiting" in drawn


def test_status_asks_a_node_that_is_there(
    broker: Broker, make_peer: Callable[..., Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--mqtt-node", "attic"]
    peer = make_peer(broker, "cosyedge/attic/status/get")
    peer.publish("cosyedge/attic/availability", "online", retain=True)
    peer.publish("cosyedge/attic/state", '{"queue": 2}', retain=True)

    def answer() -> None:
        peer.wait("cosyedge/attic/status/get")
        peer.publish("cosyedge/attic/status", '{"state": {"queue": 0}, "history": {"rtf": [0.1]}}')

    node = threading.Thread(target=answer)
    node.start()
    assert main(["status", "--json", *flags]) == 0
    node.join()
    told = last_line(capsys)
    assert told["answered"] is True
    assert told["state"] == {"queue": 0}
    assert told["history"] == {"rtf": [0.1]}
    assert main(["status", "--json", "--timeout", "1", *flags]) == 0
    assert last_line(capsys) == {
        "node": "attic", "answered": False, "availability": "online", "state": {"queue": 2},
    }  # fmt: skip


def test_discovery_is_removed_where_it_is_ours(
    broker: Broker, make_peer: Callable[..., Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--mqtt-node", "attic"]
    peer = make_peer(broker)
    message = {"origin": {"name": "cosyedge"}, "availability_topic": "cosyedge/attic/availability"}
    for name, changed in (
        ("old", {}),
        ("new", {}),
        ("cellar", {"availability_topic": "cosyedge/cellar/availability"}),
        ("lamp", {"origin": {"name": "zigbee"}}),
    ):
        payload = json.dumps({**message, **changed})
        peer.publish(f"homeassistant/device/{name}/config", payload, retain=True)
    peer.publish("homeassistant/device/broken/config", "{", retain=True)
    ours = [f"homeassistant/device/{name}/config" for name in ("new", "old")]
    assert main(["discovery", "remove", "--json", *flags]) == 0
    assert last_line(capsys) == {"removed": ours}
    for topic in sorted(ours):
        assert peer.wait(topic, lambda heard: heard.payload == b"").retain is False
    assert main(["discovery", "remove", *flags]) == 0
    assert capsys.readouterr().out == "there was nothing to remove\n"
    left = make_peer(broker, "homeassistant/device/+/config")
    for name in ("broken", "cellar", "lamp"):
        left.wait(f"homeassistant/device/{name}/config")
    assert len(left.messages) == 3
