"""From what was said and judged, sentence by sentence, to the figures of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from judgement import Judgement
from likeness import Likeness, likeness
from paired import difference_of_means, difference_of_rates
from systems import Said
from tones import Templates, contours, speaker_range
from units import wrong
from unseen import Task
from workspace import HOP

#: symbols of a language whose tones are judged
TONE_LANGUAGES = ("zh", "yue")


@dataclass(frozen=True)
class Row:
    """One task by one system."""

    task: Task
    said: Said
    judgement: Judgement
    wrong: int
    units: int


def row(task: Task, said: Said, judgement: Judgement) -> Row:
    return Row(task, said, judgement, *wrong(task.text, judgement.heard, task.lang))


Rows = dict[Task, Row]


def error(rows: Iterable[Row]) -> float:
    rows = list(rows)
    return round(100 * sum(r.wrong for r in rows) / max(1, sum(r.units for r in rows)), 2)


def mean_dnsmos(rows: Iterable[Row]) -> float:
    return round(float(np.mean([r.judgement.dnsmos for r in rows])), 3)


def language(by_system: dict[str, Rows], templates: Templates | None, lang: str) -> dict[str, Any]:
    """The figures of one language. The teacher is among the systems, and the reference of every other."""
    turns = {name: {t: r for t, r in rows.items() if t.turn} for name, rows in by_system.items()}
    turns = {name: rows for name, rows in turns.items() if rows}
    teacher = turns.get("teacher", {})
    figures: dict[str, Any] = {
        "sentences": max(len(rows) for rows in turns.values()),
        "error": {name: error(rows.values()) for name, rows in turns.items()},
        "dnsmos": {name: mean_dnsmos(rows.values()) for name, rows in turns.items()},
    }
    measured = {name: len(rows) for name, rows in turns.items() if len(rows) != figures["sentences"]}
    if measured:
        figures["sentences_of"] = measured
    others = {name: rows for name, rows in turns.items() if name != "teacher"}
    compared = {name: _both(rows, teacher) for name, rows in others.items()}
    compared = {name: pairs for name, pairs in compared.items() if pairs}
    figures["error_difference"] = {
        name: difference_of_rates(
            [a.wrong for a, _ in pairs], [b.wrong for _, b in pairs], [b.units for _, b in pairs]
        ).rounded(2)
        for name, pairs in compared.items()
    }
    figures["dnsmos_difference"] = {
        name: difference_of_means(
            [a.judgement.dnsmos for a, _ in pairs], [b.judgement.dnsmos for _, b in pairs]
        ).rounded(3)
        for name, pairs in compared.items()
    }
    figures["prosody"] = {
        name: found for name, pairs in compared.items() if (found := _prosody(pairs)) is not None
    }
    if templates is not None:
        figures["tones"] = {
            name: found for name, rows in turns.items() if (found := tones(rows.values(), templates, lang))
        }
    figures["rtf_cpu"] = {
        name: round(sum(r.said.cpu_s for r in rows.values()) / sum(r.said.seconds for r in rows.values()), 4)
        for name, rows in turns.items()
    }
    figures["by_voice"] = _by_voice(by_system, templates, lang)
    figures["faults"] = {
        name: [r.task.text for r in rows.values() if r.judgement.faults.any]
        for name, rows in by_system.items()
    }
    return figures


def _both(rows: Rows, reference: Rows) -> list[tuple[Row, Row]]:
    """Rows of the same text, by the same voice; another program has one voice for all."""
    by_text = {task.text: row for task, row in reference.items()}
    return [(r, by_text[task.text]) for task, r in rows.items() if task.text in by_text]


def _by_voice(by_system: dict[str, Rows], templates: Templates | None, lang: str) -> dict[str, Any]:
    voices = sorted({task.voice for task in by_system.get("teacher", {})})
    found: dict[str, Any] = {}
    for voice in voices:
        own = {name: {t: r for t, r in rows.items() if t.voice == voice} for name, rows in by_system.items()}
        own = {name: rows for name, rows in own.items() if rows}
        found[voice] = {
            "sentences": {name: len(rows) for name, rows in own.items()},
            "error": {name: error(rows.values()) for name, rows in own.items()},
            "dnsmos": {name: mean_dnsmos(rows.values()) for name, rows in own.items()},
        }
        if templates is not None:
            found[voice]["tones"] = {
                name: judged["right"]
                for name, rows in own.items()
                if (judged := tones(rows.values(), templates, lang))
            }
    return found


def _clauses(row: Row) -> list[tuple[str, Any, Any]]:
    """(phonemes, durations, F0) of each clause, where the durations are known."""
    found = []
    for phonemes, durations, start in zip(
        row.said.phonemes, row.said.durations, row.said.starts, strict=True
    ):
        if durations is not None:
            first = round(start / HOP)
            found.append((phonemes, durations, row.judgement.f0_hz[first : first + int(durations.sum())]))
    return found


def _prosody(pairs: Sequence[tuple[Row, Row]]) -> dict[str, float] | None:
    total = Likeness()
    for one, reference in pairs:
        if one.task != reference.task:
            continue
        for (phonemes, durations, f0_hz), (_, wanted, wanted_f0_hz) in zip(
            _clauses(one), _clauses(reference), strict=False
        ):
            total += likeness(phonemes, durations, f0_hz, wanted, wanted_f0_hz)
    return total.figures() if total.symbols else None


def tones(rows: Iterable[Row], templates: Templates, lang: str) -> dict[str, Any] | None:
    """Percent of syllables whose tone is right, by tone too; ``voiceless`` are those without a contour."""
    by_voice: dict[str, list[tuple[str, Any, Any]]] = {}
    for one in rows:
        if clauses := _clauses(one):
            by_voice.setdefault(one.task.voice, []).extend(clauses)
    right: dict[str, int] = {}
    judged: dict[str, int] = {}
    voiceless = 0
    for spoken in by_voice.values():
        span = speaker_range([f0_hz for _, _, f0_hz in spoken])
        for phonemes, durations, f0_hz in spoken:
            for contour in contours(phonemes, durations, f0_hz, lang, span):
                if contour.shape is None:
                    voiceless += 1
                    continue
                judged[contour.tone] = judged.get(contour.tone, 0) + 1
                right[contour.tone] = right.get(contour.tone, 0) + templates.is_right(contour)
    count = sum(judged.values())
    if not count:
        return None
    return {
        "right": round(100 * sum(right.values()) / count, 2),
        "syllables": count,
        "voiceless": voiceless,
        "by_tone": {tone: round(100 * right[tone] / judged[tone], 1) for tone in sorted(judged)},
    }
