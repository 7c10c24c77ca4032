"""What the health message tells."""

from __future__ import annotations

import pytest

from cosyedge.announcements.result import Result
from cosyedge.condition import Condition, percentile
from cosyedge.errors import MqttError, PlaybackError
from cosyedge.host.health import Health


def report(condition: Condition) -> dict[str, object]:
    return condition.report(Health().read(), also_failed=0)


def test_troubles_come_and_go_each_with_its_owner() -> None:
    condition = Condition()
    assert report(condition)["status"] == "starting"
    condition.started()
    assert (report(condition)["status"], condition.sentence()) == ("ok", "ready")
    assert condition.trouble("mqtt", MqttError("mqtt_unreachable", "No broker."))
    assert condition.trouble("audio", PlaybackError("audio_missing", "No card."))
    assert not condition.trouble("audio", PlaybackError("audio_missing", "Still no card."))
    assert report(condition)["status"] == "degraded"
    assert report(condition)["reasons"] == ["audio_missing", "mqtt_unreachable"]
    assert condition.sentence() == "No broker.; Still no card."
    assert condition.trouble("mqtt", None)
    assert not condition.trouble("mqtt", None)
    assert condition.trouble("audio", None)
    assert report(condition)["reasons"] == []


def test_announcements_are_counted_once_for_each_state() -> None:
    condition = Condition()
    condition.count(Result("a", "queued"))
    condition.count(Result("a", "queued", waited_s=1.0))  # it waits for a card, once more
    condition.count(Result("a", "started"))
    condition.count(Result("a", "finished", audio_s=2.0, rtf=0.1, first_audio_ms=30.0, waited_s=0.0))
    condition.count(Result("b", "failed", error="bad_json"))
    told = condition.report(Health().read(), also_failed=2, queue=3)
    assert told["announcements"] == {
        "queued": 1,
        "finished": 1,
        "failed": 3,
        "expired": 0,
        "cancelled": 0,
        "duplicate": 0,
    }
    assert told["rtf"] == {"p50": 0.1, "p95": 0.1}
    assert told["first_audio_ms"] == {"p50": 30.0, "p95": 30.0}
    assert told["queue"] == 3


def test_the_message_has_what_the_design_promises() -> None:
    promised = {
        "status", "reasons", "uptime_s", "rss_mb", "pss_mb", "peak_rss_mb", "cpu_percent", "threads",
        "cpu_temp_c", "throttled", "announcements", "rtf", "first_audio_ms",
    }  # fmt: skip
    assert promised <= set(report(Condition()))


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([], 50, None), ([7], 95, 7), ([3, 1, 2], 50, 2), (range(1, 101), 95, 95), (range(1, 101), 50, 50)],
)
def test_percentiles_are_values_that_occurred(values: list[float], percent: float, expected: float) -> None:
    assert percentile(list(values), percent) == expected
