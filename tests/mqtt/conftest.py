"""A node that hears announcements and does not speak them: each is noted, and acknowledged when told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from cosyedge.announcements.announcement import Announcement, Limits, from_bytes
from cosyedge.errors import MqttError
from cosyedge.mqtt.bridge import Bridge
from cosyedge.mqtt.client import MqttClient
from cosyedge.mqtt.commands import Command
from cosyedge.mqtt.settings import MqttSettings
from cosyedge.mqtt.topics import Topics
from tests.broker import Broker, broker, certificates, make_broker, make_peer

__all__ = ["broker", "certificates", "make_broker", "make_peer"]

LIMITS = Limits(max_chars=1000, voices=frozenset({"auto", "xiaoyan"}))
SOON_S = 10.0


class Node:
    """An :class:`MqttClient` whose collaborators take notes."""

    def __init__(
        self,
        settings: MqttSettings,
        *,
        name: str = "kitchen",
        groups: tuple[str, ...] = (),
        bridges: Sequence[Bridge] = (),
    ) -> None:
        self.announcements: list[Announcement] = []
        self.commands: list[Command] = []
        self.statuses: list[str] = []
        self.troubles: list[MqttError] = []
        self.acknowledges_at_once = True
        self.raises: Exception | None = None
        self.status_raises = False
        self.goes_on = threading.Event()
        """cleared: a command takes for ever"""
        self.goes_on.set()
        self.defects_expected = 0
        self._noted = threading.Condition()
        self.client = MqttClient(
            replace(settings, retry_min_s=0.05, retry_max_s=0.2),
            Topics(name, groups),
            parse=partial(from_bytes, limits=LIMITS),
            on_announcement=self._announcement,
            on_command=self._command,
            on_status=self._status,
            bridges=bridges,
        )

    def _note(self, notes: list[Any], value: Any) -> None:
        with self._noted:
            notes.append(value)
            self._noted.notify_all()

    def _announcement(self, announcement: Announcement) -> None:
        self._note(self.announcements, announcement)
        if self.raises is not None:
            raise self.raises
        if self.acknowledges_at_once:
            self.client.ack(announcement)

    def _command(self, command: Command) -> None:
        self._note(self.commands, command)
        assert self.goes_on.wait(SOON_S)
        if self.raises is not None:
            raise self.raises

    def _status(self, trouble: MqttError | None) -> None:
        if trouble is not None:
            self.troubles.append(trouble)
        self._note(self.statuses, "ok" if trouble is None else trouble.code)
        if self.status_raises:
            raise RuntimeError("nobody wants to know")

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        with self._noted:
            assert self._noted.wait_for(condition, SOON_S), f"{what}; statuses were {self.statuses}"

    def wait_texts(self, *texts: str) -> None:
        """Until exactly these have come, in this order."""
        self.wait(lambda: len(self.announcements) >= len(texts), f"{len(texts)} announcements did not come")
        assert [announcement.text for announcement in self.announcements] == list(texts)

    def wait_status(self, status: str, times: int = 1) -> None:
        self.wait(lambda: self.statuses.count(status) >= times, f"status {status} was not told {times} times")


@pytest.fixture
def make_node() -> Iterator[Callable[..., Node]]:
    """``make_node(broker, **settings)`` starts a node; all are stopped with the test."""
    nodes: list[Node] = []

    def make(
        broker: Broker,
        *,
        groups: tuple[str, ...] = (),
        name: str = "kitchen",
        bridges: Sequence[Bridge] = (),
        start: bool = True,
        **settings: Any,
    ) -> Node:
        values = {"host": broker.host, "port": broker.port, **settings}
        node = Node(MqttSettings(**values), groups=groups, name=name, bridges=bridges)
        nodes.append(node)
        if start:
            node.client.start()
        return node

    yield make
    for node in nodes:
        node.client.stop(0.0)
        assert node.client.counts().defects == node.defects_expected
    assert "mqtt" not in {thread.name for thread in threading.enumerate()}


def until(condition: Callable[[], bool], what: str, timeout_s: float = SOON_S) -> None:
    """For what nobody is told of."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def acknowledged(broker: Broker) -> int:
    """How many messages the node has acknowledged."""
    return broker.log.count("Received PUBACK from cosyedge-kitchen")
