"""A daemon as a process of its own: started as systemd would start it, watched from outside."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

#: Generous: tests share the machine with whatever else it does.
PATIENCE_S: Final = 60.0


class RunningNode:
    """``python -m cosyedge run`` in ``folder``, with the notification socket of a service manager.

    Args:
        bundle: the folder of a bundle.
        port: of the broker.
        environment: added to this process's own.
        through: a command that runs it, such as ``setpriv …``.
        flags: options as ``audio_output="wav"``.
    """

    def __init__(
        self,
        folder: Path,
        bundle: Path,
        port: int,
        environment: dict[str, str] | None = None,
        through: Sequence[str] = (),
        **flags: str | Path | float,
    ) -> None:
        self.folder = folder
        self.log_path = folder / "daemon.log"
        folder.mkdir(parents=True, exist_ok=True)
        self._said = ""
        self._heard = threading.Condition()
        self._closed = False
        self._notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = f"\0cosyedge-test-{os.getpid()}-{id(self)}"
        self._notifications.bind(address)
        self._listener = threading.Thread(target=self._listen, name="test-service-manager", daemon=True)
        self._listener.start()
        options = {
            "models_dir": bundle.parent,
            "models_bundle": bundle.name,
            "mqtt_host": "127.0.0.1",
            "mqtt_port": port,
            "mqtt_node": "attic",
            "state_dir": folder / "state",
            **flags,
        }
        command = [*through, sys.executable, "-m", "cosyedge", "run", "--config", os.devnull]
        for name, value in options.items():
            command += ["--" + name.replace("_", "-"), str(value)]
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                env={
                    **os.environ,
                    "HOME": str(folder),
                    "NOTIFY_SOCKET": "@" + address[1:],
                    **(environment or {}),
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def _listen(self) -> None:
        """As a service manager does: what nobody reads would fill the socket up."""
        while not self._closed:
            select.select([self._notifications], [], [])
            with self._heard:
                self._drain()
                self._heard.notify_all()

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while told := self._notifications.recv(4096, socket.MSG_DONTWAIT):
                self._said += told.decode() + "\n"

    def notified(self, words: str, timeout_s: float = PATIENCE_S, *, after: int = 0) -> str:
        """Everything that the service manager was told, as soon as ``words`` are among it; those that came
        before the first ``after`` characters were told don't count.
        """
        deadline = time.monotonic() + timeout_s
        with self._heard:
            while words not in self._said[after:]:
                self._heard.wait(0.2)
                ended = self.process.poll()
                if words not in self._said[after:]:
                    assert ended is None, f"the daemon ended with {ended}:\n{self.log}"
                    assert time.monotonic() < deadline, f"not told: {words}; told: {self._said}\n{self.log}"
            return self._said

    def wait_until_ready(self) -> None:
        self.notified("READY=1")

    def ended(self, timeout_s: float = PATIENCE_S) -> int:
        """The exit code, once it has ended by itself."""
        return self.process.wait(timeout_s)

    def told(self) -> str:
        """What the service manager was told up to now."""
        with self._heard:
            self._drain()
            return self._said

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """The exit code."""
        self.process.send_signal(number)
        return self.ended()

    def freeze(self) -> None:
        """It stands still until :meth:`thaw`, in whatever it does."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def threads(self) -> dict[str, int]:
        """Name of each OS thread → its CPU time in ticks; the main thread is ``main``."""
        found = {}
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            name, _, fields = (task / "stat").read_text().rpartition(")")
            values = fields.split()
            is_main = task.name == str(self.process.pid)
            found["main" if is_main else name.partition("(")[2]] = int(values[11]) + int(values[12])
        return found

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if not self._closed:
            self._closed = True
            self._notifications.shutdown(socket.SHUT_RDWR)  # wakes the listener
            self._listener.join(PATIENCE_S)
            self._notifications.close()
