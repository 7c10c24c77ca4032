"""Deaths are counted where an announcement may have been their cause, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from cosyedge.announcements.attempts import FILE_NAME, MOST_DEATHS, Attempts
from cosyedge.announcements.clock import Reading
from cosyedge.errors import SpeechError


def born(folder: Path, boot: str = "a") -> Attempts:
    """A process of that boot; the one before has died, unless it was closed."""
    attempts = Attempts(folder, read_clock=lambda: Reading(boot, 0.0, 0.0, True))
    attempts.recover()
    return attempts


def test_what_so_many_processes_died_of_is_not_made_again(tmp_path: Path) -> None:
    for _ in range(MOST_DEATHS):
        born(tmp_path).begin("x")
    attempts = born(tmp_path)
    with pytest.raises(SpeechError, match="died 3 times") as caught:
        attempts.begin("x")
    assert caught.value.code == "made_it_crash"
    attempts.begin("y")
    attempts.rest()
    attempts.forget("x")
    born(tmp_path).begin("x")


def test_deaths_at_rest_and_power_cuts_are_nobodys_fault(tmp_path: Path) -> None:
    for boot in "abcdef":
        born(tmp_path, boot).begin("x")
    for _ in range(MOST_DEATHS):
        attempts = born(tmp_path, "f")
        attempts.begin("y")
        attempts.rest()
    attempts.begin("x")
    attempts.begin("y")


def test_the_deaths_of_an_earlier_boot_still_count(tmp_path: Path) -> None:
    for _ in range(MOST_DEATHS - 1):
        born(tmp_path, "a").begin("x")
    born(tmp_path, "a")
    born(tmp_path, "b").begin("x")
    with pytest.raises(SpeechError):
        born(tmp_path, "b").begin("x")


@pytest.mark.parametrize("content", [b"", b"garbage", b"00000000 {}\n", b"\xff" * 5000])
def test_a_file_that_is_no_good_is_held_against_nobody(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    for _ in range(MOST_DEATHS):
        born(tmp_path).begin("x")
    with pytest.raises(SpeechError):
        born(tmp_path).begin("x")


def test_without_a_folder_or_with_one_that_cannot_be_written_nothing_is_counted(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for attempts in (Attempts(None), Attempts(tmp_path / "file" / "no")):
        for _ in range(MOST_DEATHS + 1):
            attempts.recover()
            attempts.begin("x")
        attempts.close()
