"""What may happen thousands of times in a row is in the log once, and then with how often it was."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

#: Seconds for which a code is not logged again: who sends one wrong payload may send thousands.
SAME_S: Final = 10.0


@dataclass(slots=True)
class _Said:
    at: float
    sentence: str
    more: int = 0


class SeldomLog:
    """Warnings by their code, used by any thread: the first at once, those that follow in one line with
    their number once :data:`SAME_S` have passed. The codes are few, as those of errors are."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._said: dict[str, _Said] = {}

    def warn(self, code: str, sentence: str) -> None:
        """``sentence`` ends with the code where that helps; it holds nothing of what is spoken."""
        self.flush()
        with self._lock:
            said = self._said.get(code)
            if said is not None:
                said.more += 1
                said.sentence = sentence
                return
            self._said[code] = _Said(self._clock(), sentence)
        self._log.warning("%s", sentence)

    def flush(self) -> None:
        """Logs what has waited for long enough; to be called every second or so."""
        if not self._said:
            return
        now = self._clock()
        lines: list[tuple[str, int]] = []
        with self._lock:
            for code, said in list(self._said.items()):
                if now < said.at + SAME_S:
                    continue
                if said.more:
                    lines.append((said.sentence, said.more))
                    said.at, said.more = now, 0
                else:
                    del self._said[code]
        for sentence, more in lines:
            self._log.warning("%s (%d more since the last line)", sentence, more)
