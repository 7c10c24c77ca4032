"""Pauses between connections, and what it is called when they end again and again."""

from __future__ import annotations

import pytest

from cosyedge.errors import MqttError
from cosyedge.mqtt.retry import Retry

BROKE = MqttError("mqtt_unreachable", "It broke.")


def fail(retry: Retry, error: MqttError = BROKE, *, lasted_s: float = 1.0, was_served: bool = False) -> str:
    return retry.failed(error, lasted_s=lasted_s, stable_s=30.0, was_served=was_served).code


def longest(retry: Retry) -> float:
    return max(retry.pause_s() for _ in range(200))


def test_where_no_broker_is_the_pause_grows_up_to_its_bound_and_is_never_the_same() -> None:
    retry = Retry(1.0, 60.0)
    pauses = []
    for _ in range(30):
        fail(retry)
        pauses.append(longest(retry))
    assert 1.0 <= pauses[0] <= 2.0
    assert pauses[3] > 4 * pauses[0]
    assert 45 < pauses[-1] <= 60.0
    assert len({retry.pause_s() for _ in range(20)}) > 10


def test_a_broker_that_takes_us_is_called_again_soon_however_often_it_goes() -> None:
    retry = Retry(1.0, 60.0)
    for _ in range(50):
        fail(retry, was_served=True)
        assert longest(retry) <= 4.0
    fail(retry, lasted_s=31.0, was_served=True)
    assert longest(retry) <= 2.0, "it had been a good one"


def test_being_dropped_over_and_over_is_called_by_its_probable_name() -> None:
    retry = Retry(1.0, 60.0)
    codes = [fail(retry, was_served=True) for _ in range(4)]
    assert codes == ["mqtt_unreachable", "mqtt_unreachable", "mqtt_taken_over", "mqtt_taken_over"]
    retry.forgotten()
    assert fail(retry, was_served=True) == "mqtt_unreachable", "that broker was restarted"


@pytest.mark.parametrize("code", ["mqtt_refused", "mqtt_tls", "mqtt_taken_over"])
def test_what_has_a_name_keeps_it(code: str) -> None:
    retry = Retry(1.0, 60.0)
    error = MqttError(code, "It said why.")
    assert [fail(retry, error, was_served=True) for _ in range(5)] == [code] * 5


def test_a_broker_that_was_away_in_between_has_dropped_nobody() -> None:
    retry = Retry(1.0, 60.0)
    for _ in range(6):
        assert fail(retry, was_served=True) == "mqtt_unreachable"
        assert fail(retry) == "mqtt_unreachable"
