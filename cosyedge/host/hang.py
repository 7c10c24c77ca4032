"""A thread that hangs, on demand: how the watchdog is tried on the machine where it matters.

With COSYEDGE_TEST_HANG=TEXT in the environment of the daemon, and only then, the thread that speaks stops for
ever at an announcement whose whole text is TEXT. ``systemctl edit cosyedge`` sets it, a message with that
text does it, and systemd has to end the daemon and start it anew.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from typing import Any, Final, TypeVar

VARIABLE: Final = "COSYEDGE_TEST_HANG"

log = logging.getLogger(__name__)

_Reader = TypeVar("_Reader")


def hang_at(reader: _Reader, environment: Mapping[str, str] = os.environ) -> _Reader:
    """``reader`` itself, or one that hangs where the environment asks for it."""
    text = environment.get(VARIABLE)
    if not text:
        return reader
    log.warning("%s is set: an announcement of that text hangs the daemon", VARIABLE)
    hanging: Any = _HangingReader(reader, text)
    return hanging  # type: ignore[no-any-return]


class _HangingReader:
    def __init__(self, reader: Any, text: str) -> None:
        self._reader = reader
        self._text = text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def read(self, text: str, *arguments: Any) -> Any:
        if text == self._text:
            log.warning("hanging, as %s wants it", VARIABLE)
            threading.Event().wait()
        return self._reader.read(text, *arguments)
