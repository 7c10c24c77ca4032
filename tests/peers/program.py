"""A program of others that obeys lines of JSON and answers each with one."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any, Self

PATIENCE_S = 180.0


class Program:
    """``command`` is started; its first line says that it is ready. Its standard error is kept in ``log``."""

    def __init__(self, command: list[Any], log: Path) -> None:
        self._log = log
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._answer()

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def __call__(self, do: str, **more: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        # A deadline for a pipe: whoever does not answer in time is ended, which ends the line.
        watchdog = threading.Timer(PATIENCE_S, self._process.kill)
        watchdog.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watchdog.cancel()
        assert line, f"it has ended with {self._process.wait(10)}:\n{self.log}"
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        assert self._process.stdout is not None
        self._process.stdout.close()
