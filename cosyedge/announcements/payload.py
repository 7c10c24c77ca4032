"""Payload bytes → text or one JSON object, strictly. What is wrong is said without quoting the text."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from cosyedge.errors import AnnouncementError

_BYTE_ORDER_MARK: Final = "\ufeff"
#: Longest first: the mark of UTF-32 begins with that of UTF-16.
_FOREIGN_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
# Inside a JSON string a quote is escaped, so none of these can match within the text itself.
_TEXT_VALUE: Final = re.compile(rb'"text"\s*+:\s*+"((?:[^"\\]++|\\.)*+)', re.DOTALL)
_ID_VALUE: Final = re.compile(rb'"id"\s*+:\s*+"([^"\\]{1,128})"')
_EDGE_BYTES: Final = 4096
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_MOST_BRACKETS: Final = 64  # a say object needs one


def decode(payload: bytes) -> str:
    """The payload as text; a leading UTF-8 byte order mark is dropped.

    Raises:
        AnnouncementError: ``not_utf8``, naming UTF-16 or UTF-32 where it is one of these.
    """
    for mark, encoding in _FOREIGN_MARKS:
        if payload.startswith(mark):
            sentence = f"The payload is not UTF-8: it begins with the byte order mark of {encoding}."
            raise AnnouncementError("not_utf8", sentence)
    try:
        text = payload.decode()
    except UnicodeDecodeError as error:
        sentence = f"The payload is not UTF-8: byte 0x{payload[error.start]:02x} at position {error.start}."
        raise AnnouncementError("not_utf8", sentence) from None
    # Latin text in UTF-16 is valid UTF-8 full of zero bytes, all of them at even or all at odd positions. A
    # zero byte by itself is only a character that has no sound.
    zeros = payload.count(0)
    if (
        len(payload) % 2 == 0
        and zeros * 4 > len(payload)
        and zeros in (payload[::2].count(0), payload[1::2].count(0))
    ):
        raise AnnouncementError("not_utf8", "The payload has its zero bytes where UTF-16 has them.")
    return text.removeprefix(_BYTE_ORDER_MARK)


def claims_object(payload: bytes) -> bool:
    """Whether the payload is to be read as a JSON object: it begins with ``{``, after white space.

    ``{{``, ``{%`` and ``{#`` begin a template that nobody rendered.
    """
    start = payload[:_EDGE_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"{") and not start.startswith((b"{{", b"{%", b"{#"))


def parse_object(text: str) -> dict[str, Any]:
    """One JSON object, by RFC 8259 and no further: no NaN, no Infinity, no key twice.

    Raises:
        AnnouncementError: ``bad_json``.
    """
    # The parser recurses, and how deep it may before the stack ends depends on version and thread.
    outside_strings = _STRING.sub("", text)
    if outside_strings.count("[") + outside_strings.count("{") > _MOST_BRACKETS:
        raise AnnouncementError("bad_json", "The payload is nested too deeply.")
    try:
        # What begins with a brace and is valid is an object.
        value: dict[str, Any] = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise AnnouncementError("bad_json", f"The payload is not valid JSON: {error.msg}, {where}.") from None
    except ValueError:  # the interpreter's own limit on the digits of an integer
        raise AnnouncementError("bad_json", "The payload has a number of too many digits.") from None
    return value


def quoted(name: str) -> str:
    """``name``, cut to 40 characters, in quotes and free of anything that can't be printed."""
    short = name if len(name) <= 40 else name[:39] + "…"
    return f'"{short}"' if short.isprintable() else ascii(short)


def longest_text(payload: bytes) -> int:
    """Bytes of the ``text`` of an object too large to be parsed, 0 where there is none; copies nothing."""
    found = _TEXT_VALUE.search(payload)
    return found.end(1) - found.start(1) if found else 0


def find_id(payload: bytes) -> str | None:
    """The ``id`` of an object that can't be parsed, if it stands near the beginning or the end."""
    if not claims_object(payload):
        return None
    for edge in (payload[:_EDGE_BYTES], payload[-_EDGE_BYTES:]):
        found = _ID_VALUE.search(edge)
        if found:
            id_ = found[1].decode("utf-8", "replace")
            return id_ if id_.isprintable() else None
    return None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise AnnouncementError("bad_json", f"The payload has the key {quoted(key)} twice.")
            seen.add(key)
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise AnnouncementError("bad_json", f"The payload is not valid JSON: {name} is no number of JSON.")
