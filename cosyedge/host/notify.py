"""What we tell systemd: READY, STATUS, WATCHDOG, STOPPING, by the protocol of sd_notify(3).

The protocol is one datagram of ``NAME=value`` lines to the socket named by ``NOTIFY_SOCKET``; without
that variable every method does nothing, so the daemon never asks whether systemd is there.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Mapping

log = logging.getLogger(__name__)


class Notifier:
    """The notification socket of the service manager. Methods may be called from any thread.

    Args:
        environment: where NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are read.

    A datagram that can't be sent is logged once and otherwise forgotten: a daemon that speaks without
    supervision beats one that stops because it can't say so.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = _address(environment.get("NOTIFY_SOCKET", ""))
        #: Half of the time after which systemd gives us up, in seconds; None without a watchdog.
        self.watchdog_interval_s = _watchdog_interval_s(environment)
        self._socket: socket.socket | None = None
        self._complained = False
        self._status = ""
        if self._address:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)

    def ready(self, status: str) -> None:
        """Start-up, or reading the configuration anew, is over: the models are warm and every thread runs."""
        self._status = status
        self._send(f"READY=1\nSTATUS={status}")

    def status(self, status: str) -> None:
        """One line for ``systemctl status``; what it was already is not said again."""
        if status != self._status:
            self._status = status
            self._send(f"STATUS={status}")

    def reloading(self) -> None:
        """The configuration is being read anew, until :meth:`ready`."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def watchdog(self) -> None:
        """Alive: to be called only when real work could be done."""
        self._send("WATCHDOG=1")

    def stopping(self, status: str) -> None:
        """A clean stop has begun."""
        self._send(f"STOPPING=1\nSTATUS={status}")

    def extend_timeout(self, seconds: float) -> None:
        """Ask for ``seconds`` more, from now, before systemd loses patience with a start or a stop."""
        self._send(f"EXTEND_TIMEOUT_USEC={round(seconds * 1e6)}")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, message: str) -> None:
        if self._socket is None:
            return
        try:
            self._socket.sendto(message.encode(), socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL, self._address)
        except OSError as error:
            if not self._complained:
                self._complained = True
                log.warning(
                    "systemd can't be told how we are (%s): its watchdog may restart the service", error
                )


def _address(name: str) -> str:
    """The socket's address: a path, or ``@name`` for the abstract name space."""
    if name.startswith("@"):
        return "\0" + name[1:]
    if name and not name.startswith("/"):
        log.warning("NOTIFY_SOCKET is neither a path nor an abstract name; systemd is not told how we are")
        return ""
    return name


def _watchdog_interval_s(environment: Mapping[str, str]) -> float | None:
    period_us = environment.get("WATCHDOG_USEC", "")
    if not period_us or environment.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None  # WATCHDOG_PID names the process that is watched; a child of it is not
    if not period_us.isdecimal() or int(period_us) == 0:
        log.warning("WATCHDOG_USEC is %r, not a number of microseconds; the watchdog is not fed", period_us)
        return None
    return int(period_us) / 2e6
