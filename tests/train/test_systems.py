"""A bundle as a system under evaluation, with the test voice: real models, real cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import systems
from systems import BundleSystem, said

from cosyedge.text.reader import Phonemes
from cosyedge.text.symbols import to_ids

CLAUSES = [Phonemes(to_ids("ni↓ xau↓,"), (), 0.2, ()), Phonemes(to_ids("həlˈO."), (), 0.0, ())]


@pytest.fixture
def system(test_bundle_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BundleSystem:
    monkeypatch.setattr(systems, "EVALUATION", tmp_path)
    return BundleSystem("int8", test_bundle_path)


def test_sound_and_durations_agree(system: BundleSystem) -> None:
    spoken = said(system, CLAUSES, "xiaoyan", "zh", run=True)
    assert spoken is not None
    first, second = spoken.durations
    assert first is not None
    assert second is not None
    assert (len(first), len(second)) == (len(CLAUSES[0].ids) + 2, len(CLAUSES[1].ids) + 2)
    assert spoken.starts == [0, first.sum() * 300 + 4800]
    assert len(spoken.audio) == (first.sum() + second.sum()) * 300 + 4800


def test_what_was_said_is_kept(system: BundleSystem) -> None:
    assert said(system, CLAUSES, "xiaoyan", "zh", run=False) is None
    spoken = said(system, CLAUSES, "xiaoyan", "zh", run=True)
    kept = said(system, CLAUSES, "xiaoyan", "zh", run=False)
    assert spoken is not None
    assert kept is not None
    assert np.array_equal(kept.audio, spoken.audio)
    assert kept.phonemes == ["ni↓ xau↓,", "həlˈO."]
    assert said(system, CLAUSES, "zhitian", "zh", run=False) is None
    assert said(system, CLAUSES[:1], "xiaoyan", "zh", run=False) is None


def test_other_noise_is_another_system(system: BundleSystem, test_bundle_path: Path) -> None:
    assert BundleSystem("int8", test_bundle_path, seed=1).key != system.key
    assert BundleSystem("int8", test_bundle_path).key == system.key


def test_the_vocoder_alone(system: BundleSystem) -> None:
    spoken = system.speak(CLAUSES[0], "xiaoyan", "zh")
    frames = system._synthesizer._models.acoustic.last  # type: ignore[union-attr,attr-defined]
    audio = system.vocode(frames, "xiaoyan")
    assert len(audio) == len(spoken.audio)
    assert np.isfinite(audio).all()
