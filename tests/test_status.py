"""What `cosyedge status` draws of what a node told."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from cosyedge.status import draw, show

HEALTH: dict[str, Any] = {
    "status": "ok",
    "reasons": [],
    "messages": [],
    "uptime_s": 7300,
    "rss_mb": 105.0,
    "peak_rss_mb": 120.4,
    "limit_mb": 420,
    "cpu_percent": 1.5,
    "threads": 6,
    "cpu_temp_c": None,
    "throttled": True,
    "announcements": {"queued": 4, "finished": 3, "failed": 1, "expired": 0},
    "rtf": {"p50": 0.05, "p95": 0.08},
    "first_audio_ms": {"p50": 21.0, "p95": 40.5},
    "underruns": 2,
    "queue": 0,
    "bundle": "zh-en 1",
    "version": "0.1.0",
}
STATE = {
    "speaking": True,
    "queue": 1,
    "volume": 60,
    "mute": True,
    "voice": "auto",
    "lang": "zh",
    "speed": 1.0,
}
TOLD: dict[str, Any] = {
    "node": "attic",
    "answered": True,
    "availability": "online",
    "state": STATE,
    "health": HEALTH,
    "history": {"rtf": [0.0, 0.04, 0.08], "first_audio_ms": [20.0] * 100},
}


def lines(told: dict[str, Any], width: int = 80) -> dict[str, str]:
    """First word → line."""
    return {line.split()[0]: line for line in draw(told, width) if line}


def test_a_node_at_a_glance() -> None:
    drawn = lines(TOLD)
    assert drawn["attic"] == "attic is online, ok, up for 2 h"
    bar = drawn["memory"].split()[-1]
    assert len(bar) == 34
    assert bar.count("█") == round(34 * 105 / 420)
    assert bar == "█" * bar.count("█") + "░" * bar.count("░")
    assert "105.0 of 420 MB, most 120.4" in drawn["memory"]
    assert "1 waiting, speaking" in drawn["queue"]
    assert drawn["rtf"].endswith("▁▅█")
    assert drawn["first"].endswith("█" * 34)
    assert "21.0 ms, 95 % below 40.5 ms" in drawn["first"]
    assert drawn["underruns"].split() == ["underruns", "2"]
    assert drawn["spoken"].endswith("4 queued, 3 finished, 1 failed")
    assert drawn["sounds"].endswith("volume 60 %, muted")
    assert drawn["machine"].endswith("6 threads, – °C, slowed down")
    assert all(len(line) <= 80 for line in draw(TOLD, 80))


def test_what_is_wrong_is_said_in_words() -> None:
    health = HEALTH | {"status": "degraded", "reasons": ["audio_lost"], "messages": ["The card " + 99 * "x"]}
    drawn = list(draw(TOLD | {"health": health}, 80))
    assert "degraded (audio_lost)" in drawn[0]
    assert drawn[1].startswith("! The card")
    assert drawn[1].endswith("…")


@pytest.mark.parametrize("width", [1, 60, 81, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    drawn = list(draw(TOLD, width))
    assert max(len(line) for line in drawn) <= max(width, 60)
    assert max(len(line) for line in drawn) > 50


def test_a_node_that_is_away_is_what_it_said_last() -> None:
    drawn = list(draw({"node": "attic", "answered": False, "availability": "offline"}, 80))
    assert drawn[0] == "attic is offline"
    assert "did not answer" in drawn[1]
    assert any("nothing spoken yet" in line for line in drawn)


def test_more_than_the_limit_is_a_full_bar() -> None:
    assert lines(TOLD | {"health": HEALTH | {"rss_mb": 999.0}})["memory"].endswith("█" * 34)


@pytest.mark.parametrize(("encoding", "full"), [("ascii", "#"), ("latin-1", "#"), ("utf-8", "█")])
def test_a_terminal_gets_what_it_can_show(monkeypatch: pytest.MonkeyPatch, encoding: str, full: str) -> None:
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding=encoding))
    show(TOLD | {"health": HEALTH | {"messages": ["声卡 is gone."]}})
    sys.stdout.flush()
    assert full in shown.getvalue().decode(encoding)
