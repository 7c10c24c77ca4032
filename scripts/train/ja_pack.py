"""Write a Japanese dictionary in the layout of :mod:`cosyedge.text.phonemes.ja_dictionary`."""

from __future__ import annotations

import struct
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.text.phonemes.ja_codes import letters_of, sounds_of
from cosyedge.text.phonemes.ja_dictionary import HASHES, HEADER, MAGIC, SECTIONS, TWO_BYTES, VERSION

#: Bits of the Bloom filter for each of its words.
_BITS: Final = 22


@dataclass(frozen=True, slots=True)
class Paradigm:
    """Endings: letters, sounds, context, kind, cost."""

    endings: tuple[tuple[bytes, bytes, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A stem with its paradigm."""

    stem: str
    letters: bytes
    sounds: bytes
    paradigm: int
    cost: int


def pack(
    title: str,
    records: Sequence[Record],
    paradigms: Sequence[Paradigm],
    special: Sequence[int],
    matrix: NDArray[np.int16],
    joined: Iterable[bytes],
) -> bytes:
    """The file; the same words always make the same bytes."""
    levels, level_of = cost_levels([record.cost for record in records])
    buckets: defaultdict[tuple[int, int], list[bytes]] = defaultdict(list)
    for record in records:
        first, second = (*map(ord, record.stem[:2]), 0)[:2]
        buckets[first, second].append(_record(record, level_of[record.cost]))
    ordered = sorted(buckets)
    sharing = Counter(first for first, _ in buckets)
    firsts = sorted(sharing)
    starts = [0, *accumulate(sharing[first] for first in firsts)]
    body = bytearray()
    places = [0]
    for key in ordered:
        body += b"".join(sorted(buckets[key]))
        places.append(len(body))
    sections = [
        title.encode(),
        array("H", firsts).tobytes(),
        array("I", starts).tobytes(),
        array("H", [second for _, second in ordered]).tobytes(),
        array("I", places).tobytes(),
        bytes(body),
        _tables(levels, special, paradigms),
        matrix.astype("<i2").tobytes(),
        _bloom(sorted(set(joined))),
    ]
    assert len(sections) == SECTIONS
    padded = [section + b"\0" * (-len(section) % 4) for section in sections]
    ends = [HEADER.size + sum(map(len, padded[: i + 1])) for i in range(SECTIONS)]
    return HEADER.pack(MAGIC, VERSION, len(matrix), *ends) + b"".join(padded)


def cost_levels(costs: Sequence[int]) -> tuple[list[int], dict[int, int]]:
    """256 costs that stand for all: those in most use as they are, the others' nearest of even steps."""
    values, counts = np.unique(np.array(costs), return_counts=True)
    exact = set(values[np.argsort(-counts, kind="stable")][:176].tolist())
    steps = np.linspace(int(values.min()), int(values.max()), 256 - len(exact)).round().astype(int).tolist()
    levels = sorted(exact | set(steps))
    levels += [levels[-1]] * (256 - len(levels))
    table = np.array(levels)
    return levels, {int(value): int(np.abs(table - value).argmin()) for value in values}


def _record(record: Record, level: int) -> bytes:
    rest = record.letters[len(letters_of(record.stem[:2])) :]
    sounds = b"" if record.sounds == sounds_of(record.stem) else record.sounds
    lengths = len(rest), len(sounds)
    data = bytearray([min(lengths[0], 15) << 4 | min(lengths[1], 15)])
    data += bytes(length for length in lengths if length >= 15)
    if record.paradigm < TWO_BYTES:
        data.append(record.paradigm)
    else:
        high, low = divmod(record.paradigm - TWO_BYTES, 256)
        data += bytes((TWO_BYTES + high, low))
    data.append(level)
    return bytes(data + rest + sounds)


def _tables(levels: Sequence[int], special: Sequence[int], paradigms: Sequence[Paradigm]) -> bytes:
    head = struct.pack("<256h", *levels) + struct.pack(f"<{len(special)}HH", *special, len(paradigms))
    first = len(head) + 4 * (len(paradigms) + 1)
    body = bytearray()
    places = []
    for paradigm in paradigms:
        places.append(first + len(body))
        body.append(len(paradigm.endings))
        for letters, sounds, context, kind, cost in paradigm.endings:
            body += bytes([len(letters)]) + letters + bytes([len(sounds)]) + sounds
            body += struct.pack("<HBh", context, kind, cost)
    places.append(first + len(body))
    return head + struct.pack(f"<{len(places)}I", *places) + bytes(body)


def _bloom(words: Sequence[bytes]) -> bytes:
    data = bytearray(-(-len(words) * _BITS // 32) * 4)
    size = len(data) * 8
    for word in words:
        first, step = zlib.crc32(word), zlib.crc32(word, 1) | 1
        for i in range(HASHES):
            bit = (first + i * step) % size
            data[bit >> 3] |= 1 << (bit & 7)
    return bytes(data)


def sizes(data: bytes) -> dict[str, Any]:
    """Bytes of each section, for reports."""
    _, _, _, *ends = HEADER.unpack_from(data)
    names = ("title", "firsts", "starts", "seconds", "buckets", "records", "tables", "matrix", "joined")
    return {name: b - a for name, a, b in zip(names, [HEADER.size, *ends], ends, strict=False)}
