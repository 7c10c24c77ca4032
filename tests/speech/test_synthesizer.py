"""Clauses to samples."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cosyedge.errors import SpeechError
from cosyedge.speech.acoustic import AcousticModel
from cosyedge.speech.synthesizer import FIRST_CHUNK, LARGEST_CHUNK, WARM_UP_S, Synthesizer
from cosyedge.speech.voice import Bundle, Voice, load_bundle
from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.symbols import to_ids
from tests.speech.conftest import clause, edit_manifest, edit_model, say, spoil_output

SENTENCE = "həlˈO wˈɜɹld, ni↓xau↓ tʰjɛn→ʨʰi↘."


def test_there_are_300_samples_a_frame(any_bundle: Bundle) -> None:
    acoustic, synthesizer = AcousticModel(any_bundle.acoustic), Synthesizer(any_bundle)
    for voice in any_bundle.voices[:3]:
        for text in (SENTENCE, "a", "xau↓.", "ɔn"):
            frames = acoustic.frames(to_ids(text), voice.index)
            assert len(say(synthesizer, text, voice)) == 300 * frames.durations.sum()


@pytest.mark.parametrize(("first", "largest"), [(1, 1), (2, 2), (3, 3), (5, 5), (7, 7), (16, 16), (4, 16)])
def test_the_chunks_do_not_change_the_samples(any_bundle: Bundle, first: int, largest: int) -> None:
    whole = say(Synthesizer(any_bundle, first_chunk=2000, largest_chunk=2000), SENTENCE)
    assert whole.std() > 1e-3
    chunked = say(Synthesizer(any_bundle, first_chunk=first, largest_chunk=largest), SENTENCE)
    assert np.array_equal(chunked, whole)


def test_the_first_chunk_is_short_and_the_others_grow(synthesizer: Synthesizer) -> None:
    sizes = [len(c) // 300 for c in synthesizer.stream(clause(SENTENCE), synthesizer.bundle.voices[0])]
    assert sizes[:4] == [FIRST_CHUNK, 2 * FIRST_CHUNK, LARGEST_CHUNK, LARGEST_CHUNK]
    assert sum(sizes) > 50
    assert 0 < sizes[-1] <= LARGEST_CHUNK


def test_the_same_clause_is_the_same_whatever_came_before(any_bundle: Bundle) -> None:
    fresh = say(Synthesizer(any_bundle), SENTENCE)
    used = Synthesizer(any_bundle)
    say(used, "wˈʌn tˈu θɹˈi.", any_bundle.voices[1], 1.3)
    abandoned = used.stream(clause(SENTENCE * 2), any_bundle.voices[0])
    next(abandoned)
    abandoned.close()
    assert np.array_equal(say(used, SENTENCE), fresh)
    assert np.array_equal(say(used, SENTENCE), fresh)


def test_another_seed_is_other_noise_and_as_loud(test_bundle: Bundle) -> None:
    one, other = (say(Synthesizer(test_bundle, seed=seed), SENTENCE) for seed in (0, 1))
    assert not np.array_equal(one, other)
    assert other.std() == pytest.approx(one.std(), rel=0.1)


def test_without_temperature_the_seed_does_not_matter(test_bundle: Bundle) -> None:
    cold = replace(test_bundle, temperature_unvoiced=0.0, temperature_voiced=0.0)
    one, other = (say(Synthesizer(cold, seed=seed), SENTENCE) for seed in (0, 1))
    assert np.array_equal(one, other)


def test_speed_changes_the_length(synthesizer: Synthesizer) -> None:
    voice = synthesizer.bundle.voices[0]
    natural, fast, slow = (len(say(synthesizer, SENTENCE, voice, speed)) for speed in (1.0, 2.0, 0.5))
    assert fast / natural == pytest.approx(0.5, abs=0.06)
    assert slow / natural == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("text", ["a", ".", "ˈ", "ɔn", "xau↓"])
@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_very_short_clauses(any_bundle: Bundle, text: str, speed: float) -> None:
    samples = say(Synthesizer(any_bundle), text, speed=speed)
    assert len(samples) >= 300
    assert np.isfinite(samples).all()


def test_loud_speech_is_bent_and_never_above_one(synthesizer: Synthesizer) -> None:
    quiet = synthesizer.bundle.voices[0]
    plain = say(synthesizer, SENTENCE, replace(quiet, gain_db=0.0))
    louder = say(synthesizer, SENTENCE, replace(quiet, gain_db=3.0))
    factor = 10 ** (3 / 20)
    low = np.abs(plain) * factor < 0.89
    assert np.allclose(louder[low], plain[low] * factor, atol=1e-6)
    loudest = say(synthesizer, SENTENCE, replace(quiet, gain_db=40.0))
    assert 0.9 < np.abs(loudest).max() <= 1.0
    assert len(loudest) == len(plain)


def test_sound_is_louder_than_the_pause_in_it(any_bundle: Bundle) -> None:
    frames = AcousticModel(any_bundle.acoustic).frames(to_ids(SENTENCE), any_bundle.voices[0].index)
    energy = frames.mel.mean(axis=1)
    samples = say(Synthesizer(any_bundle), SENTENCE).reshape(-1, 300)
    level = np.sqrt((samples**2).mean(axis=1))
    loud, faint = energy > np.quantile(energy, 0.7), energy < np.quantile(energy, 0.1)
    assert level[loud].mean() > 3 * level[faint].mean()


def test_what_the_reader_gives_is_spoken(any_bundle: Bundle) -> None:
    reader, synthesizer = Reader(any_bundle.path, any_bundle.languages), Synthesizer(any_bundle)
    text = "Hello，今天天气不错！The front door is open."
    voice = any_bundle.choose_voice("auto", reader.dominant_language(text))
    lengths = [sum(map(len, synthesizer.stream(said, voice))) for said in reader.read(text)]
    assert len(lengths) >= 2
    assert all(length > 2400 for length in lengths)


class Counted(Synthesizer):
    """Counts the samples that a warm-up speaks."""

    samples = 0

    def stream(
        self, clause: Phonemes, voice: Voice, speed: float = 1.0
    ) -> Generator[NDArray[np.float32], None, None]:
        for chunk in super().stream(clause, voice, speed):
            self.samples += len(chunk)
            yield chunk


def test_the_warm_up_is_as_long_as_the_longest_clause(test_bundle: Bundle) -> None:
    synthesizer = Counted(test_bundle)
    synthesizer.warm_up()
    assert synthesizer.is_loaded
    assert synthesizer.samples / 24000 == pytest.approx(WARM_UP_S, abs=2)


def test_it_loads_when_it_is_first_needed_and_again_after_it_was_closed(test_bundle: Bundle) -> None:
    synthesizer = Synthesizer(test_bundle)
    assert not synthesizer.is_loaded
    first = say(synthesizer, SENTENCE)
    assert synthesizer.is_loaded
    synthesizer.close()
    assert not synthesizer.is_loaded
    synthesizer.close()
    assert np.array_equal(say(synthesizer, SENTENCE), first)


def test_samples_that_are_no_numbers_fail_that_clause(folder: Path) -> None:
    edit_model(folder, "vocoder.onnx", lambda model: spoil_output(model, "samples"))
    with pytest.raises(SpeechError, match="no numbers") as caught:
        say(Synthesizer(load_bundle(folder)), SENTENCE)
    assert caught.value.code == "synthesis_failed"


def test_a_clause_that_fails_does_not_harm_the_next(synthesizer: Synthesizer) -> None:
    good = say(synthesizer, SENTENCE)
    voice = synthesizer.bundle.voices[0]
    for bad, speed in (
        (replace(voice, index=99), 1.0),
        (voice, 9.0),
        (replace(voice, gain_db=math.inf), 1.0),  # fails at the first chunk
    ):
        with pytest.raises(SpeechError):
            say(synthesizer, SENTENCE, bad, speed)
        assert np.array_equal(say(synthesizer, SENTENCE), good)


def test_a_model_that_is_gone_is_named_when_it_has_to_be_loaded(folder: Path) -> None:
    synthesizer = Synthesizer(load_bundle(folder))
    (folder / "vocoder.onnx").unlink()
    with pytest.raises(SpeechError, match=r"vocoder\.onnx") as caught:
        synthesizer.load()
    assert caught.value.code == "model_unreadable"
    assert not synthesizer.is_loaded


def test_the_gain_of_a_voice_is_heard(folder: Path) -> None:
    before = say(Synthesizer(load_bundle(folder)), SENTENCE)
    edit_manifest(folder, lambda values: values["voices"][0].update(gain_db=-6.0))
    after = say(Synthesizer(load_bundle(folder)), SENTENCE)
    assert np.allclose(after, before * 10 ** (-6 / 20), atol=1e-6)


@pytest.mark.parametrize(("first", "largest"), [(0, 16), (8, 4), (-1, 1)])
def test_chunks_have_a_sensible_size(test_bundle: Bundle, first: int, largest: int) -> None:
    with pytest.raises(ValueError, match="chunk"):
        Synthesizer(test_bundle, first_chunk=first, largest_chunk=largest)
