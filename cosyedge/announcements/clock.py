"""What time it is, and for how long something has waited when the machine was off in between.

Within a boot the monotonic clock tells. Across boots only the wall clock can, and a Raspberry Pi without a
battery wakes up with a wrong one: it counts from the moment it is synchronised. Until then one thing is
certain: the time that had passed before the machine went off, and that since it is on again.
"""

from __future__ import annotations

import ctypes
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from cosyedge.announcements.announcement import Announcement, AnnouncementFailed

_SYNCHRONISED_BY_TIMESYNCD: Final = Path("/run/systemd/timesync/synchronized")
#: An ``at`` further off than this is a mistake; not where the clock is wrong, which it may be by years.
FURTHEST_S: Final = 31 * 86400.0
_libc: Final = ctypes.CDLL(None)
_BYTES_OF_TIMEX: Final = 512  # more than any struct timex
_TIME_ERROR: Final = 5  # adjtimex(2): the clock is not synchronised


@dataclass(frozen=True, slots=True)
class Reading:
    """Both clocks at one moment, in seconds. ``monotonic`` counts from the boot whose id is ``boot``."""

    boot: str
    monotonic: float
    unix: float
    synchronised: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """An announcement as the journal has it.

    ``sure``: its ``arrived_unix`` was read from a synchronised clock. ``undated``: its ``arrived_monotonic``
    is only the latest that it can have been.
    """

    announcement: Announcement
    boot: str
    sure: bool
    undated: bool = False


def read_clock() -> Reading:
    return Reading(_boot_id(), time.monotonic(), time.time(), is_synchronised())


def is_synchronised() -> bool:
    """Whether the wall clock has been set by a time server since the machine started."""
    return _SYNCHRONISED_BY_TIMESYNCD.exists() or _kernel_says_synchronised()


def check_at(announcement: Announcement, synchronised: Callable[[], bool] = is_synchronised) -> None:
    """Raises :class:`AnnouncementFailed` ``bad_value`` for an ``at`` that is too far off."""
    at = announcement.at
    if at is not None and at - announcement.arrived_unix > FURTHEST_S and synchronised():
        sentence = f'"at" lies more than {FURTHEST_S / 86400:.0f} days ahead.'
        raise AnnouncementFailed("bad_value", sentence, announcement.id)


def moment_of(announcement: Announcement) -> float | None:
    """When it is to be heard, on the monotonic clock; None for at once."""
    if announcement.at is None or announcement.render:
        return None
    left_s = announcement.at - time.time()
    return time.monotonic() + left_s if left_s > 0 else None


def carry_over(kept: Kept, readings: Iterable[Reading], now: Reading) -> Kept:
    """``kept`` in terms of this boot's clock. ``readings`` are those that were journaled, in any order."""
    if kept.boot == now.boot:
        return kept
    announcement = kept.announcement
    arrived, unix, sure = announcement.arrived_monotonic, announcement.arrived_unix, kept.sure
    last = arrived
    for reading in readings:
        if reading.boot != kept.boot:
            continue
        last = max(last, reading.monotonic)
        if reading.synchronised and not sure:  # the clock was set after it came
            unix = reading.unix - (reading.monotonic - arrived)
            sure = True
    age_s = (last - arrived) + now.monotonic
    if sure and now.synchronised:
        age_s = max(age_s, now.unix - unix)
    announcement = replace(announcement, arrived_monotonic=now.monotonic - age_s, arrived_unix=unix)
    return Kept(announcement, now.boot, sure, undated=sure and not now.synchronised)


@cache
def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return uuid.uuid4().hex  # another boot than any that was journaled: the careful assumption


def _kernel_says_synchronised() -> bool:
    # Other time services than systemd's tell only the kernel. A sandbox may kill for asking it.
    if _is_sandboxed():
        return False
    state: int = _libc.adjtimex(ctypes.create_string_buffer(_BYTES_OF_TIMEX))
    return 0 <= state < _TIME_ERROR


@cache
def _is_sandboxed() -> bool:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return True
    return "\nSeccomp:\t0\n" not in status
