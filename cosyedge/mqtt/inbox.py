"""What the broker hands over: sorted, parsed, passed on, and thanked for when its taker says so."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from paho.mqtt.client import MQTTMessage

from cosyedge.announcements.announcement import Announcement, AnnouncementFailed, Arrival, Reply
from cosyedge.errors import AnnouncementError, CosyError
from cosyedge.mqtt.commands import Command, parse_command
from cosyedge.mqtt.deliveries import Deliveries, Delivery
from cosyedge.mqtt.topics import RENDER, SAY, Topics, check_response_topic

log = logging.getLogger(__name__)


class Parse(Protocol):
    """:func:`cosyedge.announcements.announcement.from_bytes` with its limits filled in."""

    def __call__(self, payload: bytes, *, arrival: Arrival) -> Announcement: ...


Failed = Callable[[str, CosyError, Reply | None], None]


class Inbox:
    """Used by the network thread alone, but for :meth:`acknowledge`.

    Args:
        on_failed: a message can't be taken: the announcement's id (else the command), why, where to say so.
    """

    def __init__(
        self,
        topics: Topics,
        parse: Parse,
        on_announcement: Callable[[Announcement], None],
        on_command: Callable[[Command], None],
        on_failed: Failed,
    ) -> None:
        self._topics = topics
        self._parse = parse
        self._on_announcement = on_announcement
        self._on_command = on_command
        self._on_failed = on_failed
        self._deliveries = Deliveries()
        self._taken: dict[tuple[str, float], Delivery] = {}
        self._last_arrival = 0.0
        self._ignored: set[str] = set()
        self.held = False
        """set by any thread: from then on messages are neither passed on nor acknowledged"""
        self.received = 0
        self.retained_ignored = 0
        self.failed = 0
        """payloads of announcements"""
        self.commands_failed = 0
        self.defects = 0

    def __len__(self) -> int:
        """How many deliveries are not acknowledged."""
        return len(self._deliveries)

    def ready(self) -> Iterator[int]:
        """Packet identifiers to acknowledge now, in order of arrival."""
        return self._deliveries.ready()

    def reconnected(self, session_present: bool) -> None:
        self._deliveries.reconnected(session_present=session_present)

    def acknowledge(self, announcement: Announcement) -> bool:
        """From any thread: its taker is done with it. False for one that did not come from here."""
        delivery = self._taken.pop((announcement.id, announcement.arrived_monotonic), None)
        if delivery is None:
            return False
        delivery.done = True
        return True

    def receive(self, message: MQTTMessage) -> None:
        """Passes the message on, or says why not. Never raises: one message never harms the next."""
        if self.held:
            return
        self.received += 1
        delivery: Delivery | None = None
        try:
            topic, payload = message.topic, bytes(message.payload)
            delivery, known = self._deliveries.arrived(message.mid, topic, payload, dup=message.dup)
            if known:
                return  # whoever has it acknowledges it, or has done so while we were away
            command = self._topics.command_of(topic)
            if command is None:
                # Sessions outlive configurations: the broker still knows a group that is no longer ours.
                self._ignore(topic, "a message to whom we no longer are")
            elif message.retain:
                self.retained_ignored += 1
                self._ignore(topic, "a retained command, which would come again at every start")
            elif command not in (SAY, RENDER):
                self._carry_out(command, payload, message)
            elif self._announce(command, payload, message, delivery):
                return
            delivery.done = True
        except Exception:
            # Only for what is wrong with us; the handlers below take care of what is wrong with a message.
            self._defect("an incoming message")
            if delivery is not None:
                delivery.done = True

    def _announce(self, command: str, payload: bytes, message: MQTTMessage, delivery: Delivery) -> bool:
        """Whether somebody else acknowledges it from now on."""
        reply: Reply | None = None
        id_ = command
        key: tuple[str, float] | None = None
        try:
            reply, refused = _reply_of(message)
            announcement = self._parse(payload, arrival=self._arrival(message, reply, command == RENDER))
            id_ = announcement.id
            if refused is not None:
                raise refused
            if command == RENDER and reply is None:
                raise AnnouncementError("bad_value", "render answers on a response topic, and there is none.")
            key = (id_, announcement.arrived_monotonic)
            self._taken[key] = delivery
            self._on_announcement(announcement)
        except Exception as error:
            if key is not None:
                self._taken.pop(key, None)
            self.failed += 1
            self._fail(error.id if isinstance(error, AnnouncementFailed) else id_, error, reply)
            return False
        return True

    def _carry_out(self, command: str, payload: bytes, message: MQTTMessage) -> None:
        reply: Reply | None = None
        try:
            reply, refused = _reply_of(message)
            if refused is not None:
                raise refused
            self._on_command(parse_command(command, payload))
        except Exception as error:
            self.commands_failed += 1
            self._fail(command, error, reply)

    def _fail(self, id_: str, error: Exception, reply: Reply | None) -> None:
        if not isinstance(error, CosyError):
            self._defect("the handling of a message")
            error = AnnouncementError("internal", "The message could not be handled.")
        self._on_failed(id_, error, reply)

    def _defect(self, where: str) -> None:
        self.defects += 1
        log.exception("unexpected error in %s", where)

    def _ignore(self, topic: str, what: str) -> None:
        if topic not in self._ignored:
            self._ignored.add(topic)
            log.warning("ignored on %s: %s", topic, what)

    def _arrival(self, message: MQTTMessage, reply: Reply | None, render: bool) -> Arrival:
        # Two announcements never arrive in the same instant: with the id, it tells them apart.
        self._last_arrival = max(time.monotonic(), math.nextafter(self._last_arrival, math.inf))
        return Arrival(
            monotonic=self._last_arrival,
            unix=time.time(),
            reply=reply,
            expiry_s=getattr(message.properties, "MessageExpiryInterval", None),
            render=render,
            redelivered=message.dup,
        )


def _reply_of(message: MQTTMessage) -> tuple[Reply | None, AnnouncementError | None]:
    """Where results are wanted (MQTT 5), or why they can't be sent there."""
    topic = getattr(message.properties, "ResponseTopic", None)
    if topic is None:
        return None, None
    try:
        check_response_topic(topic)
    except AnnouncementError as error:
        return None, error
    return Reply(topic, getattr(message.properties, "CorrelationData", None)), None
