"""Our own cases in Mandarin, English, their mixture and markup, each with a second source."""

from __future__ import annotations

from pathlib import Path

import pytest

from cosyedge.text.reader import Reader
from tests.text.test_cases import compared, read, spoken

_DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[list[str]]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n").split("\t") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("lang", "text", "expected", "kind", "source"), rows("zh.tsv") + rows("en.tsv"))
def test_spoken_words(reader: Reader, lang: str, text: str, expected: str, kind: str, source: str) -> None:
    clauses = read(reader, text, lang)
    assert compared(spoken(clauses)) == compared(expected), kind
    assert not any(clause.unknown for clause in clauses)


@pytest.mark.parametrize(("lang", "text", "expected", "kind", "source"), rows("auto.tsv"))
def test_mixtures(polyglot: Reader, lang: str, text: str, expected: str, kind: str, source: str) -> None:
    clauses = read(polyglot, text, lang)
    assert compared(spoken(clauses)) in [compared(answer) for answer in expected.split("|")], kind
    assert not any(clause.unknown for clause in clauses)


@pytest.mark.parametrize(("text", "expected", "source"), rows("markup.tsv"))
def test_markup(reader: Reader, text: str, expected: str, source: str) -> None:
    clauses = read(reader, text, "auto")
    assert compared(spoken(clauses)) == compared(expected), source
    assert not any(clause.unknown for clause in clauses)


@pytest.mark.parametrize(("text", "character", "reading", "source"), rows("zh_polyphones.tsv"))
def test_polyphones(reader: Reader, text: str, character: str, reading: str, source: str) -> None:
    spans = [span for clause in read(reader, text, "zh") for span in clause.spans]
    characters = [char for span in spans for char in span.spoken if char.isalpha()]
    syllables = [syllable for span in spans for syllable in (span.reading or "").split()]
    assert syllables[characters.index(character)] == reading, source


def test_the_cases_are_many_and_name_their_sources() -> None:
    ours = [row for name in ("zh", "en", "auto", "markup", "zh_polyphones") for row in rows(f"{name}.tsv")]
    assert len(ours) >= 150
    assert all(row[-1] for row in ours)
