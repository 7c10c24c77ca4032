"""What a listener raises: noted, and kept from whoever tells it; the words that it was told stay out."""

import logging
from collections.abc import Callable
from functools import partial

import pytest

from cosyedge.announcements.listener import tell_listener

SPOKEN = "dinner is ready"


def fails(*told: str) -> None:
    raise ValueError(told[0])


@pytest.mark.parametrize("listener", [partial(fails, SPOKEN), lambda: fails(SPOKEN)])
def test_a_failure_is_noted_without_what_was_told(
    listener: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    tell_listener(listener)
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert "ValueError" in record.getMessage()
    assert SPOKEN not in caplog.text


def test_it_is_named_although_a_partial_hides_it(caplog: pytest.LogCaptureFixture) -> None:
    tell_listener(partial(fails, SPOKEN))
    assert caplog.messages == ["fails failed: ValueError"]


def test_at_debug_there_is_all_of_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    tell_listener(fails, SPOKEN)
    assert SPOKEN in caplog.text


def test_it_is_told_what_there_is_to_tell() -> None:
    told: list[object] = []
    tell_listener(told.append, SPOKEN)
    assert told == [SPOKEN]
