"""How well is it understood, how does it sound: a bundle against its teacher and other programs.

    python scripts/train/evaluate.py models/cosyedge-multi build/train/bundles/fp32

Writes ``report.json``, ``REPORT.md`` and plots into the first bundle. What was said and judged once is kept
under ``build/train/evaluation``: a run does what is missing for ``--systems``, in ``--languages``, on the
first ``--limit`` sentences, and reports everything that is there. See ``unseen.py`` for the sentences,
``recogniser.py``, ``units.py``, ``waveform.py``, ``tones.py`` and ``likeness.py`` for the measures.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import peers
import quantisation
import report
import summary
import switches
import unseen
from dataset import Corpus, Utterance
from judgement import judged
from sound_counts import coverages, of_sentences
from summary import Row, Rows
from systems import EVALUATION, BundleSystem, CopySystem, Said, System, TeacherSystem, cache_path, said
from tones import Contour, Templates, contours, speaker_range
from unseen import Task
from waveform import f0
from workspace import CORPUS, LEXICONS, ROOT, WORKSPACE

from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.symbols import to_phonemes

DEFAULT_SYSTEMS = "teacher,int8,fp32,copy,piper,hibari,espeak,kokoro-int8"
#: the published graph takes two CPU seconds for a second of speech
KOKORO_SENTENCES = 12
#: what is asked of these is a difference over a whole language, not what a voice does abroad
TURNS_ONLY = frozenset({"copy", "fp32"})
#: utterances of the corpus that tone templates are learnt from
TEMPLATE_UTTERANCES = 500
TIMES = 10
#: utterances of each language on which INT8 is compared with float
HELD_OUT_EACH = 8


class Evaluation:
    """What is there of every system, and what is still to be done."""

    def __init__(self, bundle: Path, fp32: Path | None, wanted: set[str], limit: int | None) -> None:
        self._wanted = wanted
        self._limit = limit
        self.int8 = BundleSystem("int8", bundle)
        self.teacher = TeacherSystem()
        self.systems: list[System] = [self.teacher, self.int8]
        if fp32 is not None:
            self.systems.append(BundleSystem("fp32", fp32))
        self.systems += [CopySystem(self.teacher, self.int8), peers.KokoroSystem(self.teacher)]
        self.programs = peers.programs()
        folder = bundle if (bundle / "ja.lexicon").exists() else LEXICONS
        self.reader = Reader(folder, frozenset(unseen.LANGUAGES))  # type: ignore[arg-type]
        self._clauses: dict[tuple[str, str], list[Phonemes]] = {}

    def rows(self, system: System, lang: str) -> Rows:
        """Every task of a language by one of our systems."""
        run = system.name in self._wanted
        kokoro = system.name == "kokoro-int8"
        if kokoro and lang not in peers.KokoroSystem.languages:
            return {}
        found: Rows = {}
        tasks = unseen.tasks(lang, self._limit)
        if kokoro:
            tasks = [task for task in tasks if task.turn][:KOKORO_SENTENCES]
        for task in tasks:
            if isinstance(system, BundleSystem) and not system.speaks(lang, task.voice):
                continue
            if system.name in TURNS_ONLY and not task.turn:
                continue
            row = self._row(system, task, run)
            if row is not None:
                found[task] = row
        _progress(system.name, lang, found)
        return found

    def _row(self, system: System, task: Task, run: bool) -> Row | None:
        clauses = self.clauses(task)
        if not clauses:
            return None
        spoken = said(system, clauses, task.voice, task.lang, run)
        if spoken is None:
            return None
        path = cache_path(system, clauses, task.voice, task.lang)
        judgement = judged(path, spoken.audio, task.lang, run)
        return None if judgement is None else summary.row(task, spoken, judgement)

    def clauses(self, task: Task) -> list[Phonemes]:
        key = (task.lang, task.text)
        if key not in self._clauses:
            self._clauses[key] = list(self.reader.read(task.text, task.lang))  # type: ignore[arg-type]
        return self._clauses[key]

    def program_rows(self, program: peers.Program, lang: str) -> tuple[Rows, list[float]]:
        """Every sentence of a language by another program, and the memory that its processes took."""
        found: Rows = {}
        memory: list[float] = []
        if lang not in program.languages:
            return found, memory
        run = program.name in self._wanted
        for task in unseen.tasks(lang, self._limit):
            if not task.turn:
                continue
            kept = _kept(program, task, run)
            if kept is None:
                continue
            path, spoken, rss_mb = kept
            judgement = judged(path, spoken.audio, lang, run)
            if judgement is not None:
                alone = Task(lang, task.text, program.name)
                found[alone] = summary.row(alone, spoken, judgement)
                memory.append(rss_mb)
        _progress(program.name, lang, found)
        return found, memory


def _kept(program: peers.Program, task: Task, run: bool) -> tuple[Path, Said, float] | None:
    """What another program says, cached as everything else."""
    name = f"{task.lang}-{program.key[:8]}-{abs(hash_of(task.text)):x}"
    path = EVALUATION / program.name / f"{name}.npz"
    if not path.exists():
        if not run:
            return None
        spoken, cpu_s, rss_mb = program.say(task.text, task.lang)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, audio=spoken.audio, cpu_s=cpu_s, rss_mb=rss_mb)
    with np.load(path) as file:
        audio, cpu_s, rss_mb = file["audio"], float(file["cpu_s"]), float(file["rss_mb"])
    return path, Said(audio, [], [], [], cpu_s), rss_mb


def hash_of(text: str) -> int:
    import hashlib

    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _progress(name: str, lang: str, rows: Rows) -> None:
    own = [row for row in rows.values() if row.task.turn]
    if own:
        print(
            f"{lang} {name}: {summary.error(own)} % of {sum(r.units for r in own)}, "
            f"DNSMOS {summary.mean_dnsmos(own)}, {len(rows)} said",
            flush=True,
        )


def templates(lang: str) -> Templates | None:
    """Tone templates from the corpus of a language."""
    by_voice: dict[str, list[tuple[str, Any, Any]]] = {}
    count = 0
    for path in sorted(CORPUS.glob("*.npz")):
        with np.load(path) as file:
            about = json.loads(str(file["about"]))
            if about["lang"] != lang:
                continue
            hertz = f0(file["audio"].astype(np.float32) / 32768)
            clause = (about["phonemes"], file["durations"].astype(np.int64), hertz)
        by_voice.setdefault(about["voice"], []).append(clause)
        count += 1
        if count == TEMPLATE_UTTERANCES:
            break
    examples: list[Contour] = []
    for clauses in by_voice.values():
        span = speaker_range([hertz for _, _, hertz in clauses])
        for phonemes, durations, hertz in clauses:
            examples += contours(phonemes, durations, hertz, lang, span)
    return Templates(examples) if len(examples) > 1000 else None


def corpus_texts() -> Iterable[str]:
    for path in CORPUS.glob("*.npz"):
        with np.load(path) as file:
            yield json.loads(str(file["about"]))["text"]


def corpus_figures(reader: Reader) -> dict[str, Any]:
    """What each language's training heard, against what the unseen sentences ask for."""
    found = {}
    for lang, coverage in coverages(CORPUS).items():
        said = (clause for text in unseen.sentences(lang) for clause in reader.read(text, lang))  # type: ignore[arg-type]
        found[lang] = coverage.figures(of_sentences((to_phonemes(clause.ids) for clause in said), lang))
    return found


