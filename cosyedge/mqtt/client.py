"""The thread that keeps us in touch with the broker, whatever the broker does.

It only ever reads, sorts, enqueues and writes: synthesis, playback and the disk are other threads' work, so a
ping is never late. Nothing that a message holds, and nothing that a collaborator raises, ends the thread.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cosyedge.announcements.announcement import Announcement, Reply
from cosyedge.announcements.result import Result
from cosyedge.errors import CosyError, MqttError
from cosyedge.mqtt.bridge import Bridge, Heard
from cosyedge.mqtt.chunks import Properties
from cosyedge.mqtt.commands import Command
from cosyedge.mqtt.connection import Connection
from cosyedge.mqtt.counts import Counts
from cosyedge.mqtt.inbox import Inbox, Parse
from cosyedge.mqtt.outbox import Outbox, Publication
from cosyedge.mqtt.rates import Allowance
from cosyedge.mqtt.retry import STABLE_S, Retry
from cosyedge.mqtt.settings import MqttSettings
from cosyedge.mqtt.topics import Topics

log = logging.getLogger(__name__)

POLL_S: Final = 1.0
ANSWER_S: Final = 10.0  # for CONNACK and SUBACK
FAREWELL_S: Final = 1.0  # for `offline`, when the deadline of a stop leaves no more
RESUBSCRIBE_S: Final = 60.0
#: A turn of the loop takes POLL_S. Name look-ups, connecting and the handshake block, each within its own
#: time-outs: five seconds per name server, search domain and attempt, ten per address.
TURN_ALLOWANCE_S: Final = 10.0
CONNECT_ALLOWANCE_S: Final = 180.0

_LONGEST_STATE: Final = 255  # characters that Home Assistant takes for the state of a sensor
_JSON: Final = "application/json"
_MOST_WARNINGS: Final = 20  # senders choose response topics, so there may be any number of them


class MqttClient:
    """The node's place at the broker.

    ``on_…`` are called in the thread ``mqtt`` and must not wait. Whoever takes an announcement calls
    :meth:`ack` for it once, from any thread, whatever becomes of it; until then the broker keeps it. A
    :class:`CosyError` that ``parse``, ``on_announcement`` or ``on_command`` raises is published as a result.

    Args:
        parse: bytes and how they came → announcement.
        on_status: told on each change: None when connected and subscribed, else what is wrong.
        allowance: what others may send.
        bridges: other protocols that are spoken over the same connection.
    """

    def __init__(
        self,
        settings: MqttSettings,
        topics: Topics,
        *,
        parse: Parse,
        on_announcement: Callable[[Announcement], None],
        on_command: Callable[[Command], None],
        on_status: Callable[[MqttError | None], None],
        allowance: Allowance = Allowance(),  # noqa: B008 - it is frozen
        bridges: Sequence[Bridge] = (),
    ) -> None:
        self._settings = settings
        self._topics = topics
        self._bridges = {bridge.name: bridge for bridge in bridges}
        self._on_status = on_status
        self._outbox = Outbox()
        self._inbox = Inbox(
            topics, parse, on_announcement, on_command, self._failed,
            allowance=allowance,
            bridges=bridges,
            on_heard=self._heard,
        )  # fmt: skip
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)
        self._stop = threading.Event()
        self._stop_by = math.inf
        self._said_goodbye = False
        self._await_acks = True
        self._trouble: MqttError | None = None
        self._told = False
        self._connections = 0
        self._retry = Retry(settings.retry_min_s, settings.retry_max_s)
        self._refusals = 0
        self._refused_topics: set[str] = set()
        self._defects = 0
        #: On the monotonic clock: a thread that is still silent after this moment hangs.
        self.alive_until = math.inf

    # --- from any thread

    def start(self) -> None:
        """What was published so far comes before what the bridges want to be known for."""
        for bridge in self._bridges.values():
            for publication in bridge.retained:
                self._outbox.keep(publication)
        self._beat(CONNECT_ALLOWANCE_S)
        self._thread.start()

    def hold(self) -> None:
        """From now on messages are left with the broker, for the next start."""
        self._inbox.held = True

    def stop(self, deadline_s: float = 5.0, *, await_acks: bool = True) -> bool:
        """Waits until all is acknowledged and published, says ``offline``, disconnects and ends the thread.

        Without ``await_acks`` nobody calls :meth:`ack` any more: what has it by now is acknowledged, the rest
        is left with the broker. After ``deadline_s`` it says ``offline`` with whatever is left undone.
        Returns whether the broker confirmed it; if not, the connection is broken off, which leaves it to the
        will.
        """
        self.hold()
        self._await_acks = await_acks
        self._stop_by = time.monotonic() + deadline_s
        self._stop.set()
        self._wake()
        if self._thread.is_alive():
            self._thread.join(deadline_s + 2 * FAREWELL_S)
        return self._said_goodbye

    def ack(self, announcement: Announcement) -> None:
        """The announcement is safe, or at its end; one that did not come from the broker is none of ours."""
        if self._inbox.acknowledge(announcement):
            self._wake()

    def publish_result(
        self, result: Result, reply: Reply | None = None, taken: Callable[[], None] | None = None
    ) -> None:
        """To the node's topic for results, and to where the sender wants them. Never waits.

        ``taken`` is called in the thread ``mqtt`` when the broker has both. It may never be: that of a broker
        that was away for long is dropped.
        """
        own = Publication(
            self._topics.result,
            result.to_json().encode(),
            content_type=_JSON,
            # A flood must not push out what others wait for.
            passing=not result.is_final or result.error == "rate_limited",
        )
        asked = [own]
        if reply is not None and reply.bridge is None:
            asked.append(replace(own, topic=reply.topic, correlation=reply.correlation))
        elif reply is not None and reply.bridge in self._bridges:  # it may have been switched off meanwhile
            asked += self._bridges[reply.bridge].answer(result, reply)
        asked[-1] = replace(asked[-1], taken=taken)
        for publication in asked:
            self._outbox.put(publication)
        self._wake()

    def publish_state(self, state: Mapping[str, object]) -> None:
        self._keep(self._topics.state, state)

    def publish_health(self, health: Mapping[str, object]) -> None:
        self._keep(self._topics.health, health)

    def publish_status(self, status: Mapping[str, object]) -> None:
        self._outbox.put(Publication(self._topics.status, _encode(status), content_type=_JSON))
        self._wake()

    def publish_last_text(self, text: str) -> None:
        """What is spoken now, or its beginning, for those who were given it by configuration; the broker
        doesn't keep it.
        """
        self._outbox.keep(Publication(self._topics.last_text, text[:_LONGEST_STATE].encode()))
        self._wake()

    def publish_audio(
        self, reply: Reply, id_: str, index: int, wav: bytes, *, last: bool, timeout_s: float = 5.0,
        wishes: Properties = (),
    ) -> None:  # fmt: skip
        """One numbered chunk of a rendered announcement; waits for room.

        The user properties are ``id``, ``chunk`` (from 0), ``last`` (``true`` or ``false``) and ``wishes``.
        Raises :class:`MqttError` ``mqtt_unreachable`` when the broker took nothing for ``timeout_s``.
        """
        chunk = Publication(
            reply.topic,
            wav,
            content_type="audio/wav",
            correlation=reply.correlation,
            user=(("id", id_), ("chunk", str(index)), ("last", str(last).lower()), *wishes),
            whole=True,
        )
        if not self._outbox.put_waiting(chunk, timeout_s):
            raise MqttError("mqtt_unreachable", f"The broker took no audio for {timeout_s:g} s.")
        self._wake()

    def counts(self) -> Counts:
        return Counts(
            connections=self._connections,
            received=self._inbox.received,
            retained_ignored=self._inbox.retained_ignored,
            failed=self._inbox.failed,
            commands_failed=self._inbox.commands_failed,
            defects=self._inbox.defects + self._defects,
            results_dropped=self._outbox.dropped,
            publications_refused=self._refusals,
        )

    def _keep(self, topic: str, value: Mapping[str, object]) -> None:
        self._outbox.keep(Publication(topic, _encode(value), retain=True, content_type=_JSON))
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: it will wake anyway; closed: there is nothing to wake
            self._wake_writer.send(b"\0")

    # --- the thread "mqtt"

    def _beat(self, allowance_s: float) -> None:
        self.alive_until = time.monotonic() + allowance_s

    def _run(self) -> None:
        while not self._stop.is_set():
            started, connections = time.monotonic(), self._connections
            try:
                self._serve()
            except MqttError as error:
                self._tell(
                    self._retry.failed(
                        error,
                        lasted_s=time.monotonic() - started,
                        stable_s=STABLE_S,
                        was_served=self._connections != connections,
                    )
                )
            except Exception as error:
                self._retry.defect()
                self._defect("the loop of the connection")
                self._tell(MqttError("internal", f"The connection to the broker failed: {error!r}."))
            self._tell_counts()
            pause_s = self._retry.pause_s()
            self._beat(pause_s + TURN_ALLOWANCE_S)
            self._stop.wait(pause_s)
        self._wake_reader.close()
        self._wake_writer.close()

    def _serve(self) -> None:
        """One connection from beginning to end; returns after a clean stop, else raises."""
        self._beat(CONNECT_ALLOWANCE_S)
        connection = Connection(
            self._settings,
            self._topics,
            self._wake_reader,
            on_open=self._opened,
            on_message=self._inbox.receive,
            on_refused=self._refused,
        )
        try:
            connection.open()
            if not self._await(connection, lambda: connection.accepted):
                return
            foreign = (topic for bridge in self._bridges.values() for topic in bridge.subscriptions)
            connection.subscribe((*self._topics.subscriptions, *foreign))
            if not self._await(connection, lambda: connection.subscribed):
                return
            self._connections += 1
            # Only now, because whoever sees it may speak to us at once.
            connection.publish(Publication(self._topics.availability, b"online", retain=True))
            self._outbox.keep_again()
            self._exchange(connection)
        finally:
            self._outbox.give_back(connection.unconfirmed)
            connection.drop()

    def _opened(self, session_present: bool) -> None:
        if not session_present:
            self._retry.forgotten()
        self._inbox.reconnected(session_present)

    def _await(self, connection: Connection, condition: Callable[[], bool]) -> bool:
        """False when we are to stop instead of waiting."""
        deadline = time.monotonic() + ANSWER_S
        while not condition():
            if self._stop.is_set():
                return False
            left = deadline - time.monotonic()
            if left <= 0:
                raise MqttError("mqtt_unreachable", "The broker took the connection but does not answer.")
            self._beat(TURN_ALLOWANCE_S)
            connection.poll(min(left, POLL_S))
        return True

    def _exchange(self, connection: Connection) -> None:
        # Being taken over is told while we are away, when nobody can hear it: it stays for a while after.
        clear_at = time.monotonic()
        if self._trouble is not None and self._trouble.code == "mqtt_taken_over":
            clear_at += STABLE_S
        ask_again_at = time.monotonic() + RESUBSCRIBE_S
        while True:
            now = time.monotonic()
            self._beat(TURN_ALLOWANCE_S)
            self._tell_counts()
            if now >= clear_at:
                self._tell(self._refused_subscriptions(connection))
            if connection.refused_topics and now >= ask_again_at:
                connection.subscribe(tuple(connection.refused_topics))
                ask_again_at = now + RESUBSCRIBE_S
            self._acknowledge_and_publish(connection)
            if self._stop.is_set() and (now >= self._stop_by or self._is_settled(connection)):
                self._say_goodbye(connection)
                return
            connection.poll(min(POLL_S, max(self._stop_by - now, 0)))

    def _acknowledge_and_publish(self, connection: Connection) -> None:
        # In this order: who is told that a message was refused must not lose that to a crash in between.
        while connection.has_room and (publication := self._outbox.take()) is not None:
            connection.publish(publication)
        for mid in self._inbox.ready():
            connection.acknowledge(mid)

    def _is_settled(self, connection: Connection) -> bool:
        awaited = self._await_acks and len(self._inbox)
        return not (awaited or len(self._outbox) or connection.unconfirmed)

    def _say_goodbye(self, connection: Connection) -> None:
        deadline = time.monotonic() + FAREWELL_S
        offline = Publication(self._topics.availability, b"offline", retain=True)
        connection.publish(offline)
        while offline in connection.unconfirmed:
            if time.monotonic() >= deadline:
                return  # to be broken off: then the will says it
            connection.poll(0.1)
        self._said_goodbye = True
        connection.disconnect()
        with contextlib.suppress(MqttError):
            while time.monotonic() < deadline:
                connection.poll(0.1)

    def _tell(self, trouble: MqttError | None) -> None:
        if str(trouble) == str(self._trouble) and self._told:
            return
        self._told = True
        self._trouble = trouble
        if trouble is None:
            log.info("connected to the broker at %s:%d", self._settings.host, self._settings.port)
        else:
            log.warning("%s", trouble)
        try:
            self._on_status(trouble)
        except Exception:
            self._defect("on_status")

    def _tell_counts(self) -> None:
        self._inbox.tell_refusals()
        self._outbox.tell_losses()

    def _refused_subscriptions(self, connection: Connection) -> MqttError | None:
        dispensable = (bridge for bridge in self._bridges.values() if bridge.is_dispensable)
        missing = connection.refused_topics.difference(*(bridge.subscriptions for bridge in dispensable))
        if not missing:
            return None
        topics = ", ".join(sorted(missing))
        return MqttError("mqtt_refused", f"The broker refused the subscription to {topics}.")

    def _refused(self, topic: str, reason: str) -> None:
        self._refusals += 1
        if topic not in self._refused_topics and len(self._refused_topics) < _MOST_WARNINGS:
            self._refused_topics.add(topic)
            log.warning("the broker did not take a message on %s: %s", topic, reason)

    def _heard(self, heard: Heard) -> None:
        if heard.afresh:
            self._outbox.keep_again()
        for publication in heard.publish:
            self._outbox.put(publication)

    def _failed(self, id_: str, error: CosyError, reply: Reply | None) -> None:
        self.publish_result(Result.failed(id_, error), reply)

    def _defect(self, where: str) -> None:
        self._defects += 1
        log.exception("unexpected error in %s", where)


def _encode(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
