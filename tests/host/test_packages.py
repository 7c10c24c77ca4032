"""What an installation is made of: pinned packages, and libraries that a Raspberry Pi 5 can load."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PIN = r"^([a-z0-9-]+)==\S+ \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"


def pinned(*locks: str) -> dict[str, int]:
    """Name → how many files pip may take for it, of every lock together; none may be in two."""
    pins: dict[str, int] = {}
    for lock in locks:
        text = (ROOT / "scripts" / lock).read_text()
        entries = [(name, hashes.count("sha256:")) for name, hashes in re.findall(PIN, text, re.M)]
        assert text.count("==") == len(entries), f"{lock}: a line that is not understood"
        assert not pins.keys() & dict(entries).keys()
        pins |= dict(entries)
    return pins


def names(requirements: list[str]) -> set[str]:
    return {re.match(r"[A-Za-z0-9-]+", line)[0].lower() for line in requirements}  # type: ignore[index]


def test_every_dependency_is_pinned_with_the_hash_of_each_file() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = pyproject["project"]
    pins = pinned("lock.txt")
    # PyAudio has no wheel: it is the distribution's, whose archive is signed, or built from its source.
    assert names(project["dependencies"]) - {"pyaudio"} <= pins.keys()
    assert pinned("lock_source.txt") == {"pyaudio": 1}
    assert names(pyproject["build-system"]["requires"]) == pinned("lock_build.txt").keys()
    every = pinned("lock.txt", "lock_build.txt", "lock_source.txt", "lock_dev.txt")
    assert names(project["optional-dependencies"]["dev"]) <= every.keys()
    # Compiled for two processors and at least the Pythons of Debian 12 and 13.
    for name in ("numpy", "onnxruntime", "mypy"):
        assert every[name] >= 4, name


def elf(machine: int = 183, align: int = 65536, address: int = 0x10000, offset: int = 0) -> bytes:
    """A 64-bit little-endian library of one LOAD segment and no sections."""
    identity = struct.pack("<4sBBB9x", b"\x7fELF", 2, 1, 1)
    header = identity + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 1, 5, offset, address, address, 0x1000, 0x1000, align)


def judge(folder: Path, data: bytes, *flags: str) -> tuple[int, str]:
    (folder / "x.so").write_bytes(data)
    (folder / "x.txt").write_text("no library")
    command = [sys.executable, ROOT / "scripts" / "elf.py", *flags, folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("align", [16384, 65536])
def test_a_library_for_pages_of_16_kb_is_good(align: int, tmp_path: Path) -> None:
    code, said = judge(tmp_path, elf(align=align))
    assert code == 0
    assert f"ok  x.so: aligned to {align}" in said
    assert "1 libraries, 0 of them" in said


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (elf(align=4096), "has a segment aligned to 4096 bytes"),
        (elf(address=0x11000), "has a segment at 0x11000 from 0x0 of the file"),
        (elf(machine=62), "is for another processor (ELF machine 62)"),
        (elf()[:100], "cut short"),
    ],
)
def test_one_that_would_not_load_is_named_with_the_reason(data: bytes, why: str, tmp_path: Path) -> None:
    code, said = judge(tmp_path, data)
    assert code == 1
    assert why in said


def test_the_newest_glibc_that_a_real_library_asks_for_is_read(tmp_path: Path) -> None:
    import numpy._core._multiarray_umath as real

    data = Path(real.__file__).read_bytes()
    flags = ["--page", "4096", "--machine", os.uname().machine]
    code, said = judge(tmp_path, data, *flags, "--glibc", "2.2")
    needed = re.search(r"needs glibc (2\.\d+(\.\d+)?)", said)
    assert code == 1
    assert needed is not None
    assert judge(tmp_path, data, *flags, "--glibc", needed[1])[0] == 0


def test_nothing_found_is_no_success(tmp_path: Path) -> None:
    assert judge(tmp_path, b"no library")[0] == 1