def held_out() -> list[Utterance]:
    """Utterances of the corpus that nothing was trained on, the first of each language."""
    by_language: dict[str, list[Utterance]] = {}
    corpus = Corpus()
    corpus.grow()
    for one in corpus.held_out:
        by_language.setdefault(one.lang, []).append(one)
    return [one for found in by_language.values() for one in found[:HELD_OUT_EACH]]


def bench(bundle: Path) -> dict[str, Any]:
    """What the product itself measures of the bundle, in a process of its own."""
    python = ROOT / ".venv" / "bin" / "python"
    command = [str(python if python.exists() else sys.executable), "-m", "cosyedge", "bench", "--json"]
    command += ["--models-dir", str(bundle.parent.resolve()), "--models-bundle", bundle.name]
    output = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    figures: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return figures


def mixed(evaluation: Evaluation, wanted: set[str], folder: Path) -> dict[str, Any]:
    """What becomes of sentences with several languages."""
    voices = [voice.id for voice in evaluation.int8.bundle.voices]
    found: dict[str, Any] = {"sentences": len(unseen.mixed()), "systems": {}, "product_sentence": {}}
    for system in evaluation.systems[:2]:
        result = switches.switches(
            system, evaluation.teacher, evaluation.reader, voices, system.name in wanted
        )
        if result is not None:
            found["systems"][system.name] = result.figures()
            print(f"mixed {system.name}: {result.figures()}", flush=True)
    seeds = [BundleSystem("int8", folder, seed) for seed in range(TIMES)]
    for voice in voices:
        times = switches.whole_times(seeds, evaluation.teacher, evaluation.reader, voice, "int8" in wanted)
        if times is not None:
            found["product_sentence"][voice] = times
    return found if found["systems"] else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("fp32", type=Path, nargs="?", help="the same bundle before INT8")
    parser.add_argument("--systems", default=DEFAULT_SYSTEMS, help="what may run; of others what is kept")
    parser.add_argument("--languages", default=",".join(unseen.LANGUAGES))
    parser.add_argument("--limit", type=int, help="sentences of each language")
    parser.add_argument("--say-only", action="store_true", help="fill the cache, write no report")
    parser.add_argument("--no-mixed", action="store_true")
    parser.add_argument("--no-bench", action="store_true")
    parser.add_argument("--log", action="append", default=[], help="NAME=FILE, for learning curves")
    options = parser.parse_args()
    unseen.check_hashes()
    if seen := unseen.seen_in(corpus_texts()):
        raise SystemExit(f"the corpus has said: {seen}")
    wanted = set(options.systems.split(","))
    evaluation = Evaluation(options.bundle, options.fp32, wanted, options.limit)
    memory: dict[str, list[float]] = {}
    program_rows: dict[str, list[Row]] = {}
    languages = {}
    for lang in options.languages.split(","):
        by_system = {system.name: evaluation.rows(system, lang) for system in evaluation.systems}
        for program in evaluation.programs:
            by_system[program.name], peaks = evaluation.program_rows(program, lang)
            memory.setdefault(program.name, []).extend(peaks)
            program_rows.setdefault(program.name, []).extend(by_system[program.name].values())
        by_system = {name: rows for name, rows in by_system.items() if rows}
        if by_system and not options.say_only:
            known = templates(lang) if lang in summary.TONE_LANGUAGES else None
            languages[lang] = summary.language(by_system, known, lang)
            for name, rows in by_system.items():
                _write_heard(name, lang, rows)
    if options.say_only:
        return
    figures: dict[str, Any] = {
        "machine": f"{platform.machine()}, one thread",
        "bundle": f"{evaluation.int8.bundle.name} {evaluation.int8.bundle.version}",
        "recogniser": "Whisper base",
        "languages": languages,
        "corpus": corpus_figures(evaluation.reader),
    }
    if options.fp32 is not None:
        figures["quantisation"] = quantisation.compare(options.fp32, options.bundle, held_out())
    if not options.no_mixed:
        figures["mixed"] = mixed(evaluation, wanted, options.bundle)
    figures["programs"] = {
        name: _program_figures(rows, memory[name]) for name, rows in program_rows.items() if len(rows) > 2
    }
    if not options.no_bench:
        figures["bench"] = bench(options.bundle)
    (options.bundle / "report.json").write_text(
        json.dumps(figures, ensure_ascii=False, indent=1) + "\n", "utf-8"
    )
    logs = dict(item.split("=", 1) for item in options.log)
    report.write(figures, options.bundle, {name: Path(path) for name, path in logs.items()})


def _program_figures(rows: list[Row], memory: list[float]) -> dict[str, float]:
    factor, error, load = peers.real_time_factor([r.said.cpu_s for r in rows], [r.said.seconds for r in rows])
    return {
        "rtf_cpu": round(factor, 4),
        "rtf_cpu_error": round(error, 4),
        "load_cpu_s": round(load, 2),
        "peak_rss_mb": round(min(memory), 1),
    }


def _write_heard(name: str, lang: str, rows: Rows) -> None:
    """What was misheard, to be read by whoever looks for the reason."""
    lines = [
        f"{row.task.voice}\t{row.wrong}/{row.units}\t{row.task.text}\t{row.judgement.heard}"
        for row in rows.values()
    ]
    folder = WORKSPACE / "evaluation" / "heard"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{lang}-{name}.tsv").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
