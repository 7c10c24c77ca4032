"""The case files of the tests of this room, and how a spoken text is compared."""

from __future__ import annotations

import unicodedata
from pathlib import Path

_OWN = Path(__file__).parent / "data"
_CASES = Path(__file__).parents[1] / "data" / "cases"


def rows(name: str) -> list[list[str]]:
    """The rows of a case file of this room, comments left out."""
    return _rows(_OWN / name)


def cases(name: str) -> list[list[str]]:
    """The same of the cases beside it, which other rooms read, too."""
    return _rows(_CASES / name)


def _rows(file: Path) -> list[list[str]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def heard(spoken: str) -> str:
    """What is compared: without punctuation, spaces and case."""
    folded = unicodedata.normalize("NFKC", spoken).casefold()
    return "".join(character for character in folded if character.isalnum())
