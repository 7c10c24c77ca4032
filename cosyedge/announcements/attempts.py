"""Which announcement is being made, for the next process to know should this one die of it.

An announcement that crashes the process comes back from the journal, and would crash the next one as well,
for ever. So a small file says what is being made, and how often a process died while that was so. It counts
from the moment at which an announcement is taken up until all of it is with the output, not while it is only
heard any more; and only within a boot: the file is never synchronised, and a power cut is nobody's fault.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.clock import Reading, read_clock
from cosyedge.errors import SpeechError

FILE_NAME: Final = "announcements.attempts"
#: An announcement in whose making so many processes died is not made again.
MOST_DEATHS: Final = 3
#: Announcements whose deaths are remembered; there is one at a time, and few that are postponed.
_REMEMBERED: Final = 16
_LONGEST: Final = 64 * 1024

_log = logging.getLogger(__name__)


class Attempts:
    """The file in ``folder``, or none (None): then nothing is counted. Any thread may call anything.

    A disk that can't be written costs the count and nothing else.
    """

    def __init__(self, folder: Path | None, *, read_clock: Callable[[], Reading] = read_clock) -> None:
        self._path = None if folder is None else folder / FILE_NAME
        self._boot = read_clock().boot
        self._lock = threading.Lock()
        self._file: int | None = None
        self._making: str | None = None
        self._deaths: OrderedDict[str, int] = OrderedDict()

    def recover(self) -> None:
        """Learns what the process before was making when it died. Never raises."""
        if self._path is None:
            return
        making = self._read(self._path)
        with self._lock:
            if making is not None:
                self._deaths[making] = self._deaths.pop(making, 0) + 1
                while len(self._deaths) > _REMEMBERED:
                    self._deaths.popitem(last=False)
                _log.warning(
                    "the process before died while it made announcement %s (%d of %d times)",
                    making, self._deaths[making], MOST_DEATHS,
                )  # fmt: skip
            self._write()

    def begin(self, id_: str) -> None:
        """That announcement is made from now on.

        Raises:
            SpeechError: ``made_it_crash``, too many processes died of it.
        """
        with self._lock:
            deaths = self._deaths.get(id_, 0)
            if deaths >= MOST_DEATHS:
                raise SpeechError("made_it_crash", f"The daemon died {deaths} times while it made this.")
            self._making = id_
            self._write()

    def rest(self) -> None:
        """Nothing is made from now on."""
        with self._lock:
            if self._making is not None:
                self._making = None
                self._write()

    def forget(self, id_: str) -> None:
        """That announcement has ended."""
        with self._lock:
            if self._deaths.pop(id_, None) is not None:
                self._write()

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _read(self, path: Path) -> str | None:
        """Fills the deaths; what was being made at the end of a process of this boot."""
        try:
            with path.open("rb") as file:
                line = file.readline(_LONGEST)
            if int(line[:8], 16) != zlib.crc32(line[9:-1]):
                return None
            values: dict[str, Any] = json.loads(line[9:-1])
            self._deaths.update((str(id_), int(count)) for id_, count in values["deaths"])
            making = values["making"] if values["boot"] == self._boot else None
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
        ):  # none, torn, or damaged: nothing is held against it
            return None
        return making if isinstance(making, str) else None

    def _write(self) -> None:
        """One line at the beginning of the file, in one call: a process that is killed leaves it whole."""
        if self._path is None:
            return
        values = {"boot": self._boot, "making": self._making, "deaths": list(self._deaths.items())}
        body = json.dumps(values).encode()
        line = b"%08x %s\n" % (zlib.crc32(body), body)
        try:
            if self._file is None:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.pwrite(self._file, line, 0)
        except OSError as error:
            _log.debug("%s can't be written: %s", self._path, error.strerror)
