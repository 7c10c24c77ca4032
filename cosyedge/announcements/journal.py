"""What survives a crash: every announcement that was taken, until it has ended.

The thread ``journal`` appends what happens to the file of :mod:`cosyedge.announcements.journal_file`, one
fsync for all that came meanwhile, and then says of each announcement, in order of arrival, that it is safe:
no crash can lose it any more, and it may be acknowledged.

A disk that is full, read-only or broken does not stop speech. It is reported and tried again; meanwhile, as
without a journal, an announcement counts as safe when it has ended.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.clock import Reading, read_clock
from cosyedge.announcements.journal_file import JournalFile
from cosyedge.errors import HostError

#: Bytes of ended announcements that make a compaction worth while.
SLACK_BYTES: Final = 256 * 1024

#: Seconds until a disk that failed is tried again.
RETRY_S: Final = 30.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a journal held. ``unfinished`` is in order of arrival; its flag says that nobody knows yet how
    old it is. ``ended`` has ids and content digests, oldest first; ``damaged_bytes`` is what was unreadable.
    """

    unfinished: tuple[tuple[Announcement, bool], ...] = ()
    ended: tuple[tuple[str, str | None], ...] = ()
    damaged_bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Event:
    """One was put, one has ended, or neither; ``on_safe`` is for ``put``, ``of``, or all before it."""

    put: Announcement | None = None
    end: str | None = None
    of: str | None = None
    on_safe: Callable[[], None] | None = None


