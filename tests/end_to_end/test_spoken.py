"""From a message at a real broker to the samples that leave through ALSA, and to the results in between."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle
from cosyedge.text.reader import Reader
from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.playback.sound import PulseNull, as_card, assert_heard, file_pcm, recorded, trimmed

TEXT = "今天天气不错，出去走走吧。 Dinner is ready. 十点半。"


def speech(bundle: Bundle, text: str, voice: str, speed: float = 1.0) -> NDArray[np.float32]:
    """What the synthesizer makes of ``text``: its clauses, with their pauses between them."""
    speaker = bundle.choose_voice(voice, "zh")
    synthesizer = Synthesizer(bundle)
    pieces: list[NDArray[np.float32]] = []
    pause = np.zeros(0, np.float32)
    for clause in Reader(bundle.path, bundle.languages).read(text, "auto", speaker.native):
        pieces += [pause, *(samples.copy() for samples in synthesizer.stream(clause, speaker, speed))]
        pause = np.zeros(round(clause.pause_s * 24_000), np.float32)
    return np.concatenate(pieces)


@pytest.mark.parametrize("rate", [48_000, 44_100])
def test_every_sample_of_a_message_leaves_through_the_sound_card(
    broker: Broker,
    peer: Peer,
    make_node: Callable[..., RunningNode],
    pulse: PulseNull,
    test_bundle: Bundle,
    tmp_path: Path,
    rate: int,
) -> None:
    """The card takes sound in real time and writes what it was given to a file, anew at each open."""
    captured = tmp_path / "card.raw"
    configuration = tmp_path / "asound.conf"
    configuration.write_text(file_pcm("card", captured, "paced") + pulse.pcm("paced"))
    node = make_node(
        broker.port,
        environment={"ALSA_CONFIG_PATH": str(configuration)},
        audio_device="card",
        audio_rate=rate,
        audio_ring_s=20,
        audio_lead_in_s=2,  # in which all of it is made, however busy the machine is
        audio_idle_close_s=0,
    )
    node.wait_until_ready()
    say = {"id": "dinner", "text": TEXT, "voice": "xiaoyan", "speed": 1.25}
    peer.publish(
        "cosyedge/attic/say", json.dumps(say), ResponseTopic="kitchen/answers", CorrelationData=b"\x07"
    )
    finished = peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="dinner", state="finished")

    expected = speech(test_bundle, TEXT, "xiaoyan", 1.25)
    assert np.abs(expected).max() < 0.95
    assert_heard(recorded(captured), trimmed(as_card(expected, rate)))

    assert finished["audio_s"] == pytest.approx(len(expected) / 24_000, abs=0.001)
    assert finished["voice"] == "xiaoyan"
    assert finished["lang"] == "zh"
    assert finished["first_audio_ms"] > 0
    assert finished["rtf"] > 0
    answers = [message for message in peer.messages if message.topic == "kitchen/answers"]
    assert [json.loads(answer.payload)["state"] for answer in answers] == ["queued", "started", "finished"]
    assert all(answer.properties.CorrelationData == b"\x07" for answer in answers)
    assert node.stop() == 0


def test_a_rendered_message_comes_back_as_wav(
    broker: Broker,
    peer: Peer,
    make_node: Callable[..., RunningNode],
    wav: dict[str, Any],
    test_bundle: Bundle,
) -> None:
    make_node(broker.port, **wav).wait_until_ready()
    peer.publish(
        "cosyedge/attic/render", json.dumps({"text": TEXT, "voice": "zhitian"}), ResponseTopic="reader/audio"
    )
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="finished")
    chunks: list[bytes] = []
    is_last = False
    while not is_last:
        message = peer.wait("reader/audio", lambda m: m.properties.ContentType == "audio/wav", PATIENCE_S)
        properties = dict(message.properties.UserProperty)
        assert properties["chunk"] == str(len(chunks))
        is_last = properties["last"] == "true"
        chunks.append(message.payload)
    samples = np.frombuffer(b"".join(chunks)[44:], np.int16)
    assert np.array_equal(samples, as_card(speech(test_bundle, TEXT, "zhitian"), 24_000))
    assert not list(Path(wav["audio_wav_path"]).iterdir()), "nothing is played"


def test_messages_to_all_and_to_a_group_are_spoken_in_their_order(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    make_node(broker.port, mqtt_groups="upstairs", **wav).wait_until_ready()
    topics = ("cosyedge/all/say", "cosyedge/group/upstairs/say", "cosyedge/attic/say")
    for number, topic in enumerate(topics):
        peer.publish(topic, json.dumps({"id": str(number), "text": "好。" * (number + 1)}))
    finished = [peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="finished")["id"] for _ in topics]
    assert finished == ["0", "1", "2"]
    files = sorted(Path(wav["audio_wav_path"]).iterdir())
    assert [file.name for file in files] == [f"announcement-000{n}.wav" for n in (1, 2, 3)]
    lengths = []
    for file in files:
        with wave.open(str(file)) as sound:
            assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (24_000, 1, 2)
            lengths.append(sound.getnframes())
    assert lengths == sorted(set(lengths)), "each is longer than the one before"


def test_settings_hold_and_are_kept_over_a_restart(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, **wav)
    node.wait_until_ready()
    for topic, payload in (
        ("volume", "40"),
        ("mute", "ON"),
        ("voice", "xiaoyan"),
        ("speed", "1.5"),
        ("lang", "zh"),
    ):
        peer.publish(f"cosyedge/attic/{topic}/set", payload)
    changed = {"volume": 40, "mute": True, "voice": "xiaoyan", "speed": 1.5, "lang": "zh"}
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, **changed)
    assert node.stop() == 0
    make_node(broker.port, **wav).wait_until_ready()
    peer.wait_json("cosyedge/attic/state", PATIENCE_S, **changed)
    peer.publish("cosyedge/attic/test")
    finished = peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="finished")
    assert finished["voice"] == "xiaoyan"
    with wave.open(str(next(Path(wav["audio_wav_path"]).iterdir()))) as sound:
        assert not any(sound.readframes(sound.getnframes())), "it is muted"
    peer.publish("cosyedge/attic/voice/set", "nobody")
    refused = peer.wait_json("cosyedge/attic/result", PATIENCE_S, state="failed")
    assert refused["error"] == "unknown_voice"
