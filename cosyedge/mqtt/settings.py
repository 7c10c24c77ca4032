"""Where the broker is, what lets us in, and what it is called when that fails."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from paho.mqtt.reasoncodes import ReasonCode

from cosyedge.errors import MqttError

_TAKEN_OVER: Final = 0x8E
_UNSUPPORTED_VERSION: Final = 0x84
# Client id, user or password, not authorised, banned, authentication method.
_REFUSALS: Final = frozenset({0x85, 0x86, 0x87, 0x8A, 0x8C})


@dataclass(frozen=True, slots=True)
class MqttSettings:
    """Where the broker is and how to speak with it; the names are those of the section ``mqtt``."""

    host: str = "localhost"
    port: int = 1883
    protocol: Literal["5", "3.1.1"] = "5"
    keepalive_s: int = 30
    """a connection that is dead without a word is noticed within twice this"""
    session_expiry_s: int = 3600
    """how long the broker keeps messages for an absent node (MQTT 5; 3.1.1 has no limit)"""
    will_delay_s: int = 0
    """how long the broker waits before it says offline for us (MQTT 5)"""
    username: str | None = None
    password: str | Path | None = None
    """a path is read at every attempt, so that a new password needs no restart"""
    tls: bool = False
    tls_ca: Path | None = None
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    retry_min_s: float = 1.0
    retry_max_s: float = 60.0


def where(settings: MqttSettings) -> str:
    """For sentences."""
    return f"{settings.host}:{settings.port}"


def read_password(password: str | Path | None) -> str | None:
    if not isinstance(password, Path):
        return password
    try:
        return password.read_text(encoding="utf-8").split("\n", 1)[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise MqttError("mqtt_refused", f"The password in {password} can't be read ({error}).") from error


def tls_context(settings: MqttSettings) -> ssl.SSLContext:
    """Made anew for each connection, so that a renewed certificate needs no restart."""
    try:
        context = ssl.create_default_context(cafile=settings.tls_ca)
        # Python 3.13 refuses authorities without an Authority Key Identifier, which is what most private
        # ones of a household look like. Chain, dates and host name are still verified.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if settings.tls_certificate is not None:
            # An empty pass phrase, so that an encrypted key is an error and not a question on a terminal.
            context.load_cert_chain(settings.tls_certificate, settings.tls_key, password="")
    except OSError as error:
        files = (settings.tls_ca, settings.tls_certificate, settings.tls_key)
        named = ", ".join(str(file) for file in files if file is not None)
        raise MqttError("mqtt_tls", f"The TLS files can't be used ({named}: {error}).") from error
    return context


def name_failure(settings: MqttSettings, error: OSError | ValueError) -> MqttError:
    address = where(settings)
    # TCP refuses, it does not reset: that happens in the handshake, for instance at a port without TLS.
    if isinstance(error, ssl.SSLError) or (settings.tls and isinstance(error, ConnectionResetError)):
        return MqttError("mqtt_tls", f"TLS with the broker at {address} failed ({error}).")
    if isinstance(error, socket.gaierror):
        return MqttError(
            "mqtt_unreachable", f"The broker's name {settings.host} can't be resolved ({error.strerror})."
        )
    if isinstance(error, TimeoutError):
        return MqttError("mqtt_unreachable", f"The broker at {address} does not answer.")
    return MqttError("mqtt_unreachable", f"The broker at {address} can't be reached ({error}).")


def name_reason(settings: MqttSettings, reason: ReasonCode) -> MqttError:
    address, name = where(settings), reason.getName()
    if reason.value == _TAKEN_OVER:
        return MqttError(
            "mqtt_taken_over", f"A second client with our client id took our place at {address}."
        )
    if reason.value == _UNSUPPORTED_VERSION:
        return MqttError(
            "mqtt_refused",
            f"The broker at {address} does not speak MQTT {settings.protocol}: change mqtt.protocol.",
        )
    if reason.value in _REFUSALS:
        return MqttError("mqtt_refused", f"The broker at {address} refused us: {name}.")
    return MqttError("mqtt_unreachable", f"The broker at {address} ended the connection: {name}.")
