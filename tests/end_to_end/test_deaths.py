"""Nothing that was taken is lost, however the daemon, the power or the broker ends; nothing is said twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.broker import Broker, Peer
from tests.end_to_end.deaths import Series
from tests.end_to_end.nursery import Nursery


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
