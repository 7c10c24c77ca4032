from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from cosyedge.playback.alsa import AlsaSink
from tests.playback.sound import PulseNull


@pytest.fixture
def pulse() -> Iterator[PulseNull]:
    server = PulseNull()
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def make_sink() -> Iterator[Callable[..., AlsaSink]]:
    """Makes sinks, closes them after the test, and sees to it that no thread of theirs is left."""
    sinks: list[AlsaSink] = []

    def make(*arguments: object, **options: object) -> AlsaSink:
        sinks.append(AlsaSink(*arguments, **options))  # type: ignore[arg-type]
        return sinks[-1]

    yield make
    for sink in sinks:
        sink.close()
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("audio")]
    assert not left, f"threads were left behind: {left}"
