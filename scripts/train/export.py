"""Checkpoints → the bundle that ships, and the same in float for comparison.

    python scripts/train/export.py models/cosyedge-multi

Refuses to write a bundle whose vocoder differs from the network it was made of, or whose chunks leave a
seam. Prints what INT8 costs: size, CPU time, mel distance.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import yaml
from checkpoint import load_model
from dataset import VOICES, Corpus, Utterance
from export_acoustic import export_acoustic, quantise
from export_vocoder import STATES, export_vocoder
from features import F_MAX, LOG_FLOOR, N_FFT, N_MELS, log_mel
from level_voices import level
from numpy.typing import NDArray
from prosody import SPEAKERS, donor, timbre
from quantisation import Feed, compare, session, vocoder_feed
from train_acoustic import AveragedModel
from wavernn import BLOCK, CONTEXT, EMPHASIS, HIDDEN, HISTORY, VocoderState, WaveRnnLite, pitch_lag
from workspace import CHECKPOINTS, HOP, LEXICONS, ROOT, SAMPLE_RATE, WORKSPACE

from cosyedge import __version__
from cosyedge.speech.mel import MEL
from cosyedge.text.languages import LANGUAGES
from cosyedge.text.symbols import INVENTORY_VERSION, SYMBOLS, inventory_hash

FLOAT_BUNDLE = WORKSPACE / "bundles" / "fp32"
#: noise as it was trained with in hiss, and a third of it in voice
TEMPERATURE = {"unvoiced": 1.0, "voiced": 0.35}
#: of the louder half of the frames of a voice; leaves room for peaks
LOUDNESS_DB = -17.0
#: a language's place in the list of a voice says how well that voice speaks it: ``auto`` takes the voice with
#: the earliest place, the first voice of those
DESCRIBED: tuple[dict[str, Any], ...] = (
    {
        "id": "xiaoyan",
        "description": "Mandarin, a woman, warm",
        "native": "zh",
        "languages": ["zh", "en", "yue", "ja", "ko"],
    },
    {
        "id": "zhitian",
        "description": "Mandarin, a man, steady",
        "native": "zh",
        "languages": ["zh", "yue", "en", "ko", "ja"],
    },
    {
        "id": "en_us",
        "description": "American English, a woman",
        "native": "en",
        "languages": ["en", "zh", "ja", "ko", "yue"],
    },
    {
        "id": "ja_jp",
        "description": "Japanese, a woman",
        "native": "ja",
        "languages": ["ja", "ko", "en", "zh", "yue"],
    },
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    corpus = Corpus()
    corpus.grow()
    both, vocoder = AveragedModel(), WaveRnnLite()
    load_model("acoustic", both)
    trained = next(
        n
        for n in ("wavernn_sharp", "wavernn_acoustic", "wavernn_free", "wavernn_likelihood")
        if (CHECKPOINTS / f"{n}.pt").exists()
    )
    load_model(trained, vocoder)
    for folder in (FLOAT_BUNDLE, options.bundle):
        folder.mkdir(parents=True, exist_ok=True)
    contract = {"mel": MEL.text, "symbols": inventory_hash()}

    export_acoustic(both.average, FLOAT_BUNDLE / "acoustic.int8.onnx")
    quantise(FLOAT_BUNDLE / "acoustic.int8.onnx", options.bundle / "acoustic.int8.onnx")
    for folder, eight_bit in ((FLOAT_BUNDLE, False), (options.bundle, True)):
        onnx.save(export_vocoder(vocoder, eight_bit), str(folder / "vocoder.onnx"))
        for name in ("acoustic.int8.onnx", "vocoder.onnx"):
            describe(folder / name, contract)
        for lang in LANGUAGES:
            shutil.copy(LEXICONS / f"{lang}.lexicon", folder)
        write_manifest(folder, corpus, trained)
    names = (folder / "vocoder.onnx" for folder in (FLOAT_BUNDLE, options.bundle))
    check_vocoder(vocoder, *names, corpus.held_out[:8])
    print(f"fp32 → INT8: {compare(FLOAT_BUNDLE, options.bundle, corpus.held_out[:40])}")
    for folder in (FLOAT_BUNDLE, options.bundle):
        level(folder)
    sizes = {path.name: path.stat().st_size / 1e6 for path in options.bundle.iterdir()}
    print(f"{options.bundle}: {sum(sizes.values()):.1f} MB, vocoder {sizes['vocoder.onnx']:.2f} MB")


def describe(path: Path, about: dict[str, str]) -> None:
    """Add ``about`` to the metadata of a model: the bundle is refused where the two models disagree."""
    model = onnx.load(str(path))
    already = {entry.key: entry.value for entry in model.metadata_props}
    onnx.helper.set_model_props(model, already | about)
    onnx.save(model, str(path))


def run_vocoder(path: Path, feed: Feed, chunk: int) -> NDArray[np.float32]:
    """F * 300 samples of what ``feed`` asks, ``chunk`` frames at a time."""
    running = session(path)
    state = {name: feed[name] for name in STATES}
    features, noise = feed["features"], feed["noise"]
    pieces = []
    for start in range(0, len(noise), chunk):
        part = noise[start : start + chunk]
        window = features[start : start + len(part) + 2 * CONTEXT]
        samples, *following = running.run(None, {"features": window, "noise": part, **state})
        pieces.append(samples)
        state = dict(zip(STATES, following, strict=True))
    return np.concatenate(pieces)


def check_vocoder(model: WaveRnnLite, fp32: Path, int8: Path, utterances: list[Utterance]) -> None:
    """The float graph is the network; both leave no seam; 8 bits keep as near to the mel asked for.

    Raises:
        ValueError: it is not, they do, or they don't.
    """
    distances: dict[Path, list[float]] = {fp32: [], int8: []}
    for i, utterance in enumerate(utterances):
        feed = vocoder_feed(utterance)
        features, noise = feed["features"], feed["noise"]
        for path in (fp32, int8):
            whole = run_vocoder(path, feed, len(noise))
            made = log_mel(torch.tensor(whole)[None])[0].numpy()
            distances[path].append(float(np.abs(made - features[CONTEXT:-CONTEXT, :N_MELS]).mean()))
            for chunk in (1, 2, 3, 7, 16, 33) if i == 0 else ():
                if not np.array_equal(whole, run_vocoder(path, feed, chunk)):
                    raise ValueError(f"{path}: chunks of {chunk} frames leave a seam")
            if i == 0 and path == fp32:
                # Rounding grows along a recurrence, so agreement is asked of the beginning only.
                distance = float(np.abs(whole - _reference(model, features, noise))[: 10 * HOP].max())
                if distance > 1e-4:
                    raise ValueError(f"{path} is {distance:.1e} away from the network it was made of")
    means = {path: float(np.mean(values)) for path, values in distances.items()}
    print(f"vocoder fp32 → INT8: log-mel distance to what is asked {means[fp32]:.4f} → {means[int8]:.4f}")
    if means[int8] > 1.05 * means[fp32]:
        raise ValueError(f"{int8}: 8 bits cost too much")


def _reference(
    model: WaveRnnLite, features: NDArray[np.float32], noise: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The same by the network itself, with de-emphasis sample by sample."""
    tensor = torch.tensor(features)[None]
    zeros = VocoderState(torch.zeros(1, HIDDEN), torch.zeros(1, BLOCK), torch.zeros(1, HISTORY))
    with torch.no_grad():
        lag = pitch_lag(tensor[:, CONTEXT:-CONTEXT, N_MELS:])
        emphasised, _ = model.free(model.controls(tensor), lag, zeros, torch.tensor(noise)[None])
    samples, last = np.empty(len(noise) * HOP, np.float32), 0.0
    for i, sample in enumerate(emphasised[0].tolist()):
        samples[i] = last = sample + EMPHASIS * last
    return samples


