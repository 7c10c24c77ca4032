"""What survives a crash: every announcement that was taken, until it has ended.

The thread ``journal`` appends what happens to the file of :mod:`cosyedge.announcements.journal_file`, one
fsync for all that came meanwhile, and then says of each announcement, in order of arrival, that it is safe:
no crash can lose it any more, and it may be acknowledged.

What is played and not read, a sound of somebody else's, is too large for that: it stays with the broker until
it has ended.

A disk that is full, read-only or broken does not stop speech. It is reported and tried again; meanwhile, as
without a journal, an announcement counts as safe when it has ended.

How an announcement ended is kept until the broker has taken that result: a crash in between costs no sender
his answer, though he may get it twice.
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
from cosyedge.announcements.journal_file import FORMAT, JournalFile, Unread, Untold
from cosyedge.announcements.listener import tell_listener
from cosyedge.announcements.result import Result
from cosyedge.errors import HostError

#: Bytes of ended announcements that make a compaction worth while.
SLACK_BYTES: Final = 256 * 1024

#: Seconds until a disk that failed is tried again.
RETRY_S: Final = 30.0

_MOST_NAMES: Final = 5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a journal held. ``unfinished`` is in order of arrival; its flag says that nobody knows yet how
    old it is. ``ended`` has ids and content digests, oldest first; ``untold`` the results that are to be told
    again, and where to; ``damaged_bytes`` is what was unreadable, a torn end included; ``trouble`` says it in
    words where something may be lost.
    """

    unfinished: tuple[tuple[Announcement, bool], ...] = ()
    ended: tuple[tuple[str, str | None], ...] = ()
    untold: tuple[Untold, ...] = ()
    damaged_bytes: int = 0
    trouble: HostError | None = None


@dataclass(frozen=True, slots=True)
class _Event:
    """One was put, has ended or was told, or none; ``on_safe`` is for ``put``, ``of``, or all before,
    ``on_kept`` for ``end``.
    """

    put: Announcement | None = None
    end: str | None = None
    result: Result | None = None
    told: str | None = None
    of: str | None = None
    on_safe: Callable[[], None] | None = None
    on_kept: Callable[[], None] | None = None


class Journal:
    """The journal in ``folder``, or none (None): :meth:`recover`, then :meth:`start`, at last :meth:`close`.

    ``on_trouble`` is told the error when the journal can't be written, and None when it can again. It and
    every ``on_safe`` and ``on_kept`` run in the thread ``journal``, those of :meth:`recover` in the caller's.
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
        unread = Unread()
        trouble = None
        try:
            unread = file.read()
            trouble = _in_words(file, unread)
            for id_ in unread.lost:
                file.untold[id_] = None, Result.failed(id_, _lost())
            file.compact()
        except OSError as error:
            self._report(error)
        return Recovered(
            unfinished=tuple((kept.announcement, kept.undated) for kept in file.live.values()),
            ended=tuple(file.ended.items()),
            untold=tuple(file.untold.values()),
            damaged_bytes=unread.damaged_bytes + unread.torn_bytes,
            trouble=trouble,
        )

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

    def end(self, id_: str, result: Result | None = None, on_kept: Callable[[], None] | None = None) -> int:
        """That announcement has ended, in that way, and is never to be spoken again; a ticket for
        :meth:`settle`. The result is kept until it is :meth:`told`.

        ``on_kept`` is called when no crash can bring the announcement back, or the disk has failed: before
        that, a result that is told might not be the last.
        """
        return self._give(_Event(end=id_, result=result, on_kept=on_kept))

    def told(self, id_: str) -> None:
        """The broker has the result of that announcement."""
        self._give(_Event(told=id_))

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

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Waits until all that was given is on the disk, or known not to be, and was said to be safe."""
        return self.settle(self._given, timeout_s)

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
                for event in events:  # no sender is to wait for an end for ever
                    if event.on_kept is not None:
                        tell_listener(event.on_kept)
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
                if event.put is not None and event.put.sound is None:
                    self._file.put(event.put)
                elif event.end is not None:
                    self._file.end(event.end, event.result)
                elif event.told is not None:
                    self._file.told(event.told)
            if not self._retry_in_s():
                matters = not events or any(event.told is None for event in events)
                safe = self._save(partial(self._file.write, sync=matters))
        for event in events:
            self._tell(event, safe)
        if safe and self._file is not None:
            for id_ in [id_ for id_ in self._held if id_ in self._file.live]:
                for on_safe in self._held.pop(id_):
                    tell_listener(on_safe)

    def _tell(self, event: _Event, safe: bool) -> None:
        """Calls those who may know now, and holds back those who may not."""
        if event.on_kept is not None:
            tell_listener(event.on_kept)
        if event.end is not None:
            for on_safe in self._held.pop(event.end, ()):
                tell_listener(on_safe)
        if event.on_safe is None:
            return
        if event.put is not None and not (safe and event.put.sound is None):
            self._held.setdefault(event.put.id, []).append(event.on_safe)
        elif event.of in self._held:
            self._held[event.of].append(event.on_safe)
        else:
            tell_listener(event.on_safe)

    def _save(self, write: Callable[[], None]) -> bool:
        try:
            write()
        except OSError as error:
            self._report(error)
            return False
        if self._trouble is not None:
            self._trouble = None
            tell_listener(self._on_trouble, None)
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
            tell_listener(self._on_trouble, trouble)


def _in_words(file: JournalFile, unread: Unread) -> HostError | None:
    """What a person is to know of a journal that could not be used in full."""
    if unread.newer is not None:
        aside = file.set_aside(f"format-{unread.newer}")
        sentence = (
            f"A newer version wrote the journal {file.path} (format {unread.newer}, known is {FORMAT}): "
            f"{unread.unknown_lines} lines were not understood; {aside.name} beside it has them all."
        )
        error = HostError("journal_newer", sentence)
    elif unread.damaged_lines:
        names = ", ".join(unread.lost[:_MOST_NAMES]) + (", …" if len(unread.lost) > _MOST_NAMES else "")
        lost = f"; lost with them: {names}" if names else ""
        sentence = (
            f"{unread.damaged_lines} lines ({unread.damaged_bytes} bytes) of the journal {file.path} are "
            f"damaged and were left out{lost}."
        )
        error = HostError("journal_damaged", sentence)
    else:
        if unread.torn_bytes:
            _log.info("the last %d bytes of %s are torn and were left out", unread.torn_bytes, file.path)
        return None
    _log.warning("%s", error)
    return error


def _lost() -> HostError:
    return HostError("journal_damaged", "A damaged journal lost it before it was spoken.")
