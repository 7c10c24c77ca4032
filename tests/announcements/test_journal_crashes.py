"""What a process or the power that ends at any moment leaves in the journal, and how old it is then."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Final

from cosyedge.announcements.clock import Reading
from cosyedge.announcements.journal import Journal
from cosyedge.announcements.journal_file import FILE_NAME
from tests.announcements.journals import DEADLINE_S, Disk, Log, ids_of, put, recover, running


def test_a_power_cut_takes_nothing_that_was_said_to_be_safe(tmp_path: Path) -> None:
    """What was not fsynced is gone; the file is then what it was at the last fsync."""
    path = tmp_path / FILE_NAME
    disk, log = Disk(path), Log()
    disk.free.set()
    with running(tmp_path, log, sync=disk.sync) as journal:
        for i in range(20):
            put(journal, log, f"a{i}")
            if i % 3 == 0:
                journal.settle(journal.end(f"a{i}"), DEADLINE_S)
        log.wait(lambda: len(log.safe) == 20)
        disk.free.clear()
        disk.entered.clear()
        put(journal, log, "lost")
        assert disk.entered.wait(DEADLINE_S)
        on_disk = path.read_bytes()[: disk.synced[-1]]
        safe = list(log.safe)
        disk.free.set()
    path.write_bytes(on_disk)
    assert ids_of(recover(tmp_path)) == [id_ for id_ in safe if int(id_[1:]) % 3]


CHILD: Final = textwrap.dedent(
    """
    import os, sys
    from pathlib import Path
    from cosyedge.announcements.announcement import Announcement
    from cosyedge.announcements.journal import Journal

    def say(word):
        # One write each, so that a kill never tears a line.
        os.write(1, word.encode() + b"\\n")

    journal = Journal(Path(sys.argv[1]), slack_bytes=4000)
    for announcement, _ in journal.recover().unfinished:
        say("back " + announcement.id)
    journal.start()
    say("ready")
    first = int(sys.argv[2])
    for i in range(first, first + 100000):
        journal.put(Announcement(f"a{i}", "x" * 50), lambda i=i: say(f"safe a{i}"))
        if i % 2:
            say(f"ending a{i}")
            if journal.settle(journal.end(f"a{i}"), 10):
                say(f"ended a{i}")
    """
)


def test_a_kill_at_any_moment_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    """SIGKILL at some point of a stream of events; the next process finds what the first had promised."""
    safe: set[str] = set()
    ending: set[str] = set()
    ended: set[str] = set()
    for round_ in range(6):
        arguments = [sys.executable, "-c", CHILD, str(tmp_path), str(round_ * 100000)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            back: set[str] = set()
            lines = 0
            for line in child.stdout:
                word, _, id_ = line.strip().partition(" ")
                if word == "back":
                    back.add(id_)
                elif word == "ready":
                    assert safe - ending <= back
                    assert not back & ended
                else:
                    {"safe": safe, "ending": ending, "ended": ended}[word].add(id_)
                    lines += 1
                    if lines == 40 + 37 * round_:
                        child.kill()
    assert len(safe) > 100
    assert len(ended) > 100
    back = set(ids_of(recover(tmp_path)))
    assert safe - ending <= back
    assert not back & ended


def test_across_boots_age_is_told_by_a_synchronised_clock(tmp_path: Path) -> None:
    now = Reading("first", 100.0, 5000.0, True)
    log = Log()
    with running(tmp_path, read_clock=lambda: now) as journal:
        put(journal, log, "a", ttl_s=60.0, arrived_monotonic=100.0, arrived_unix=5000.0)
        log.wait(lambda: log.safe == ["a"])
    dark = Journal(tmp_path, read_clock=lambda: Reading("second", 10.0, 0.0, False))
    ((announcement, undated),) = dark.recover().unfinished
    dark.close()
    assert undated
    assert announcement.arrived_monotonic == 0.0  # as old as this boot, at the least
    bright = Journal(tmp_path, read_clock=lambda: Reading("second", 20.0, 5045.0, True))
    ((announcement, undated),) = bright.recover().unfinished
    bright.close()
    assert undated  # within the boot it is the queue that learns of the clock
    third = Journal(tmp_path, read_clock=lambda: Reading("third", 20.0, 5050.0, True))
    ((announcement, undated),) = third.recover().unfinished
    third.close()
    assert not undated
    assert announcement.arrived_monotonic == 20.0 - 50.0


def test_a_clock_that_is_set_later_in_a_boot_is_noted(tmp_path: Path) -> None:
    now = [Reading("first", 100.0, 3.0, False)]
    log = Log()
    with running(tmp_path, read_clock=lambda: now[0]) as journal:
        put(journal, log, "a", ttl_s=1e6, arrived_monotonic=100.0, arrived_unix=3.0)
        log.wait(lambda: log.safe == ["a"])
        now[0] = Reading("first", 160.0, 5060.0, True)
        put(journal, log, "b")
        log.wait(lambda: log.safe == ["a", "b"])
        kept = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / FILE_NAME).write_bytes(kept)
    journal = Journal(tmp_path, read_clock=lambda: Reading("second", 10.0, 5100.0, True))
    (announcement, undated), _ = journal.recover().unfinished
    journal.close()
    assert not undated
    assert announcement.arrived_unix == 5000.0
    assert announcement.arrived_monotonic == 10.0 - 100.0