def write_manifest(folder: Path, corpus: Corpus, trained: str) -> None:
    files = {"acoustic": "acoustic.int8.onnx", "vocoder": "vocoder.onnx"}
    manifest = {
        "format": 1,
        "name": "cosyedge-multi",
        "version": __version__,
        "licence": "Apache-2.0",
        "provenance": (
            f"Trained by scripts/train_voice.sh at commit {_commit()} on {corpus.minutes:.0f} minutes of "
            f"speech of Kokoro-82M (Apache-2.0): voices {_teachers_voices()}. Vocoder: {trained}. The "
            "sources of the lexicons and their licences stand in NOTICE."
        ),
        "sample_rate": SAMPLE_RATE,
        "hop": HOP,
        "mel": {
            "n_fft": N_FFT,
            "win": N_FFT,
            "bands": N_MELS,
            "fmin": 0,
            "fmax": F_MAX,
            "log": "e",
            "floor": LOG_FLOOR,
        },
        "symbols": {"version": INVENTORY_VERSION, "count": len(SYMBOLS), "sha256": inventory_hash()},
        "temperature": TEMPERATURE,
        "languages": list(LANGUAGES),
        "voices": [
            {
                **voice,
                "index": VOICES.index(voice["id"]),
                "gain_db": _gain_db(corpus, VOICES.index(voice["id"])),
            }
            for voice in DESCRIBED
        ],
        "files": {
            **{role: _described(folder / name) for role, name in files.items()},
            "lexicons": [_described(folder / f"{lang}.lexicon") for lang in LANGUAGES],
        },
    }
    text = yaml.safe_dump(manifest, allow_unicode=True, sort_keys=False, width=110)
    (folder / "bundle.yaml").write_text(text, "utf-8")


def _teachers_voices() -> str:
    timbres = {name for lang in LANGUAGES for voice in SPEAKERS for name in timbre(voice, lang)}
    return ", ".join(sorted(timbres | {donor(voice, lang) for lang in LANGUAGES for voice in SPEAKERS}))


def _gain_db(corpus: Corpus, voice: int) -> float:
    """About what brings the speech of a voice to one level; measured on the bundle afterwards."""
    levels = []
    for one in corpus.training:
        if one.voice == voice:
            rms = np.sqrt((one.samples().reshape(-1, HOP) ** 2).mean(1))
            levels.append(np.sqrt((rms[rms > np.median(rms)] ** 2).mean()))
    return round(float(LOUDNESS_DB - 20 * np.log10(np.mean(levels))), 1)


def _described(path: Path) -> dict[str, str]:
    return {"path": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def _commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    main()
