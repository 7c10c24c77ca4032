"""The journal: what is safe and when, what comes back, and what is told of its end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cosyedge.announcements.announcement import Announcement, Priority, Reply
from cosyedge.announcements.journal import Journal, Recovered
from cosyedge.announcements.journal_file import FILE_NAME, REMEMBERED
from cosyedge.announcements.result import Result
from tests.announcements.journals import DEADLINE_S, SECRET, Disk, Log, ids_of, put, recover, running, write


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
