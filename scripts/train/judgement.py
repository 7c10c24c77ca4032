"""What the judges make of a sound: heard text, DNSMOS, F0 and faults. Kept beside the sound."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from recogniser import Recogniser, dnsmos
from waveform import Faults, f0, faults, levelled
from workspace import HOP, SAMPLE_RATE

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Judgement:
    """``f0_hz`` is one value for every 300 samples, 0 without voice."""

    heard: str
    dnsmos: float
    faults: Faults
    f0_hz: Floats


def judged(path: Path, audio: Floats, lang: str, run: bool) -> Judgement | None:
    """The judgement of the sound that is cached at ``path``, or, with ``run``, a new one."""
    kept = path.with_suffix(".json")
    if kept.exists():
        about = json.loads(kept.read_text("utf-8"))
        return Judgement(
            about["heard"], about["dnsmos"], Faults(**about["faults"]), np.array(about["f0"], np.float32)
        )
    if not run:
        return None
    found = faults(audio)
    sound = levelled(np.nan_to_num(audio))
    result = Judgement(recogniser().listen(sound, lang), dnsmos(sound), found, f0(sound))
    about = {
        "heard": result.heard,
        "dnsmos": result.dnsmos,
        "faults": asdict(found),
        "f0": [round(float(hz), 1) for hz in result.f0_hz],
    }
    unfinished = kept.with_suffix(".json.part")
    unfinished.write_text(json.dumps(about, ensure_ascii=False), "utf-8")
    unfinished.rename(kept)
    return result


def heard_piece(path: Path, name: str, audio: Floats, lang: str, run: bool) -> str | None:
    """What is heard of a piece of the sound at ``path``, alone between two silences; cached as above."""
    kept = path.with_suffix(f".{name}.txt")
    if kept.exists():
        return kept.read_text("utf-8")
    if not run:
        return None
    silence = np.zeros(SAMPLE_RATE // 4, np.float32)
    text = recogniser().listen(levelled(np.concatenate([silence, audio, silence])), lang)
    kept.write_text(text, "utf-8")
    return text


def level_db(audio: Floats) -> float:
    """RMS, dB below full scale."""
    return float(10 * np.log10(np.mean(audio.astype(np.float64) ** 2) + 1e-10)) if len(audio) else -100.0


def frames_between(audio: Floats, first: int, after: int) -> Floats:
    return audio[max(0, first) * HOP : max(0, after) * HOP]


@cache
def recogniser() -> Recogniser:
    return Recogniser()
