"""A clause that is made slower than it is heard: when it may begin, in numbers and for real."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cosyedge.announcements.pacing import NOTHING_YET, Pace, held_back
from cosyedge.playback.alsa import AlsaSink
from cosyedge.playback.sink import Buffering, Samples
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle
from tests.announcements.stage import Stage, on_stage
from tests.playback.sound import PulseNull, as_card, file_pcm, recorded, trimmed, use_pcms

RATE = 24_000
LARGEST = 4_800
CARD = Buffering(room_s=2.0, kept_s=1024 / 48_000)


class Machine:
    """Makes a clause at a real-time factor, on a clock of its own."""

    largest_chunk = LARGEST

    def __init__(self, samples: int, rtf: float, acoustic_s: float = 0.0) -> None:
        self.now = 0.0
        self.samples_left = samples
        self._rtf = rtf
        self._acoustic_s = acoustic_s

    def chunks(self) -> Iterator[Samples]:
        self.now += self._acoustic_s
        buffer = np.zeros(LARGEST, np.float32)  # overwritten, as the synthesizer's is
        size, made = 1_200, 0
        while self.samples_left:
            size = min(size, self.samples_left)
            self.now += size / RATE * self._rtf
            buffer[:size] = np.arange(made, made + size)
            self.samples_left -= size
            made += size
            yield buffer[:size]
            size = min(2 * size, LARGEST)

    def clock(self) -> float:
        return self.now


def heard(samples: int, rtf: float, pace: Pace, room_s: float = 2.0) -> tuple[float, float, Samples]:
    """When sound begins, for how long it runs dry in the middle, and what is heard."""
    machine = Machine(samples, rtf, acoustic_s=0.3)
    sounds_from = plays_until = None
    dry_s = 0.0
    out = []
    buffering = Buffering(room_s, CARD.kept_s)
    for piece in held_back(machine.chunks(), machine, pace, buffering, machine.clock):
        if not len(piece):
            assert piece is NOTHING_YET
            assert sounds_from is None, "nothing is held back once it sounds"
            continue
        if sounds_from is None:
            sounds_from = plays_until = machine.now
        dry_s += max(0.0, machine.now - plays_until)
        # The sink takes what there is room for, and its giver waits for the rest to be heard.
        plays_until = max(plays_until, machine.now) + len(piece) / RATE
        machine.now = max(machine.now, plays_until - room_s)
        out.append(piece.copy())
    return sounds_from, dry_s, np.concatenate(out)


def measured(rtf: float) -> Pace:
    pace = Pace()
    pace.made(rtf, 1.0)
    return pace


@pytest.mark.parametrize("seconds", [0.05, 0.3, 1.0, 4.0, 12.0])
@pytest.mark.parametrize("room_s", [0.2, 2.0])
@pytest.mark.parametrize("rtf", [0.02, 0.2, 0.5, 0.8, 0.95, 1.0, 1.1, 1.5, 4.0, 20.0])
def test_no_clause_runs_dry_at_any_speed(rtf: float, room_s: float, seconds: float) -> None:
    samples = round(seconds * RATE)
    for pace in (measured(rtf), Pace()):
        _, dry_s, out = heard(samples, rtf, pace, room_s)
        assert dry_s == 0.0
        assert np.array_equal(out, np.arange(samples))


def test_it_begins_with_the_first_chunk_where_that_is_enough_and_no_later_than_needed() -> None:
    made_s = 0.3  # until the acoustic model is done
    first_s, second_s = 0.05, 0.15
    assert heard(96_000, 0.05, measured(0.05))[0] == pytest.approx(made_s + first_s * 0.05)
    assert heard(96_000, 0.3, measured(0.3))[0] == pytest.approx(made_s + second_s * 0.3)
    assert heard(96_000, 0.05, Pace())[0] == pytest.approx(made_s + second_s * 0.05), "nothing is known yet"
    # A fifth too slow: of 4 s a part is made before, and not all.
    began = heard(96_000, 1.2, measured(1.2), room_s=4.0)[0]
    assert made_s + 0.8 <= began < made_s + 4.0
    # What does not fit into the sink makes the speaker wait, so only what it holds counts: later, then.
    wide, narrow = (heard(96_000, 2.0, measured(2.0), room_s)[0] for room_s in (4.0, 0.2))
    assert wide < made_s + 6.5
    assert made_s + 7.5 < narrow <= made_s + 8.0


def test_the_pace_is_of_the_last_seconds_and_forgets() -> None:
    pace = Pace()
    assert pace.rtf is None
    assert pace.is_slow, "one that is not known may be"
    for _ in range(100):
        pace.made(0.2, 0.2)
    assert pace.rtf == pytest.approx(1.0)
    for _ in range(60):
        pace.made(0.02, 0.2)
    assert pace.rtf == pytest.approx(0.1, abs=0.02)
    assert not pace.is_slow


def slowed(synthesizer: Synthesizer, rtf: float) -> None:
    """Let the session of the vocoder take so many seconds for a second of sound."""
    synthesizer.load()
    vocoder = synthesizer._models.vocoder
    session = vocoder._session

    class Slow:
        def run_with_iobinding(self, binding: Any) -> None:
            began = time.perf_counter()
            session.run_with_iobinding(binding)
            frames = vocoder.frames_of_this_run
            time.sleep(max(0.0, frames * 0.0125 * rtf - (time.perf_counter() - began)))

    as_it_is = vocoder.step

    def step(features: Any, noise: Any, state: Any) -> Any:
        vocoder.frames_of_this_run = len(noise)
        return as_it_is(features, noise, state)

    vocoder.step = step
    vocoder._session = Slow()


class Card(AlsaSink):
    """As the loudspeaker of a stage, which is let go at the end."""

    def release(self) -> None: ...


def same(heard: NDArray[np.int16], expected: NDArray[np.int16]) -> bool:
    """But for the rounding of a resampler that began elsewhere."""
    return len(heard) == len(expected) and bool(np.abs(heard.astype(int) - expected).max() <= 1)


@pytest.fixture
def slow_stage(
    test_bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Stage, Path]]:
    """A stage on a machine that is too slow by half, before a card that takes sound in real time."""
    pulse = PulseNull()
    file = tmp_path / "card.raw"
    synthesizer = Synthesizer(test_bundle)
    slowed(synthesizer, 1.5)
    try:
        pulse.start()
        use_pcms(monkeypatch, tmp_path / "asound.conf", pulse.pcm("server"), file_pcm("card", file, "server"))
        sink = Card("card", lead_in_s=0.0, idle_close_s=math.inf)
        with on_stage(test_bundle, tmp_path, synthesizer=synthesizer, sink=sink) as stage:
            yield stage, file
    finally:
        pulse.close()


def test_a_machine_slower_than_speech_pauses_between_clauses_and_nowhere_else(
    slow_stage: tuple[Stage, Path],
) -> None:
    stage, file = slow_stage
    clauses = ["好。", "你好。", "晚饭好了。"]
    result = stage.hear("".join(clauses), speed=2.0)
    assert result.state == "finished"
    assert result.rtf is not None
    assert result.rtf > 1.4
    assert stage.sink.underruns == 0
    recording = recorded(file)[:, 0]
    position = 0
    for clause in clauses:
        # Beginning and end lie in what the resampler makes of silence around it, hence a little less.
        whole = trimmed(as_card(stage.speech(clause, speed=2.0), 48_000))[400:-400]
        starts = np.flatnonzero(recording == whole[0])
        found = [s for s in starts if same(recording[s : s + len(whole)], whole)]
        assert len(found) == 1, "in one piece"
        assert found[0] > position
        position = found[0] + len(whole)


def test_what_is_held_back_can_be_stopped_at_once(slow_stage: tuple[Stage, Path]) -> None:
    stage, _ = slow_stage
    id_ = stage.say("今天天气不错，出去走走吧，晚饭好了，你好。")
    stage.wait(lambda: stage.queue.current is not None)
    stage.speaker.stop()
    assert stage.end_of(id_).state == "cancelled"
