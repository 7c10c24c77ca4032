"""For every room: one thread of arithmetic as in the daemon, and a voice of a few kB."""

from __future__ import annotations

from pathlib import Path

import pytest

from cosyedge.host.limits import prepare_environment
from cosyedge.speech.voice import Bundle, load_bundle

# Nothing above imports numpy or onnxruntime, and every test module comes after.
prepare_environment()


@pytest.fixture(scope="session")
def test_bundle_path() -> Path:
    """A bundle with zh and en, voices zhitian, xiaoyan and en_us. Read-only: copy it to change it."""
    return Path(__file__).parent / "data" / "voice" / "tiny"


@pytest.fixture(scope="session")
def test_bundle(test_bundle_path: Path) -> Bundle:
    return load_bundle(test_bundle_path)
