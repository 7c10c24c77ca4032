"""A line on the terminal for what takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Final, Self

_PATIENCE_S: Final = 2.0
_EVERY_S: Final = 0.2
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """Shows the newest of what :meth:`say` was given, and for how long it has taken; nothing where standard
    error is no terminal, and nothing in the first two seconds.
    """

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._began = time.monotonic()
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        if sys.stderr.isatty():
            self._thread = threading.Thread(target=self._show, name="progress", daemon=True)

    def say(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> Self:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self) -> None:
        if self._done.wait(_PATIENCE_S):
            return
        while not self._done.wait(_EVERY_S):
            elapsed = time.monotonic() - self._began
            print(f"{_CLEAR}{self._doing} … {elapsed:.0f} s", end="", file=sys.stderr, flush=True)
        print(_CLEAR, end="", file=sys.stderr, flush=True)
