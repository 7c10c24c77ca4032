"""A fricative is noise: nothing in it comes back with the next frame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cosyedge.speech.acoustic import AcousticModel
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.temperature import Temperature
from cosyedge.speech.voice import load_bundle
from cosyedge.text.symbols import to_ids
from tests.speech.conftest import say

SHIPPED = Path(__file__).parents[2] / "models" / "cosyedge-multi"
FRICATIVES = "ʂɕsʃf"
PHONEMES = "ʂɨ↘ʂɨ↘ɕi→ɕi→ sˈʌn ʃˈIn fˈɪʃ ɕi→ʂan→ ʨʰi↘."
HOP = 300
#: the sound of a symbol comes so many frames before its durations say
EARLY = 3
#: as far below the loudest frame a fricative is heard, dB
AUDIBLE = -30.0


def test_hiss_and_voice_have_temperatures_of_their_own() -> None:
    """Where there is no noise in the one, the seed still matters in the other."""
    bundle = load_bundle(SHIPPED)
    frames = AcousticModel(bundle.acoustic).frames(to_ids(PHONEMES), 0)
    of_hiss = Temperature(len(frames.mel), 1.0, 0.0).of(frames.mel)
    assert (of_hiss == 0).mean() > 0.3
    assert (of_hiss == 1).mean() > 0.1
    for noisy in ({"temperature_unvoiced": 0.0}, {"temperature_voiced": 0.0}):
        one, other = (say(Synthesizer(replace(bundle, **noisy), seed=seed), PHONEMES) for seed in (0, 1))
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("voice", range(4))
def test_a_hiss_is_no_buzz_at_the_rate_of_the_frames(voice: int) -> None:
    """One frame against the next: 0.5 was a buzz of 80 Hz, 0.04 is what a speaker has."""
    bundle = load_bundle(SHIPPED)
    spoken = bundle.voices[voice]
    durations = AcousticModel(bundle.acoustic).frames(to_ids(PHONEMES), spoken.index).durations
    samples = say(Synthesizer(bundle), PHONEMES, spoken)
    emphasised = np.append(samples[:1], samples[1:] - 0.85 * samples[:-1])
    frames = emphasised.reshape(-1, HOP)
    symbols = np.repeat(list(f"^{PHONEMES}$"), durations)[EARLY:]
    level_db = 10 * np.log10((frames**2).mean(1) + 1e-9)[: len(symbols)]
    hisses = np.isin(symbols, list(FRICATIVES)) & (level_db > level_db.max() + AUDIBLE)
    one = frames[: len(symbols)][:-1][hisses[:-1] & hisses[1:]]
    following = frames[1 : len(symbols)][hisses[:-1] & hisses[1:]]
    assert len(one) >= 15
    alike = (one * following).sum(1) / np.sqrt((one**2).sum(1) * (following**2).sum(1))
    assert alike.mean() < 0.35
