"""How old something is when the machine was off in between."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from cosyedge.announcements.announcement import Announcement, AnnouncementFailed
from cosyedge.announcements.clock import (
    FURTHEST_S,
    Kept,
    Reading,
    carry_over,
    check_at,
    is_synchronised,
    read_clock,
)

#: It came 40 s after the first boot, when it was 12:00 (1000), and the machine went off 20 s later.
ARRIVED: Final = Announcement("a", "x", arrived_monotonic=40.0, arrived_unix=1000.0)
LAST_SIGN: Final = Reading("first", 60.0, 1020.0, True)


def reading(monotonic: float, unix: float, synchronised: bool = True, boot: str = "second") -> Reading:
    return Reading(boot, monotonic, unix, synchronised)


def age_s(kept: Kept, now: Reading) -> float:
    return now.monotonic - kept.announcement.arrived_monotonic


def test_within_a_boot_nothing_changes() -> None:
    kept = Kept(ARRIVED, "first", sure=False, undated=True)
    assert carry_over(kept, [LAST_SIGN], reading(5000.0, 99.0, boot="first")) is kept


def test_across_boots_the_wall_clock_tells_once_it_is_synchronised() -> None:
    now = reading(30.0, 1300.0)
    kept = carry_over(Kept(ARRIVED, "first", sure=True), [LAST_SIGN], now)
    assert (age_s(kept, now), kept.undated, kept.boot) == (300.0, False, "second")


def test_until_then_only_the_time_that_the_machine_was_on_is_certain() -> None:
    now = reading(30.0, 7.0, synchronised=False)
    kept = carry_over(Kept(ARRIVED, "first", sure=True), [LAST_SIGN], now)
    assert (age_s(kept, now), kept.undated) == (50.0, True)
    assert kept.announcement.arrived_unix == 1000.0


def test_a_clock_that_was_set_after_the_arrival_tells_when_that_was() -> None:
    came = Announcement("a", "x", arrived_monotonic=40.0, arrived_unix=3.0)
    now = reading(30.0, 1300.0)
    kept = carry_over(Kept(came, "first", sure=False), [LAST_SIGN], now)
    assert kept.announcement.arrived_unix == 1000.0
    assert (age_s(kept, now), kept.sure, kept.undated) == (300.0, True, False)


def test_what_came_when_nobody_knew_the_time_is_as_old_as_is_certain() -> None:
    came = Announcement("a", "x", arrived_monotonic=40.0, arrived_unix=3.0)
    never = [reading(60.0, 23.0, synchronised=False, boot="first"), reading(9.0, 9e9, boot="other")]
    now = reading(30.0, 1300.0)
    kept = carry_over(Kept(came, "first", sure=False), never, now)
    assert (age_s(kept, now), kept.undated) == (50.0, False)


def test_a_clock_that_was_put_back_makes_nothing_younger_than_is_certain() -> None:
    now = reading(30.0, 900.0)
    kept = carry_over(Kept(ARRIVED, "first", sure=True), [LAST_SIGN], now)
    assert age_s(kept, now) == 50.0


def test_a_second_restart_without_a_clock_forgets_nothing() -> None:
    second = reading(30.0, 7.0, synchronised=False)
    kept = carry_over(Kept(ARRIVED, "first", sure=True), [LAST_SIGN], second)
    gone = reading(100.0, 77.0, synchronised=False)
    third = reading(10.0, 7.0, synchronised=False, boot="third")
    again = carry_over(kept, [gone], third)
    assert (age_s(again, third), again.undated) == (130.0, True)
    dated = carry_over(kept, [gone], reading(10.0, 2000.0, boot="third"))
    assert (age_s(dated, third), dated.undated) == (1000.0, False)


def test_this_machines_clocks_are_read() -> None:
    before, now, after = time.monotonic(), read_clock(), time.monotonic()
    assert before <= now.monotonic <= after
    assert abs(now.unix - time.time()) < 60
    assert now.boot == read_clock().boot
    assert now.boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert now.synchronised is is_synchronised()


def test_timesyncd_says_when_the_clock_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cosyedge.announcements import clock

    mark = tmp_path / "synchronized"
    monkeypatch.setattr(clock, "_SYNCHRONISED_BY_TIMESYNCD", mark)
    monkeypatch.setattr(clock, "_is_sandboxed", lambda: True)
    assert not is_synchronised()
    mark.touch()
    assert is_synchronised()


def test_a_time_that_is_too_far_off_is_a_mistake_unless_the_clock_is_wrong() -> None:
    arrived = 1.7e9
    far = Announcement("far", "x", at=arrived + FURTHEST_S + 1, arrived_unix=arrived)
    with pytest.raises(AnnouncementFailed, match="31 days"):
        check_at(far, lambda: True)
    check_at(far, lambda: False)
    check_at(replace(far, at=arrived + FURTHEST_S), lambda: True)
    check_at(replace(far, at=0.0), lambda: True)
