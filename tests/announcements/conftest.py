"""The stage that most tests of the speaker play on, and the desk of most tests of the queue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cosyedge.speech.voice import Bundle
from tests.announcements.desk import Desk
from tests.announcements.stage import Stage, on_stage


@pytest.fixture
def stage(test_bundle: Bundle, tmp_path: Path) -> Iterator[Stage]:
    with on_stage(test_bundle, tmp_path) as running:
        yield running


@pytest.fixture
def desk() -> Desk:
    return Desk()
