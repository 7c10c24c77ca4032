"""The journal: what is safe, what comes back, and what a broken disk or file costs."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import textwrap
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from cosyedge.announcements.announcement import Announcement, Priority, Reply
from cosyedge.announcements.clock import Reading
from cosyedge.announcements.journal import Journal, Recovered
from cosyedge.announcements.journal_file import FILE_NAME, FORMAT, REMEMBERED
from cosyedge.announcements.result import Result
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


def test_what_has_not_ended_comes_back_in_order(tmp_path: Path) -> None:
    write(tmp_path, "c", "a", "b", "d", end=("a",))
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["c", "b", "d"]
    assert recovered.ended == (("a", None),)
    assert recovered.damaged_bytes == 0


def test_it_comes_back_as_it_was(tmp_path: Path) -> None:
    announcement = Announcement(
        "门",
        "晚饭好了。\n“Dinner” is ready 😀",
        lang="zh",
        priority=Priority.HIGH,
        mode="interrupt",
        ttl_s=30.5,
        volume=0.0,
        chime=False,
        reply=Reply("answers", b"\x00\xff"),
        render=True,
        arrived_monotonic=12.5,
        arrived_unix=1.7e9,
        content="abc",
    )
    with running(tmp_path) as journal:
        journal.put(announcement)
    assert recover(tmp_path).unfinished == ((announcement, False),)


def test_nothing_there_is_an_empty_journal(tmp_path: Path) -> None:
    assert recover(tmp_path / "new" / "folder") == Recovered()
    assert (tmp_path / "new" / "folder" / FILE_NAME).exists()


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write(tmp_path / "state", "a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "state" / FILE_NAME).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_it_does_not_start_before_it_was_read(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="recover"):
        Journal(tmp_path).start()


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


def test_nothing_is_safe_before_it_is_on_the_disk_and_one_fsync_serves_many(tmp_path: Path) -> None:
    disk, log = Disk(tmp_path / FILE_NAME), Log()
    disk.free.set()
    with running(tmp_path, log, sync=disk.sync) as journal:
        disk.free.clear()
        disk.entered.clear()
        put(journal, log, "first")
        assert disk.entered.wait(DEADLINE_S)
        ids = [f"a{i}" for i in range(50)]
        put(journal, log, *ids)
        assert log.safe == []
        before = len(disk.synced)
        disk.free.set()
        log.wait(lambda: len(log.safe) == 51)
        assert log.safe == ["first", *ids]
        assert len(disk.synced) - before == 2


def test_what_is_not_kept_is_acknowledged_in_its_turn(tmp_path: Path) -> None:
    log = Log()
    with running(tmp_path) as journal:
        put(journal, log, "a")
        journal.follow("a", log.on_safe("again"))
        journal.follow(None, log.on_safe("refused"))
        put(journal, log, "b")
        log.wait(lambda: len(log.safe) == 4)
    assert log.safe == ["a", "again", "refused", "b"]


def test_an_acknowledgement_that_fails_harms_no_other(tmp_path: Path) -> None:
    log = Log()
    with running(tmp_path) as journal:
        journal.put(Announcement("a", "x"), lambda: 1 / 0)  # type: ignore[arg-type, return-value]
        put(journal, log, "b")
        log.wait(lambda: log.safe == ["b"])


def test_a_sound_is_not_kept_and_so_is_safe_when_it_has_ended(tmp_path: Path) -> None:
    log = Log()
    with running(tmp_path) as journal:
        put(journal, log, "sound", text="", sound=b"RIFF")
        put(journal, log, "speech")
        journal.follow("sound", log.on_safe("sound again"))
        log.wait(lambda: log.safe == ["speech"])
        assert journal.flush(DEADLINE_S)
        assert log.safe == ["speech"]
        assert b"RIFF" not in (tmp_path / FILE_NAME).read_bytes()
        journal.end("sound")
        log.wait(lambda: log.safe == ["speech", "sound", "sound again"])
    assert ids_of(recover(tmp_path)) == ["speech"]


def test_without_a_journal_safe_means_ended() -> None:
    log = Log()
    with running(None) as journal:
        put(journal, log, "a", "b")
        journal.follow("b", log.on_safe("b again"))
        journal.follow(None, log.on_safe("refused"))
        journal.follow("c", log.on_safe("of nobody"))
        ticket = journal.end("b")
        assert journal.settle(ticket, DEADLINE_S)
    assert log.safe == ["refused", "of nobody", "b", "b again"]
    assert recover_nothing() == Recovered()


def recover_nothing() -> Recovered:
    return Journal(None).recover()


def test_a_torn_tail_costs_only_itself(tmp_path: Path) -> None:
    whole = write(tmp_path, "a", "b", "c")
    last = whole[:-1].rindex(b"\n") + 1
    for length in range(last, len(whole), 3):
        (tmp_path / FILE_NAME).write_bytes(whole[:length])
        recovered = recover(tmp_path)
        assert ids_of(recovered) == ["a", "b"]
        assert recovered.damaged_bytes == length - last


def test_damage_in_the_middle_costs_only_its_line(tmp_path: Path) -> None:
    whole = write(tmp_path, "a", "b", "c")
    start = whole.index(b'"id":"b"')
    start = whole.rindex(b"\n", 0, start) + 1
    end = whole.index(b"\n", start)
    # Every byte of the checksum, and some of what it covers.
    for position in [*range(start, start + 10), *range(start + 10, end, 7)]:
        damaged = bytearray(whole)
        damaged[position] ^= 0x04
        (tmp_path / FILE_NAME).write_bytes(damaged)
        recovered = recover(tmp_path)
        assert ids_of(recovered) == ["a", "c"]
        assert recovered.damaged_bytes == end + 1 - start


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\x00" * 5000,
        b"\n\n\n",
        os.urandom(4096),
        b"00000000 \n",
        b'8e6ae7f5 {"put":5}\n',
        b"x" * (5 << 20),
    ],
)
def test_rubbish_is_left_out_and_reported(tmp_path: Path, rubbish: bytes) -> None:
    whole = write(tmp_path, "a")
    (tmp_path / FILE_NAME).write_bytes(whole + rubbish)
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["a"]
    assert recovered.damaged_bytes == len(rubbish)
    assert recover(tmp_path).damaged_bytes == 0


def test_a_record_that_makes_no_sense_is_damage(tmp_path: Path) -> None:
    whole = write(tmp_path, "a")
    odd = []
    for record in ([], {}, {"put": {}}, {"put": {"id": "b"}}, {"clock": [1]}, {"ended": 5}, {"end": []}):
        body = json.dumps(record).encode()
        odd.append(b"%08x %s\n" % (zlib.crc32(body), body))
    (tmp_path / FILE_NAME).write_bytes(whole + b"".join(odd))
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["a"]
    assert recovered.damaged_bytes == len(b"".join(odd))


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


def test_the_file_stays_small_and_keeps_no_old_text(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    largest = 0
    log = Log()
    with running(tmp_path, slack_bytes=20_000) as journal:
        put(journal, log, "waits")
        for i in range(3000):
            put(journal, log, f"a{i}", text=SECRET)
            ticket = journal.end(f"a{i}")
            if i % 50 == 49:
                assert journal.settle(ticket, DEADLINE_S)
                largest = max(largest, path.stat().st_size)
    # Ids of the ended and twice the slack; a batch may be written before the size is looked at.
    assert largest < 3 * REMEMBERED * 40 + 3 * 20_000
    assert SECRET.encode() not in path.read_bytes()
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["waits"]
    assert [id_ for id_, _ in recovered.ended] == [f"a{i}" for i in range(3000 - REMEMBERED, 3000)]


def test_a_start_removes_old_text(tmp_path: Path) -> None:
    whole = write(tmp_path, "a", "b", end=("a",), text=SECRET)
    assert whole.count(SECRET.encode()) == 2
    (tmp_path / FILE_NAME).write_bytes(whole)
    with running(tmp_path):
        assert (tmp_path / FILE_NAME).read_bytes().count(SECRET.encode()) == 1


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


def lines_of(*records: dict[str, Any]) -> bytes:
    bodies = [json.dumps(record).encode() for record in records]
    return b"".join(b"%08x %s\n" % (zlib.crc32(body), body) for body in bodies)


def test_a_result_is_kept_until_it_is_told(tmp_path: Path) -> None:
    log = Log()
    reply = Reply("answers", b"\x01")
    with running(tmp_path) as journal:
        put(journal, log, "a", "b", reply=reply)
        put(journal, log, "c")
        for id_ in "abc":
            journal.end(id_, Result(id_, "finished", audio_s=1.5))
        journal.told("b")
        assert journal.flush(DEADLINE_S)
        crashed = (tmp_path / FILE_NAME).read_bytes()
    untold = ((reply, Result("a", "finished", audio_s=1.5)), (None, Result("c", "finished", audio_s=1.5)))
    assert recover(tmp_path).untold == untold, "after a clean stop"
    (tmp_path / FILE_NAME).write_bytes(crashed)
    for _ in range(2):  # the second time it comes from a compacted file
        assert recover(tmp_path).untold == untold
    with running(tmp_path) as journal:
        journal.told("a")
        journal.told("c")
    assert recover(tmp_path).untold == ()


def test_an_end_is_told_when_it_is_kept_and_in_its_turn(tmp_path: Path) -> None:
    disk, log = Disk(tmp_path / FILE_NAME), Log()
    disk.free.set()
    with running(tmp_path, log, sync=disk.sync) as journal:
        put(journal, log, "a", "b")
        log.wait(lambda: log.safe == ["a", "b"])
        disk.free.clear()
        disk.entered.clear()
        journal.end("a", Result("a", "finished"), log.on_safe("end of a"))
        journal.end("b", Result("b", "finished"), log.on_safe("end of b"))
        put(journal, log, "c")
        assert disk.entered.wait(DEADLINE_S)
        assert log.safe == ["a", "b"], "a power cut might bring it back, to end in another way"
        disk.free.set()
        log.wait(lambda: log.safe == ["a", "b", "end of a", "end of b", "c"])


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


def test_what_was_told_costs_no_fsync_but_leaves_the_process(tmp_path: Path) -> None:
    disk, log = Disk(tmp_path / FILE_NAME), Log()
    disk.free.set()
    with running(tmp_path, log, sync=disk.sync) as journal:
        put(journal, log, "a")
        assert journal.settle(journal.end("a", Result("a", "finished")), DEADLINE_S)
        before = len(disk.synced)
        journal.told("a")
        assert journal.flush(DEADLINE_S)
        assert len(disk.synced) == before
        killed = (tmp_path / FILE_NAME).read_bytes()
    assert b'"told":"a"' in killed


def test_damage_is_told_in_words_and_what_it_took_fails(tmp_path: Path) -> None:
    """Of b the text is damaged, of c the id, of d the end: it is spoken again. e has ended for certain."""
    text = "the text of {}"
    with running(tmp_path) as journal:
        log = Log()
        for id_ in "abcde":
            put(journal, log, id_, text=text.format(id_))
        for id_ in "de":
            journal.end(id_)
        assert journal.flush(DEADLINE_S)
        whole = (tmp_path / FILE_NAME).read_bytes()
    for intact, damaged in (
        (b"text of b", b"taxt of b"),
        (b'"id":"c"', b'"i":"cc"'),
        (b'{"end":"d"}', b'{"end":"q"}'),
        (b"text of e", b"taxt of e"),
    ):
        assert whole.count(intact) == 1
        whole = whole.replace(intact, damaged)
    (tmp_path / FILE_NAME).write_bytes(whole)
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["a", "d"]
    assert recovered.trouble is not None
    assert recovered.trouble.code == "journal_damaged"
    assert "4 lines" in recovered.trouble.sentence
    assert recovered.trouble.sentence.endswith("lost with them: b.")
    assert [(result.id, result.state, result.error) for _, result in recovered.untold] == [
        ("b", "failed", "journal_damaged")
    ]
    assert recover(tmp_path).untold == recovered.untold, "a crash before it was told loses nothing"
    assert recover(tmp_path).trouble is None


def test_a_torn_end_is_no_trouble(tmp_path: Path) -> None:
    whole = write(tmp_path, "a", "b")
    (tmp_path / FILE_NAME).write_bytes(whole[:-9] + b"\x00" * 500)
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["a"]
    assert recovered.damaged_bytes > 500
    assert recovered.trouble is None, "nobody was promised anything about it"


def test_the_journal_of_a_newer_version_is_used_as_far_as_it_goes_and_kept(tmp_path: Path) -> None:
    newer = lines_of({"format": FORMAT + 1}, {"paused": ["a"]}, {"put": {"id": "q", "voices": []}, "by": "x"})
    newer += write(tmp_path, "a", "b", end=("a",)).partition(b"\n")[2]
    (tmp_path / FILE_NAME).write_bytes(newer)
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["b"]
    assert recovered.trouble is not None
    assert recovered.trouble.code == "journal_newer"
    assert f"format {FORMAT + 1}" in recovered.trouble.sentence
    assert "2 lines were not understood" in recovered.trouble.sentence
    aside = tmp_path / f"{FILE_NAME}.format-{FORMAT + 1}"
    assert aside.read_bytes() == newer
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600
    again = recover(tmp_path)
    assert (ids_of(again), again.trouble) == (["b"], None), "said once; the file is ours now"


def test_the_journal_of_the_first_format_is_read(tmp_path: Path) -> None:
    put_a, put_b = (
        {"put": {"id": id_, "text": "x"}, "boot": "x", "sure": True, "undated": False} for id_ in "ab"
    )
    (tmp_path / FILE_NAME).write_bytes(
        lines_of({"clock": ["x", 1.0, 2.0, True]}, {"ended": ["z", None]}, put_a, put_b, {"end": "a"})
    )
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["b"]
    assert recovered.ended == (("z", None), ("a", None))
    assert (recovered.untold, recovered.trouble) == ((), None)
