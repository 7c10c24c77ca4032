"""The account of a series of deaths: whatever may go wrong is found in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.account import Account, Asked, heard_whole, reconcile


def asked(id_: str | None = "a", *, expires: bool = False, may_be_lost: bool = False) -> Asked:
    return Asked("words", id_, expires, may_be_lost)


def told(**states: str) -> dict[str, list[dict[str, Any]]]:
    """``told(a="queued finished")``; what failed has its error behind a colon."""
    return {
        id_: [
            {"state": state, "error": error or None}
            for state, _, error in (each.partition(":") for each in words.split())
        ]
        for id_, words in states.items()
    }


def wrong(one: Asked, heard: list[bool], states: Mapping[str, list[dict[str, Any]]], deaths: int = 1) -> str:
    account = Account()
    account.deaths["any time"] = deaths
    reconcile(account, [one], states, {"words": heard})
    return "; ".join(account.wrong)


@pytest.mark.parametrize(
    ("one", "heard", "states", "deaths"),
    [
        (asked(), [False], told(a="queued started finished"), 0),
        (asked(), [True], told(a="queued started finished finished"), 1),
        (asked(), [True, False], told(a="queued started queued started finished duplicate"), 1),
        (asked(), [], told(a="queued cancelled"), 0),
        (asked(expires=True), [], told(a="queued expired:expired"), 0),
        (asked(), [], told(a="queued failed:made_it_crash"), 3),
        (asked(may_be_lost=True), [], {}, 1),
        (asked(None, may_be_lost=True), [], {}, 1),
    ],
)
def test_what_is_right(
    one: Asked, heard: list[bool], states: Mapping[str, list[dict[str, Any]]], deaths: int
) -> None:
    assert wrong(one, heard, states, deaths) == ""


@pytest.mark.parametrize(
    ("one", "heard", "states", "deaths", "words"),
    [
        (asked(), [], {}, 1, "a ended as []"),
        (asked(), [], told(a="queued duplicate"), 1, "a ended as []"),
        (asked(), [False], told(a="finished cancelled"), 1, "a ended as ['finished', 'cancelled']"),
        (asked(), [], told(a="failed:queue_full"), 9, "failed with {'queue_full'}"),
        (asked(), [], told(a="failed:made_it_crash"), 2, "failed with {'made_it_crash'}"),
        (asked(), [], told(a="expired:expired"), 1, "has expired without a time to live"),
        (asked(), [], told(a="finished"), 1, "heard 0 times, 0 of them last; finished 1"),
        (asked(), [False, False], told(a="finished"), 1, "heard 2 times, 0 of them last; finished 1"),
        (asked(), [False], told(a="cancelled"), 1, "heard 1 times, 0 of them last; finished 0"),
        (asked(None), [], {}, 1, "was asked for 1 times without an id, and ended []"),
    ],
)
def test_what_is_wrong(
    one: Asked, heard: list[bool], states: Mapping[str, list[dict[str, Any]]], deaths: int, words: str
) -> None:
    assert words in wrong(one, heard, states, deaths)


def test_what_was_heard_whole(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.wav" for number in range(1, 5)]
    for file, sound in zip(files, (b"a", b"cut", b"b", b"a"), strict=True):
        file.write_bytes(sound)
    assert heard_whole(files, {b"a": "A", b"b": "B"}, lives=[1, 3]) == {"A": [True, False], "B": [True]}
