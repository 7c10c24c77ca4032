"""Phrases that a running node is asked to keep, and says without making them again."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cosyedge.cli import main
from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode

PHRASES = "洗衣机洗完了。\n\nDinner is ready.\n안녕하세요\n  洗衣机洗完了。  \n!!!\n"


def health(peer: Peer, **expected: int) -> dict[str, Any]:
    """The figures of the cache, once they are so."""
    message = peer.wait(
        "cosyedge/attic/health",
        lambda m: expected.items() <= (json.loads(m.payload).get("cache") or {}).items(),
        PATIENCE_S,
    )
    return json.loads(message.payload)["cache"]


def heard(folder: Path) -> list[np.ndarray]:
    sounds = []
    for file in sorted(folder.iterdir()):
        with wave.open(str(file)) as sound:
            sounds.append(np.frombuffer(sound.readframes(sound.getnframes()), np.int16))
    return sounds


def test_phrases_are_warmed_said_and_dropped(
    broker: Broker,
    peer: Peer,
    make_node: Callable[..., RunningNode],
    wav: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "phrases"
    options = {**wav, "cache_dir": folder, "health_interval_s": 1}
    flags = ["--mqtt-host=127.0.0.1", f"--mqtt-port={broker.port}", "--mqtt-node=attic", "--json"]
    assert main(["cache", "clear", "--timeout", "2", *flags]) == 69, "there is no node yet"
    capsys.readouterr()
    node = make_node(broker.port, **options)
    node.wait_until_ready()
    (tmp_path / "phrases.txt").write_text(PHRASES)
    assert main(["cache", "warm", str(tmp_path / "phrases.txt"), "--timeout", "60", *flags]) == 65
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["made"], told["kept"]) == (2, 1)
    assert [line.partition(":")[0] for line in told["failed"]] == ["line 4", "line 6"]
    assert "[language_unavailable]" in told["failed"][0]
    assert heard(wav["audio_wav_path"]) == [], "nothing is heard of it"
    assert len(list(folder.iterdir())) == 2

    peer.publish("cosyedge/attic/say", json.dumps({"id": "kept", "text": "洗衣机洗完了。"}))
    finished = peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="kept", state="finished")
    assert finished["rtf"] is None
    assert finished["first_audio_ms"] > 0
    figures = health(peer, hits=2, phrases=2)
    assert figures["bytes"] == sum(file.stat().st_size for file in folder.iterdir())
    assert node.stop() == 0

    node = make_node(broker.port, **options)  # the files are still there
    node.wait_until_ready()
    peer.publish("cosyedge/attic/say", json.dumps({"id": "again", "text": "洗衣机洗完了。"}))
    assert peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="again", state="finished")["rtf"] is None
    assert main(["cache", "clear", *flags]) == 0
    health(peer, phrases=0, bytes=0)
    assert list(folder.iterdir()) == []
    peer.publish("cosyedge/attic/say", json.dumps({"id": "anew", "text": "洗衣机洗完了。"}))
    assert peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="anew", state="finished")["rtf"] > 0
    first, second, third = heard(wav["audio_wav_path"])
    assert np.array_equal(first, second)
    assert np.array_equal(first, third)
    assert node.stop() == 0