class Journal:
    """The journal in ``folder``, or none (None): :meth:`recover`, then :meth:`start`, at last :meth:`close`.

    ``on_trouble`` is told the error when the journal can't be written, and None when it can again. It and
    every ``on_safe`` run in the thread ``journal`` (those of :meth:`recover` in the caller's).
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        on_trouble: Callable[[HostError | None], None] = lambda error: None,
        slack_bytes: int = SLACK_BYTES,
        retry_s: float = RETRY_S,
        read_clock: Callable[[], Reading] = read_clock,
        sync: Callable[[int], None] = os.fdatasync,
    ) -> None:
        self._file: JournalFile | None = None
        if folder is not None:
            self._file = JournalFile(folder, slack_bytes=slack_bytes, read_clock=read_clock, sync=sync)
        self._on_trouble = on_trouble
        self._retry_s = retry_s
        self._changed = threading.Condition()
        self._events: list[_Event] = []
        self._given = 0
        self._handled = 0
        self._given_up_at = -1
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        # Below: whoever recovers, then the thread alone.
        self._recovered = False
        self._held: dict[str, list[Callable[[], None]]] = {}
        self._trouble: HostError | None = None
        self._retry_at = 0.0

    def recover(self) -> Recovered:
        """What is still to be spoken from before, and what is not to be spoken again.

        Never raises: what can be read is used, the rest is reported.
        """
        self._recovered = True
        file = self._file
        if file is None:
            return Recovered()
        damaged = 0
        try:
            damaged = file.read()
            if damaged:
                _log.warning("%d bytes of %s are damaged and were left out", damaged, file.path)
            file.compact()
        except OSError as error:
            self._report(error)
        unfinished = tuple((kept.announcement, kept.undated) for kept in file.live.values())
        return Recovered(unfinished, tuple(file.ended.items()), damaged)

    def start(self) -> None:
        if not self._recovered:  # the first compaction would destroy what was not read
            raise RuntimeError("recover() comes first")
        self._thread.start()

    def put(self, announcement: Announcement, on_safe: Callable[[], None] | None = None) -> None:
        """``announcement`` was taken; ``on_safe`` is called once when no crash can lose it any more."""
        self._give(_Event(put=announcement, on_safe=on_safe))

    def follow(self, of: str | None, on_safe: Callable[[], None]) -> None:
        """Calls ``on_safe`` in its turn for what is not kept itself: what was refused, or a duplicate, which
        is as safe as the announcement ``of`` that it repeats.
        """
        self._give(_Event(of=of, on_safe=on_safe))

    def end(self, id_: str) -> int:
        """That announcement has ended and is never to be spoken again; a ticket for :meth:`settle`."""
        return self._give(_Event(end=id_))

    def settle(self, ticket: int, timeout_s: float) -> bool:
        """Waits until what the ticket is for is on the disk, or known not to be.

        False if that takes too long. A disk that hangs is waited for once.
        """
        give_up = time.monotonic() + timeout_s
        with self._changed:
            while self._handled < ticket:
                left = give_up - time.monotonic()
                if left <= 0 or self._handled == self._given_up_at:
                    self._given_up_at = self._handled
                    return False
                self._changed.wait(left)
            return True

    def close(self, timeout_s: float = 5.0) -> None:
        """Writes the rest and ends the thread. What is not safe by then is never said to be."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        elif self._file is not None:
            self._file.close()

    def _give(self, event: _Event) -> int:
        with self._changed:
            self._events.append(event)
            self._given += 1
            self._changed.notify_all()
            return self._given

    def _run(self) -> None:
        closing = False
        while not closing:
            with self._changed:
                if not self._events and not self._closing:
                    self._changed.wait(self._retry_in_s())
                events, self._events = self._events, []
                closing = self._closing and not events
            try:
                self._handle(events)
            except Exception as error:  # no memory; what is not told to be safe comes again from the broker
                _log.error("the journal missed %d events: %s", len(events), type(error).__name__)
                if self._file is not None:
                    self._file.close()
            with self._changed:
                self._handled += len(events)
                self._changed.notify_all()
        if self._file is not None:
            if self._trouble is None:
                self._save(self._file.compact)
            self._file.close()

    def _retry_in_s(self) -> float | None:
        return max(0.0, self._retry_at - time.monotonic()) if self._trouble else None

    def _handle(self, events: list[_Event]) -> None:
        safe = False
        if self._file is not None:
            for event in events:
                if event.put is not None:
                    self._file.put(event.put)
                elif event.end is not None:
                    self._file.end(event.end)
            if not self._retry_in_s():
                safe = self._save(self._file.write)
        for event in events:
            self._tell(event, safe)
        if safe:
            held, self._held = self._held, {}
            for waiting in held.values():
                for on_safe in waiting:
                    _call(on_safe)

    def _tell(self, event: _Event, safe: bool) -> None:
        """Calls those who may know now, and holds back those who may not."""
        if event.end is not None:
            for on_safe in self._held.pop(event.end, ()):
                _call(on_safe)
        if event.on_safe is None:
            return
        if not safe and event.put is not None:
            self._held.setdefault(event.put.id, []).append(event.on_safe)
        elif not safe and event.of in self._held:
            self._held[event.of].append(event.on_safe)
        else:
            _call(event.on_safe)

    def _save(self, write: Callable[[], None]) -> bool:
        try:
            write()
        except OSError as error:
            self._report(error)
            return False
        if self._trouble is not None:
            self._trouble = None
            _call(partial(self._on_trouble, None))
        return True

    def _report(self, error: OSError) -> None:
        assert self._file is not None
        busy = isinstance(error, BlockingIOError)
        reason = "another process uses it" if busy else error.strerror or type(error).__name__
        trouble = HostError("journal_unwritable", f"The journal {self._file.path} can't be kept: {reason}.")
        self._retry_at = time.monotonic() + self._retry_s
        before, self._trouble = self._trouble, trouble
        if str(trouble) != str(before):
            _log.warning("%s", trouble)
            _call(partial(self._on_trouble, trouble))


def _call(told: Callable[[], None]) -> None:
    """What a listener raises is not the journal's trouble."""
    try:
        told()
    except Exception as error:
        _log.error("a listener of the journal failed: %s", type(error).__name__)
