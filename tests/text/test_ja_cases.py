"""Japanese texts and what must be spoken, from announcement to kana: our own cases, each of them confirmed by
a second source that its row names."""

from __future__ import annotations

from pathlib import Path

import pytest

from cosyedge.text.reader import Reader
from tests.text.test_cases import compared, spoken

_ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "ja.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture(scope="module")
def reader(lexicon_dir: Path) -> Reader:
    return Reader(lexicon_dir, frozenset(("zh", "en", "ja")), default_lang="ja")


@pytest.mark.parametrize(
    ("lang", "text", "expected", "kind", "source"),
    [pytest.param(*row, id=f"{row[3]}: {row[1]}") for row in _ROWS],
)
def test_cases(reader: Reader, lang: str, text: str, expected: str, kind: str, source: str) -> None:
    clauses = list(reader.read(text, "ja", "ja"))
    assert lang == "ja"
    assert compared(spoken(clauses)) in [compared(answer) for answer in expected.split("|")]
    assert not any(clause.unknown for clause in clauses)


def test_the_cases_are_many_and_name_their_sources() -> None:
    assert len(_ROWS) >= 80
    assert all(len(row) == 5 and row[4] for row in _ROWS)
    assert len({row[1] for row in _ROWS}) == len(_ROWS)
