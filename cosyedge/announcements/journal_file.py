"""The file of the journal: lines of events, each with its checksum.

A line is ``crc32 of the body in 8 hex digits | space | body | newline``, the body JSON in UTF-8::

    {"format": number}                                                   first of all, but in format 1
    {"put": announcement, "boot": id, "sure": bool, "undated": bool}     taken
    {"end": id, "result": result}                                        ended, and how
    {"told": id}                                                         the broker has that result
    {"ended": [id, content digest or null]}                              ended before the last compaction
    {"untold": reply, "result": result}                                  the same, the broker lacks the result
    {"clock": [boot id, monotonic, unix, synchronised]}                  a reading of both clocks

A line that is torn or damaged costs only itself. At a compaction the file is written anew with what is still
to be spoken, and the ids of what has ended; the text of these is then gone.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.announcement import Announcement, Reply, reply_from_values, reply_to_values
from cosyedge.announcements.clock import Kept, Reading, carry_over
from cosyedge.announcements.result import Result
from cosyedge.announcements.say_object import is_id

FILE_NAME: Final = "announcements.journal"
#: The newest format that is understood here, and the one that is written.
FORMAT: Final = 2
#: Ids of ended announcements that are kept over a restart.
REMEMBERED: Final = 1024

_LONGEST_LINE: Final = 2 << 20
_PUT_ID: Final = re.compile(rb'\{"put":\{"id":("(?:[^"\\]|\\.){1,512}")')

Untold = tuple[Reply | None, Result]


@dataclass(slots=True)
class Unread:
    """What of a file could not be used.

    ``torn_bytes`` is an end without its newline: nobody was promised anything about it. ``damaged_bytes`` are
    in ``damaged_lines``, of which ``lost`` are the ids of announcements that could still be made out.
    ``newer`` is the file's format where this version does not know it, with ``unknown_lines`` in it.
    """

    torn_bytes: int = 0
    damaged_bytes: int = 0
    damaged_lines: int = 0
    lost: list[str] = field(default_factory=list)
    newer: int | None = None
    unknown_lines: int = 0

    def note_damage(self, line: bytes) -> None:
        self.damaged_lines += 1
        self.damaged_bytes += len(line)
        id_ = _legible_id(line)
        if id_ is not None and len(self.lost) < REMEMBERED:
            self.lost.append(id_)


class JournalFile:
    """``live`` is what is still to be spoken, in order; ``ended`` maps ids to content digests, oldest first;
    ``untold`` has the results of those of them of which the broker may not know.

    All are true in memory whether or not the file could be written. Not thread-safe. Methods that write
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
        self.untold: OrderedDict[str, Untold] = OrderedDict()
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

    def read(self) -> Unread:
        """Fills ``live``, ``ended`` and ``untold`` from the file; what of it could not be used. A file that
        is not there is empty. Raises OSError, after what could be read.
        """
        readings: list[Reading] = []
        unread = Unread()
        try:
            for line in _lines(self.path):
                record = _parse(line)
                if record is None:
                    if line.endswith(b"\n") or len(line) == _LONGEST_LINE:
                        unread.note_damage(line)
                    else:
                        unread.torn_bytes = len(line)
                elif isinstance(record.get("format"), int):
                    unread.newer = record["format"] if record["format"] > FORMAT else None
                elif self._replay(record, readings):
                    continue
                elif unread.newer:
                    unread.unknown_lines += 1
                else:
                    unread.note_damage(line)
        except FileNotFoundError:
            pass
        finally:
            now = self._read_clock()
            self.live = {id_: carry_over(kept, readings, now) for id_, kept in self.live.items()}
            unread.lost = [id_ for id_ in unread.lost if id_ not in self.live and id_ not in self.ended]
        return unread

    def set_aside(self, name: str) -> Path:
        """Keeps the file as it is under another name as well: the next compaction leaves out of the first
        what this version does not understand.
        """
        aside = self.path.with_name(f"{FILE_NAME}.{name}")
        aside.unlink(missing_ok=True)
        os.link(self.path, aside)
        return aside

    def put(self, announcement: Announcement) -> None:
        now = self._read_clock()
        kept = Kept(announcement, now.boot, now.synchronised)
        self.live[announcement.id] = kept
        if now.synchronised and not self._clock_is_noted:
            self._append(_line({"clock": _values(now)}))
            self._clock_is_noted = True
        self._append(_put_line(kept))

    def end(self, id_: str, result: Result | None = None) -> None:
        """``result`` stays until it is :meth:`told`."""
        kept = self.live.pop(id_, None)
        if kept is None:
            return
        self._remember(id_, kept.announcement.content)
        record: dict[str, Any] = {"end": id_}
        if result is not None:
            self._keep_untold(kept.announcement.reply, result)
            record["result"] = _known(result)
        self._append(_line(record))

    def told(self, id_: str) -> None:
        """The broker has its result. Not worth an fsync: at worst it is told twice."""
        if self.untold.pop(id_, None) is not None:
            self._append(_line({"told": id_}))

    def write(self, *, sync: bool = True) -> None:
        """Brings all that was put and ended to the disk; without ``sync``, only out of this process."""
        if self._file is None:
            self.compact()
            return
        try:
            if self._unwritten:
                _write(self._file, self._unwritten)
                if sync:
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
            size = _write(file, _line({"format": FORMAT}) + _line({"clock": _values(now)}))
            for id_, content in self.ended.items():
                size += _write(file, _line({"ended": [id_, content]}))
            for reply, result in self.untold.values():
                size += _write(file, _line({"untold": reply_to_values(reply), "result": _known(result)}))
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
                if "result" in record:
                    reply = ended.announcement.reply if ended else None
                    self._keep_untold(reply, Result.from_values(record["result"]))
            elif "told" in record:
                self.untold.pop(record["told"], None)
            elif "ended" in record:
                id_, content = record["ended"]
                self._remember(id_, content)
            elif "untold" in record:
                self._keep_untold(reply_from_values(record["untold"]), Result.from_values(record["result"]))
            else:
                readings.append(Reading(*record["clock"]))
        except (KeyError, TypeError, ValueError):
            return False
        return True

    def _remember(self, id_: str, content: str | None) -> None:
        self.ended[id_] = content
        if len(self.ended) > REMEMBERED:
            self.ended.popitem(last=False)

    def _keep_untold(self, reply: Reply | None, result: Result) -> None:
        self.untold[result.id] = reply, result
        if len(self.untold) > REMEMBERED:
            self.untold.popitem(last=False)


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


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while line := file.readline(_LONGEST_LINE):
            yield line


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


def _legible_id(line: bytes) -> str | None:
    """The id of the announcement in a damaged line, where it can still be made out."""
    found = _PUT_ID.match(line, 9)
    try:
        id_ = json.loads(found[1]) if found else None
    except ValueError:
        return None
    return id_ if is_id(id_) else None


def _line(record: dict[str, Any]) -> bytes:
    body = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace")
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _put_line(kept: Kept) -> bytes:
    announcement = kept.announcement.to_values()
    return _line({"put": announcement, "boot": kept.boot, "sure": kept.sure, "undated": kept.undated})


def _known(result: Result) -> dict[str, Any]:
    return {name: value for name, value in result.to_values().items() if value is not None}


def _values(reading: Reading) -> list[object]:
    return [reading.boot, reading.monotonic, reading.unix, reading.synchronised]


def _write(file: int, data: bytes | bytearray) -> int:
    """All of ``data``: the kernel may take a part of it when the disk is nearly full."""
    with memoryview(data) as view:
        written = 0
        while written < len(view):
            written += os.write(file, view[written:])
    return written
