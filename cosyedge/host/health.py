"""What we learn from the machine, read from /proc and /sys: memory, processor, heat.

Everything is read here directly. A library for it (psutil) was measured at 1.2 MB of resident memory
and offers neither PSS at this price nor the throttling of a Raspberry Pi.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: Bits of the Raspberry Pi firmware's get_throttled that speak of now; the higher ones, of the past.
#: 1 under-voltage, 2 frequency capped, 4 throttled, 8 soft temperature limit.
_THROTTLED_NOW: Final = 0xF
#: Types of thermal zones that are the processor: Raspberry Pi and most ARM boards, Intel, AMD.
_CPU_ZONES: Final = ("cpu-thermal", "cpu_thermal", "x86_pkg_temp", "k10temp", "soc-thermal")


@dataclass(frozen=True, slots=True)
class Readings:
    """One look at the process and its machine. None where the machine doesn't tell."""

    rss_mb: float
    """Resident memory, MB of 1,048,576 bytes, as all here."""
    pss_mb: float | None
    """Resident memory with shared pages divided among those who share them."""
    peak_rss_mb: float
    """The most that was ever resident."""
    cpu_percent: float
    """Of one core, since the reading before."""
    threads: int
    """OS threads of the process."""
    cpu_temp_c: float | None
    throttled: bool | None
    """Whether the processor is slowed right now, by heat or by too little voltage."""


class Health:
    """Reads the machine. One reader, one thread: ``cpu_percent`` is measured between its own readings.

    Args:
        proc: the folder of the process in procfs.
        sys: the root of sysfs.
    """

    def __init__(self, proc: Path = Path("/proc/self"), sys: Path = Path("/sys")) -> None:
        self._status = proc / "status"
        self._smaps = proc / "smaps_rollup"
        self._temperature = _find_temperature(sys)
        self._throttled = _find_throttled(sys)
        self._cpu_s = time.process_time()
        self._read_at = time.monotonic()

    def read(self) -> Readings:
        """One look now, about half a millisecond (PSS makes the kernel walk our pages)."""
        status = _fields(self._status)
        smaps = _fields(self._smaps)  # empty in kernels and sandboxes without it
        cpu_s, now = time.process_time(), time.monotonic()
        elapsed = now - self._read_at
        percent = 100 * (cpu_s - self._cpu_s) / elapsed if elapsed > 0 else 0.0
        self._cpu_s, self._read_at = cpu_s, now
        temperature = _integer(self._temperature, base=10)
        throttled = _integer(self._throttled, base=16)
        return Readings(
            rss_mb=_megabytes(status["VmRSS"]),
            pss_mb=_megabytes(smaps["Pss"]) if "Pss" in smaps else None,
            peak_rss_mb=_megabytes(status["VmHWM"]),
            cpu_percent=round(percent, 1),
            threads=int(status["Threads"]),
            cpu_temp_c=None if temperature is None else round(temperature / 1000, 1),
            throttled=None if throttled is None else bool(throttled & _THROTTLED_NOW),
        )


def _fields(path: Path) -> dict[str, str]:
    """``Name:  value`` lines of a procfs file; empty if there is no such file or it may not be read."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _megabytes(kilobytes: str) -> float:
    return round(int(kilobytes.split()[0]) / 1024, 1)


def _integer(path: Path | None, base: int) -> int | None:
    if path is None:
        return None
    try:
        return int(path.read_text().strip(), base)
    except (OSError, ValueError):  # a sensor may come and go, or answer with an error
        return None


def _find_temperature(sys: Path) -> Path | None:
    """The file with the processor's temperature in thousandths of a degree Celsius."""
    for kind in sorted(sys.glob("class/thermal/thermal_zone*/type")):
        try:
            name = kind.read_text().strip()
        except OSError:
            continue
        if name in _CPU_ZONES:
            return kind.with_name("temp")
    return None


def _find_throttled(sys: Path) -> Path | None:
    """The file that is not zero while the processor is slowed: the Raspberry Pi firmware's bits, in hex
    (the folder's name differs between models), else the alarm of its voltage monitor."""
    found = next(iter(sys.glob("devices/platform/soc*/soc*firmware/get_throttled")), None)
    if found is not None:
        return found
    for name in sorted(sys.glob("class/hwmon/hwmon*/name")):
        try:
            if name.read_text().strip() == "rpi_volt":
                return name.with_name("in0_lcrit_alarm")
        except OSError:
            continue
    return None
