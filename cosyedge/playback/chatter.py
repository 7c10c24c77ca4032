"""The noise that sound libraries print on standard error.

Enumerating devices makes ALSA, PortAudio and JACK print dozens of lines, most of them about devices that
nobody asked for. They come from C, so the only place to catch them is file descriptor 2, for the short time
of the call. Known chatter goes to the log at debug level; every other line that was written meanwhile is
passed on unchanged.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

log = logging.getLogger(__name__)

_KNOWN: Final = re.compile(
    r"ALSA lib |Expression '|PaAlsa|PortAudio|Cannot connect to server|jack server is not running"
    r"|JackShmReadWritePtr|JackMessageBuffer|Cannot create (thread res|message buffer)"
    r"|connect\(2\) call to|attempt to connect to server failed|ALSA plug-in|^$"
)
_one_at_a_time: Final = threading.Lock()


@contextmanager
def captured_chatter() -> Iterator[list[str]]:
    """Catch what is written to standard error; the known chatter is in the list after the block.

    Whoever waits for a call that may hang uses it, not the thread that makes the call: so standard error
    comes back in time. A second user at the same time catches nothing.
    """
    lines: list[str] = []
    if not _one_at_a_time.acquire(blocking=False):
        yield lines
        return
    try:
        try:
            saved = os.dup(2)
        except OSError:  # a daemon without standard error: nothing to keep clean
            yield lines
            return
        caught = os.memfd_create("cosyedge-chatter")
        os.dup2(caught, 2)
        try:
            yield lines
        finally:
            os.dup2(saved, 2)
            size = os.fstat(caught).st_size
            written = os.pread(caught, size, 0)
            os.close(caught)
            os.close(saved)
            _sort(written, lines)
    finally:
        _one_at_a_time.release()


def _sort(written: bytes, known: list[str]) -> None:
    for raw in written.splitlines(keepends=True):
        line = raw.decode("utf-8", "replace").rstrip()
        if not _KNOWN.match(line):
            os.write(2, raw)
        elif line:
            known.append(line)
            log.debug("%s", line)


def alsa_words(lines: list[str]) -> str | None:
    """What ALSA said of its own configuration, without a place in its sources; None if nothing."""
    for line in lines:
        found = re.match(r"ALSA lib conf\.c:\d+:\(\w+\) (?P<words>\S+:\d+:\d+:.*)", line)
        if found:
            return found["words"]
    return None
