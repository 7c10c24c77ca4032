"""The figures of an evaluation as a page to read, ``REPORT.md``, with its plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import curves
import plots
from sound_counts import ENOUGH

Report = dict[str, Any]
_FOLDER = "report"

_HEAD = """# How this voice was measured

Sentences that no model was trained on, written and hashed before the training began; every system of ours
was given the same phonemes, other programs the text. Voices of a language take turns. Errors are what Whisper
base did not write as it was said, after the same normalisation of both: toneless pinyin syllables (zh), words
(en), kana as they sound (ja), hangul syllables (ko), toneless jyutping of what is written as Mandarin (yue).
DNSMOS is its overall mark, every sound at the same level. `copy` is the vocoder on the teacher's own frames.
Differences are to the teacher, with the bounds that hold 95 % of 4000 paired resamplings of the sentences.
CPU seconds for a second of speech on one thread of this machine; no figure here was measured on a Pi.
"""


def write(report: Report, bundle: Path, logs: dict[str, Path]) -> None:
    """``REPORT.md`` and ``report/*.svg`` beside the models of ``bundle``."""
    pictures = _pictures(report, bundle / _FOLDER, logs)
    languages = report["languages"]
    parts = [
        _HEAD,
        _errors(languages),
        *(f"![{title}]({_FOLDER}/{name})\n" for title, name in pictures),
        _by_voice(languages),
        _prosody(languages),
        _tones(languages),
        _switches(report.get("mixed", {})),
        _speed(report),
        _quantisation(report.get("quantisation", {})),
        _faults(languages),
        _corpus(report.get("corpus", {})),
    ]
    (bundle / "REPORT.md").write_text("\n".join(part for part in parts if part), "utf-8")


def _table(head: list[str], rows: list[list[object]]) -> str:
    lines: list[list[object]] = [[*head], ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def _span(difference: list[float] | None) -> str:
    if difference is None:
        return ""
    value, low, high = difference
    return f"{value:+g} ({low:+g} to {high:+g})"


def _errors(languages: Report) -> str:
    rows: list[list[object]] = []
    for lang, figures in languages.items():
        for name, error in figures["error"].items():
            rows.append(
                [
                    lang,
                    name,
                    figures.get("sentences_of", {}).get(name, figures["sentences"]),
                    error,
                    _span(figures["error_difference"].get(name)),
                    figures["dnsmos"][name],
                    _span(figures["dnsmos_difference"].get(name)),
                ]
            )
    head = ["language", "system", "sentences", "errors %", "to the teacher", "DNSMOS", "to the teacher"]
    return "## Understood, and how it sounds\n\n" + _table(head, rows)


def _by_voice(languages: Report) -> str:
    systems = [name for name in ("teacher", "fp32", "int8", "copy") if _has(languages, name)]
    rows: list[list[object]] = []
    for lang, figures in languages.items():
        for voice, own in figures["by_voice"].items():
            values = [own["error"].get(name, "") for name in systems]
            marks = [own["dnsmos"].get(name, "") for name in systems]
            rows.append([lang, voice, max(own["sentences"].values()), *values, *marks])
    head = ["language", "voice", "sentences"]
    head += [f"{name}, errors %" for name in systems] + [f"{name}, DNSMOS" for name in systems]
    return "## Every voice in every language\n\n" + _table(head, rows)


def _has(languages: Report, name: str) -> bool:
    return any(name in figures["error"] for figures in languages.values())


def _prosody(languages: Report) -> str:
    rows: list[list[object]] = [
        [lang, name, f["length_percent"], f["symbol_ms"], f["f0_semitones"], f["voicing_percent"]]
        for lang, figures in languages.items()
        for name, f in figures["prosody"].items()
    ]
    text = (
        "## Pace and melody against the teacher's\n\nLength in all; mean difference of a symbol's duration; "
        "RMS difference of F0, tracked in both sounds,\nwhere both have a voice; frames that only one says "
        "with a voice.\n\n"
    )
    head = ["language", "system", "length %", "symbol, ms", "F0, semitones", "voicing, %"]
    return text + _table(head, rows) if rows else ""


def _tones(languages: Report) -> str:
    rows: list[list[object]] = [
        [
            lang,
            name,
            f["right"],
            f["syllables"],
            f["voiceless"],
            " ".join(f"{t}{v}" for t, v in f["by_tone"].items()),
        ]
        for lang, figures in languages.items()
        for name, f in figures.get("tones", {}).items()
    ]
    text = (
        "## Tones\n\nSyllables whose contour, tracked in the sound, is nearest to the template of its own "
        "tone. The templates are\nlearnt from the teacher's corpus, in each speaker's range; the teacher's "
        "share is what the measure can reach.\nSyllables without three voiced frames are counted apart.\n\n"
    )
    head = ["language", "system", "right, %", "syllables", "without a contour", "by tone"]
    return text + _table(head, rows) if rows else ""


def _switches(mixed: Report) -> str:
    if not mixed:
        return ""
    rows: list[list[object]] = [
        [name, f["spans"], len(f["lost"]), f["error"]] for name, f in mixed["systems"].items()
    ]
    text = (
        "## Where the language changes\n\nSpans of the mixed sentences; lost are those much shorter than the "
        "teacher's or without sound; errors are those of\neach span recognised alone, cut out of its "
        "sentence.\n\n" + _table(["system", "spans", "lost", "errors %"], rows)
    )
    for voice, (whole, times) in mixed.get("product_sentence", {}).items():
        text += f"\nThe product's own sentence by {voice}: whole {whole} times of {times}."
    return text + "\n"


def _speed(report: Report) -> str:
    rows: list[list[object]] = []
    names = list(dict.fromkeys(n for f in report["languages"].values() for n in f["rtf_cpu"]))
    for name in names:
        values = [
            f"{lang} {f['rtf_cpu'][name]:g}"
            for lang, f in report["languages"].items()
            if name in f["rtf_cpu"]
        ]
        rows.append([name, ", ".join(values)])
    text = "## Speed and memory\n\nCPU seconds a second of speech, everything included.\n\n"
    text += _table(["system", "by language"], rows)
    if peers := report.get("programs"):
        text += "\nOther programs, a process a sentence: the slope over seconds of speech, and the rest.\n\n"
        text += _table(
            ["program", "CPU s / s", "CPU s to load", "memory, MB"],
            [
                [name, f"{f['rtf_cpu']:.3f} ± {f['rtf_cpu_error']:.3f}", f["load_cpu_s"], f["peak_rss_mb"]]
                for name, f in peers.items()
            ],
        )
    if bench := report.get("bench"):
        wanted = ("rtf_p50_cpu", "rtf_p95_cpu", "first_audio_ms_p50_cpu", "first_audio_ms_p95_cpu")
        shown = [*wanted, "rss_after_load_mb", "rss_steady_mb", "bundle_mb", "load_s_cpu"]
        text += "\n`cosyedge bench`:\n\n"
        text += _table(["figure", "value"], [[name, bench[name]] for name in shown if name in bench])
    return text


def _quantisation(figures: Report) -> str:
    if not figures:
        return ""
    rows: list[list[object]] = []
    for name in ("fp32", "int8"):
        own = figures[name]
        for model in ("acoustic", "vocoder"):
            count = own[f"{model}_products"]
            rtf = own.get(f"{model}_rtf_cpu", "")
            rows.append([name, model, own[f"{model}_mb"], rtf, count["int8"], count["float32"]])
    text = (
        "## From float to INT8\n\nMillions of multiply-accumulates for a second of speech are counted, so "
        "they hold on ARM64 too.\n\n"
    )
    head = ["bundle", "model", "MB", "CPU s / s", "INT8 products, M/s", "float products, M/s"]
    same, of = figures["utterances"]
    equal, distance = figures["durations_equal_percent"], figures["mel_distance_nats"]
    text += _table(head, rows)
    text += f"\nOn {of} utterances of the corpus that nothing was trained on, {equal} % of the durations\n"
    text += f"are equal; mel distance {distance} nats over the {same} whose lengths agree. What the\n"
    return text + "recogniser makes of both stands above.\n"


def _faults(languages: Report) -> str:
    found = [
        f"- {lang} {name}: {', '.join(texts)}"
        for lang, figures in languages.items()
        for name, texts in figures["faults"].items()
        if texts
    ]
    text = (
        "## Faults of the signal\n\nSamples that are no numbers, clipped ones, an offset, a click at an end: "
    )
    return text + ("none.\n" if not found else "\n\n" + "\n".join(found) + "\n")


def _corpus(corpus: Report) -> str:
    if not corpus:
        return ""
    voices = sorted({voice for figures in corpus.values() for voice in figures["minutes"]})
    minutes: list[list[object]] = [
        [
            lang,
            *(figures["minutes"].get(voice, "") for voice in voices),
            round(sum(figures["minutes"].values()), 1),
            figures["held_out_minutes"],
        ]
        for lang, figures in corpus.items()
    ]
    counts: list[list[object]] = []
    for lang, figures in corpus.items():
        for kind in ("symbols", "tone_pairs", "consonant_pairs"):
            if found := figures[kind]:
                rare = " ".join(f"`{one}`" for one in figures["rare"][kind])
                counts.append([lang, kind.replace("_", " "), len(found), sum(found.values()), rare or "none"])
    text = "## What the training heard\n\nMinutes of speech, by voice, and those never trained on.\n\n"
    text += _table(["language", *voices, "all", "held out"], minutes)
    text += (
        "\nSounds, neighbouring tones, and consonants without a vowel between them; rare are those of the\n"
        f"unseen sentences with fewer than {ENOUGH} examples. Every count is in `report.json`.\n\n"
    )
    return text + _table(["language", "what", "kinds", "examples", "rare"], counts)


def _pictures(report: Report, folder: Path, logs: dict[str, Path]) -> list[tuple[str, str]]:
    languages = report["languages"]
    made = []
    for title, figure, low in (("Recogniser errors, %", "error", 0.0), ("DNSMOS", "dnsmos", 2.0)):
        groups = {lang: figures[figure] for lang, figures in languages.items()}
        plots.bars(folder / f"{figure}.svg", title, groups, low)
        made.append((title, f"{figure}.svg"))
    toned = {
        lang: {name: f["right"] for name, f in figures["tones"].items()}
        for lang, figures in languages.items()
        if figures.get("tones")
    }
    if toned:
        plots.bars(folder / "tones.svg", "Tones that are right, %", toned)
        made.append(("Tones that are right, %", "tones.svg"))
    for name, log in logs.items():
        read = curves.acoustic if name == "acoustic" else curves.vocoder
        found = read(log)
        if any(len(points) > 1 for points in found.values()):
            title = f"Learning curve: {name}" + (
                " (held out, against the first)" if name == "acoustic" else ""
            )
            plots.lines(folder / f"curve-{name}.svg", title, found, relative=name == "acoustic")
            made.append((title, f"curve-{name}.svg"))
    return made
