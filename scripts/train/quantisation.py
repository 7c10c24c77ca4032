"""What INT8 costs and saves: size, CPU time, distance, and the products that a model asks of any machine.

Products are counted, not timed: how many multiply-accumulates a second of speech takes, those of 8-bit
integers apart. They are the same on ARM64, where the time of neither kind was measured.
"""

from __future__ import annotations

import json
import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from dataset import Utterance, mel_of
from export_vocoder import STATES
from features import N_MELS, SILENT_MEL
from numpy.typing import NDArray
from wavernn import BLOCK, CONTEXT, STEPS
from workspace import HOP, SAMPLE_RATE

Feed = dict[str, NDArray[Any]]

_INTEGER = frozenset({"MatMulInteger", "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "MatMulNBits"})
_FLOAT = frozenset({"MatMul", "FusedMatMul", "Gemm", "FusedGemm", "Conv", "FusedConv", "NhwcFusedConv"})


@dataclass(frozen=True)
class Products:
    """Millions of multiply-accumulates for a second of speech."""

    int8: float
    float32: float


def session(path: Path, profile: str | None = None) -> onnxruntime.InferenceSession:
    """On one thread; with ``profile`` each node leaves its shapes in a file whose name begins so."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if profile is not None:
        options.enable_profiling = True
        options.profile_file_prefix = profile
    return onnxruntime.InferenceSession(str(path), options)


def acoustic_feed(one: Utterance) -> Feed:
    """What the acoustic model is asked for an utterance."""
    return {
        "phonemes": one.ids[None].astype(np.int64),
        "languages": one.languages[None].astype(np.int64),
        "voice": np.array([one.voice]),
        "speed": np.ones(1, np.float32),
    }


def vocoder_feed(one: Utterance, most_frames: int = 240) -> Feed:
    """What the vocoder is asked for an utterance's own mel and pitch: F frames.

    features [F + 2 * CONTEXT, 82], noise [F, STEPS, BLOCK].
    """
    frames = min(one.frames, most_frames)
    features = np.zeros((frames + 2 * CONTEXT, N_MELS + 2), np.float32)
    features[:, :N_MELS] = SILENT_MEL
    features[CONTEXT:-CONTEXT, :N_MELS] = mel_of(one)[:frames]
    features[CONTEXT:-CONTEXT, N_MELS:] = one.pitch[:frames]
    noise = np.random.default_rng(0).standard_normal((frames, STEPS, BLOCK)).astype(np.float32)
    start = {name: np.zeros(shape, np.float32) for name, shape in STATES.items()}
    return {"features": features, "noise": noise * np.float32(0.7), **start}


def products(path: Path, feed: Feed) -> Products:
    """Counted while ``feed`` is run once; its first output is sound or a mel [1, T, 80]."""
    with tempfile.TemporaryDirectory() as folder:
        running = session(path, str(Path(folder) / "nodes"))
        made = running.run(None, feed)[0]
        nodes = json.loads(Path(running.end_profiling()).read_text("utf-8"))
    seconds = made.size / SAMPLE_RATE if made.ndim == 1 else made.shape[1] * HOP / SAMPLE_RATE
    count = {True: 0, False: 0}
    for node in nodes:
        about = node.get("args", {})
        kind = about.get("op_name", "")
        if (kind in _INTEGER or kind in _FLOAT) and "output_type_shape" in about:
            count[kind in _INTEGER] += _of_node(kind, about)
    return Products(round(count[True] / seconds / 1e6, 1), round(count[False] / seconds / 1e6, 1))


def _of_node(kind: str, about: dict[str, Any]) -> int:
    inputs = [next(iter(shape.values())) for shape in about["input_type_shape"]]
    (output,) = (next(iter(shape.values())) for shape in about["output_type_shape"][:1])
    # A convolution's weight is [out, in / groups, kernel], a product's first operand ends in what is summed.
    summed = math.prod(inputs[1][1:]) if "Conv" in kind else inputs[0][-1]
    return math.prod(output) * int(summed)


def compare(fp32: Path, int8: Path, utterances: list[Utterance]) -> dict[str, Any]:
    """The acoustic models of two bundles on text the training never saw, and the products of all four models.

    CPU seconds a second of speech on this machine; distance in nats over utterances whose lengths agree.
    """
    feeds = [acoustic_feed(one) for one in utterances]
    mels, durations, figures = [], [], {}
    for name, folder in (("fp32", fp32), ("int8", int8)):
        path = folder / "acoustic.int8.onnx"
        running = session(path)
        running.run(None, feeds[0])
        started = time.process_time()
        results = [running.run(None, feed) for feed in feeds]
        cpu_s = time.process_time() - started
        mels.append([result[0][0] for result in results])
        durations.append(np.concatenate([result[2][0] for result in results]))
        vocoder = folder / "vocoder.onnx"
        figures[name] = {
            "acoustic_mb": round(path.stat().st_size / 1e6, 2),
            "vocoder_mb": round(vocoder.stat().st_size / 1e6, 2),
            "acoustic_rtf_cpu": round(cpu_s / (sum(map(len, mels[-1])) * HOP / SAMPLE_RATE), 4),
            "acoustic_products": vars(products(path, feeds[0])),
            "vocoder_products": vars(products(vocoder, vocoder_feed(utterances[0]))),
        }
    same = [np.abs(a - b).mean() for a, b in zip(*mels, strict=True) if len(a) == len(b)]
    return {
        **figures,
        "durations_equal_percent": round(100 * float(np.mean(durations[0] == durations[1])), 1),
        "mel_distance_nats": round(float(np.mean(same)), 4),
        "utterances": [len(same), len(utterances)],
    }
