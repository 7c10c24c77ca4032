"""A sound card that can't be used: the announcement is kept, health says what is wrong, and then it plays."""

from __future__ import annotations

import fcntl
import json
import os
import termios
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.playback.sound import PulseNull

#: PortAudio 19.6 wants one that can't be opened.
ABSENT: Final = "pcm.absent {\n type hw\n card absent\n}\n"
WORKS: Final = "pcm.card {\n type null\n}\n" + ABSENT
#: Whoever may do everything is refused nothing, neither a device that is taken nor one that is read-only.
ORDINARY_USER: Final = ("setpriv", "--bounding-set=-sys_admin,-dac_override", "--inh-caps=-all")


@pytest.fixture
def taken_device() -> Iterator[Path]:
    """A device file that the kernel lets nobody else open: EBUSY, as that of a card that is in use."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    fcntl.ioctl(theirs, termios.TIOCEXCL)
    yield Path(os.ttyname(theirs))
    os.close(ours)
    os.close(theirs)


def through(device: Path) -> str:
    """A PCM that plays through a device file."""
    return f'pcm.card {{\n type oss\n device "{device}"\n}}\n' + ABSENT


class Configuration:
    """The ALSA configuration of a daemon, changed in one step and so that ALSA notices."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        path.write_text(text)

    def write(self, text: str) -> None:
        new = self.path.with_suffix(".new")
        new.write_text(text)
        later = self.path.stat().st_mtime + 2
        os.utime(new, (later, later))
        new.replace(self.path)


def health_that(peer: Peer, *reasons: str) -> dict[str, Any]:
    return peer.wait_json("cosyedge/attic/health", PATIENCE_S, reasons=list(reasons))


def test_whatever_is_wrong_with_the_card_it_is_said_and_the_announcement_waits(
    broker: Broker,
    peer: Peer,
    make_node: Callable[..., RunningNode],
    taken_device: Path,
    tmp_path: Path,
) -> None:
    read_only = tmp_path / "dsp"
    read_only.write_bytes(b"")
    read_only.chmod(0o444)
    troubles = {
        "missing": (ABSENT, "audio_missing", "'card' was not found"),
        "busy": (through(taken_device), "audio_busy", "'card' is in use"),
        "read-only": (through(read_only), "audio_refused", "This user may not open the sound card 'card'"),
        "broken": ("pcm.card {\n type null\n", "audio_refused", "ALSA says: "),
    }
    configuration = Configuration(tmp_path / "asound.conf", troubles["missing"][0])
    node = make_node(
        broker.port,
        environment={"ALSA_CONFIG_PATH": str(configuration.path)},
        through=ORDINARY_USER if os.geteuid() == 0 else (),
        audio_device="card",
        audio_idle_close_s=0,
    )
    node.wait_until_ready()
    for name, (text, reason, words) in troubles.items():
        if name != "missing":
            configuration.write(text)
        peer.publish("cosyedge/attic/say", json.dumps({"id": name, "text": "好。"}))
        health = health_that(peer, reason)
        assert health["status"] == "degraded"
        assert words in health["messages"][0]
        configuration.write(WORKS)
        health_that(peer)
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=name, state="finished")
    assert node.log.count("audio_busy") == 1, "said once, however often it was tried"
    finals = [
        json.loads(message.payload)["state"]
        for message in peer.messages
        if message.topic == "cosyedge/attic/result" and b'"queued"' not in message.payload
    ]
    assert finals == ["started", "finished"] * len(troubles)
    assert node.stop() == 0


def test_a_card_that_is_back_is_noticed_before_anybody_speaks_and_what_is_old_by_then_has_expired(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], tmp_path: Path
) -> None:
    configuration = Configuration(tmp_path / "asound.conf", ABSENT)
    node = make_node(
        broker.port, environment={"ALSA_CONFIG_PATH": str(configuration.path)}, audio_device="card"
    )
    health_that(peer, "audio_missing")
    peer.publish("cosyedge/attic/say", json.dumps({"id": "news", "text": "好。"}), MessageExpiryInterval=1)
    peer.wait_json("cosyedge/attic/result", PATIENCE_S, id="news", state="expired", error="expired")
    configuration.write(WORKS)
    health_that(peer)
    assert node.stop() == 0


def test_a_card_that_vanishes_or_is_suspended_costs_no_announcement(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], pulse: PulseNull, tmp_path: Path
) -> None:
    configuration = Configuration(tmp_path / "asound.conf", pulse.pcm("card") + ABSENT)
    node = make_node(
        broker.port, environment={"ALSA_CONFIG_PATH": str(configuration.path)}, audio_device="card"
    )
    node.wait_until_ready()

    def lose(id_: str, lose: Callable[[], None], find: Callable[[], None], reason: str) -> None:
        peer.publish("cosyedge/attic/say", json.dumps({"id": id_, "text": "今天天气不错。" * 20}))
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="started")
        lose()
        health = health_that(peer, reason)
        assert "'card'" in health["messages"][0]
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="queued")
        find()
        peer.publish("cosyedge/attic/stop")  # of the long one; a short one shows that the card plays
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=id_, state="cancelled")
        peer.publish("cosyedge/attic/say", json.dumps({"id": f"after {id_}", "text": "好。"}))
        peer.wait_json("cosyedge/attic/result", PATIENCE_S, id=f"after {id_}", state="finished")
        health_that(peer)

    lose("vanishes", pulse.vanish, pulse.start, "audio_lost")
    lose("suspended", lambda: pulse.suspend(True), lambda: pulse.suspend(False), "audio_lost")
    assert node.stop() == 0
