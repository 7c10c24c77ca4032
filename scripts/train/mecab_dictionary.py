"""Read a compiled MeCab dictionary: its words, their costs and the costs of joining them.

The layout is that of MeCab 0.996: ``sys.dic`` has a header, a double array from UTF-8 words to runs of
tokens, the tokens, and their features; ``matrix.bin`` has the costs of a right context followed by a left.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_HEADER: Final = struct.Struct("<10I32s")
_TOKEN: Final = np.dtype([("left", "<u2"), ("right", "<u2"), ("pos", "<u2"), ("cost", "<i2"),
                          ("feature", "<u4"), ("compound", "<u4")])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """One reading of one written form.

    Attributes:
        features: part of speech in four steps, conjugation, its form, dictionary form, kana as written,
            kana as said, and what else the dictionary has.
    """

    surface: str
    left: int
    right: int
    cost: int
    features: tuple[str, ...]


def read_tokens(path: Path) -> Iterator[Token]:
    """All tokens of ``sys.dic``, in no order that means anything."""
    data = path.read_bytes()
    *numbers, charset = _HEADER.unpack_from(data)
    if charset.rstrip(b"\0").lower() not in (b"utf-8", b"utf8"):
        raise ValueError(f"{path} is not in UTF-8")
    array_size, token_size = numbers[6], numbers[7]
    start = _HEADER.size
    units = np.frombuffer(data, dtype="<i4", offset=start, count=array_size // 4).reshape(-1, 2)
    tokens = np.frombuffer(data, dtype=_TOKEN, offset=start + array_size, count=token_size // _TOKEN.itemsize)
    features = start + array_size + token_size
    for surface, value in _words(units):
        for at in range(value >> 8, (value >> 8) + (value & 0xFF)):
            token = tokens[at]
            first = features + int(token["feature"])
            text = data[first : data.index(b"\0", first)].decode()
            yield Token(
                surface,
                int(token["left"]),
                int(token["right"]),
                int(token["cost"]),
                tuple(text.split(",")),
            )


def _words(units: NDArray[Any]) -> Iterator[tuple[str, int]]:
    """The words of a double array, found from their ends: a unit's check is the base of its parent."""
    base, check = units[:, 0], units[:, 1].astype(np.int64)
    index = np.arange(len(units))
    inner = np.flatnonzero((base > 0) & (check > 0) & (index > check))
    parent_of = np.full(len(units) + 1, -1, dtype=np.int64)
    parent_of[base[inner]] = inner
    for end in np.flatnonzero((base < 0) & (check == index)):
        letters = bytearray()
        at = int(end)
        while True:
            parent_base = int(check[at])
            if at != end:
                letters.append(at - parent_base - 1)
            if parent_base == base[0]:
                break
            at = int(parent_of[parent_base])
            if at < 0:
                raise ValueError("the double array is damaged")
        yield bytes(reversed(letters)).decode(), -int(base[end]) - 1


def read_matrix(path: Path) -> NDArray[np.int16]:
    """Costs by [right context of the word before, left context of the word behind]."""
    data = path.read_bytes()
    rows, columns = struct.unpack_from("<HH", data)
    # Stored by left context of the word behind, rows of the word before.
    return np.frombuffer(data, dtype="<i2", offset=4).reshape(columns, rows).T
