"""The file of the journal: lines of events, each with its checksum.

A line is ``crc32 of the body in 8 hex digits | space | body | newline``, the body JSON in UTF-8::

    {"put": announcement, "boot": id, "sure": bool, "undated": bool}     taken
    {"end": id}                                                          ended
    {"ended": [id, content digest or null]}                              ended before the last compaction
    {"clock": [boot id, monotonic, unix, synchronised]}                  a reading of both clocks

A line that is torn or damaged costs only itself. At a compaction the file is written anew with what is still
to be spoken, and the ids of what has ended; the text of these is then gone.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.clock import Kept, Reading, carry_over

FILE_NAME: Final = "announcements.journal"
#: Ids of ended announcements that are kept over a restart.
REMEMBERED: Final = 1024

_LONGEST_LINE: Final = 2 << 20


class JournalFile:
    """``live`` is what is still to be spoken, in order; ``ended`` maps ids to content digests, oldest first.

    Both are true in memory whether or not the file could be written. Not thread-safe. Methods that write
    raise OSError and leave a file that can be read; the next one then makes a new file.
    """

    def __init__(
        self,
        folder: Path,
        *,
        slack_bytes: int,
        read_clock: Callable[[], Reading],
        sync: Callable[[int], None],
    ) -> None:
        self.path = folder / FILE_NAME
        self.live: dict[str, Kept] = {}
        self.ended: OrderedDict[str, str | None] = OrderedDict()
        self._folder = folder
        self._slack_bytes = slack_bytes
        self._read_clock = read_clock
        self._sync = sync
        self._folder_fd: int | None = None
        self._file: int | None = None
        self._size = 0
        self._size_when_compact = 0
        self._clock_is_noted = False
        self._unwritten = bytearray()

    def read(self) -> int:
        """Fills ``live`` and ``ended`` from the file; how many of its bytes are damaged. A file that is not
        there is empty. Raises OSError, after what could be read.
        """
        readings: list[Reading] = []
        damaged = 0
        try:
            for record, size in _records(self.path):
                if record is None or not self._replay(record, readings):
                    damaged += size
        except FileNotFoundError:
            pass
        finally:
            now = self._read_clock()
            self.live = {id_: carry_over(kept, readings, now) for id_, kept in self.live.items()}
        return damaged

    def put(self, announcement: Announcement) -> None:
        now = self._read_clock()
        kept = Kept(announcement, now.boot, now.synchronised)
        self.live[announcement.id] = kept
        if now.synchronised and not self._clock_is_noted:
            self._append(_line({"clock": _values(now)}))
            self._clock_is_noted = True
        self._append(_put_line(kept))

    def end(self, id_: str) -> None:
        kept = self.live.pop(id_, None)
        if kept is not None:
            self._remember(id_, kept.announcement.content)
            self._append(_line({"end": id_}))

    def write(self) -> None:
        """Brings all that was put and ended to the disk."""
        if self._file is None:
            self.compact()
            return
        try:
            if self._unwritten:
                _write(self._file, self._unwritten)
                self._sync(self._file)
        except OSError:
            # Nobody knows what reached the disk: the next attempt makes a new file.
            self.close()
            raise
        self._size += len(self._unwritten)
        self._unwritten.clear()
        if self._size > self._slack_bytes + 2 * self._size_when_compact:
            try:
                self.compact()
            except OSError:  # no room for two files: the old one goes on, and grows
                self._size_when_compact = self._size

    def compact(self) -> None:
        """Writes the file anew, in one step as seen from outside, and keeps it open and locked.

        Raises BlockingIOError where another process has it.
        """
        if self._folder_fd is None:
            self._folder_fd = _lock(self._folder)
        now = self._read_clock()
        new = self.path.with_suffix(".new")
        new.unlink(missing_ok=True)
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            size = _write(file, _line({"clock": _values(now)}))
            for id_, content in self.ended.items():
                size += _write(file, _line({"ended": [id_, content]}))
            for kept in self.live.values():
                size += _write(file, _put_line(kept))
            self._sync(file)
            new.rename(self.path)
            os.fsync(self._folder_fd)
        except OSError:
            os.close(file)
            new.unlink(missing_ok=True)
            raise
        if self._file is not None:
            os.close(self._file)
        self._file = file
        self._size = self._size_when_compact = size
        self._clock_is_noted = now.synchronised
        self._unwritten.clear()

    def close(self) -> None:
        for fd in (self._file, self._folder_fd):
            if fd is not None:
                os.close(fd)
        self._file = self._folder_fd = None
        self._unwritten.clear()

    def _append(self, line: bytes) -> None:
        if self._file is not None:  # else the next write makes the file from memory
            self._unwritten += line

    def _replay(self, record: dict[str, Any], readings: list[Reading]) -> bool:
        """Whether the record makes sense."""
        try:
            if "put" in record:
                announcement = Announcement.from_values(record["put"])
                kept = Kept(announcement, record["boot"], record["sure"], record["undated"])
                self.live[announcement.id] = kept
            elif "end" in record:
                ended = self.live.pop(record["end"], None)
                self._remember(record["end"], ended.announcement.content if ended else None)
            elif "ended" in record:
                id_, content = record["ended"]
                self._remember(id_, content)
            else:
                readings.append(Reading(*record["clock"]))
        except (KeyError, TypeError, ValueError):
            return False
        return True

    def _remember(self, id_: str, content: str | None) -> None:
        self.ended[id_] = content
        if len(self.ended) > REMEMBERED:
            self.ended.popitem(last=False)


def _lock(folder: Path) -> int:
    """The folder's file descriptor, for its fsync and as the lock."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise
    return fd


def _records(path: Path) -> Iterator[tuple[dict[str, Any] | None, int]]:
    """Each record with its size in bytes; None for what is damaged."""
    with path.open("rb") as file:
        while line := file.readline(_LONGEST_LINE):
            yield _parse(line), len(line)


def _parse(line: bytes) -> dict[str, Any] | None:
    if line[8:9] != b" " or not line.endswith(b"\n"):
        return None
    try:
        if int(line[:8], 16) != zlib.crc32(line[9:-1]):
            return None
        record = json.loads(line[9:-1])
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _line(record: dict[str, Any]) -> bytes:
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace")
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _put_line(kept: Kept) -> bytes:
    announcement = kept.announcement.to_values()
    return _line({"put": announcement, "boot": kept.boot, "sure": kept.sure, "undated": kept.undated})


def _values(reading: Reading) -> list[object]:
    return [reading.boot, reading.monotonic, reading.unix, reading.synchronised]


def _write(file: int, data: bytes | bytearray) -> int:
    """All of ``data``: the kernel may take a part of it when the disk is nearly full."""
    with memoryview(data) as view:
        written = 0
        while written < len(view):
            written += os.write(file, view[written:])
    return written
