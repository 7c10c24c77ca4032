"""A cache of finished speech, what may be in it, and a synthesis that counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from cosyedge.announcements.phrase import Phrase
from cosyedge.announcements.phrase_cache import PhraseCache, Store
from cosyedge.speech.synthesizer import Synthesizer

TEXT = "晚饭好了。你好！"
OTHER = "好。"


class Counting(Synthesizer):
    """Counts the clauses that are made; fails at one where it is told to."""

    made = 0
    fails_at: int | None = None

    def stream(self, clause: Any, voice: Any, speed: float = 1.0) -> Any:
        self.made += 1
        for number, chunk in enumerate(super().stream(clause, voice, speed)):
            if number == self.fails_at:
                raise RuntimeError("no")
            yield chunk


def cache_in(store: Store, limit: int = 1 << 20, **more: Any) -> PhraseCache:
    return PhraseCache(limit, store, fingerprint="test", **more)


def phrase(seconds: float = 0.1, seed: int = 0) -> Phrase:
    frames = round(24_000 * seconds)
    pcm = np.random.default_rng(seed).integers(-9000, 9000, frames).astype(np.int16)
    return Phrase(pcm, np.array([[0, frames]], np.uint32), seed)


def sizes(cache: PhraseCache) -> tuple[int, int]:
    figures = cache.figures()
    return figures["phrases"], figures["bytes"]
