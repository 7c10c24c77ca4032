"""The case files of the tests in this folder, and how a spoken text is compared."""

from __future__ import annotations

import unicodedata
from pathlib import Path

_HERE = Path(__file__).parent / "data"


def rows(name: str) -> list[list[str]]:
    """The rows of a case file, comments left out."""
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def heard(spoken: str) -> str:
    """What is compared: without punctuation, spaces and case."""
    folded = unicodedata.normalize("NFKC", spoken).casefold()
    return "".join(character for character in folded if character.isalnum())
