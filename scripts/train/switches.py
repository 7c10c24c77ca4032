"""Sentences with several languages: is every word there, also where the language changes?

Each span of a clause is a stretch of symbols, so its place in the sound is known. A span is lost where it
lasts less than :data:`SHORTEST` of what the teacher gives it, or is :data:`FAINTEST_DB` fainter than the
clause. What the recogniser hears of each span alone says more, but not for certain: cut words are hard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from judgement import frames_between, heard_piece, level_db
from numpy.typing import NDArray
from systems import BundleSystem, Said, System, TeacherSystem, cache_path, said
from units import units, wrong
from unseen import TURNS, mixed
from waveform import faults
from workspace import HOP

from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.symbols import SILENT, to_phonemes

SHORTEST = 0.4
FAINTEST_DB = 20.0
#: the teacher's sound is so much earlier than its durations say
_EARLY_FRAMES = 3


@dataclass
class Switches:
    """What one system did with the mixed sentences."""

    spans: int = 0
    lost: list[str] = field(default_factory=list)
    wrong: int = 0
    units: int = 0

    def figures(self) -> dict[str, object]:
        error = round(100 * self.wrong / self.units, 1) if self.units else None
        return {"spans": self.spans, "lost": self.lost, "error": error}


def stretches(clause: Phonemes) -> list[tuple[int, int]]:
    """(first symbol, symbol after the last) of each span, in the clause's own symbols."""
    symbols = to_phonemes(clause.ids)
    found, position = [], 0
    for span in clause.spans:
        sounding = sum(symbol not in SILENT for symbol in span.phonemes)
        while position < len(symbols) and symbols[position] in SILENT:
            position += 1
        first = position
        while sounding and position < len(symbols):
            sounding -= symbols[position] not in SILENT
            position += 1
        found.append((first, position))
    return found


def lost(
    durations: NDArray[np.int64],
    reference: NDArray[np.int64],
    audio: NDArray[np.float32],
    spans: Sequence[tuple[int, int]],
) -> list[int]:
    """Which spans of a clause are not there."""
    ends = np.cumsum(durations)
    found = []
    for i, (first, after) in enumerate(spans):
        if after <= first:
            continue
        frames, wanted = (int(d[first + 1 : after + 1].sum()) for d in (durations, reference))
        piece = frames_between(audio, int(ends[first]) - _EARLY_FRAMES, int(ends[after]))
        if frames < SHORTEST * wanted or level_db(piece) < level_db(audio) - FAINTEST_DB:
            found.append(i)
    return found


def switches(
    system: System, teacher: TeacherSystem, reader: Reader, voices: Sequence[str], run: bool
) -> Switches | None:
    """Every mixed sentence by the voice of its base language (``auto``: by every voice)."""
    result = Switches()
    for lang, text in mixed():
        clauses = list(reader.read(text, lang))  # type: ignore[arg-type]
        sayers = voices if lang == "auto" else [voice for voice in TURNS[lang] if voice in voices][:1]
        for voice in sayers or voices[:1]:
            spoken = said(system, clauses, voice, lang, run)
            meant = said(teacher, clauses, voice, lang, run)
            if spoken is None or meant is None:
                return None
            _add(result, system, clauses, spoken, meant, voice, lang, run)
    return result


def _add(
    result: Switches,
    system: System,
    clauses: list[Phonemes],
    spoken: Said,
    meant: Said,
    voice: str,
    lang: str,
    run: bool,
) -> None:
    path = cache_path(system, clauses, voice, lang)
    for c, clause in enumerate(clauses):
        durations, reference = spoken.durations[c], meant.durations[c]
        if durations is None or reference is None:
            continue
        sound = spoken.audio[spoken.starts[c] :][: int(durations.sum()) * HOP]
        spans = stretches(clause)
        missing = lost(durations, reference, sound, spans)
        result.spans += len(spans)
        result.lost += [f"{voice}: {clause.spans[i].text}" for i in missing]
        ends = np.cumsum(durations)
        for i, (first, after) in enumerate(spans):
            span = clause.spans[i]
            if after <= first or not units(span.text, span.lang):
                continue
            piece = frames_between(sound, int(ends[first]) - _EARLY_FRAMES, int(ends[after]))
            heard = heard_piece(path, f"{c}-{i}", piece, span.lang, run)
            if heard is not None:
                count, expected = wrong(span.text, heard, span.lang)
                result.wrong += count
                result.units += expected


def whole_times(
    bundles: Sequence[BundleSystem], teacher: TeacherSystem, reader: Reader, voice: str, run: bool
) -> tuple[int, int] | None:
    """How often the product's own sentence was spoken whole and without faults, and how often it was said."""
    lang, text = mixed()[0]
    clauses = list(reader.read(text, lang))  # type: ignore[arg-type]
    meant = said(teacher, clauses, voice, lang, run)
    whole = 0
    for bundle in bundles:
        spoken = said(bundle, clauses, voice, lang, run)
        if spoken is None or meant is None:
            return None
        missing = 0
        for c, clause in enumerate(clauses):
            durations, reference = spoken.durations[c], meant.durations[c]
            assert durations is not None
            assert reference is not None
            sound = spoken.audio[spoken.starts[c] :][: int(durations.sum()) * HOP]
            missing += len(lost(durations, reference, sound, stretches(clause)))
        languages = {span.lang for clause in clauses for span in clause.spans}
        whole += not missing and not faults(spoken.audio).any and len(languages) >= 5
    return whole, len(bundles)
