"""The notifier against a real notification socket."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosyedge.host.notify import Notifier


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The service manager's end, bound to a path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(tmp_path / "notify"))
        end.settimeout(5)
        yield end


def environment(manager: socket.socket, **more: str) -> dict[str, str]:
    return {"NOTIFY_SOCKET": manager.getsockname(), **more}


def test_every_message_arrives_as_the_protocol_wants_it(manager: socket.socket) -> None:
    notifier = Notifier(environment(manager))
    notifier.extend_timeout(1.5)
    notifier.ready("speaking for attic")
    notifier.status("2 waiting")
    notifier.watchdog()
    notifier.status("2 waiting")  # nothing new
    notifier.stopping("finishing")
    assert [manager.recv(1000).decode() for _ in range(5)] == [
        "EXTEND_TIMEOUT_USEC=1500000",
        "READY=1\nSTATUS=speaking for attic",
        "STATUS=2 waiting",
        "WATCHDOG=1",
        "STOPPING=1\nSTATUS=finishing",
    ]
    notifier.close()
    notifier.watchdog()
    manager.setblocking(False)
    with pytest.raises(BlockingIOError):
        manager.recv(1000)


def test_an_abstract_socket_is_reached_too() -> None:
    name = f"cosyedge-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind("\0" + name)
        end.settimeout(5)
        Notifier({"NOTIFY_SOCKET": "@" + name}).watchdog()
        assert end.recv(100) == b"WATCHDOG=1"


def test_without_a_manager_nothing_happens() -> None:
    notifier = Notifier({})
    assert notifier.watchdog_interval_s is None
    notifier.ready("alone")
    notifier.close()


@pytest.mark.parametrize(
    ("variables", "interval_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "10000000"}, 5.0),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": str(os.getpid())}, 0.25),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": str(os.getpid() + 1)}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-5"}, None),
    ],
)
def test_the_watchdog_is_fed_at_half_its_period(variables: dict[str, str], interval_s: float | None) -> None:
    assert Notifier(variables).watchdog_interval_s == interval_s


def test_a_manager_that_is_gone_is_complained_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")})
    with caplog.at_level(logging.WARNING):
        notifier.watchdog()
        notifier.watchdog()
    assert len(caplog.records) == 1
    assert "systemd" in caplog.text


def test_a_full_socket_never_blocks(manager: socket.socket) -> None:
    notifier = Notifier(environment(manager))
    for _ in range(5000):
        notifier.watchdog()
    assert manager.recv(100) == b"WATCHDOG=1"


def test_a_name_of_an_unknown_kind_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    Notifier({"NOTIFY_SOCKET": "vsock:2:1234"}).watchdog()
    assert "NOTIFY_SOCKET" in caplog.text


def test_reading_the_configuration_anew_begins_at_a_time_and_ends_with_ready(manager: socket.socket) -> None:
    notifier = Notifier(environment(manager))
    before = time.monotonic_ns()
    notifier.reloading()
    notifier.ready("ready")
    said = dict(line.split("=", 1) for line in manager.recv(1000).decode().splitlines())
    assert said.keys() == {"RELOADING", "MONOTONIC_USEC"}
    assert before // 1000 <= int(said["MONOTONIC_USEC"]) <= time.monotonic_ns() // 1000
    assert manager.recv(1000) == b"READY=1\nSTATUS=ready"
