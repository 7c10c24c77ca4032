"""A daemon as a process of its own: started as systemd would start it, watched from outside."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
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
        self._notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        address = f"\0cosyedge-test-{os.getpid()}-{id(self)}"
        self._notifications.bind(address)
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

    def notified(self, words: str, timeout_s: float = PATIENCE_S, *, after: int = 0) -> str:
        """Everything that the service manager was told, as soon as ``words`` are among it, behind the first
        ``after`` characters."""
        deadline = time.monotonic() + timeout_s
        while words not in self._said[after:]:
            self._notifications.settimeout(0.2)
            try:
                self._said += self._notifications.recv(4096).decode() + "\n"
            except TimeoutError:
                ended = self.process.poll()
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
        self._notifications.setblocking(False)
        while True:
            try:
                self._said += self._notifications.recv(4096).decode() + "\n"
            except BlockingIOError:
                return self._said

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """The exit code."""
        self.process.send_signal(number)
        return self.ended()

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
        self._notifications.close()
