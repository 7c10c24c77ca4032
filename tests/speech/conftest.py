"""Bundles to change, bundles to speak with, and clauses."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import yaml
from numpy.typing import NDArray

from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle, Voice, load_bundle
from cosyedge.text.reader import Phonemes
from cosyedge.text.symbols import to_ids

SHIPPED = Path(__file__).parents[2] / "models" / "cosyedge-multi"
TINY = Path(__file__).parents[1] / "data" / "voice" / "tiny"
BUNDLES = [TINY, *([SHIPPED] if (SHIPPED / "bundle.yaml").exists() else [])]


@pytest.fixture(scope="session", params=BUNDLES, ids=lambda path: path.name)
def any_bundle(request: pytest.FixtureRequest) -> Bundle:
    """The test voice, and the one that is shipped."""
    return load_bundle(request.param)


@pytest.fixture
def folder(tmp_path: Path, test_bundle_path: Path) -> Path:
    """A copy of the test voice, to change."""
    return Path(shutil.copytree(test_bundle_path, tmp_path / "bundle"))


@pytest.fixture
def synthesizer(test_bundle: Bundle) -> Iterator[Synthesizer]:
    made = Synthesizer(test_bundle)
    yield made
    made.close()


def clause(phonemes: str) -> Phonemes:
    return Phonemes(to_ids(phonemes), (), 0.0, ())


def say(
    synthesizer: Synthesizer, phonemes: str, voice: Voice | None = None, speed: float = 1.0
) -> NDArray[np.float32]:
    """All samples of a clause, copied out of the chunks."""
    chosen = voice or synthesizer.bundle.voices[0]
    return np.concatenate([chunk.copy() for chunk in synthesizer.stream(clause(phonemes), chosen, speed)])


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    manifest = folder / "bundle.yaml"
    values = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    change(values)
    manifest.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


def publish(folder: Path) -> None:
    """Write the hashes of the files as they are now into the manifest, as if they were meant so."""

    def rehash(values: dict[str, Any]) -> None:
        files = values["files"]
        for entry in (files["acoustic"], files["vocoder"], *files["lexicons"]):
            entry["sha256"] = hashlib.sha256((folder / entry["path"]).read_bytes()).hexdigest()

    edit_manifest(folder, rehash)


def edit_model(folder: Path, name: str, change: Callable[[onnx.ModelProto], object]) -> None:
    """Change a model and publish it."""
    model = onnx.load(folder / name)
    change(model)
    onnx.save(model, folder / name)
    publish(folder)


def spoil_output(model: onnx.ModelProto, output: str) -> None:
    """Make every number of ``output`` a NaN."""
    for node in model.graph.node:
        for i, name in enumerate(node.output):
            if name == output:
                node.output[i] = "sound"
    nan = onnx.helper.make_node("Constant", [], ["nan"], value_float=float("nan"))
    model.graph.node.extend([nan, onnx.helper.make_node("Mul", ["sound", "nan"], [output])])
