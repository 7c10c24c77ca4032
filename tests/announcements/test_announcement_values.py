"""An announcement as the journal keeps it: values that JSON can hold."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Final

import pytest

from cosyedge.announcements.announcement import (
    Announcement,
    Priority,
    Reply,
)

SAMPLES: Final[dict[str, list[Any]]] = {
    "id": ["a"],
    "text": ["x", "你好\n😀"],
    "lang": [None, "auto", "yue"],
    "voice": [None, "xiaoyan"],
    "priority": list(Priority),
    "mode": ["queue", "interrupt", "replace"],
    "ttl_s": [None, 1.5],
    "at": [None, 0.0, 1.8e9],
    "volume": [None, 0.0, 0.5],
    "speed": [None, 2.0],
    "chime": [None, True, False, "soft"],
    "reply": [None, Reply("a/b"), Reply("a", b""), Reply("a", b"\x00\xff"), Reply("a", b"", "hermes")],
    "render": [False, True],
    "arrived_monotonic": [0.0, -3.25, 1e6],
    "arrived_unix": [0.0, 1.7e9],
    "redelivered": [False, True],
    "content": [None, "0123456789abcdef"],
    "scale": [0.0, 0.5, 1.0],
    "sound": [None],
}


def test_every_field_survives_json() -> None:
    assert set(SAMPLES) == {field.name for field in fields(Announcement)}
    for name, values in SAMPLES.items():
        for value in values:
            announcement = Announcement(**{"id": "a", "text": "x", name: value})
            line = json.dumps(announcement.to_values())
            again = Announcement.from_values(json.loads(line))
            assert again == announcement
            assert type(getattr(again, name)) is type(value)


def test_values_of_another_version_are_read_as_far_as_they_go() -> None:
    assert Announcement.from_values({"id": "a", "text": "x", "new": 1}) == Announcement("a", "x")
    for values in (
        {"id": "a"},
        {"id": "a", "text": "x", "priority": "top"},
        {"id": "a", "text": "x", "reply": 1},
        {"id": "a", "text": "x", "reply": ["a", None, "hermes", 1]},
    ):
        with pytest.raises(ValueError, match="not an announcement"):
            Announcement.from_values(values)
