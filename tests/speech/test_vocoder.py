"""Frames to samples: chunks of any size join without a seam."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from cosyedge.errors import SpeechError
from cosyedge.speech.mel import BANDS, FEATURES, HOP, SILENT_MEL
from cosyedge.speech.noise import Noise
from cosyedge.speech.vocoder import Vocoder
from cosyedge.speech.voice import Bundle
from tests.speech.conftest import edit_model

FRAMES = 61


@pytest.fixture(scope="module")
def vocoder(any_bundle: Bundle) -> Vocoder:
    return Vocoder(any_bundle.vocoder, FRAMES)


def features_of(vocoder: Vocoder) -> NDArray[np.float32]:
    """Voiced and unvoiced frames of changing spectrum and pitch, with silence around."""
    random = np.random.default_rng(1)
    features = np.zeros((FRAMES + 2 * vocoder.context, FEATURES), np.float32)
    features[:, :BANDS] = SILENT_MEL
    inside = features[vocoder.context : vocoder.context + FRAMES]
    inside[:, :BANDS] = -2 + random.standard_normal((FRAMES, BANDS))
    inside[:, BANDS] = np.arange(FRAMES) % 20 < 13
    inside[:, BANDS + 1] = inside[:, BANDS] * np.linspace(-2, 1, FRAMES)
    return features


def noise_of(vocoder: Vocoder) -> NDArray[np.float32]:
    noise = np.empty((FRAMES, vocoder.steps, vocoder.block), np.float32)
    Noise(FRAMES, HOP).fill(noise, 5, 0)
    noise *= 0.6
    return noise


def in_chunks(vocoder: Vocoder, size: int) -> NDArray[np.float32]:
    features, noise, state = features_of(vocoder), noise_of(vocoder), vocoder.new_state()
    chunks = []
    for start in range(0, FRAMES, size):
        stop = min(start + size, FRAMES)
        chunk = features[start : stop + 2 * vocoder.context]
        chunks.append(vocoder.step(chunk, noise[start:stop], state).copy())
        assert len(chunks[-1]) == (stop - start) * HOP
    return np.concatenate(chunks)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 16])
def test_any_chunking_gives_the_same_samples_bit_for_bit(vocoder: Vocoder, size: int) -> None:
    whole = in_chunks(vocoder, FRAMES)
    assert whole.std() > 1e-4
    assert np.isfinite(whole).all()
    assert np.array_equal(in_chunks(vocoder, size), whole)


def test_the_state_is_what_joins_the_chunks(vocoder: Vocoder) -> None:
    features, noise = features_of(vocoder), noise_of(vocoder)
    window = 16 + 2 * vocoder.context
    state = vocoder.new_state()
    vocoder.step(features[:window], noise[:16], state)
    second = features[16 : 16 + window], noise[16:32]
    joined = vocoder.step(*second, state).copy()
    fresh = vocoder.step(*second, vocoder.new_state()).copy()
    assert not np.array_equal(joined, fresh)
    assert any(array.any() for array in state.now.values())
    state.clear()
    assert np.array_equal(vocoder.step(*second, state), fresh)


def test_two_utterances_may_be_under_way_with_a_state_each(vocoder: Vocoder) -> None:
    features, noise = features_of(vocoder), noise_of(vocoder)
    whole = in_chunks(vocoder, 8)
    states = vocoder.new_state(), vocoder.new_state()
    for start in range(0, 32, 8):
        for state in states:
            got = vocoder.step(
                features[start : start + 8 + 2 * vocoder.context], noise[start : start + 8], state
            )
            assert np.array_equal(got, whole[start * HOP : (start + 8) * HOP])


def test_mel_noise_and_pitch_all_matter(vocoder: Vocoder) -> None:
    features, noise = features_of(vocoder), noise_of(vocoder)
    base = vocoder.step(features, noise, vocoder.new_state()).copy()
    for column in (slice(0, BANDS), slice(BANDS + 1, None)):
        changed = features.copy()
        changed[:, column] += 0.7
        assert not np.array_equal(vocoder.step(changed, noise, vocoder.new_state()), base)
    assert not np.array_equal(vocoder.step(features, noise * 0.5, vocoder.new_state()), base)


def test_the_samples_are_written_into_one_buffer(vocoder: Vocoder) -> None:
    features, noise, state = features_of(vocoder), noise_of(vocoder), vocoder.new_state()
    first = vocoder.step(features[: 4 + 2 * vocoder.context], noise[:4], state)
    second = vocoder.step(features[4 : 12 + 2 * vocoder.context], noise[4:12], state)
    assert np.shares_memory(first, second)


def take_metadata(key: str) -> Callable[[onnx.ModelProto], None]:
    def change(model: onnx.ModelProto) -> None:
        kept = {entry.key: entry.value for entry in model.metadata_props if entry.key != key}
        del model.metadata_props[:]
        onnx.helper.set_model_props(model, kept)

    return change


def say_steps(model: onnx.ModelProto) -> None:
    for entry in model.metadata_props:
        if entry.key == "steps":
            entry.value = "7"


def rename_state(model: onnx.ModelProto) -> None:
    model.graph.node.append(onnx.helper.make_node("Identity", ["hidden_next"], ["hidden_after"]))
    for output in model.graph.output:
        if output.name == "hidden_next":
            output.name = "hidden_after"


def loosen_state(model: onnx.ModelProto) -> None:
    for given in model.graph.input:
        if given.name == "hidden":
            given.type.tensor_type.shape.dim[1].dim_param = "any"


@pytest.mark.parametrize(
    "change",
    [*map(take_metadata, ("context", "steps", "block")), say_steps, rename_state, loosen_state],
    ids=["no context", "no steps", "no block", "wrong steps", "no state back", "no size of a state"],
)
def test_a_vocoder_of_another_contract_is_named(
    folder: Path, change: Callable[[onnx.ModelProto], None]
) -> None:
    edit_model(folder, "vocoder.onnx", change)
    with pytest.raises(SpeechError, match=r"vocoder\.onnx is no vocoder of ours") as caught:
        Vocoder(folder / "vocoder.onnx", 16)
    assert caught.value.code == "model_unreadable"


def test_an_acoustic_model_is_no_vocoder(test_bundle: Bundle) -> None:
    with pytest.raises(SpeechError, match=r"acoustic\.int8\.onnx is no vocoder") as caught:
        Vocoder(test_bundle.acoustic, 16)
    assert caught.value.code == "model_unreadable"
