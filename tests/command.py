"""The command as a test calls it: with the tiny voice, its last line read, its standard input given."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def voice(test_bundle_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The flags for the tiny voice; nothing outside ``tmp_path`` is written."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    return [f"--models-dir={test_bundle_path.parent}", f"--models-bundle={test_bundle_path.name}"]


def last_line(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
