"""What the broker hands over: sorted, parsed, passed on, and thanked for when its taker says so."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from paho.mqtt.client import MQTTMessage

from cosyedge.announcements.announcement import (
    Announcement,
    AnnouncementFailed,
    Arrival,
    Reply,
    from_sound,
)
from cosyedge.announcements.seldom_log import SeldomLog
from cosyedge.errors import AnnouncementError, CosyError
from cosyedge.mqtt.bridge import Bridge, Heard
from cosyedge.mqtt.chunks import Chunks
from cosyedge.mqtt.commands import Command, parse_command
from cosyedge.mqtt.deliveries import Deliveries, Delivery
from cosyedge.mqtt.rates import Allowance, Rates
from cosyedge.mqtt.topics import PLAY, RENDER, SAY, SOUND, WARM, Topics, check_response_topic

log = logging.getLogger(__name__)


class Parse(Protocol):
    """:func:`cosyedge.announcements.announcement.from_bytes` with its limits filled in."""

    def __call__(self, payload: bytes, *, arrival: Arrival) -> Announcement: ...


Failed = Callable[[str, CosyError, Reply | None], None]


class Inbox:
    """Used by the network thread alone, but for :meth:`acknowledge`.

    Args:
        allowance: what others may send.
        bridges: other protocols that are heard as well.
        on_heard: what a bridge wants besides an announcement or a command.
        on_failed: a message can't be taken: the announcement's id (else the command), why, where to say so.
    """

    def __init__(
        self,
        topics: Topics,
        parse: Parse,
        on_announcement: Callable[[Announcement], None],
        on_command: Callable[[Command], None],
        on_failed: Failed,
        *,
        allowance: Allowance = Allowance(),  # noqa: B008 - it is frozen
        bridges: Sequence[Bridge] = (),
        on_heard: Callable[[Heard], None] = lambda heard: None,
    ) -> None:
        self._topics = topics
        self._bridges = bridges
        self._on_heard = on_heard
        self._parse = parse
        self._on_announcement = on_announcement
        self._on_command = on_command
        self._on_failed = on_failed
        self._deliveries = Deliveries()
        self._rates = Rates(allowance.max_rate)
        self._most_sound_bytes = allowance.most_sound_bytes
        self._chunks = Chunks(allowance.most_sound_bytes)
        self._taken: dict[tuple[str, float], Delivery] = {}
        self._last_arrival = 0.0
        self._ignored: set[str] = set()
        self._refusals = SeldomLog(log)
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

    def tell_refusals(self) -> None:
        """Logs how many there were; to be called every second or so."""
        self._refusals.flush()

    def reconnected(self, session_present: bool) -> None:
        self._deliveries.reconnected(session_present=session_present)

    def acknowledge(self, announcement: Announcement) -> bool:
        """From any thread: its taker is done with it. False for one that did not come from here."""
        delivery = self._taken.pop((announcement.id, announcement.arrived_monotonic), None)
        if delivery is None:
            return False
        delivery.done = True
        return True

    def receive(self, message: MQTTMessage, kept: bool) -> None:
        """Passes the message on, or says why not. Never raises: one message never harms the next.

        ``kept``: the broker kept it for us while we were away.
        """
        if self.held:
            return
        self.received += 1
        delivery: Delivery | None = None
        try:
            topic, payload = message.topic, bytes(message.payload)
            delivery, known = self._deliveries.arrived(
                message.mid, topic, payload, dup=message.dup, kept=kept
            )
            if known:  # whoever has it acknowledges it, or has done so before
                log.info("packet %d on %s came again", message.mid, topic)
                return
            command = self._topics.command_of(topic)
            bridge = None if command is not None else self._bridge_of(topic)
            if command is None and bridge is None:
                # Sessions outlive configurations: the broker still knows a group that is no longer ours.
                self._ignore(topic, "a message to whom we no longer are")
            elif message.retain:
                self.retained_ignored += 1
                self._ignore(topic, "a retained command, which would come again at every start")
            elif self._take(topic, command, bridge, payload, message, delivery):
                return
            delivery.done = True
        except Exception:
            # Only for what is wrong with us; the handlers below take care of what is wrong with a message.
            self._defect("an incoming message")
            if delivery is not None:
                delivery.done = True

    def _take(
        self,
        topic: str,
        command: str | None,
        bridge: Bridge | None,
        payload: bytes,
        message: MQTTMessage,
        delivery: Delivery,
    ) -> bool:
        """Whether somebody else acknowledges it from now on."""
        heard: Heard | None = None
        if bridge is not None:
            heard = self._hear(bridge, topic, payload)
            if heard is None:
                return False
            command, payload = heard.command, heard.payload
        # A bridge's topics may have anybody's words in them: its allowance is by what is asked.
        key = topic if bridge is None else f"{bridge.name} {command}"
        if command in (SAY, RENDER, PLAY, SOUND, WARM):
            return self._announce(command, key, payload, message, delivery, heard)
        if command is not None:
            self._carry_out(command, key, payload, message, heard)
        return False

    def _hear(self, bridge: Bridge, topic: str, payload: bytes) -> Heard | None:
        try:
            heard = bridge.hear(topic, payload)
            if heard is not None and heard.command is None:
                self._rates.admit(bridge.name)
        except Exception as error:
            self.commands_failed += 1
            self._fail(topic, topic, error, None)
            return None
        if heard is not None:
            self._on_heard(heard)
        return heard

    def _bridge_of(self, topic: str) -> Bridge | None:
        return next((bridge for bridge in self._bridges if bridge.hears(topic)), None)

    def _announce(
        self,
        command: str,
        key: str,
        payload: bytes,
        message: MQTTMessage,
        delivery: Delivery,
        heard: Heard | None,
    ) -> bool:
        """Whether somebody else acknowledges it from now on."""
        reply: Reply | None = None
        id_ = command
        taken: tuple[str, float] | None = None
        try:
            reply, refused = self._reply_of(message, heard)
            arrival = self._arrival(message, delivery, reply, heard, render=command in (RENDER, WARM))
            announcement = self._announcement(command, payload, message, arrival)
            if announcement is None:
                self._rates.admit(f"{key} (chunks)")
                return False
            id_ = announcement.id
            self._rates.admit(key)
            if refused is not None:
                raise refused
            if command == RENDER and reply is None:
                raise AnnouncementError("bad_value", "render answers on a response topic, and there is none.")
            taken = (id_, announcement.arrived_monotonic)
            self._taken[taken] = delivery
            self._on_announcement(announcement)
        except Exception as error:
            if taken is not None:
                self._taken.pop(taken, None)
            self.failed += 1
            self._fail(key, error.id if isinstance(error, AnnouncementFailed) else id_, error, reply)
            return False
        return True

    def _announcement(
        self, command: str, payload: bytes, message: MQTTMessage, arrival: Arrival
    ) -> Announcement | None:
        """None for a chunk that others will follow."""
        if command == SOUND:
            if len(payload) > self._most_sound_bytes:
                words = f"The sound has more than {self._most_sound_bytes // 1024} kB."
                raise AnnouncementError("payload_too_large", words)
            return from_sound(payload, arrival=arrival)
        if command == PLAY:
            sound = self._chunks.add(payload, getattr(message.properties, "UserProperty", ()))
            if sound is None:
                return None
            return from_sound(sound.wav, arrival=arrival, id_=sound.id, wishes=sound.wishes)
        return self._parse(payload, arrival=arrival)

    def _carry_out(
        self, command: str, key: str, payload: bytes, message: MQTTMessage, heard: Heard | None
    ) -> None:
        reply: Reply | None = None
        try:
            reply, refused = self._reply_of(message, heard)
            if refused is not None:
                raise refused
            self._rates.admit(key)
            self._on_command(parse_command(command, payload))
        except Exception as error:
            self.commands_failed += 1
            self._fail(key, command, error, reply)

    def _fail(self, key: str, id_: str, error: Exception, reply: Reply | None) -> None:
        if not isinstance(error, CosyError):
            self._defect("the handling of a message")
            error = AnnouncementError("internal", "The message could not be handled.")
        # Its sentence may quote what was sent, which no log holds.
        self._refusals.warn(error.code, f"refused on {key}, as its result says: {error.cure} [{error.code}]")
        self._on_failed(id_, error, reply)

    def _defect(self, where: str) -> None:
        self.defects += 1
        log.exception("unexpected error in %s", where)

    def _ignore(self, topic: str, what: str) -> None:
        if topic not in self._ignored:
            self._ignored.add(topic)
            log.warning("ignored on %s: %s", topic, what)

    def _arrival(
        self,
        message: MQTTMessage,
        delivery: Delivery,
        reply: Reply | None,
        heard: Heard | None,
        *,
        render: bool,
    ) -> Arrival:
        # Two announcements never arrive in the same instant: with the id, it tells them apart.
        self._last_arrival = max(time.monotonic(), math.nextafter(self._last_arrival, math.inf))
        return Arrival(
            monotonic=self._last_arrival,
            unix=time.time(),
            reply=reply,
            expiry_s=getattr(message.properties, "MessageExpiryInterval", None),
            render=render,
            redelivered=delivery.redelivered,
            packet=message.mid,
            scale=1.0 if heard is None else heard.scale,
        )

    def _reply_of(self, message: MQTTMessage, heard: Heard | None) -> tuple[Reply | None, CosyError | None]:
        """Where results are wanted (MQTT 5, or what a bridge says), or why it can't be done."""
        if heard is not None:
            return heard.reply, heard.error
        topic = getattr(message.properties, "ResponseTopic", None)
        if topic is None:
            return None, None
        try:
            check_response_topic(topic)
            if self._bridge_of(topic) is not None:
                raise AnnouncementError("bad_value", "The response topic is one that this node listens to.")
        except AnnouncementError as error:
            return None, error
        return Reply(topic, getattr(message.properties, "CorrelationData", None)), None
