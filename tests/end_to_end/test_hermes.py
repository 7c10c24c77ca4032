"""A node and Rhasspy's own client of Hermes, with nothing between them but the broker."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.peers.places import python_of
from tests.peers.program import Program

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture
def rhasspy(broker: Broker, tmp_path: Path) -> Iterator[Program]:
    program = Path(__file__).parent.parent / "peers" / "rhasspy.py"
    command = [python_of("rhasspy-hermes"), program, broker.port, "attic-site"]
    with Program(command, tmp_path / "rhasspy.log") as running:
        yield running


def samples(file: Path) -> Any:
    with wave.open(str(file)) as sound:
        return np.frombuffer(sound.readframes(sound.getnframes()), np.int16)


def test_a_node_is_the_voice_and_the_loudspeaker_of_a_site(
    rhasspy: Program,
    broker: Broker,
    peer: Peer,
    make_node: Callable[..., RunningNode],
    wav: dict[str, Any],
    tmp_path: Path,
) -> None:
    node = make_node(broker.port, hermes_enabled=True, hermes_site="attic-site", **wav)
    node.wait_until_ready()
    site = {"site_id": "attic-site"}

    rhasspy("send", type="GetVoices", values={**site, "id": "q"})
    voices = rhasspy("wait", type="Voices", values={"id": "q"})["voices"]
    assert {"xiaoyan", "en_us"} <= {voice["voiceId"] for voice in voices}

    say = {**site, "text": "Dinner is ready.", "lang": "en_US", "id": "s1", "session_id": "one"}
    rhasspy("send", type="TtsSay", values=say)
    finished = rhasspy("wait", type="TtsSayFinished", values={"id": "s1"})
    assert (finished["siteId"], finished["sessionId"]) == ("attic-site", "one")
    said = Path(wav["audio_wav_path"]) / "announcement-0001.wav"
    assert len(samples(said)) > 2400, "heard before it was said to be"

    rhasspy("send", type="TtsSay", values={**say, "text": "{{ states('x') }}", "id": "s2"})
    assert rhasspy("wait", type="TtsError", values={"context": "s2"})["error"].endswith(
        "[template_not_rendered]"
    )
    rhasspy("wait", type="TtsSayFinished", values={"id": "s2"})
    rhasspy("send", type="TtsSay", values={**say, "text": "。。。", "id": "s3"})
    rhasspy("wait", type="TtsSayFinished", values={"id": "s3"})
    rhasspy("send", type="TtsSay", values={**say, "site_id": "default", "id": "s4"})

    rhasspy("play", file=str(said), id="p1")
    played = rhasspy("wait", type="AudioPlayFinished", values={"id": "p1"})
    assert played["topic"] == "hermes/audioServer/attic-site/playFinished"
    rhasspy("play", file=str(said), id="p2", volume=0.5)
    rhasspy("wait", type="AudioPlayFinished", values={"id": "p2"})
    original, whole, half = (samples(said.with_name(f"announcement-000{n}.wav")) for n in (1, 2, 3))
    np.testing.assert_allclose(whole, original, atol=1)
    np.testing.assert_allclose(half, original / 8, atol=1)
    nothing = tmp_path / "nothing.wav"
    nothing.write_bytes(b"no sound")
    rhasspy("play", file=str(nothing), id="p3")
    assert rhasspy("wait", type="AudioPlayError", values={"context": "p3"})["error"].endswith(
        "[sound_unreadable]"
    )
    rhasspy("wait", type="AudioPlayFinished", values={"id": "p3"})

    rhasspy("send", type="AudioToggleOff", values=site)
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, mute=True)
    rhasspy("send", type="AudioToggleOn", values=site)
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, mute=False)
    rhasspy("send", type="AudioSetVolume", values={**site, "volume": 0.5})
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, volume=50)

    assert node.stop() == 0
    heard = rhasspy("heard")
    assert heard.count("TtsSayFinished") - heard.index("Voices") == 3, "one each, and none for another site"
    assert heard.index("TtsError") < len(heard) - heard[::-1].index("TtsSayFinished") - 2


def test_what_a_power_cut_interrupts_is_finished_after_it(
    rhasspy: Program, broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    """It was taken, so it is said; and who waits for its end is told."""
    hermes = {"hermes_enabled": True, "hermes_site": "attic-site"}
    node = make_node(broker.port, audio_device="CARD=Unplugged", **hermes)
    node.wait_until_ready()
    say = {"site_id": "attic-site", "text": "Dinner is ready.", "id": "cut", "session_id": "two"}
    rhasspy("send", type="TtsSay", values=say)
    queued = json.loads(peer.wait("cosyedge/attic/result", timeout_s=PATIENCE_S).payload)
    assert queued["state"] == "queued"
    peer.publish("cosyedge/attic/say", '{"id": "later", "text": "Later.", "ttl_s": 0.2}')
    peer.wait_json(
        "cosyedge/attic/result", PATIENCE_S, id="later", state="expired"
    )  # so the journal is written
    node.process.kill()
    node.ended()
    make_node(broker.port, **hermes, **wav).wait_until_ready()
    finished = rhasspy("wait", type="TtsSayFinished", values={"id": "cut"})
    assert (finished["siteId"], finished["sessionId"]) == ("attic-site", "two")
    assert "TtsError" not in rhasspy("heard")
