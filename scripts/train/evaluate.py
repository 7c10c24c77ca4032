"""How well is it understood, how does it sound: the bundle against its teacher, on unseen sentences.

    python scripts/train/evaluate.py models/cosyedge-zh-en build/train/bundles/fp32

Writes ``report.json`` and ``REPORT.md`` into the first bundle. The sentences are those of
``evaluation/*.txt`` (announcements written for this purpose, in no template of the corpus) and, with
``--help-sentences``, help sentences that were held out by their hash. Every system says the same
phonemes, made by the product's own front end; voices of a language take turns.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import texts
from corpus import PROSODY, TIMBRE
from numpy.typing import NDArray
from recogniser import Recogniser, dnsmos, errors, units
from teacher import Teacher
from workspace import SAMPLE_RATE

from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import load_bundle
from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.symbols import to_phonemes

#: the voices that are judged in each language: its native ones
VOICES = {"zh": ("xiaoyan", "zhitian"), "en": ("en_us",)}
Audio = NDArray[np.float32]
Speaker = Callable[[Phonemes, str], Audio]


@dataclass
class Score:
    """What one system did in one language."""

    errors: int = 0
    units: int = 0
    dnsmos: list[float] = field(default_factory=list)
    by_voice: dict[str, list[int]] = field(default_factory=dict)
    cpu_s: float = 0.0
    audio_s: float = 0.0
    heard: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def error_percent(self) -> float:
        return 100 * self.errors / max(1, self.units)


def sentences(lang: str, help_sentences: int) -> list[str]:
    own = (Path(__file__).parent / "evaluation" / f"{lang}.txt").read_text("utf-8").split("\n")
    held_out = [text for text in texts.help_sentences(lang) if texts.is_held_out(text)]
    return [text for text in own if text] + held_out[:help_sentences]


def bundle_speaker(folder: Path) -> Speaker:
    bundle = load_bundle(folder)
    synthesizer = Synthesizer(bundle)

    def speak(clause: Phonemes, voice: str) -> Audio:
        chosen = bundle.choose_voice(voice, clause.spans[0].lang)
        return np.concatenate([chunk.copy() for chunk in synthesizer.stream(clause, chosen)])

    return speak


def teacher_speaker() -> Speaker:
    teacher = Teacher()

    def speak(clause: Phonemes, voice: str) -> Audio:
        lang = clause.spans[0].lang
        return teacher.speak(to_phonemes(clause.ids), TIMBRE[voice], PROSODY.get((voice, lang))).audio

    return speak


def judge(speak: Speaker, lang: str, said: list[str], reader: Reader, recogniser: Recogniser) -> Score:
    score = Score()
    for i, text in enumerate(said):
        voice = VOICES[lang][i % len(VOICES[lang])]
        pieces: list[Audio] = []
        started = time.process_time()
        for clause in reader.read(text, lang):
            pieces += [speak(clause, voice), np.zeros(round(clause.pause_s * SAMPLE_RATE), np.float32)]
        score.cpu_s += time.process_time() - started
        audio = np.concatenate(pieces)
        score.audio_s += len(audio) / SAMPLE_RATE
        heard = recogniser.listen(audio, lang)
        expected = units(text, lang)
        wrong = errors(expected, units(heard, lang))
        score.errors += wrong
        score.units += len(expected)
        by_voice = score.by_voice.setdefault(voice, [0, 0])
        by_voice[0] += wrong
        by_voice[1] += len(expected)
        score.dnsmos.append(dnsmos(audio))
        if wrong:
            score.heard.append((voice, text, heard))
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("fp32", type=Path, nargs="?", help="the same bundle before INT8")
    parser.add_argument("--help-sentences", type=int, default=0)
    parser.add_argument(
        "--systems", default="teacher,fp32,int8", help="the others keep what the report of the bundle says"
    )
    options = parser.parse_args()
    speakers: dict[str, Callable[[], Speaker]] = {
        "teacher": teacher_speaker,
        "fp32": lambda: bundle_speaker(options.fp32),
        "int8": lambda: bundle_speaker(options.bundle),
    }
    recogniser = Recogniser()
    reader = Reader(options.bundle, frozenset({"zh", "en"}))
    scores: dict[str, dict[str, Score]] = {"zh": {}, "en": {}}
    for system in options.systems.split(","):
        speak = speakers[system]()
        for lang, by_system in scores.items():
            said = sentences(lang, options.help_sentences)
            by_system[system] = score = judge(speak, lang, said, reader, recogniser)
            print(
                f"{lang} {system}: {score.error_percent:.1f} % of {score.units}, "
                f"DNSMOS {np.mean(score.dnsmos):.3f}, "
                f"{score.cpu_s / score.audio_s:.3f} s CPU a second",
                {voice: f"{100 * w / n:.1f} %" for voice, (w, n) in score.by_voice.items()},
                flush=True,
            )
            for voice, text, heard in score.heard:
                print(f"    {voice}: {text} | {heard}")
    report = _report(scores, options.help_sentences)
    former = options.bundle / "report.json"
    if former.exists():
        _keep_former(report, json.loads(former.read_text("utf-8")))
    (options.bundle / "report.json").write_text(
        json.dumps(report, ensure_ascii=False, indent=1) + "\n", "utf-8"
    )
    (options.bundle / "REPORT.md").write_text(_markdown(report), "utf-8")


def _report(scores: dict[str, dict[str, Score]], help_sentences: int) -> dict[str, Any]:
    languages = {}
    for lang, by_system in scores.items():
        languages[lang] = {
            "sentences": len(sentences(lang, help_sentences)),
            "error": {name: round(score.error_percent, 2) for name, score in by_system.items()},
            "error_by_voice": {
                name: {
                    voice: round(100 * wrong / total, 2) for voice, (wrong, total) in score.by_voice.items()
                }
                for name, score in by_system.items()
            },
            "dnsmos": {name: round(float(np.mean(score.dnsmos)), 3) for name, score in by_system.items()},
            "rtf_cpu": {name: round(score.cpu_s / score.audio_s, 4) for name, score in by_system.items()},
        }
    return {
        "machine": f"{platform.machine()}, one thread",
        "recogniser": "Whisper base",
        "languages": languages,
    }


def _keep_former(report: dict[str, Any], former: dict[str, Any]) -> None:
    """What was not measured now, if it was measured on as many sentences."""
    for lang, row in report["languages"].items():
        before = former["languages"].get(lang, {})
        if before.get("sentences") == row["sentences"]:
            for figure in ("error", "error_by_voice", "dnsmos", "rtf_cpu"):
                row[figure] = before[figure] | row[figure]


def _markdown(report: dict[str, Any]) -> str:
    languages = report["languages"]
    lines = [
        "# How this voice was measured",
        "",
        "Unseen sentences, every system given the same phonemes. Errors are what Whisper base did not write",
        "as it was said: toneless pinyin syllables (zh), words (en), after the same normalisation of both.",
        "DNSMOS is its overall mark. CPU seconds for a second of speech on one x86-64 thread; no figure here",
        "was measured on a Pi.",
        "",
        "| language | sentences | system | errors % | by voice | DNSMOS | CPU s / s |",
        "|---|---|---|---|---|---|---|",
    ]
    for lang, row in languages.items():
        for name in row["error"]:
            voices = ", ".join(f"{voice} {value}" for voice, value in row["error_by_voice"][name].items())
            lines.append(
                f"| {lang} | {row['sentences']} | {name} | {row['error'][name]} | {voices} "
                f"| {row['dnsmos'][name]} | {row['rtf_cpu'][name]} |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
