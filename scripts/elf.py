#!/usr/bin/env python3
"""Whether shared libraries load on a Raspberry Pi 5, whose kernel has pages of 16 KB.

    scripts/elf.py [--machine aarch64] [--page 16384] [--glibc 2.36] FILE_OR_FOLDER ...

The loader maps each LOAD segment by pages: its alignment must be a multiple of the page, and its place in the
file and in memory must have the same offset within a page. Else the import fails with "ELF load command
alignment not page-aligned", on that machine alone. Also read: the processor the library is for, and the
newest glibc that it asks for. One line a library; the exit code is 1 if any of them would not load.
"""

from __future__ import annotations

import argparse
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MACHINES: Final = {"x86_64": 62, "aarch64": 183}
_MAGIC: Final = b"\x7fELF\x02\x01"  # 64 bit, little-endian
_HEADER: Final = struct.Struct("<16xHHIQQQIHHHHHH")
_SEGMENT: Final = struct.Struct("<IIQQQQQQ")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_NEED: Final = struct.Struct("<HHIII")
_NEED_NAME: Final = struct.Struct("<IHHII")
_LOAD: Final = 1
_VERNEED: Final = 0x6FFFFFFE


@dataclass(frozen=True)
class Library:
    """``loads``: alignment, address and offset of each LOAD segment; ``glibc``: the newest that it needs."""

    machine: int
    loads: tuple[tuple[int, int, int], ...]
    glibc: tuple[int, ...]

    def faults(self, machine: int, page: int, glibc: tuple[int, ...]) -> Iterator[str]:
        if self.machine != machine:
            yield f"is for another processor (ELF machine {self.machine})"
        if not self.loads:
            yield "has no LOAD segment"
        for align, address, offset in self.loads:
            if align % page:
                yield f"has a segment aligned to {align} bytes"
            elif (address - offset) % page:
                yield f"has a segment at {address:#x} from {offset:#x} of the file"
        if self.glibc > glibc:
            yield f"needs glibc {_dotted(self.glibc)}"


def read_library(data: bytes) -> Library | None:
    """None if this is no 64-bit little-endian ELF. Raises struct.error or IndexError if it is cut short."""
    if not data.startswith(_MAGIC):
        return None
    (
        _,
        machine,
        _,
        _,
        segments_at,
        sections_at,
        _,
        _,
        segment_bytes,
        segments,
        section_bytes,
        sections,
        _,
    ) = _HEADER.unpack_from(data)
    loads = []
    for index in range(segments):
        kind, _, offset, address, _, _, _, align = _SEGMENT.unpack_from(
            data, segments_at + index * segment_bytes
        )
        if kind == _LOAD:
            loads.append((align, address, offset))
    table = [_SECTION.unpack_from(data, sections_at + index * section_bytes) for index in range(sections)]
    wanted = {name for row in table if row[1] == _VERNEED for name in _needs(data, row[4], table[row[6]][4])}
    versions = [
        tuple(int(part) for part in name[6:].split("."))
        for name in wanted
        if name.startswith("GLIBC_") and name[6:7].isdigit()
    ]
    return Library(machine, tuple(loads), max(versions, default=()))


def _needs(data: bytes, at: int, strings_at: int) -> Iterator[str]:
    """The names in the list of versions that the library needs: a list of libraries, each with a list."""
    while True:
        _, count, _, names_at, next_library = _NEED.unpack_from(data, at)
        name_at = at + names_at
        for _ in range(count):
            _, _, _, name, next_name = _NEED_NAME.unpack_from(data, name_at)
            end = data.index(b"\0", strings_at + name)
            yield data[strings_at + name : end].decode()
            name_at += next_name
        if not next_library:
            return
        at += next_library


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _libraries(places: list[Path]) -> Iterator[Path]:
    for place in places:
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            # Also names such as libsndfile.so.1, and files without "so" in their name.
            if file.is_file() and not file.is_symlink():
                yield file


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("places", nargs="+", type=Path, metavar="FILE_OR_FOLDER")
    parser.add_argument("--machine", choices=MACHINES, default="aarch64")
    parser.add_argument("--page", type=int, default=16384, metavar="BYTES")
    parser.add_argument("--glibc", default="2.36", metavar="X.Y", help="that of Debian 12 is 2.36")
    asked = parser.parse_args()
    glibc = tuple(int(part) for part in asked.glibc.split("."))
    seen = bad = 0
    for file in _libraries(asked.places):
        with file.open("rb") as opened:
            data = opened.read(len(_MAGIC))
            if data != _MAGIC:
                continue
            data += opened.read()
        try:
            library = read_library(data)
        except (struct.error, IndexError, ValueError):
            print(f"BAD {file}: cut short")
            seen, bad = seen + 1, bad + 1
            continue
        assert library is not None
        faults = list(library.faults(MACHINES[asked.machine], asked.page, glibc))
        aligned = "/".join(str(align) for align in sorted({align for align, _, _ in library.loads}))
        needed = f"glibc {_dotted(library.glibc)}" if library.glibc else "no glibc version"
        said = "; ".join(faults) or f"aligned to {aligned}, {needed}"
        print(f"{'BAD' if faults else 'ok '} {file.name}: {said}")
        seen, bad = seen + 1, bad + bool(faults)
    print(f"{seen} libraries, {bad} of them would not load")
    return 1 if bad or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
