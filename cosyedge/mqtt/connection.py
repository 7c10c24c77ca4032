"""One connection to the broker, from its first packet to its last.

Every connection gets a paho client of its own: a used one would send its old messages again behind new
ones, an outdated retained state among them. What must outlive a connection is in :mod:`.deliveries` and
:mod:`.outbox`.
"""

from __future__ import annotations

import select
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Any, Final

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, LogLevel, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from cosyedge.errors import MqttError
from cosyedge.mqtt.deliveries import MOST_IN_FLIGHT
from cosyedge.mqtt.outbox import Publication
from cosyedge.mqtt.settings import (
    MqttSettings,
    name_failure,
    name_reason,
    openssl_words,
    read_password,
    tls_context,
    where,
)
from cosyedge.mqtt.topics import Topics

#: The largest packet the broker may send us, in bytes (MQTT 5: Maximum Packet Size).
MOST_PACKET_BYTES: Final = 2 * 1024 * 1024

_SOCKET_TIMEOUT_S: Final = 10.0  # per address of the broker, and again for the TLS handshake
_MOST_UNCONFIRMED: Final = 16  # publications on the wire at a time
_PACKET_OVERHEAD: Final = 128  # bytes of a PUBLISH besides topic, payload and properties of the caller


class Connection:
    """Used by the network thread alone. Callbacks of paho only note what happened; :meth:`poll` raises it.

    Args:
        wake: a readable socket; a byte in it ends the wait of :meth:`poll` early.
        on_open: called once, with "the broker still knew us", before any message.
        on_message: called for each message, with "the broker kept it since an earlier connection": what a
            broker sends before it has answered our subscriptions. Must not raise.
        on_refused: the broker did not want a publication: its topic, and why.
    """

    def __init__(
        self,
        settings: MqttSettings,
        topics: Topics,
        wake: socket.socket,
        *,
        on_open: Callable[[bool], None],
        on_message: Callable[[MQTTMessage, bool], None],
        on_refused: Callable[[str, str], None],
    ) -> None:
        self._settings = settings
        self._wake = wake
        self._on_open = on_open
        self._on_message = on_message
        self._on_refused = on_refused
        self._is_v5 = settings.protocol == "5"
        self._unconfirmed: dict[int, Publication] = {}
        self._most_unconfirmed = _MOST_UNCONFIRMED
        self._most_packet_bytes: int | None = None
        self._asked: dict[int, Sequence[str]] = {}
        self._lost: MqttError | None = None
        self._complaint = ""
        self.accepted = False
        self._sends_what_it_kept = False
        self.refused_topics: set[str] = set()
        self._paho = self._make_client(topics)

    def _make_client(self, topics: Topics) -> Client:
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=topics.client_id,
            clean_session=None if self._is_v5 else False,
            protocol=MQTTProtocolVersion.MQTTv5 if self._is_v5 else MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,  # else paho falls back to MQTT 3.1 by itself
            manual_ack=True,
        )
        client.connect_timeout = _SOCKET_TIMEOUT_S
        will = None
        if self._is_v5:
            will = _properties(PacketTypes.WILLMESSAGE)
            will.WillDelayInterval = self._settings.will_delay_s
        client.will_set(topics.availability, b"offline", qos=1, retain=True, properties=will)
        client.on_connect = self._connected
        client.on_subscribe = self._subscribed
        client.on_message = self._received
        client.on_publish = self._published
        client.on_disconnect = self._disconnected
        client.on_log = self._logged
        return client

    # --- what the network thread does with it

    def open(self) -> None:
        """Looks the name up, connects and sends CONNECT. Blocks; raises :class:`MqttError`."""
        settings = self._settings
        extra: dict[str, Any] = {}
        if self._is_v5:
            properties = _properties(PacketTypes.CONNECT)
            properties.SessionExpiryInterval = settings.session_expiry_s
            properties.ReceiveMaximum = MOST_IN_FLIGHT
            properties.MaximumPacketSize = MOST_PACKET_BYTES
            extra = {"clean_start": False, "properties": properties}
        try:
            if settings.username is not None:
                self._paho.username_pw_set(settings.username, read_password(settings.password))
            if settings.tls:
                self._paho.tls_set_context(tls_context(settings))
            self._paho.connect(settings.host, settings.port, settings.keepalive_s, **extra)
        except (OSError, ValueError) as error:
            raise name_failure(settings, error) from error

    def poll(self, timeout_s: float) -> None:
        """Waits for the broker, for :attr:`wake` or ``timeout_s``, and handles what is there.

        Raises :class:`MqttError` when the connection is lost or refused.
        """
        # paho's own loop() can't be woken by another thread but through its internals; these parts of it
        # are what it documents for a loop of one's own.
        sock: Any = self._paho.socket()
        if sock is None:
            raise self._loss()
        buffered = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0
        writers = [sock] if self._paho.want_write() else []
        readable, writable, _ = select.select(
            [sock, self._wake], writers, [], 0 if buffered else max(timeout_s, 0)
        )
        if self._wake in readable:
            self._wake.recv(4096)
        if buffered or sock in readable:
            self._paho.loop_read()
        if sock in writable and self._paho.socket() is sock:
            self._paho.loop_write()
        self._paho.loop_misc()
        if self._lost is not None or self._paho.socket() is None:
            raise self._loss()

    def subscribe(self, topics: Sequence[str]) -> None:
        """Asks; :attr:`subscribed` tells when the broker has answered."""
        # Retain handling 2: retained messages are never sent on a subscription. An old command is no command.
        options = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
        wanted: Any = [(topic, options if self._is_v5 else 1) for topic in topics]
        _, mid = self._paho.subscribe(wanted)
        if mid is None:
            raise self._loss()
        self._asked[mid] = topics

    @property
    def subscribed(self) -> bool:
        return self.accepted and not self._asked

    @property
    def has_room(self) -> bool:
        """Whether the broker takes one more publication now."""
        return len(self._unconfirmed) < self._most_unconfirmed

    @property
    def unconfirmed(self) -> tuple[Publication, ...]:
        """What was published and is not confirmed, oldest first."""
        return tuple(self._unconfirmed.values())

    def publish(self, publication: Publication) -> None:
        """Sends with QoS 1, unless the broker has said that it takes no packet as large as this."""
        properties = self._properties_of(publication)
        if self._most_packet_bytes is not None:
            size = len(publication.payload) + len(publication.topic.encode()) + _PACKET_OVERHEAD
            if properties is not None:
                size += len(properties.pack())  # type: ignore[no-untyped-call]
            if size > self._most_packet_bytes:
                self._on_refused(publication.topic, "Packet too large")
                return
        info = self._paho.publish(
            publication.topic, publication.payload, qos=1, retain=publication.retain, properties=properties
        )
        self._unconfirmed[info.mid] = publication

    def acknowledge(self, mid: int) -> None:
        self._paho.ack(mid, 1)

    def disconnect(self) -> None:
        """Says good-bye; the broker then keeps the will to itself. :meth:`poll` raises when it is done."""
        self._paho.disconnect()

    def drop(self) -> None:
        """Ends the connection without a word; the broker then publishes the will."""
        sock: Any = self._paho.socket()
        if sock is not None:
            sock.close()

    def _properties_of(self, publication: Publication) -> Properties | None:
        if not self._is_v5:
            return None
        properties = _properties(PacketTypes.PUBLISH)
        if publication.content_type is not None:
            properties.ContentType = publication.content_type
        if publication.correlation is not None:
            properties.CorrelationData = publication.correlation
        if publication.user:
            properties.UserProperty = list(publication.user)
        return properties

    # --- paho's callbacks

    def _connected(
        self,
        _client: Client,
        _userdata: object,
        flags: ConnectFlags,
        reason: ReasonCode,
        properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            self._lost = name_reason(self._settings, reason)
            return
        self._most_unconfirmed = min(
            getattr(properties, "ReceiveMaximum", _MOST_UNCONFIRMED), _MOST_UNCONFIRMED
        )
        self._most_packet_bytes = getattr(properties, "MaximumPacketSize", None)
        self.accepted = True
        self._sends_what_it_kept = flags.session_present
        self._on_open(flags.session_present)

    def _subscribed(
        self, _client: Client, _userdata: object, mid: int, reasons: list[ReasonCode], _properties: object
    ) -> None:
        self._sends_what_it_kept = False
        # A broker that answers too few reason codes has not granted the rest.
        topics = self._asked.pop(mid, ())
        granted = {topic for topic, reason in zip(topics, reasons, strict=False) if not reason.is_failure}
        self.refused_topics = (self.refused_topics - granted) | (set(topics) - granted)

    def _received(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        self._on_message(message, self._sends_what_it_kept)

    def _published(
        self, _client: Client, _userdata: object, mid: int, reason: ReasonCode, _properties: object
    ) -> None:
        publication = self._unconfirmed.pop(mid, None)
        if publication is None:
            return
        if reason.is_failure:
            self._on_refused(publication.topic, reason.getName())
        if publication.taken is not None:
            publication.taken()

    def _disconnected(
        self,
        _client: Client,
        _userdata: object,
        flags: DisconnectFlags,
        reason: ReasonCode,
        _properties: object,
    ) -> None:
        if self._lost is None and flags.is_disconnect_packet_from_server:
            self._lost = name_reason(self._settings, reason)

    def _logged(self, _client: Client, _userdata: object, level: int, text: str) -> None:
        # The only place where paho tells why a socket broke, for instance a TLS alert.
        if level == LogLevel.MQTT_LOG_ERR:
            self._complaint = text

    def _loss(self) -> MqttError:
        if self._lost is not None:
            return self._lost
        address = where(self._settings)
        if "[SSL" in self._complaint:
            return MqttError(
                "mqtt_tls", f"TLS with the broker at {address} failed: {openssl_words(self._complaint)}."
            )
        if self.accepted:
            return MqttError("mqtt_unreachable", f"The connection to the broker at {address} broke.")
        # With TLS 1.3 a broker that wants another certificate hangs up at this point, and its reset may
        # overtake the alert that says so.
        code = "mqtt_tls" if self._settings.tls else "mqtt_unreachable"
        return MqttError(code, f"The broker at {address} hung up before it accepted us.")


def _properties(packet_type: int) -> Properties:
    return Properties(packet_type)  # type: ignore[no-untyped-call]
