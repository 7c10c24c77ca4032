"""Finished speech in a folder: whose it is, how long it stays, and what a disk may do to it."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from cosyedge.announcements.phrase_folder import FolderStore
from tests.announcements.phrases import TEXT, cache_in, phrase, sizes
from tests.announcements.stage import on_stage


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run" / "phrases"


def test_files_are_for_their_owner_alone_and_tell_nothing(folder, test_bundle, tmp_path):
    os.umask(before := os.umask(0))
    os.umask(0)
    try:
        cache = cache_in(FolderStore(folder))
        with on_stage(test_bundle, tmp_path, cache=cache) as stage:
            stage.hear(TEXT)
    finally:
        os.umask(before)
    [file] = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert file.name == cache.key("zhitian", TEXT, "auto", 1.0) + ".phrase"
    assert TEXT.encode() not in file.read_bytes()


def test_they_outlive_the_process_in_the_order_of_their_use(folder):
    size = len(phrase().to_bytes())
    cache = cache_in(FolderStore(folder))
    keys = [f"{number:032x}" for number in range(3)]
    for number, key in enumerate(keys):
        cache.put(key, phrase(seed=number))
        os.utime(folder / f"{key}.phrase", (number, number))
    cache.get(keys[0])
    later = cache_in(FolderStore(folder), limit=2 * size)
    assert sizes(later) == (2, 2 * size)
    assert later.get(keys[1]) is None
    assert later.get(keys[0]) is not None


def test_damaged_files_are_made_again_and_foreign_ones_are_left_alone(folder, tmp_path):
    folder.mkdir(parents=True, mode=0o700)
    (tmp_path / "elsewhere").write_bytes(b"x" * 100)
    foreign = {"notes.txt": b"n", "abc.phrase": b"a", "README.phrase": b"r"}
    for name, data in foreign.items():
        (folder / name).write_bytes(data)
    (folder / ("f" * 32 + ".phrase")).symlink_to(tmp_path / "elsewhere")
    (folder / ("d" * 32 + ".phrase")).mkdir()
    (folder / ("e" * 32 + ".part")).write_bytes(b"half")
    good = phrase(0.2).to_bytes()
    damaged = {
        "0" * 32: b"",
        "1" * 32: good[:-1],
        "2" * 32: good + b"\0",
        "3" * 32: good[:-1] + bytes([good[-1] ^ 1]),
        "4" * 32: b"?" * len(good),
        "5" * 32: good[:20],
    }
    for key, data in damaged.items():
        (folder / f"{key}.phrase").write_bytes(data)
    cache = cache_in(FolderStore(folder))
    assert sizes(cache)[0] == len(damaged)
    for key in (*damaged, "f" * 32, "d" * 32):
        assert cache.get(key) is None
    assert sizes(cache) == (0, 0)
    cache.put("1" * 32, phrase())
    assert cache.get("1" * 32) is not None
    cache.clear()
    assert {file.name for file in folder.iterdir()} == {*foreign, "f" * 32 + ".phrase", "d" * 32 + ".phrase"}
    assert (tmp_path / "elsewhere").read_bytes() == b"x" * 100


def test_a_file_that_someone_removed_is_made_again(folder):
    cache = cache_in(FolderStore(folder))
    cache.put("0" * 32, phrase())
    (folder / ("0" * 32 + ".phrase")).unlink()
    assert cache.get("0" * 32) is None
    assert sizes(cache) == (0, 0)


def test_a_full_disk_is_told_of_once_and_costs_no_announcement(folder, test_bundle, tmp_path, monkeypatch):
    told: list[str | None] = []
    cache = cache_in(FolderStore(folder), on_trouble=lambda error: told.append(error and str(error)))
    is_full = True
    as_it_is = os.replace

    def replace(source: Any, target: Any) -> None:
        if is_full and str(target).endswith(".phrase"):
            raise OSError(errno.ENOSPC, "No space left on device")
        as_it_is(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with on_stage(test_bundle, tmp_path, cache=cache) as stage:
        for _ in range(3):
            assert stage.hear(TEXT).state == "finished"
        assert len(told) == 1
        assert "No space left on device" in str(told[0])
        assert "[cache_unwritable]" in str(told[0])
        assert list(folder.iterdir()) == []
        assert sizes(cache) == (0, 0)
        is_full = False
        assert stage.hear(TEXT).state == "finished"
    assert told[1:] == [None]
    assert sizes(cache)[0] == 1


@pytest.mark.parametrize("kind", ["file", "link", "open to all"])
def test_a_folder_that_is_not_ours_alone_is_not_used(folder, tmp_path, kind):
    folder.parent.mkdir()
    if kind == "file":
        folder.touch()
    elif kind == "link":
        (tmp_path / "other").mkdir()
        folder.symlink_to(tmp_path / "other")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    told = []
    cache = cache_in(FolderStore(folder), on_trouble=told.append)
    cache.put("0" * 32, phrase())
    assert [error.code for error in told] == ["cache_unwritable"]
    assert sizes(cache) == (0, 0)
    assert kind == "file" or list(folder.iterdir()) == []


def test_a_phrase_in_a_folder_has_the_interpreter_intern_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is asked for with each announcement; names that come and go make the table of them grow."""
    store = FolderStore(tmp_path / "phrases")
    interned: list[str] = []
    monkeypatch.setattr(sys, "intern", lambda name: interned.append(name) or name)
    key = "0123456789abcdef" * 2
    store.write(key, b"data")
    assert store.read(key) == b"data"
    store.remove(key)
    assert store.read(key) is None
    assert interned == []
