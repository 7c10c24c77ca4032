"""Which thread hangs, and from when on."""

from __future__ import annotations

import pytest

from cosyedge.errors import HostError, PlaybackError
from cosyedge.liveness import SPEECH_ALLOWANCE_S, Liveness

RING_S = 3.0


class Speaker:
    heartbeat = 100.0
    is_alive = True


@pytest.mark.parametrize(
    ("now", "mqtt_alive_until", "sentence"),
    [
        (100.0 + SPEECH_ALLOWANCE_S + RING_S, 200.0, None),
        (100.1 + SPEECH_ALLOWANCE_S + RING_S, 200.0, "No progress in speech."),
        (110.0, 110.0, None),
        (110.0, 109.9, "No progress in mqtt."),
        (200.0, 109.9, "No progress in speech and mqtt."),
    ],
)
def test_a_thread_hangs_when_its_allowance_is_over(
    now: float, mqtt_alive_until: float, sentence: str | None
) -> None:
    liveness = Liveness(Speaker(), lambda: mqtt_alive_until, RING_S)
    error = liveness.check(now)
    assert (error.sentence if error else None) == sentence
    assert liveness.speech_hangs(now) == ("speech" in (sentence or ""))


def test_a_speaker_that_has_ended_and_a_card_that_is_stuck_are_the_end() -> None:
    speaker = Speaker()
    liveness = Liveness(speaker, lambda: 200.0, RING_S)
    liveness.stuck = PlaybackError("audio_stuck", "It is not let go.")
    with pytest.raises(PlaybackError, match="not let go"):
        liveness.check(100.0)
    speaker.is_alive = False
    with pytest.raises(HostError, match="has ended"):
        liveness.check(100.0)
