"""Figures of a language, and the page that shows them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import report
import summary
from judgement import Judgement
from summary import Row, Rows
from systems import Said
from tones import Contour, Templates
from unseen import Task
from waveform import Faults

PHONEMES = "ni↓ xau↓."
DURATIONS = np.array([8, 6, 8, 4, 3, 6, 8, 6, 4, 4, 8])
TEXTS = [f"sentence {i}" for i in range(20)]


def row(task: Task, wrong: int, dnsmos: float, hertz: float, clipped: int = 0, stretched: int = 0) -> Row:
    durations = DURATIONS + stretched
    frames = int(durations.sum())
    own = task.voice in ("xiaoyan", "zhitian")
    said = Said(
        np.zeros(frames * 300, np.float32),
        [PHONEMES] if own else [],
        [durations] if own else [],
        [0] if own else [],
        0.05 * frames / 80,
    )
    heard = Judgement("", dnsmos, Faults(0, clipped, 0.0, 0.0), np.full(frames, hertz, np.float32))
    return Row(task, said, heard, wrong, 10)


def everything() -> dict[str, Rows]:
    voices = ("xiaoyan", "zhitian")
    tasks = [Task("zh", text, voices[i % 2]) for i, text in enumerate(TEXTS)]
    extra = [Task("zh", text, "xiaoyan", turn=False) for text in TEXTS[1:9:2]]
    hertz = {"xiaoyan": 220.0, "zhitian": 140.0}
    return {
        "teacher": {t: row(t, 0, 3.4, hertz[t.voice]) for t in tasks + extra},
        "int8": {
            t: row(t, int(i < 2), 3.3, hertz[t.voice] * 2 ** (0.5 / 12), clipped=9 * (i == 3), stretched=1)
            for i, t in enumerate(tasks + extra)
        },
        "piper": {t: row(t, 2, 3.0, 120.0) for t in [Task("zh", text, "piper") for text in TEXTS[:10]]},
    }


@pytest.fixture(scope="module")
def templates() -> Templates:
    draw = np.random.default_rng(0)
    places = {"↓": -1.0, "→": 1.0}
    examples = []
    for _ in range(100):
        for tone, level in places.items():
            examples.append(Contour(tone, level + draw.normal(0, 0.4, 5), np.zeros(14)))
    return Templates(examples)


def test_the_figures(templates: Templates) -> None:
    figures = summary.language(everything(), templates, "zh")
    assert figures["sentences"] == 20
    assert figures["sentences_of"] == {"piper": 10}
    assert figures["error"] == {"teacher": 0, "int8": 1.0, "piper": 20.0}
    assert figures["error_difference"]["piper"] == [20, 20, 20]
    value, low, high = figures["error_difference"]["int8"]
    assert low <= value == 1.0 <= high
    assert figures["dnsmos_difference"]["int8"] == [-0.1, -0.1, -0.1]
    assert figures["prosody"] == {
        "int8": {"length_percent": 17.78, "symbol_ms": 12.5, "f0_semitones": 0.5, "voicing_percent": 0.0}
    }
    assert figures["rtf_cpu"]["int8"] == 0.05
    assert figures["tones"]["int8"]["syllables"] == 40
    assert figures["by_voice"]["xiaoyan"]["sentences"] == {"teacher": 14, "int8": 14}
    assert figures["by_voice"]["xiaoyan"]["error"]["int8"] == round(100 / 140, 2)
    assert figures["faults"] == {"teacher": [], "int8": [TEXTS[3]], "piper": []}


def test_the_page(tmp_path: Path, templates: Templates) -> None:
    figures = {
        "machine": "x86_64, one thread",
        "languages": {"zh": summary.language(everything(), templates, "zh")},
        "mixed": {
            "sentences": 21,
            "systems": {"int8": {"spans": 70, "lost": ["xiaoyan: hello"], "error": 12.0}},
            "product_sentence": {"xiaoyan": (10, 10)},
        },
        "programs": {
            "piper": {"rtf_cpu": 0.08, "rtf_cpu_error": 0.01, "load_cpu_s": 1.2, "peak_rss_mb": 150.0}
        },
        "bench": {"rtf_p50_cpu": 0.04, "rss_after_load_mb": 90.0},
    }
    log = tmp_path / "log"
    log.write_text("20 spectral 1.06, -4.4 nats, 1.0 min\n40 spectral 1.05, -4.5 nats, 2.0 min\n")
    report.write(json.loads(json.dumps(figures)), tmp_path, {"vocoder": log})
    page = (tmp_path / "REPORT.md").read_text("utf-8")
    assert "| zh | int8 | 20 | 1.0 | +1 (" in page
    assert "| int8 | 70 | 1 | 12.0 |" in page
    assert "by xiaoyan: whole 10 times of 10" in page
    assert f"- zh int8: {TEXTS[3]}" in page
    pictures = sorted(path.name for path in (tmp_path / "report").glob("*.svg"))
    assert pictures == ["curve-vocoder.svg", "dnsmos.svg", "error.svg", "tones.svg"]
    for name in pictures:
        assert f"report/{name}" in page
        ElementTree.parse(tmp_path / "report" / name)
