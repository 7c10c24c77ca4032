"""Whatever comes, it has a code and a sentence, and the next good message is still spoken."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cosyedge.errors import CURES
from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode


def say(**keys: Any) -> bytes:
    return json.dumps({"text": "好。"} | keys).encode()


BAD = [
    (b'{"text": "no end', "bad_json"),
    (b'{"text": "a"} {"text": "b"}', "bad_json"),
    (b'{"text": "a", "text": "b"}', "bad_json"),
    (b'{"text": "a", "volume": NaN}', "bad_json"),
    (b'{"text": ' + b"[" * 4000, "bad_json"),
    (b"\xff\xfe\x00\x01", "not_utf8"),
    (b"caf\xe9", "not_utf8"),
    ("今天".encode("utf-16"), "not_utf8"),
    (b"{}", "missing_text"),
    (b'{"text": 5}', "bad_value"),
    (b'{"text": null}', "bad_value"),
    (b'{"text": ["a"]}', "bad_value"),
    (say(txet="a"), "unknown_key"),
    (say(voice="nobody"), "unknown_voice"),
    (say(voice=7), "bad_value"),
    (say(lang="fr"), "unknown_lang"),
    (say(chime="gong"), "unknown_chime"),
    (say(priority="now"), "bad_value"),
    (say(mode="shout"), "bad_value"),
    (say(volume=2), "bad_value"),
    (say(volume="loud"), "bad_value"),
    (say(volume=True), "bad_value"),
    (say(speed=0), "bad_value"),
    (say(ttl_s=-1), "bad_value"),
    (say(at=1.7e12), "bad_value"),
    (say(id=""), "bad_value"),
    (say(text="{{ states('sensor.x') }}"), "template_not_rendered"),
    (b"{{ now() }}", "template_not_rendered"),
    (say(text="好" * 1001), "text_too_long"),
    (b"a" * 1_000_000, "text_too_long"),
    (say(text="好" * 300_000), "text_too_long"),
    (b'{"x": "' + b"a" * 1_000_000 + b'"}', "payload_too_large"),
    ("안녕하세요".encode(), "language_unavailable"),
]


def test_after_each_bad_message_the_next_good_one_is_spoken(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, **wav)
    node.wait_until_ready()
    result = "cosyedge/attic/result"
    for number, (payload, code) in enumerate(BAD):
        peer.publish("cosyedge/attic/say", payload)
        failed = peer.wait_json(result, PATIENCE_S, state="failed")
        assert failed["error"] == code, (payload[:80], failed)
        assert code in CURES
        assert len(failed["message"]) > 10, "a sentence"
        assert failed["id"]
        peer.publish("cosyedge/attic/say", say(id=f"good-{number}"))
        peer.wait_json(result, PATIENCE_S, id=f"good-{number}", state="finished")
    assert len(list(Path(wav["audio_wav_path"]).iterdir())) == len(BAD)
    assert node.stop() == 0
    health = peer.wait_json("cosyedge/attic/health", PATIENCE_S)
    assert health["status"] in ("starting", "ok")
    assert "Traceback" not in node.log
    assert "好" not in node.log, "the spoken text is in the log"


def test_nothing_to_say_is_finished_and_not_failed(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    make_node(broker.port, **wav).wait_until_ready()
    for number, text in enumerate(("", "   \n", "…！？", "🎉🎉", "***")):
        peer.publish("cosyedge/attic/say", json.dumps({"id": str(number), "text": text}))
        finished = peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=str(number), state="finished")
        assert finished["skipped"] == "empty", text
    assert list(Path(wav["audio_wav_path"]).iterdir()) == []


def test_bad_commands_change_nothing_and_say_why(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    make_node(broker.port, **wav).wait_until_ready()
    before = peer.wait_json("cosyedge/attic/state", PATIENCE_S)
    for topic, payload, code in (
        ("volume/set", "loud", "bad_value"),
        ("volume/set", "101", "bad_value"),
        ("volume/set", b"\xff", "not_utf8"),
        ("mute/set", "maybe", "bad_value"),
        ("voice/set", "nobody", "unknown_voice"),
        ("lang/set", "fr", "unknown_lang"),
        ("speed/set", "9", "bad_value"),
        ("stop", "{", "bad_json"),
        ("stop", '{"quue": true}', "unknown_key"),
        ("render", "no response topic", "bad_value"),
    ):
        peer.publish(f"cosyedge/attic/{topic}", payload)
        failed = peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="failed")
        assert failed["error"] == code, (topic, payload, failed)
    peer.publish("cosyedge/attic/volume/set", "55")
    assert peer.wait_json("cosyedge/attic/state", PATIENCE_S, volume=55) == before | {"volume": 55}


def test_a_retained_command_is_not_carried_out(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    peer.publish("cosyedge/attic/say", "an alarm of last year", retain=True)
    make_node(broker.port, **wav).wait_until_ready()
    peer.wait("cosyedge/attic/availability", lambda message: message.payload == b"online", PATIENCE_S)
    peer.publish("cosyedge/attic/say", say(id="new"))
    queued = peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="queued")
    assert queued["id"] == "new"


def _flip(bundle: Path, name: str) -> None:
    data = bytearray((bundle / name).read_bytes())
    data[len(data) // 2] ^= 1
    (bundle / name).write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "code", "file"),
    [
        (lambda bundle: _flip(bundle, "vocoder.onnx"), "bundle_hash_mismatch", "vocoder.onnx"),
        (lambda bundle: _flip(bundle, "zh.lexicon"), "bundle_hash_mismatch", "zh.lexicon"),
        (lambda bundle: (bundle / "acoustic.int8.onnx").unlink(), "bundle_missing", "acoustic.int8.onnx"),
        (lambda bundle: (bundle / "bundle.yaml").unlink(), "bundle_missing", "bundle.yaml"),
        (lambda bundle: (bundle / "bundle.yaml").write_text("format: 1\n"), "bundle_invalid", "bundle.yaml"),
        (lambda bundle: shutil.rmtree(bundle), "bundle_missing", "damaged"),
    ],
)
def test_a_broken_bundle_stops_the_start_and_names_the_file(
    broker: Broker,
    peer: Peer,
    make_node: Callable[..., RunningNode],
    wav: dict[str, Any],
    test_bundle_path: Path,
    tmp_path: Path,
    damage: Callable[[Path], None],
    code: str,
    file: str,
) -> None:
    bundle = tmp_path / "damaged"
    shutil.copytree(test_bundle_path, bundle)
    damage(bundle)
    node = make_node(broker.port, bundle, **wav)
    assert node.ended() == 70
    assert code in node.log
    assert file in node.log
    assert "Traceback" not in node.log
    told = node.told()
    assert "READY=1" not in told
    assert code in told, "systemctl status shows it"
    assert peer.messages == [], "nobody is told that it is online"
