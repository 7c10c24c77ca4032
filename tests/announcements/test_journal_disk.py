"""A disk that is full, slow, read-only or broken costs acknowledgements their haste, and no word."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Final

from cosyedge.announcements.clock import Reading
from cosyedge.announcements.journal_file import FILE_NAME
from cosyedge.announcements.result import Result
from tests.announcements.journals import DEADLINE_S, Disk, Log, ids_of, put, recover, running


def test_two_cannot_keep_the_same_journal(tmp_path: Path) -> None:
    log = Log()
    with running(tmp_path) as first:
        with running(tmp_path, log) as second:
            put(second, log, "b")
            log.wait(lambda: bool(log.trouble))
            assert log.trouble[0] is not None
            assert "another process uses it" in log.trouble[0]
        put(first, log, "a")
        log.wait(lambda: log.safe == ["a"])
    assert ids_of(recover(tmp_path)) == ["a"]


def test_a_folder_that_cannot_be_written_is_reported_and_tried_again(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.write_text("a file is in the way")
    log = Log()
    with running(folder, log, retry_s=0.01) as journal:
        log.wait(lambda: bool(log.trouble))
        put(journal, log, "a", "b")
        journal.follow("b", log.on_safe("b again"))
        journal.end("a")
        log.wait(lambda: log.safe == ["a"])  # as without a journal: it has ended
        folder.unlink()
        log.wait(lambda: log.trouble[-1] is None)
        log.wait(lambda: log.safe == ["a", "b", "b again"])  # now it is on the disk
        put(journal, log, "c")
        log.wait(lambda: log.safe[-1] == "c")
    assert log.trouble[0] is not None
    assert str(folder / FILE_NAME) in log.trouble[0]
    assert ids_of(recover(folder)) == ["b", "c"]


def test_a_disk_that_fails_in_the_middle_makes_a_new_file(tmp_path: Path) -> None:
    log = Log()
    failing = threading.Event()

    def sync(file: int) -> None:
        if failing.is_set():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        os.fdatasync(file)

    with running(tmp_path, log, sync=sync, retry_s=0.01) as journal:
        put(journal, log, "a")
        log.wait(lambda: log.safe == ["a"])
        failing.set()
        put(journal, log, "b")
        log.wait(lambda: bool(log.trouble))
        assert log.safe == ["a"]
        failing.clear()
        log.wait(lambda: log.safe == ["a", "b"])
        assert log.trouble[-1] is None
    assert ids_of(recover(tmp_path)) == ["a", "b"]


FULL_DISK: Final = textwrap.dedent(
    """
    import resource, signal, sys, threading
    from pathlib import Path
    from cosyedge.announcements.announcement import Announcement
    from cosyedge.announcements.journal import Journal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
    full, again = threading.Event(), threading.Event()
    safe = []
    journal = Journal(
        Path(sys.argv[1]), retry_s=0.01, on_trouble=lambda error: (full if error else again).set()
    )
    journal.recover()
    journal.start()
    for i in range(20):
        journal.put(Announcement(f"a{i}", "x" * 400), lambda i=i: safe.append(i))
    assert full.wait(20)
    assert len(safe) < 20
    journal.settle(journal.end("a19"), 20)
    assert safe[-1] == 19  # it has ended, so it may be acknowledged
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert again.wait(20)
    journal.close()
    assert sorted(safe) == list(range(20)), safe
    """
)


def test_a_full_disk_holds_acknowledgements_back_until_there_is_room(tmp_path: Path) -> None:
    """The kernel takes no more than 3000 bytes of a file, in the middle of a line."""
    arguments = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert ids_of(recover(tmp_path)) == [f"a{i}" for i in range(19)]


def test_without_room_for_two_files_the_old_one_goes_on(tmp_path: Path) -> None:
    log = Log()
    with running(tmp_path, log, slack_bytes=500) as journal:
        (tmp_path / FILE_NAME).with_suffix(".new").mkdir()  # a compaction can't make its file
        ids = [f"a{i}" for i in range(20)]
        put(journal, log, *ids)
        log.wait(lambda: log.safe == ids)
        (tmp_path / FILE_NAME).with_suffix(".new").rmdir()
    assert log.trouble == []
    assert ids_of(recover(tmp_path)) == ids


def test_a_disk_that_hangs_is_waited_for_once(tmp_path: Path) -> None:
    disk, log = Disk(tmp_path / FILE_NAME), Log()
    disk.free.set()
    with running(tmp_path, log, sync=disk.sync) as journal:
        put(journal, log, "a")
        log.wait(lambda: log.safe == ["a"])
        disk.free.clear()
        disk.entered.clear()
        ticket = journal.end("a")
        assert disk.entered.wait(DEADLINE_S)
        assert not journal.settle(ticket, 0.01)
        assert not journal.settle(ticket, DEADLINE_S * 10)
        journal.follow(None, log.on_safe("works again"))
        disk.free.set()
        log.wait(lambda: log.safe[-1] == "works again")
        assert journal.settle(ticket, DEADLINE_S)


def test_an_end_is_told_though_the_disk_fails(tmp_path: Path) -> None:
    log = Log()

    def sync(file: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with running(tmp_path, log, sync=sync) as journal:
        put(journal, log, "a")
        journal.end("a", Result("a", "finished"), log.on_safe("end of a"))
        log.wait(lambda: log.safe == ["end of a", "a"])
    with running(None) as journal:
        journal.end("b", Result("b", "finished"), log.on_safe("end of b"))
        log.wait(lambda: log.safe[-1] == "end of b")


def test_an_end_is_told_though_the_journal_itself_fails(tmp_path: Path) -> None:
    log = Log()
    failing = threading.Event()

    def read_clock() -> Reading:
        if failing.is_set():
            raise MemoryError
        return Reading("boot", 1.0, 2.0, True)

    with running(tmp_path, log, read_clock=read_clock) as journal:
        put(journal, log, "a")
        log.wait(lambda: log.safe == ["a"])
        with journal._changed:  # both in one turn
            failing.set()
            put(journal, log, "b")
            journal.end("a", Result("a", "finished"), log.on_safe("end of a"))
        log.wait(lambda: "end of a" in log.safe)
        failing.clear()
        assert "b" not in log.safe, "the broker keeps it"
