"""Phonemes to frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cosyedge.errors import SpeechError
from cosyedge.speech.acoustic import MOST_SYMBOLS, AcousticModel
from cosyedge.speech.voice import Bundle
from cosyedge.text.symbols import BOUNDARY, SYMBOLS, to_ids
from tests.speech.conftest import edit_model, spoil_output

SENTENCE = to_ids("həlˈO wˈɜɹld, ni↓xau↓ tʰjɛn→ʨʰi↘.")


@pytest.fixture(scope="module")
def model(any_bundle: Bundle) -> AcousticModel:
    return AcousticModel(any_bundle.acoustic)


def test_frames_keep_the_contract(model: AcousticModel) -> None:
    frames = model.frames(SENTENCE, 0)
    count = len(frames.mel)
    assert frames.mel.shape == (count, 80)
    assert frames.pitch.shape == (count, 2)
    assert frames.mel.dtype == frames.pitch.dtype == np.float32
    assert frames.durations.shape == (len(SENTENCE) + 2,)
    assert frames.durations.dtype == np.int64
    assert frames.durations.sum() == count
    assert set(np.unique(frames.pitch[:, 0])) == {0.0, 1.0}
    # The log of a spectrum of samples within -1..1, and pitches that people have.
    assert -14 < frames.mel.min() < frames.mel.max() < 6
    f0_hz = 200 * np.exp(frames.pitch[frames.pitch[:, 0] > 0.5, 1] / 3)
    assert 40 < np.median(f0_hz) < 600


@pytest.mark.parametrize("speed", [0.5, 0.8, 1.25, 2.0])
def test_speed_changes_the_durations(model: AcousticModel, speed: float) -> None:
    natural, changed = (model.frames(SENTENCE, 0, s).durations.sum() for s in (1.0, speed))
    assert changed * speed == pytest.approx(natural, rel=0.12)


def test_the_voice_changes_the_frames(model: AcousticModel) -> None:
    one, other = (model.frames(SENTENCE, voice) for voice in (0, 1))
    assert one.mel.shape != other.mel.shape or np.abs(one.mel - other.mel).max() > 0.01


def test_the_language_changes_the_frames(test_bundle: Bundle) -> None:
    model = AcousticModel(test_bundle.acoustic)
    first, third = (model.frames(SENTENCE, 0, 1.0, (language,) * len(SENTENCE)) for language in (0, 2))
    assert np.abs(first.mel - third.mel).max() > 0.01
    assert np.array_equal(first.mel, model.frames(SENTENCE, 0).mel)


def test_each_symbol_has_its_language(test_bundle: Bundle) -> None:
    with pytest.raises(SpeechError, match="have 2 languages") as raised:
        AcousticModel(test_bundle.acoustic).frames(SENTENCE, 0, 1.0, (0, 1))
    assert raised.value.code == "synthesis_failed"


def test_the_same_clause_gives_the_same_frames(model: AcousticModel) -> None:
    first = model.frames(SENTENCE, 1)
    model.frames(SENTENCE[:3], 0)
    again = model.frames(SENTENCE, 1)
    assert np.array_equal(first.mel, again.mel)
    assert np.array_equal(first.pitch, again.pitch)


@pytest.mark.parametrize("text", ["a", ".", "ˈ", "xau↓", "ɔn", " "])
def test_very_short_clauses(model: AcousticModel, text: str) -> None:
    frames = model.frames(to_ids(text), 0)
    assert 0 < len(frames.mel) < 400
    assert np.isfinite(frames.mel).all()


def test_a_long_clause(model: AcousticModel) -> None:
    frames = model.frames(SENTENCE * 6, 0)
    assert len(frames.mel) > 3 * len(model.frames(SENTENCE, 0).mel)


@pytest.mark.parametrize(
    "ids", [(), (BOUNDARY,), (5, BOUNDARY, 5), (len(SYMBOLS),), (5, -1), (2**40,), (5,) * (MOST_SYMBOLS + 1)]
)
def test_ids_that_are_no_symbols_are_refused(model: AcousticModel, ids: tuple[int, ...]) -> None:
    with pytest.raises(SpeechError) as caught:
        model.frames(ids, 0)
    assert caught.value.code == "synthesis_failed"


@pytest.mark.parametrize("speed", [0.0, -1.0, 0.49, 2.01, float("nan"), float("inf")])
def test_a_speed_out_of_range_is_refused(model: AcousticModel, speed: float) -> None:
    with pytest.raises(SpeechError, match=r"Speed is 0\.5 to 2\.0") as caught:
        model.frames(SENTENCE, 0, speed)
    assert caught.value.code == "synthesis_failed"


def test_a_voice_that_the_model_does_not_have_is_an_error_and_not_the_end(model: AcousticModel) -> None:
    with pytest.raises(SpeechError, match="acoustic model failed") as caught:
        model.frames(SENTENCE, 1_000_000)
    assert caught.value.code == "synthesis_failed"
    assert len(model.frames(SENTENCE, 0).mel)


@pytest.mark.parametrize("output", ["mel", "pitch"])
def test_frames_that_are_no_numbers_are_refused(folder: Path, output: str) -> None:
    edit_model(folder, "acoustic.int8.onnx", lambda model: spoil_output(model, output))
    with pytest.raises(SpeechError, match="no numbers") as caught:
        AcousticModel(folder / "acoustic.int8.onnx").frames(SENTENCE, 0)
    assert caught.value.code == "synthesis_failed"


def test_a_model_with_other_outputs_is_named(test_bundle: Bundle) -> None:
    with pytest.raises(SpeechError, match=r"vocoder\.onnx is no acoustic model") as caught:
        AcousticModel(test_bundle.vocoder)
    assert caught.value.code == "model_unreadable"
