"""Finished speech, kept for the next time: a house says the same few sentences again and again.

A phrase is found by what its samples depend on: the bundle and what reads for it, the voice, the text, the
language and the speed. Volume and chime come later and are no part of it. What is kept is bounded in bytes,
and the phrase that was not asked for the longest goes first. Texts are kept nowhere: a key is a digest.
"""

from __future__ import annotations

import hashlib
import struct
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol

import numpy as np

from cosyedge.announcements.phrase import FULL, Phrase
from cosyedge.errors import HostError
from cosyedge.playback.sink import SAMPLE_RATE, Samples

#: What is longer is hardly said twice, and starts as soon as a short one.
LONGEST_S: Final = 30.0


class Store(Protocol):
    """Where the bytes of phrases are: :class:`MemoryStore`, or a folder of files."""

    def listing(self) -> list[tuple[str, int]]:
        """Key and size of all that is there, what was not asked for the longest first."""

    def read(self, key: str) -> bytes | None:
        """None if it is there no more."""

    def write(self, key: str, data: bytes) -> None:
        """Raises OSError."""

    def remove(self, key: str) -> None: ...


class MemoryStore:
    """In the memory of this process."""

    def __init__(self) -> None:
        self._phrases: dict[str, bytes] = {}

    def listing(self) -> list[tuple[str, int]]:
        return [(key, len(data)) for key, data in self._phrases.items()]

    def read(self, key: str) -> bytes | None:
        return self._phrases.get(key)

    def write(self, key: str, data: bytes) -> None:
        self._phrases[key] = data

    def remove(self, key: str) -> None:
        self._phrases.pop(key, None)


class PhraseCache:
    """At most ``limit_bytes`` of phrases in ``store``; any thread may use it.

    Args:
        fingerprint: of all else that samples depend on: models, lexicons, the program and its options.
        on_trouble: told the error when a phrase can't be kept, and None when one could be again.
    """

    def __init__(
        self,
        limit_bytes: int,
        store: Store,
        *,
        fingerprint: str,
        on_trouble: Callable[[HostError | None], None] = lambda error: None,
    ) -> None:
        self.limit_bytes = limit_bytes
        self._store = store
        self._fingerprint = fingerprint
        self._on_trouble = on_trouble
        self._lock = threading.Lock()
        self._sizes: OrderedDict[str, int] = OrderedDict(store.listing())
        self._bytes = sum(self._sizes.values())
        self._hits = 0
        self._misses = 0
        self._in_trouble = False
        with self._lock:
            self._make_room(0)

    def renew(self, fingerprint: str) -> None:
        """From now on samples depend on something else; what was made before is found no more."""
        self._fingerprint = fingerprint

    def key(self, voice: str, text: str, lang: str, speed: float) -> str:
        """32 hexadecimal digits."""
        parts = (self._fingerprint, voice, lang, repr(float(speed)), text)
        whole = b"".join(struct.pack("<I", len(part.encode())) + part.encode() for part in parts)
        return hashlib.blake2b(whole, digest_size=16).hexdigest()

    def get(self, key: str) -> Phrase | None:
        """The phrase, counted as a hit or as a miss. One that is damaged is dropped."""
        with self._lock:
            phrase = self._read(key) if key in self._sizes else None
            if phrase is None:
                self._misses += 1
                self._forget(key)
                return None
            self._hits += 1
            self._sizes.move_to_end(key)
            return phrase

    def put(self, key: str, phrase: Phrase) -> None:
        """Keep it, in the place of others if need be. It never raises: what can't be kept is made again."""
        try:
            data = phrase.to_bytes()
        except MemoryError:  # what is kept is the first that can be done without
            self.clear()
            return
        if len(data) > self.limit_bytes:
            return
        with self._lock:
            self._forget(key)
            self._make_room(len(data))
            error = None
            try:
                self._store.write(key, data)
            except OSError as failure:
                reason = failure.strerror or type(failure).__name__
                error = HostError("cache_unwritable", f"A phrase could not be kept: {reason}.")
            else:
                self._sizes[key] = len(data)
                self._bytes += len(data)
            changed = self._in_trouble != (error is not None)
            self._in_trouble = error is not None
        if changed:
            self._on_trouble(error)

    def clear(self) -> None:
        """Drop all of it: asked for, or because memory is short."""
        with self._lock:
            for key in list(self._sizes):
                self._forget(key)

    def figures(self) -> dict[str, int]:
        """For health: ``hits``, ``misses``, ``phrases``, ``bytes`` and ``limit_bytes``."""
        with self._lock:
            return {
                "hits": self._hits,
                "misses": self._misses,
                "phrases": len(self._sizes),
                "bytes": self._bytes,
                "limit_bytes": self.limit_bytes,
            }

    def _read(self, key: str) -> Phrase | None:
        try:
            data = self._store.read(key)
            return None if data is None else Phrase.from_bytes(data)
        except (OSError, ValueError):
            return None

    def _forget(self, key: str) -> None:
        size = self._sizes.pop(key, None)
        if size is not None:
            self._bytes -= size
            self._store.remove(key)

    def _make_room(self, size: int) -> None:
        while self._sizes and self._bytes + size > self.limit_bytes:
            self._forget(next(iter(self._sizes)))


class Recording:
    """A phrase while it is being said; it is kept only once it was heard to its end."""

    def __init__(self, cache: PhraseCache, key: str) -> None:
        self._cache = cache
        self._key = key
        self._most = min(round(LONGEST_S * SAMPLE_RATE), cache.limit_bytes // 2)
        self._pcm = bytearray()
        self._clauses: list[tuple[int, int]] = []
        self._begun = 0
        self._is_whole = False
        self._given_up = False

    def begin_clause(self, pause_s: float) -> None:
        """One comes, after a pause."""
        self._append(lambda: bytes(2 * round(pause_s * SAMPLE_RATE)))
        self._begun = len(self._pcm) // 2

    def add(self, samples: Samples) -> None:
        """Of a clause, in (-1, 1)."""
        self._append(lambda: np.rint(samples * FULL).astype("<i2").tobytes())

    def _append(self, pcm: Callable[[], bytes]) -> None:
        if self._given_up:
            return
        try:
            self._pcm += pcm()
        except MemoryError:  # the announcement goes on without
            self._given_up = True
        if self._given_up or len(self._pcm) > 2 * self._most:
            self._given_up = True
            self._pcm.clear()

    def end_clause(self) -> None:
        self._clauses.append((self._begun, len(self._pcm) // 2))

    def end(self) -> None:
        """Nothing follows."""
        self._is_whole = True

    def keep(self, unknown: int) -> None:
        """Into the cache, if it is all there."""
        if self._is_whole and self._pcm:
            pcm = np.frombuffer(self._pcm, "<i2")
            self._cache.put(self._key, Phrase(pcm, np.array(self._clauses, "<u4"), unknown))
