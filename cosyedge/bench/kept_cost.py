"""What it costs to begin with a phrase that was said before, for `cosyedge bench`."""

from __future__ import annotations

import time
from typing import Final

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.performance import Performance, Stages
from cosyedge.announcements.phrase_cache import MemoryStore, PhraseCache
from cosyedge.announcements.settings import Settings
from cosyedge.condition import percentile

_TIMES: Final = 50


def kept_cost(stages: Stages, text: str) -> dict[str, float | None]:
    """CPU milliseconds until the first samples of ``text`` are there, of which all is kept: half of the times
    less than ``first_kept_ms_p50_cpu``, 95 of 100 less than ``first_kept_ms_p95_cpu``.
    """
    cache = PhraseCache(1 << 24, MemoryStore(), fingerprint="bench")

    def performance() -> Performance:
        return Performance(Announcement("bench", text), Settings(), stages, cache=cache)

    first = performance()
    for _ in first.samples():
        pass
    first.keep()
    took = []
    for _ in range(_TIMES):
        began = time.process_time()
        samples = performance().samples()
        next(samples)
        took.append(1000 * (time.process_time() - began))
        samples.close()
    found = {percent: percentile(took, percent) for percent in (50, 95)}
    return {
        f"first_kept_ms_p{percent}_cpu": None if value is None else round(value, 2)
        for percent, value in found.items()
    }
