"""A broker that goes and comes, again and again, while there is much to say: all of it is said, each once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode
from tests.proxy import Proxy

BASE = "cosyedge/attic"
USERS = {"attic": "a", "watcher": "w"}
#: Announcements before each fall of the broker that it has on its disk, and such as it may lose itself.
CERTAIN, UNCERTAIN = 4, 2


class Storm:
    """Asks and keeps account. The node speaks with the broker through ``wire``."""

    def __init__(self, broker: Broker, wire: Proxy, peer: Peer, node: RunningNode) -> None:
        self.broker, self.wire, self.peer, self.node = broker, wire, peer, node
        self.certain: set[str] = set()
        self.uncertain: set[str] = set()
        self.away_s: list[float] = []

    def ask(self, id_: str) -> Any:
        return self.peer._client.publish(f"{BASE}/say", json.dumps({"id": id_, "text": "好。"}), 1)

    def fall(self, number: int, how: str) -> None:
        """One end of a connection, and what comes after it."""
        self._ask_certainly(*(f"{number}-{each}" for each in range(CERTAIN)))
        self.broker.save()
        if how == "half open":
            self.wire.freeze()
        else:
            for each in range(UNCERTAIN):
                self.uncertain.add(f"{number}-u{each}")
                self.ask(f"{number}-u{each}")
            self.broker.kill()
            if how == "wrong password":
                self.broker.set_passwords(USERS | {"attic": "changed"})
            self.broker.start()
        began = time.monotonic()
        if how == "wrong password":
            before = self.node.log.count("[mqtt_refused]")
            self._until(lambda: self.node.log.count("[mqtt_refused]") > before, "it was not refused")
            self.broker.set_passwords(USERS)
        if how != "at once again":
            self._until_heard(f"after {number}")
            self.away_s.append(time.monotonic() - began)

    def _ask_certainly(self, *ids: str) -> None:
        self._until(self.peer._client.is_connected, "the watcher is away")
        for info in [self.ask(id_) for id_ in ids]:
            info.wait_for_publish(PATIENCE_S)
        self.certain.update(ids)

    def _until_heard(self, id_: str) -> None:
        """Deaf nodes stay silent."""
        self._ask_certainly(id_)
        self.peer.wait_json(f"{BASE}/result", PATIENCE_S, id=id_, state="finished")

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, f"{what}\n{self.node.log[-2000:]}"
            time.sleep(0.01)

    def account(self) -> set[str]:
        """Ids of all that was taken. What a broker that was killed may have lost of the results is asked for:
        a node knows what it has said before.
        """
        told = self._told()
        for id_ in sorted((self.certain | self.uncertain) - told):
            self._until(self.peer._client.is_connected, "the watcher is away")
            self.ask(id_).wait_for_publish(PATIENCE_S)
            state = None
            while state not in ("duplicate", "finished"):
                state = self.peer.wait_json(f"{BASE}/result", PATIENCE_S, id=id_)["state"]
            assert state == "duplicate" or id_ in self.uncertain, f"{id_} was lost"
            told.add(id_)
        return told

    def _told(self) -> set[str]:
        results = [json.loads(m.payload) for m in self.peer.messages if m.topic == f"{BASE}/result"]
        states = {result["state"] for result in results}
        assert states <= {"queued", "started", "finished", "duplicate"}, states
        return {result["id"] for result in results if result["state"] == "finished"}


def course(falls: int) -> list[str]:
    """What happens: mostly kills, and once in a while all else."""
    if falls < 10:
        return ["killed", "at once again", "killed"]
    odd = {2: "wrong password", 4: "half open", 6: "at once again", 8: "slow"}
    return [odd.get(number % 10, "killed") for number in range(1, falls + 1)]


@pytest.mark.parametrize("falls", [3, pytest.param(50, marks=[pytest.mark.long, pytest.mark.timeout(3600)])])
def test_a_storm_of_reconnections_costs_no_word_and_doubles_none(
    make_broker: Callable[..., Broker],
    make_node: Callable[..., RunningNode],
    wav: dict[str, Any],
    falls: int,
) -> None:
    broker = make_broker(persistence=True, users=USERS)
    peer = Peer(broker, f"{BASE}/#", session="watcher", username="watcher", password="w")
    peer._client.reconnect_delay_set(0.05, 0.2)  # type: ignore[arg-type]
    try:
        with Proxy(broker.port) as wire:
            node = make_node(
                wire.port,
                mqtt_username="attic",
                mqtt_password="a",
                mqtt_keepalive_s=5,
                health_interval_s=5,
                **wav,
            )
            node.wait_until_ready()
            storm = Storm(broker, wire, peer, node)
            for number, how in enumerate(course(falls)):
                wire.delay_s = 0.2 if how == "slow" else 0.0
                storm.fall(number, how)
            wire.delay_s = 0.0
            taken = storm.account()
            asked = len(storm.certain | storm.uncertain)
            print(f"{falls} falls, {asked} announcements, away for at most {max(storm.away_s):.1f} s")
            assert storm.certain <= taken
            assert node.stop() == 0
            spoken = len(list(Path(wav["audio_wav_path"]).glob("*.wav")))
            assert spoken == len(taken), "each was heard once"
            assert "Traceback" not in node.log
    finally:
        peer.close()
