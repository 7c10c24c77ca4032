"""The corpus in memory, growing while ``corpus.py`` still writes it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import texts
import torch
from features import log_mel, pitch_features
from numpy.typing import NDArray
from prosody import SPEAKERS
from workspace import CORPUS, HOP

#: silence kept before the first symbol and after the last sound, and what counts as silence
LEAD_FRAMES, TAIL_FRAMES, SILENCE_DB = 10, 8, -48.0
#: in the order of the rows of the embedding; the first ones are the voices of the bundle
VOICES = tuple(SPEAKERS)


@dataclass(frozen=True, eq=False)
class Utterance:
    """One utterance. L symbols with both boundaries, T frames, T * 300 samples."""

    name: str
    lang: str
    voice: int
    text: str
    ids: NDArray[np.int16]  # [L]
    languages: NDArray[np.int8]  # [L] index in cosyedge.text.languages.LANGUAGES
    durations: NDArray[np.int16]  # [L]
    audio: NDArray[np.int16]  # [T * 300]
    pitch: NDArray[np.float32]  # [T, 2]
    energy: NDArray[np.float32]  # [T]

    @property
    def frames(self) -> int:
        return len(self.energy)

    def samples(self) -> NDArray[np.float32]:
        return self.audio.astype(np.float32) / 32768


@dataclass
class Corpus:
    """``training`` and ``held_out`` utterances; :meth:`grow` reads what is new."""

    folder: Path = CORPUS
    training: list[Utterance] = field(default_factory=list)
    held_out: list[Utterance] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def grow(self) -> None:
        for path in sorted(self.folder.glob("*.npz")):
            if path.name in self._known:
                continue
            self._known.add(path.name)
            utterance = _read(path)
            (self.held_out if texts.is_held_out(utterance.text) else self.training).append(utterance)

    @property
    def minutes(self) -> float:
        return sum(utterance.frames for utterance in self.training) / 80 / 60


@cache
def mel_of(utterance: Utterance) -> NDArray[np.float16]:
    """[T, 80], half precision: the whole corpus stays in memory."""
    mel: NDArray[np.float16] = log_mel(torch.tensor(utterance.samples())[None])[0].numpy().astype(np.float16)
    return mel


def _read(path: Path) -> Utterance:
    with np.load(path) as file:
        about = json.loads(str(file["about"]))
        audio, durations = file["audio"], file["durations"].copy()
        first, end = _trim(audio, durations)
        return Utterance(
            name=path.stem,
            lang=about["lang"],
            voice=VOICES.index(about["voice"]),
            text=about["text"],
            ids=file["ids"],
            languages=file["languages"],
            durations=durations,
            audio=audio[first * HOP : end * HOP],
            pitch=pitch_features(file["f0_hz"])[first:end],
            energy=file["energy"][first:end],
        )


def _trim(audio: NDArray[np.int16], durations: NDArray[np.int16]) -> tuple[int, int]:
    """Shorten ``durations`` to what is kept, and give the first frame kept and the end.

    The teacher is silent for 0.4 s before it speaks and for longer after it: an announcement must not be.
    Sound begins up to 9 frames before the first symbol does, and ends before the last mark does.
    """
    first = max(0, int(durations[0]) - LEAD_FRAMES)
    level = np.sqrt((audio.astype(np.float64).reshape(-1, HOP) ** 2).mean(1))
    sounding = np.flatnonzero(level > level.max() * 10 ** (SILENCE_DB / 20))
    end = min(len(level), int(sounding[-1]) + 1 + TAIL_FRAMES)
    durations[0] -= first
    surplus = len(level) - end
    for i in range(len(durations) - 1, 0, -1):
        cut = min(surplus, int(durations[i]) - 1)
        durations[i] -= cut
        surplus -= cut
    return first, end + surplus
