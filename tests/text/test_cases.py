"""The shared cases: what must be spoken, row by row, in all five languages."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from cosyedge.announcements.say_object import Limits, check_value
from cosyedge.errors import AnnouncementError
from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.spans import Lang

_CASES = Path(__file__).parents[1] / "data" / "cases"


def rows(name: str) -> list[list[str]]:
    lines = (_CASES / name).read_text("utf-8").splitlines()
    return [
        [field.replace("\\n", "\n").replace("\\t", "\t") for field in line.split("\t")]
        for line in lines
        if not line.startswith("#")
    ]


def parameters(name: str) -> list[object]:
    """Rows as parameters, each by its own name."""
    return [pytest.param(*row, id=f"{row[0]}: {row[1]} {row[2]}") for row in rows(name)]


def compared(text: str) -> str:
    """As the cases are compared: NFKC, case folding, no punctuation, no white space."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if unicodedata.category(char)[0] not in "PZC")


def read(reader: Reader, text: str, lang: str) -> list[Phonemes]:
    base: Lang | Literal["auto"] = lang  # type: ignore[assignment]
    return list(reader.read(text, base))


def spoken(clauses: list[Phonemes]) -> str:
    return " ".join(span.spoken for clause in clauses for span in clause.spans)


@pytest.mark.parametrize(("lang", "text", "expected", "why"), parameters("readings.tsv"))
def test_readings(polyglot: Reader, lang: str, text: str, expected: str, why: str) -> None:
    clauses = read(polyglot, text, lang)
    assert compared(spoken(clauses)) in [compared(answer) for answer in expected.split("|")], why
    assert not any(clause.unknown for clause in clauses)


@pytest.mark.parametrize(("lang", "text", "word", "expected"), parameters("polyphones.tsv"))
def test_polyphones(polyglot: Reader, lang: str, text: str, word: str, expected: str) -> None:
    """The word's syllables stand at its characters' places in the reading."""
    spans = [span for clause in read(polyglot, text, lang) for span in clause.spans]
    characters = [char for span in spans for char in span.spoken if char.isalpha()]
    syllables = [syllable for span in spans for syllable in (span.reading or "").split()]
    assert len(characters) == len(syllables)
    at = "".join(characters).index(word)
    assert syllables[at : at + len(word)] == expected.partition(" (")[0].split()


@pytest.mark.parametrize(
    ("text", "expected", "why"),
    [pytest.param(*row, id=ascii(row[0])) for row in rows("markup.tsv")],
)
def test_markup(polyglot: Reader, text: str, expected: str, why: str) -> None:
    if expected == "error template_not_rendered":  # refused before it is text
        with pytest.raises(AnnouncementError) as caught:
            check_value("text", text, Limits())
        assert caught.value.code == "template_not_rendered"
        return
    clauses = list(polyglot.read(text))
    if expected == "skipped: empty":
        assert clauses == []
        return
    parts = expected.split("(pause)")
    assert compared(spoken(clauses)) == compared("".join(parts)), why
    if len(parts) > 1:
        assert [compared(spoken([clause])) for clause in clauses] == [compared(part) for part in parts]
        assert all(clause.pause_s >= 0.5 for clause in clauses[:-1])
