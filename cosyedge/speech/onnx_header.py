"""What an ONNX file says of itself, read without onnxruntime and without loading the weights.

So a wrong model is found when the daemon starts, also where models are loaded at the first announcement.
Only the outermost message is walked: fields 8 (opset_import) and 14 (metadata_props) of ModelProto in
onnx.proto, encoded as protocol buffers; the graph is skipped by its length.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

_OPSET_IMPORT: Final = 8
_METADATA_PROPS: Final = 14
#: Longest opset or metadata entry that is read; anything longer is skipped like the graph.
_LONGEST_ENTRY: Final = 65_536

_VARINT: Final = 0
_FIXED64: Final = 1
_LENGTH: Final = 2
_FIXED32: Final = 5


@dataclass(frozen=True, slots=True)
class OnnxHeader:
    """Operator sets by domain (the empty name is ONNX's own), and the metadata."""

    opsets: dict[str, int]
    metadata: dict[str, str]


def read_header(path: Path) -> OnnxHeader:
    """The header of the model at ``path``.

    Raises:
        OSError: the file can't be read.
        ValueError: it is not a protocol buffer, or ends too early.
    """
    opsets: dict[str, int] = {}
    metadata: dict[str, str] = {}
    size = path.stat().st_size
    with path.open("rb") as file:
        for field, content in _entries(file, size):
            parts = dict(_fields(content))
            if field == _OPSET_IMPORT:
                opsets[_text(parts.get(1, b""))] = _number(parts.get(2, 0))
            elif field == _METADATA_PROPS:
                metadata[_text(parts.get(1, b""))] = _text(parts.get(2, b""))
    if not opsets:
        raise ValueError("it names no operator set")
    return OnnxHeader(opsets, metadata)


def _entries(file: BinaryIO, size: int) -> Iterator[tuple[int, bytes]]:
    """Field number and content of the length-delimited fields that matter."""
    while file.tell() < size:
        tag = _varint(file)
        kind = tag & 7
        if kind == _VARINT:
            _varint(file)
        elif kind in (_FIXED64, _FIXED32):
            file.seek(8 if kind == _FIXED64 else 4, 1)
        elif kind == _LENGTH:
            length = _varint(file)
            if file.tell() + length > size:
                raise ValueError("it ends too early")
            if tag >> 3 in (_OPSET_IMPORT, _METADATA_PROPS) and length <= _LONGEST_ENTRY:
                yield tag >> 3, file.read(length)
            else:
                file.seek(length, 1)
        else:
            raise ValueError("it is not an ONNX model")


def _varint(file: BinaryIO) -> int:
    value = shift = 0
    while True:
        byte = file.read(1)
        if not byte or shift > 63:
            raise ValueError("it is not an ONNX model")
        value |= (byte[0] & 127) << shift
        if byte[0] < 128:
            return value
        shift += 7


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Field number and value of a small message of strings and whole numbers."""
    file = io.BytesIO(message)
    while file.tell() < len(message):
        tag = _varint(file)
        if tag & 7 == _VARINT:
            yield tag >> 3, _varint(file)
        elif tag & 7 == _LENGTH:
            yield tag >> 3, file.read(_varint(file))
        else:
            raise ValueError("it is not an ONNX model")


def _text(value: bytes | int) -> str:
    if isinstance(value, int):
        raise ValueError("it is not an ONNX model")
    return value.decode()  # UnicodeDecodeError is a ValueError


def _number(value: bytes | int) -> int:
    if isinstance(value, bytes):
        raise ValueError("it is not an ONNX model")
    return value
