"""Nothing that was taken is lost, however the daemon, the power or the broker ends; nothing is said twice."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.broker import Broker, Peer
from tests.end_to_end.deaths import Series
from tests.end_to_end.nursery import Life, Nursery


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("persistence", "deaths", "seed"),
    [
        (True, 8, 1),
        (False, 4, 2),
        pytest.param(True, 200, 3, marks=[pytest.mark.long, pytest.mark.timeout(5400)]),
        pytest.param(False, 60, 4, marks=[pytest.mark.long, pytest.mark.timeout(5400)]),
    ],
)
def test_every_announcement_is_accounted_for_however_often_the_daemon_dies(
    make_broker: Callable[..., Broker],
    make_peer: Callable[..., Peer],
    nursery: Nursery,
    test_bundle_path: Path,
    tmp_path: Path,
    persistence: bool,
    deaths: int,
    seed: int,
) -> None:
    broker = make_broker(persistence=persistence)
    watcher = make_peer(broker, "#", session="watcher")
    account = Series(tmp_path, test_bundle_path, broker, watcher, nursery, seed=seed).run(deaths)
    print(account)
    assert not account.wrong, account
    assert sum(account.deaths.values()) >= deaths


def test_what_crashes_the_daemon_each_time_fails_at_last_and_holds_nobody_up(
    broker: Broker, peer: Peer, nursery: Nursery, test_bundle_path: Path, tmp_path: Path
) -> None:
    options = {
        "models-dir": test_bundle_path.parent, "models-bundle": test_bundle_path.name,
        "mqtt-host": broker.host, "mqtt-port": broker.port, "mqtt-node": "attic", "log-level": "warning",
        "state-dir": tmp_path / "state", "audio-output": "wav", "audio-wav-path": tmp_path,
    }  # fmt: skip
    arguments = ["run", "--config", os.devnull]
    for name, value in options.items():
        arguments += [f"--{name}", str(value)]
    life = Life(arguments, str(tmp_path / "daemon.log"), deadly="dinner is ready.")
    nursery.bear(life)
    peer.wait("cosyedge/attic/availability", lambda m: m.payload == b"online", 60)
    for id_, text in (("bad", "dinner is ready."), ("good", "the window is open.")):
        peer.publish("cosyedge/attic/say", json.dumps({"id": id_, "text": text}))
    assert nursery.ended(60) == -signal.SIGSEGV
    for _ in range(2):
        nursery.bear(life)
        assert nursery.ended(60) == -signal.SIGSEGV
    pid = nursery.bear(life)
    failed = peer.wait_json("cosyedge/attic/result", 60, id="bad", state="failed")
    assert failed["error"] == "made_it_crash"
    assert failed["message"] == "The daemon died 3 times while it made this."
    peer.wait_json("cosyedge/attic/result", 60, id="good", state="finished")
    os.kill(pid, signal.SIGTERM)
    assert nursery.ended(60) == 0
    assert "made announcement bad (3 of 3 times)" in (tmp_path / "daemon.log").read_text()
