"""A memory-mapped string table: word → value, in the file, never in the heap.

One file holds an open-addressing hash table (CRC-32, computed in C by :mod:`zlib`) of offsets into a
run of records. A look-up touches one or two pages and makes no object but its answer, so a lexicon of
a hundred thousand words costs the resident pages that are really used.

Layout, little-endian::

    magic "CELX" | u16 version | u16 length of the title | u32 count | u32 slots | title (UTF-8), padded to 4
    u32 slot[slots]      offset of a record from the start of the file, 0 where empty
    record               u8 length of key | u16 length of value | key (UTF-8) | value (bytes)
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from cosyedge.errors import TextError

_MAGIC: Final = b"CELX"
_VERSION: Final = 1
_HEADER: Final = struct.Struct("<4sHHII")
_RECORD: Final = struct.Struct("<BH")
_SLOT: Final = struct.Struct("<I")
_LONGEST_KEY: Final = 255
_LONGEST_VALUE: Final = 65535


def mapped(path: Path) -> mmap.mmap:
    """A lexicon's file in memory, read-only, as far as it is read. Raises :class:`TextError`
    ``lexicon_unreadable``: it is missing or empty.
    """
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise TextError("lexicon_unreadable", f"The lexicon {path} can't be read: {error}.") from error


class Lexicon:
    """A read-only table of one file, mapped into memory.

    A file that was damaged after it was written is told by the hash in the bundle; here no damage may
    do worse than raise, so every offset is checked and no search runs longer than the table.

    Raises:
        TextError: ``lexicon_unreadable`` if the file is missing, cut short or of another version; so do
            :meth:`get` and :meth:`items` where they meet a record that can't be.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._map = mapped(path)
        try:
            magic, version, title_length, self._count, self._slots = _HEADER.unpack_from(self._map)
            if magic != _MAGIC or version != _VERSION:
                raise TextError("lexicon_unreadable", f"{path} is not a lexicon of version {_VERSION}.")
            self.title = self._map[_HEADER.size : _HEADER.size + title_length].decode()
            self._table = _HEADER.size + _padded(title_length)
            self._records = self._table + self._slots * _SLOT.size
            if self._slots <= self._count or len(self._map) < self._records:
                raise self._broken()
        except (struct.error, UnicodeDecodeError) as error:
            self._map.close()
            raise self._broken() from error
        except TextError:
            self._map.close()
            raise

    def __len__(self) -> int:
        return int(self._count)

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None

    def get(self, key: str) -> bytes | None:
        """The value of ``key``, or None. Keys are compared as they are: no case folding."""
        encoded = key.encode("utf-8", "surrogatepass")
        slot = zlib.crc32(encoded) % self._slots
        for _ in range(self._count + 1):  # one of so many slots is empty
            (offset,) = _SLOT.unpack_from(self._map, self._table + slot * _SLOT.size)
            if offset == 0:
                return None
            start, end, stop = self._record(offset)
            if end - start == len(encoded) and self._map[start:end] == encoded:
                return self._map[end:stop]
            slot = (slot + 1) % self._slots
        raise self._broken()

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Every record, in the order of the file."""
        offset = self._records
        for _ in range(self._count):
            start, end, stop = self._record(offset)
            try:
                key = self._map[start:end].decode("utf-8", "surrogatepass")
            except UnicodeDecodeError as error:
                raise self._broken() from error
            yield key, self._map[end:stop]
            offset = stop

    def _record(self, offset: int) -> tuple[int, int, int]:
        """Where the key of a record starts, its value starts, and its value stops."""
        start = offset + _RECORD.size
        if offset < self._records or start > len(self._map):
            raise self._broken()
        key_length, value_length = _RECORD.unpack_from(self._map, offset)
        end = start + key_length
        stop = end + value_length
        if stop > len(self._map):
            raise self._broken()
        return start, end, stop

    def _broken(self) -> TextError:
        return TextError("lexicon_unreadable", f"The lexicon {self.path} is cut short or damaged.")

    def close(self) -> None:
        self._map.close()


def write_lexicon(path: Path, title: str, entries: Mapping[str, bytes]) -> None:
    """Compile ``entries`` to ``path``; the same entries always make the same bytes.

    Raises:
        ValueError: a key is longer than 255 bytes or a value longer than 65,535.
    """
    encoded_title = title.encode()
    slots = max(3, len(entries) * 3 // 2 | 1)
    table = _HEADER.size + _padded(len(encoded_title))
    taken = [0] * slots
    records = bytearray()
    first_record = table + slots * _SLOT.size
    for key, value in sorted(entries.items()):
        encoded = key.encode("utf-8", "surrogatepass")
        if len(encoded) > _LONGEST_KEY or len(value) > _LONGEST_VALUE:
            raise ValueError(f"the entry {key!r} is too long for a lexicon")
        slot = zlib.crc32(encoded) % slots
        while taken[slot]:
            slot = (slot + 1) % slots
        taken[slot] = first_record + len(records)
        records += _RECORD.pack(len(encoded), len(value)) + encoded + value
    with path.open("wb") as file:
        file.write(_HEADER.pack(_MAGIC, _VERSION, len(encoded_title), len(entries), slots))
        file.write(encoded_title.ljust(_padded(len(encoded_title)), b"\0"))
        file.write(struct.pack(f"<{slots}I", *taken))
        file.write(records)


def _padded(length: int) -> int:
    return (length + 3) // 4 * 4
