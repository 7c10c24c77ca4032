"""The sentences that no model was trained on, and who says which.

``evaluation/<language>.txt`` has a sentence a line, ``evaluation/mixed.txt`` a base language, a tab and a
sentence. They were written and their hashes committed before a training began; :func:`check_hashes` holds
them to it, and :func:`seen_in` that none has come into the corpus since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("evaluation")
LANGUAGES = ("zh", "en", "ja", "ko", "yue")
#: who takes turns in a language: its native voices, or all where the teacher has no native one
TURNS = {
    "zh": ("xiaoyan", "zhitian"),
    "en": ("en_us",),
    "ja": ("ja_jp",),
    "ko": ("ja_jp", "xiaoyan", "zhitian", "en_us"),
    "yue": ("xiaoyan", "zhitian", "en_us", "ja_jp"),
}
VOICES = ("zhitian", "xiaoyan", "en_us", "ja_jp")
#: in the files, but the corpus says it too: it turned out when the training had begun
SEEN = frozenset({"Two."})
#: a voice that is not at home in a language says every fourth of its sentences besides
SUBSET = 4


@dataclass(frozen=True)
class Task:
    """One sentence by one voice. ``turn``: it counts for the language, else for the voice alone."""

    lang: str
    text: str
    voice: str
    turn: bool = True


def check_hashes() -> None:
    """Raises ValueError where a file is not what was committed before the training."""
    lines = (FOLDER / "SHA256SUMS").read_text("utf-8").splitlines()
    listed = {name: digest for digest, name in (line.split("  ") for line in lines)}
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in FOLDER.glob("*.txt")}
    if listed != found:
        changed = sorted(name for name in listed | found if listed.get(name) != found.get(name))
        raise ValueError(f"changed since the training began: {', '.join(changed)}")


def sentences(lang: str) -> list[str]:
    lines = (FOLDER / f"{lang}.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and line not in SEEN]


def mixed() -> list[tuple[str, str]]:
    """(base language or ``auto``, sentence with words of other languages in it)."""
    return [(lang, text) for lang, text in (line.split("\t") for line in sentences("mixed"))]


def tasks(lang: str, limit: int | None = None) -> list[Task]:
    """Everything to be said in a language, those that count for the language first."""
    said = sentences(lang)[:limit]
    voices = TURNS[lang]
    found = [Task(lang, text, voices[i % len(voices)]) for i, text in enumerate(said)]
    foreign = [voice for voice in VOICES if voice not in voices]
    found += [Task(lang, text, voice, turn=False) for voice in foreign for text in said[::SUBSET]]
    return found


def seen_in(corpus_texts: Iterable[str]) -> list[str]:
    """The evaluation sentences that the corpus has said."""
    unseen = {text for lang in LANGUAGES for text in sentences(lang)} | {text for _, text in mixed()}
    return sorted(unseen.intersection(corpus_texts))
