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
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
import yaml
from checkpoint import load_model
from dataset import VOICES, Corpus, Utterance, mel_of
from export_acoustic import export_acoustic, quantise
from export_vocoder import STATES, export_vocoder
from features import F_MAX, LOG_FLOOR, N_FFT, N_MELS, SILENT_MEL, log_mel
from level_voices import level
from numpy.typing import NDArray
from prosody import DONORS, MALE_DONORS, SPEAKERS
from train_acoustic import AveragedModel
from wavernn import BLOCK, CONTEXT, EMPHASIS, HIDDEN, HISTORY, STEPS, VocoderState, WaveRnnLite, pitch_lag
from workspace import CHECKPOINTS, HOP, LEXICONS, ROOT, SAMPLE_RATE, WORKSPACE

from cosyedge import __version__
from cosyedge.speech.mel import MEL
from cosyedge.text.languages import LANGUAGES
from cosyedge.text.symbols import INVENTORY_VERSION, SYMBOLS, inventory_hash

FLOAT_BUNDLE = WORKSPACE / "bundles" / "fp32"
#: noise is turned down when sampling; less in voiced frames
TEMPERATURE = {"unvoiced": 0.6, "voiced": 0.5}
#: of the louder half of the frames of a voice; leaves room for peaks
LOUDNESS_DB = -17.0
#: a language's place in the list of a voice says how well that voice speaks it: ``auto`` takes the voice with
#: the earliest place, the first voice of those
DESCRIBED: tuple[dict[str, Any], ...] = (
    {
        "id": "xiaoyan",
        "description": "Mandarin, a woman, warm",
        "native": "zh",
        "languages": ["zh", "yue", "en", "ja", "ko"],
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
        for n in ("wavernn_acoustic", "wavernn_free", "wavernn_likelihood")
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
    compare_acoustic(FLOAT_BUNDLE, options.bundle, corpus.held_out[:40])
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


def run_vocoder(
    path: Path, features: NDArray[np.float32], noise: NDArray[np.float32], chunk: int
) -> NDArray[np.float32]:
    """features [F + 2 * CONTEXT, 82], noise [F, STEPS, N], ``chunk`` frames at a time → F * 300 samples."""
    session = _session(path)
    state = {name: np.zeros(shape, np.float32) for name, shape in STATES.items()}
    pieces = []
    for start in range(0, len(noise), chunk):
        part = noise[start : start + chunk]
        window = features[start : start + len(part) + 2 * CONTEXT]
        samples, *following = session.run(None, {"features": window, "noise": part, **state})
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
        features, noise = _asked_of_vocoder(utterance)
        for path in (fp32, int8):
            whole = run_vocoder(path, features, noise, len(noise))
            made = log_mel(torch.tensor(whole)[None])[0].numpy()
            distances[path].append(float(np.abs(made - features[CONTEXT:-CONTEXT, :N_MELS]).mean()))
            for chunk in (1, 2, 3, 7, 16, 33) if i == 0 else ():
                if not np.array_equal(whole, run_vocoder(path, features, noise, chunk)):
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


def _asked_of_vocoder(utterance: Utterance) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """features [F + 2 * CONTEXT, 82] and noise [F, STEPS, N] of one utterance."""
    frames = min(utterance.frames, 240)
    features = np.zeros((frames + 2 * CONTEXT, N_MELS + 2), np.float32)
    features[:, :N_MELS] = SILENT_MEL
    features[CONTEXT:-CONTEXT, :N_MELS] = mel_of(utterance)[:frames]
    features[CONTEXT:-CONTEXT, N_MELS:] = utterance.pitch[:frames]
    noise = np.random.default_rng(0).standard_normal((frames, STEPS, BLOCK)).astype(np.float32)
    return features, noise * np.float32(0.7)


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


def compare_acoustic(fp32: Path, int8: Path, utterances: list[Utterance]) -> None:
    """INT8 against float on text the training never saw: size, CPU time, mel distance in nats."""
    cpu, mels, durations = {}, {}, {}
    for name, folder in (("fp32", fp32), ("int8", int8)):
        session = _session(folder / "acoustic.int8.onnx")
        feeds = [
            {
                "phonemes": one.ids[None].astype(np.int64),
                "languages": one.languages[None].astype(np.int64),
                "voice": np.array([one.voice]),
                "speed": np.ones(1, np.float32),
            }
            for one in utterances
        ]
        session.run(None, feeds[0])
        started = time.process_time()
        results = [session.run(None, feed) for feed in feeds]
        seconds = sum(result[0].shape[1] for result in results) * HOP / SAMPLE_RATE
        cpu[name] = (time.process_time() - started) / seconds
        mels[name] = [result[0][0] for result in results]
        durations[name] = np.concatenate([result[2][0] for result in results])
    same = [np.abs(a - b).mean() for a, b in zip(mels["fp32"], mels["int8"], strict=True) if len(a) == len(b)]
    sizes = [(folder / "acoustic.int8.onnx").stat().st_size / 1e6 for folder in (fp32, int8)]
    print(
        f"acoustic fp32 → INT8: {sizes[0]:.1f} → {sizes[1]:.1f} MB, "
        f"{cpu['fp32']:.4f} → {cpu['int8']:.4f} s CPU a second, "
        f"durations equal {100 * np.mean(durations['fp32'] == durations['int8']):.1f} %, mel distance "
        f"{np.mean(same):.3f} nats over {len(same)} of {len(utterances)} utterances of equal length"
    )


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
    timbres = {speaker.timbre for speaker in SPEAKERS.values()}
    return ", ".join(sorted(timbres | set(DONORS.values()) | set(MALE_DONORS.values())))


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


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options)


if __name__ == "__main__":
    main()
