"""A flood is one line at once, and one every ten seconds that counts."""

from __future__ import annotations

import logging

import pytest

from cosyedge.announcements.seldom_log import SAME_S, SeldomLog


def test_the_first_is_told_at_once_and_the_others_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    now = 100.0
    seldom = SeldomLog(logging.getLogger("house"), lambda: now)
    for number in range(5):
        seldom.warn("queue_full", f"a{number} failed")
    seldom.warn("bad_json", "refused")
    seldom.flush()
    assert caplog.messages == ["a0 failed", "refused"]
    now += SAME_S
    seldom.flush()
    assert caplog.messages[2:] == ["a4 failed (4 more since the last line)"]
    seldom.warn("queue_full", "a5 failed")  # the flood goes on
    now += SAME_S / 2
    seldom.warn("queue_full", "a6 failed")
    assert len(caplog.messages) == 3
    now += SAME_S / 2
    seldom.warn("queue_full", "a7 failed")
    assert caplog.messages[3:] == ["a6 failed (2 more since the last line)"]


def test_what_comes_again_after_a_while_is_told_at_once(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    seldom = SeldomLog(logging.getLogger("house"), lambda: now)
    for said in ("first", "second"):
        seldom.warn("bad_json", said)
        now += SAME_S
    assert caplog.messages == ["first", "second"]
