"""Journals to write, to wait for and to read again."""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.journal import Journal, Recovered
from cosyedge.announcements.journal_file import FILE_NAME
from cosyedge.errors import HostError

DEADLINE_S: Final = 20.0
SECRET: Final = "the code of the safe is 4711"


@dataclass
class Log:
    """What a journal has said, to wait for."""

    safe: list[str] = field(default_factory=list)
    trouble: list[str | None] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def on_safe(self, id_: str) -> Callable[[], None]:
        def note() -> None:
            with self.changed:
                self.safe.append(id_)
                self.changed.notify_all()

        return note

    def on_trouble(self, error: HostError | None) -> None:
        with self.changed:
            self.trouble.append(error.sentence if error else None)
            self.changed.notify_all()

    def wait(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, DEADLINE_S), (self.safe, self.trouble)


@contextmanager
def running(folder: Path | None, log: Log | None = None, **options: Any) -> Iterator[Journal]:
    journal = Journal(folder, **({"on_trouble": log.on_trouble} if log else {}), **options)
    journal.recover()
    journal.start()
    try:
        yield journal
    finally:
        journal.close()


def put(journal: Journal, log: Log, *ids: str, **more: Any) -> None:
    for id_ in ids:
        journal.put(Announcement(id_, **({"text": "x"} | more)), log.on_safe(id_))


def write(folder: Path, *ids: str, end: tuple[str, ...] = (), **more: Any) -> bytes:
    """A journal in which these were put and those have ended; its file as it was before it was closed."""
    with running(folder) as journal:
        log = Log()
        put(journal, log, *ids, **more)
        tickets = [journal.end(id_) for id_ in end]
        log.wait(lambda: len(log.safe) == len(ids))
        assert all(journal.settle(ticket, DEADLINE_S) for ticket in tickets)
        return (folder / FILE_NAME).read_bytes()


def recover(folder: Path) -> Recovered:
    """What a process that starts now would find."""
    journal = Journal(folder)
    recovered = journal.recover()
    journal.close()
    return recovered


def ids_of(recovered: Recovered) -> list[str]:
    return [announcement.id for announcement, _ in recovered.unfinished]


class Disk:
    """An fsync that waits until it is let, and notes what was on the disk after each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.free = threading.Event()
        self.entered = threading.Event()
        self.synced: list[int] = []

    def sync(self, file: int) -> None:
        self.entered.set()
        assert self.free.wait(DEADLINE_S)
        os.fdatasync(file)
        self.synced.append(os.fstat(file).st_size)


def lines_of(*records: dict[str, Any]) -> bytes:
    bodies = [json.dumps(record).encode() for record in records]
    return b"".join(b"%08x %s\n" % (zlib.crc32(body), body) for body in bodies)
