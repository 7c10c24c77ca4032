"""The lexicons that the text tests read: the shipped ones, or those that COSYEDGE_LEXICONS names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from cosyedge.text.reader import Reader

# The same examples on every machine, and none judged by the clock.
settings.register_profile("text", deadline=None, derandomize=True)
settings.load_profile("text")

_SHIPPED = Path(__file__).parents[2] / "models" / "cosyedge-zh-en"


@pytest.fixture(scope="session")
def lexicon_dir() -> Path:
    folder = Path(os.environ.get("COSYEDGE_LEXICONS", _SHIPPED))
    missing = [name for name in ("zh.lexicon", "en.lexicon") if not (folder / name).is_file()]
    assert not missing, f"{folder} lacks {missing}: build the lexicons with scripts/train/lexicon_*.py"
    return folder


@pytest.fixture(scope="session")
def reader(lexicon_dir: Path) -> Reader:
    """Reads the two languages of the first bundle."""
    return Reader(lexicon_dir, frozenset(("zh", "en")))
