"""What a terminal is told while something takes long."""

from __future__ import annotations

import os
import pty
import sys

import pytest


def test_a_terminal_is_told_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    from cosyedge import progress

    monkeypatch.setattr(progress, "_PATIENCE_S", 0.0)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress.Progress("loading the voice") as shown:
            seen = b""
            while b"loading the voice" not in seen:
                seen += os.read(ours, 1000)
            shown.say("3.1 s of speech")
            while b"3.1 s of speech" not in seen:
                seen += os.read(ours, 1000)
    os.close(ours)
