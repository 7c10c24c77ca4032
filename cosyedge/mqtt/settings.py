"""Where the broker is, what lets us in, and what it is called when that fails."""

from __future__ import annotations

import os
import re
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
#: ``[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)``; the words alone say it.
_OPENSSL: Final = re.compile(r"\[(?:SSL|X509)[^]]*\] *(?P<words>.*?)(?: \(_ssl\.c:\d+\))?\Z")
#: What OpenSSL calls an answer that is none of TLS, and what it says of any PEM file that it can't use.
_NO_TLS: Final = frozenset({"wrong version number", "record layer failure", "packet length too long"})
_PEM: Final = "PEM lib"


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


def words_of(error: Exception) -> str:
    """Why, without the numbers of the system and of OpenSSL."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    if isinstance(error, UnicodeError):  # of IDNA
        return "that is no name of a machine"
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return openssl_words((error.strerror if isinstance(error, OSError) else None) or str(error))


def openssl_words(text: str) -> str:
    """The words in a message of OpenSSL, wherever in ``text`` they stand; any other text as it is."""
    found = _OPENSSL.search(text)
    if found is None:
        return text
    words = found["words"]
    if words in _NO_TLS:
        return f"{words}: what answers does not speak TLS"
    return "no PEM, an encrypted key, or a key of another certificate" if words == _PEM else words


def read_password(password: str | Path | None) -> str | None:
    if not isinstance(password, Path):
        return password
    try:
        return password.read_text(encoding="utf-8").split("\n", 1)[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        raise MqttError(
            "mqtt_refused", f"The password in {password} can't be read: {words_of(error)}."
        ) from error


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
        given = (settings.tls_ca, settings.tls_certificate, settings.tls_key)
        files = [file for file in given if file is not None]
        if not isinstance(error, ssl.SSLError):
            files = [file for file in files if not os.access(file, os.R_OK)] or files
        named = ", ".join(map(str, files))
        raise MqttError("mqtt_tls", f"The TLS files can't be used ({named}: {words_of(error)}).") from error
    return context


def name_failure(settings: MqttSettings, error: OSError | ValueError) -> MqttError:
    address = where(settings)
    # TCP refuses, it does not reset: that happens in the handshake, for instance at a port without TLS.
    if isinstance(error, ssl.SSLError) or (settings.tls and isinstance(error, ConnectionResetError)):
        return MqttError("mqtt_tls", f"TLS with the broker at {address} failed: {words_of(error)}.")
    if isinstance(error, socket.gaierror):
        return MqttError(
            "mqtt_unreachable", f"The broker's name {settings.host} can't be resolved ({error.strerror})."
        )
    if isinstance(error, TimeoutError):
        return MqttError("mqtt_unreachable", f"The broker at {address} does not answer.")
    return MqttError("mqtt_unreachable", f"The broker at {address} can't be reached: {words_of(error)}.")


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
