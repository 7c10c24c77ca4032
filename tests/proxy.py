"""A wire between a client and a broker that can be cut without a sound, or be long."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Self


class Proxy:
    """Listens on a port of its own and forwards to ``port``.

    ``freeze`` holds all connections of this moment open and carries nothing over them any more, as when the
    power of a switch fails: nobody is told. New ones are carried. ``delay_s`` is added to each piece that is
    carried, in either direction.
    """

    def __init__(self, port: int, delay_s: float = 0.0) -> None:
        self.delay_s = delay_s
        self._to = ("127.0.0.1", port)
        self._generation = 0
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self.host, self.port = self._listener.getsockname()[:2]
        self._closed = threading.Event()
        self._spawn(self._accept)

    def freeze(self) -> None:
        self._generation += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._closed.set()
        for thread in self._threads:
            thread.join(5)
        for each in (self._listener, *self._sockets):
            each.close()

    def _spawn(self, target: object, *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                near, _ = self._listener.accept()
            except TimeoutError:
                continue
            try:
                far = socket.create_connection(self._to, 5)
            except OSError:
                near.close()
                continue
            self._sockets += [near, far]
            self._spawn(self._carry, near, far, self._generation)
            self._spawn(self._carry, far, near, self._generation)

    def _carry(self, source: socket.socket, sink: socket.socket, generation: int) -> None:
        source.settimeout(0.05)
        while not self._closed.is_set() and generation == self._generation:
            try:
                data = source.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                data = b""
            if generation != self._generation:
                return  # nobody learns anything
            if not data:
                with contextlib.suppress(OSError):
                    sink.shutdown(socket.SHUT_RDWR)
                return
            time.sleep(self.delay_s)
            with contextlib.suppress(OSError):
                sink.sendall(data)
