"""Whether this machine can run the libraries that we are about to import.

numpy and onnxruntime are compiled for a processor of a certain age. On an older one they end the process with
SIGILL, some at import and some in the middle of a word; a libc that is too old fails with the name of a
symbol. Both are told here, before anything heavy is imported, in words.

What is asked for was found by running the wheels on emulated processors: on x86-64 a Nehalem speaks and a
Core 2 dies at numpy's import; on aarch64 a Cortex-A72, without half precision, dot products or LSE atomics,
speaks. What is faster (AVX, asimddp) the libraries find out for themselves.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from cosyedge.errors import HostError

CPUINFO: Final = Path("/proc/cpuinfo")

#: machine → what every wheel takes for granted, in the words of /proc/cpuinfo. x86-64: level 2.
NEEDED: Final = {
    "x86_64": ("cx16", "lahf_lm", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3"),
    "aarch64": ("fp", "asimd"),
}
#: The newest glibc that a wheel of scripts/lock.txt asks for.
GLIBC: Final = (2, 28)

_LINES: Final = ("flags", "Features")


def check_processor(machine: str | None = None, cpuinfo: Path = CPUINFO, libc: str | None = None) -> None:
    """Pass, or say what is missing.

    Args:
        machine: as ``uname -m`` says, which None asks; a 32-bit program on a 64-bit kernel is found out too.
        cpuinfo: the kernel's list of features; one that can't be read proves nothing and passes.
        libc: name and version of the C library; None asks it.

    Raises:
        HostError: ``cpu_unsupported`` or ``libc_unsupported``.
    """
    machine = machine or os.uname().machine
    if machine not in NEEDED or sys.maxsize < 2**32:
        bits = 64 if sys.maxsize > 2**32 else 32
        raise HostError(
            "cpu_unsupported", f"cosyedge needs a 64-bit x86 or ARM system; this is {machine}, {bits} bit."
        )
    has = _features(cpuinfo)
    if has is not None and (missing := [name for name in NEEDED[machine] if name not in has]):
        raise HostError("cpu_unsupported", f"This {machine} processor lacks {', '.join(missing)}.")
    name, _, version = (libc or _libc()).partition(" ")
    if name != "glibc" or _numbers(version) < GLIBC:
        wanted = ".".join(map(str, GLIBC))
        raise HostError(
            "libc_unsupported",
            f"The C library is {name or 'unknown'} {version}; glibc {wanted} or later is needed.",
        )


def _features(cpuinfo: Path) -> set[str] | None:
    """Those of the first processor; None where the file does not tell."""
    try:
        with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, _, value = line.partition(":")
                if key.strip() in _LINES:
                    return set(value.split())
    except OSError:
        pass
    return None


def _libc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (OSError, ValueError):  # musl does not know the name
        return "another"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())
