"""The meter against figures that are published: ITU-R BS.1770-4, and EBU Tech 3341 for one channel."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cosyedge.playback.loudness import TARGET_LUFS, gain_to, high_pass, loudness, shelf
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import load_bundle
from cosyedge.text.reader import Reader

RATES = (24_000, 48_000)


def tone(seconds: float, dbfs: float, rate: int, frequency: float = 1000.0) -> np.ndarray:
    return 10 ** (dbfs / 20) * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)


def test_at_48_khz_the_filters_are_those_of_the_recommendation():
    (b, a), (d, c) = shelf(48_000), high_pass(48_000)
    assert b == pytest.approx((1.53512485958697, -2.69169618940638, 1.19839281085285), abs=1e-9)
    assert a == pytest.approx((1.0, -1.69065929318241, 0.73248077421585), abs=1e-9)
    assert d == (1.0, -2.0, 1.0)
    assert c == pytest.approx((1.0, -1.99004745483398, 0.99007225036621), abs=1e-9)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("dbfs", [0.0, -20.0, -33.0])
def test_a_sine_of_full_scale_in_one_channel_is_minus_3(rate, dbfs):
    assert loudness(tone(5, dbfs, rate, 997.0), rate) == pytest.approx(dbfs - 3.01, abs=0.05)


#: Pairs of seconds and dBFS, and what they must measure: cases 3 to 5, one channel in place of two.
CASES = {
    "3: what is softer by more than 10 LU is left out": ([(10, -33), (60, -20), (10, -33)], -23.0),
    "4: and what is nearly silent first of all": (
        [(10, -69), (10, -33), (60, -20), (10, -33), (10, -69)],
        -23.0,
    ),
    "5: what is softer by less counts": ([(20, -23), (20.1, -17), (20, -23)], -23.0),
}


@pytest.mark.parametrize("case", CASES)
def test_the_gates_are_those_of_the_ebu(case):
    parts, expected = CASES[case]
    sound = np.concatenate([tone(seconds, dbfs, 24_000) for seconds, dbfs in parts])
    assert loudness(sound, 24_000) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize(
    ("voice", "text"),
    [
        ("xiaoyan", "水烧开了，请关火。楼下有位客人找您。"),
        ("zhitian", "水烧开了，请关火。楼下有位客人找您。"),
        ("en_us", "The kettle is boiling, please turn off the stove."),
    ],
)
def test_the_voices_that_are_shipped_are_equally_loud(voice, text):
    """Two sentences are few: a voice in all it says is nearer."""
    folder = Path(__file__).parents[2] / "models" / "cosyedge-multi"
    if not folder.is_dir():
        pytest.skip("the bundle is not there")
    bundle = load_bundle(folder)
    speaker = bundle.choose_voice(voice, "zh")
    synthesizer = Synthesizer(bundle)
    clauses = Reader(bundle.path, bundle.languages).read(text, speaker.native, speaker.native)
    said = [samples.copy() for clause in clauses for samples in synthesizer.stream(clause, speaker)]
    synthesizer.close()
    assert loudness(np.concatenate(said)) == pytest.approx(TARGET_LUFS, abs=2.0)


def test_what_the_ear_hardly_hears_counts_less():
    levels = [loudness(tone(2, -20, 24_000, frequency)) for frequency in (30, 60, 1000, 4000)]
    assert all(low < high for low, high in pairwise(levels))
    assert levels[-1] - levels[-2] == pytest.approx(3.3, abs=0.4)


def test_what_is_short_is_taken_with_the_silence_behind_it():
    assert loudness(tone(0.2, -20, 24_000)) == pytest.approx(-26.0, abs=0.2)
    assert loudness(tone(0.4, -20, 24_000)) == pytest.approx(-23.0, abs=0.2)
    assert loudness(tone(0.001, -20, 24_000)) < -45


def test_silence_has_no_loudness():
    assert loudness(np.zeros(0)) is None
    assert loudness(np.zeros(24_000)) is None
    assert loudness(tone(2, -80, 24_000)) is None
    assert gain_to(-20, None, 0.5, 0.9) == 1.0


def test_a_gain_brings_it_there_or_as_far_as_the_peak_allows():
    assert gain_to(-20.0, -26.0, 0.1, 0.5) == pytest.approx(1.9953, abs=1e-3)
    assert gain_to(-20.0, -26.0, 0.4, 0.5) == pytest.approx(1.25)
    assert gain_to(-20.0, -14.0, 0.9, 0.5) == pytest.approx(0.5012, abs=1e-3)
