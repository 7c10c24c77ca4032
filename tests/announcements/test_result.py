"""The message of the result topic."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Final, get_args

import pytest

from cosyedge.announcements.result import FINAL, Result, State
from cosyedge.errors import AnnouncementError

SAMPLES: Final[dict[str, list[Any]]] = {
    "id": ["a", "门-1"],
    "state": list(get_args(State)),
    "error": [None, "queue_full"],
    "message": [None, "The queue is full."],
    "skipped": [None, "empty"],
    "lang": [None, "zh"],
    "voice": [None, "xiaoyan"],
    "audio_s": [None, 0.0, 1.25],
    "first_audio_ms": [None, 12.5],
    "rtf": [None, 0.0625],
    "waited_s": [None, 0.0],
}


def test_every_field_survives_json() -> None:
    assert set(SAMPLES) == {field.name for field in fields(Result)}
    for name, values in SAMPLES.items():
        for value in values:
            result = Result(**{"id": "a", "state": "queued", name: value})
            assert Result.from_json(result.to_json()) == result


def test_the_keys_are_those_of_the_contract() -> None:
    always = {"id", "state", "lang", "voice", "audio_s", "first_audio_ms", "rtf", "waited_s"}
    assert set(json.loads(Result("a", "queued").to_json())) == always
    failed = Result.failed("a", AnnouncementError("text_too_long", "text too long > 1000 chars"))
    told = json.loads(failed.to_json())
    assert set(told) == always | {"error", "message"}
    assert (told["error"], told["message"]) == ("text_too_long", "text too long > 1000 chars")
    assert set(json.loads(Result("a", "finished", skipped="empty").to_json())) == always | {"skipped"}


def test_five_states_are_final() -> None:
    assert set(get_args(State)) - FINAL == {"queued", "started"}
    assert [state for state in get_args(State) if Result("a", state).is_final] == [
        "finished",
        "failed",
        "expired",
        "cancelled",
        "duplicate",
    ]


@pytest.mark.parametrize(
    "payload",
    ["", "[]", "{}", '{"id": "a", "state": "sung"}', '{"id": "a", "state": "queued", "x": 1}', b"\xff"],
)
def test_what_is_no_result_is_refused(payload: str | bytes) -> None:
    with pytest.raises(ValueError, match="not a result"):
        Result.from_json(payload)
