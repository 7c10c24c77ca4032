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

_SHIPPED = Path(__file__).parents[2] / "models" / "cosyedge-multi"
_FIVE = ("zh", "yue", "en", "ja", "ko")


@pytest.fixture(scope="session")
def lexicon_dir() -> Path:
    folder = Path(os.environ.get("COSYEDGE_LEXICONS", _SHIPPED))
    missing = [name for name in ("zh.lexicon", "en.lexicon") if not (folder / name).is_file()]
    assert not missing, f"{folder} lacks {missing}: build the lexicons with scripts/train/lexicon_*.py"
    return folder


@pytest.fixture(scope="session")
def reader(lexicon_dir: Path) -> Reader:
    """Reads two languages, as a bundle does that speaks no other."""
    return Reader(lexicon_dir, frozenset(("zh", "en")))


@pytest.fixture(scope="session")
def polyglot(lexicon_dir: Path) -> Reader:
    """Reads all five languages."""
    missing = [lang for lang in _FIVE if not (lexicon_dir / f"{lang}.lexicon").is_file()]
    assert not missing, f"{lexicon_dir} lacks the lexicons of {missing}"
    return Reader(lexicon_dir, frozenset(_FIVE))
