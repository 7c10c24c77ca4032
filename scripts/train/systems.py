"""Who speaks: the teacher, bundles, and a bundle's vocoder on the teacher's own frames. All of them cached.

What a system says of a task is kept under ``build/train/evaluation/<system>/`` by everything that it depends
on: the files of the models, the voice, the phonemes and the pauses. So a later run only does what is new.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from workspace import HOP, SAMPLE_RATE, WORKSPACE

from cosyedge.speech import noise as product_noise
from cosyedge.speech import temperature
from cosyedge.speech.acoustic import Frames
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import load_bundle
from cosyedge.text.reader import Phonemes
from cosyedge.text.symbols import inventory_hash, to_phonemes

EVALUATION = WORKSPACE / "evaluation"
_GENERATOR = 2  # another one makes the teacher's cached speech void

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Spoken:
    """One clause. ``durations`` [L] in frames, boundaries included; none from a program of others."""

    audio: Floats
    durations: NDArray[np.int64] | None


@dataclass(frozen=True)
class Said:
    """One task by one system: the sound with its pauses, and where its clauses begin (samples)."""

    audio: Floats
    phonemes: list[str]
    durations: list[NDArray[np.int64] | None]
    starts: list[int]
    cpu_s: float

    @property
    def seconds(self) -> float:
        return len(self.audio) / SAMPLE_RATE


class System(Protocol):
    """Speaks clauses. ``key`` changes with anything that changes the sound."""

    name: str
    key: str

    def speak(self, clause: Phonemes, voice: str, lang: str) -> Spoken: ...


def said(system: System, clauses: list[Phonemes], voice: str, lang: str, run: bool) -> Said | None:
    """What ``system`` says, from the cache or, with ``run``, anew; None where it was never run."""
    path = cache_path(system, clauses, voice, lang)
    if path.exists():
        return _read(path)
    if not run:
        return None
    pieces: list[Floats] = []
    durations, starts = [], []
    position, started = 0, time.process_time()
    for clause in clauses:
        spoken = system.speak(clause, voice, lang)
        durations.append(spoken.durations)
        starts.append(position)
        pieces += [spoken.audio, np.zeros(round(clause.pause_s * SAMPLE_RATE), np.float32)]
        position += len(pieces[-2]) + len(pieces[-1])
    cpu_s = time.process_time() - started
    phonemes = [to_phonemes(clause.ids) for clause in clauses]
    result = Said(np.concatenate(pieces), phonemes, durations, starts, cpu_s)
    _write(path, result)
    return result


def cache_path(system: System, clauses: list[Phonemes], voice: str, lang: str) -> Path:
    said_how = [[to_phonemes(clause.ids), round(clause.pause_s, 3)] for clause in clauses]
    key = hashlib.sha256(json.dumps([system.key, voice, lang, said_how]).encode()).hexdigest()[:20]
    return EVALUATION / system.name / f"{key}.npz"


def _write(path: Path, result: Said) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"phonemes": result.phonemes, "starts": result.starts, "cpu_s": result.cpu_s}
    arrays: dict[str, Any] = {f"durations{i}": d for i, d in enumerate(result.durations) if d is not None}
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.savez(file, audio=result.audio.astype(np.float32), about=np.array(json.dumps(about)), **arrays)
    unfinished.rename(path)


def _read(path: Path) -> Said:
    with np.load(path) as file:
        about = json.loads(str(file["about"]))
        durations = [file.get(f"durations{i}") for i in range(len(about["phonemes"]))]
        return Said(file["audio"], about["phonemes"], durations, about["starts"], about["cpu_s"])


class TeacherSystem:
    """The teacher, its silences trimmed as the student learnt them."""

    name = "teacher"

    def __init__(self) -> None:
        import prosody

        melodies = Path(prosody.__file__).read_bytes()
        self.key = hashlib.sha256(f"{_GENERATOR} {inventory_hash()}".encode() + melodies).hexdigest()
        self._teacher: Any = None

    def speak(self, clause: Phonemes, voice: str, lang: str) -> Spoken:
        audio, durations, _ = self.with_f0(clause, voice, lang)
        return Spoken(audio, durations)

    def with_f0(self, clause: Phonemes, voice: str, lang: str) -> tuple[Floats, NDArray[np.int64], Floats]:
        """Sound [T * 300], durations [L], and the F0 [T] that the decoder was given; cached by the clause."""
        path = cache_path(self, [clause], voice, main_language(clause, lang)).with_suffix(".clause.npz")
        if not path.exists():
            made = self._make(clause, voice, lang)
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            with unfinished.open("wb") as file:
                np.savez(file, audio=made[0], durations=made[1], f0_hz=made[2])
            unfinished.rename(path)
        with np.load(path) as file:
            return file["audio"], file["durations"], file["f0_hz"]

    def _make(self, clause: Phonemes, voice: str, lang: str) -> tuple[Floats, NDArray[np.int64], Floats]:
        import corpus
        import dataset
        import teacher

        self._teacher = self._teacher or teacher.Teacher()
        main = main_language(clause, lang)
        utterance = corpus.say(self._teacher, to_phonemes(clause.ids), clause.languages, voice, main)
        if utterance is None:
            raise ValueError("a clause is too long for the teacher")
        durations: Any = utterance.durations.copy()  # trimmed in place
        samples = (np.clip(utterance.speech.audio, -1, 1) * 32767).astype(np.int16)
        first, end = dataset._trim(samples, durations)
        audio = utterance.speech.audio[first * HOP : end * HOP].astype(np.float32)
        return audio, durations, utterance.speech.f0_hz[first:end]


def main_language(clause: Phonemes, lang: str) -> str:
    """The language whose prosody the teacher borrows: with ``auto`` that of most phonemes."""
    if lang != "auto":
        return lang
    count: dict[str, int] = {}
    for span in clause.spans:
        count[span.lang] = count.get(span.lang, 0) + len(span.phonemes)
    return max(count, key=lambda found: count[found])


class BundleSystem:
    """A bundle, as the product speaks with it."""

    def __init__(self, name: str, folder: Path, seed: int = 0) -> None:
        self.name = name
        self.bundle = load_bundle(folder)
        digest = hashlib.sha256(f"{seed}".encode())
        for file in (self.bundle.acoustic, self.bundle.vocoder):
            digest.update(file.read_bytes())
        gains = [(voice.id, voice.gain_db) for voice in self.bundle.voices]
        noise = (self.bundle.temperature_unvoiced, self.bundle.temperature_voiced)
        digest.update(f"{gains} {noise}".encode())
        for module in (product_noise, temperature):  # ours, and heard in every sample
            digest.update(inspect.getsource(module).encode())
        self.key = digest.hexdigest()
        self._synthesizer = Synthesizer(self.bundle, seed=seed)
        self._frames: Frames | None = None

    def speaks(self, lang: str, voice: str) -> bool:
        return any(lang in ("auto", *found.languages) and found.id == voice for found in self.bundle.voices)

    def speak(self, clause: Phonemes, voice: str, lang: str) -> Spoken:
        with_frames = self._listening()
        chosen = next(found for found in self.bundle.voices if found.id == voice)
        audio = np.concatenate([chunk.copy() for chunk in self._synthesizer.stream(clause, chosen)])
        return Spoken(audio, with_frames().durations)

    def vocode(self, frames: Frames, voice: str) -> Floats:
        """The vocoder alone on given frames."""
        self._synthesizer.load()
        models: Any = self._synthesizer._models
        chosen = next(found for found in self.bundle.voices if found.id == voice)
        chunks = self._synthesizer._samples(models, frames, chosen.gain_db, 1)
        return np.concatenate([chunk.copy() for chunk in chunks])

    def _listening(self) -> Callable[[], Frames]:
        """Let the acoustic model's frames be seen: the product itself never looks at durations."""
        self._synthesizer.load()
        models: Any = self._synthesizer._models
        if not isinstance(models.acoustic, _Overheard):
            models.acoustic = _Overheard(models.acoustic)
        overheard: _Overheard = models.acoustic
        return lambda: overheard.last


class _Overheard:
    def __init__(self, acoustic: Any) -> None:
        self._acoustic = acoustic

    def __getattr__(self, name: str) -> Any:
        return getattr(self._acoustic, name)

    def frames(self, *args: Any, **options: Any) -> Frames:
        frames: Frames = self._acoustic.frames(*args, **options)
        self.last = frames
        return frames


class CopySystem:
    """A bundle's vocoder on the teacher's own frames: what the vocoder alone costs."""

    name = "copy"

    def __init__(self, teacher: TeacherSystem, bundle: BundleSystem) -> None:
        self._teacher, self._bundle = teacher, bundle
        self.key = hashlib.sha256(f"{teacher.key} {bundle.key}".encode()).hexdigest()

    def speak(self, clause: Phonemes, voice: str, lang: str) -> Spoken:
        import torch
        from features import log_mel, pitch_features

        audio, durations, f0_hz = self._teacher.with_f0(clause, voice, lang)
        mel = log_mel(torch.tensor(audio)[None])[0].numpy()
        frames = Frames(mel, pitch_features(f0_hz), durations)
        return Spoken(self._bundle.vocode(frames, voice), durations)
