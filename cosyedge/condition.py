"""How the daemon is: what goes wrong at the moment, what was done so far, and the message that tells both."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from cosyedge.announcements.result import FINAL, Result
from cosyedge.errors import CosyError
from cosyedge.host.health import Readings

Status = Literal["starting", "ok", "degraded"]

#: Percentiles are of so many announcements, the newest.
_REMEMBERED: Final = 256
#: How many of them the history has.
_SHOWN: Final = 60


class Condition:
    """Told by every thread, asked by the main one.

    A trouble belongs to whoever tells of it (``mqtt``, ``audio``, …), who takes it back with None.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._is_starting = True
        self._troubles: dict[str, CosyError] = {}
        self._counts = dict.fromkeys(("queued", *sorted(FINAL)), 0)
        self._rtf: deque[float] = deque(maxlen=_REMEMBERED)
        self._first_audio_ms: deque[float] = deque(maxlen=_REMEMBERED)

    def started(self) -> None:
        """Start-up is over."""
        with self._lock:
            self._is_starting = False

    def trouble(self, whose: str, error: CosyError | None) -> bool:
        """Whether this changes the condition."""
        with self._lock:
            before = self._troubles.get(whose)
            if error is None:
                self._troubles.pop(whose, None)
            else:
                self._troubles[whose] = error
            return (before and before.code) != (error and error.code)

    def count(self, result: Result) -> None:
        """An announcement has entered a state."""
        with self._lock:
            # "queued" is told again, with the time waited, of one that has to wait once more.
            if result.state in self._counts and not (
                result.state == "queued" and result.waited_s is not None
            ):
                self._counts[result.state] += 1
            if result.state == "finished":
                if result.rtf is not None:
                    self._rtf.append(result.rtf)
                if result.first_audio_ms is not None:  # what was kept needs no synthesis
                    self._first_audio_ms.append(result.first_audio_ms)

    @property
    def status(self) -> Status:
        with self._lock:
            if self._is_starting:
                return "starting"
            return "degraded" if self._troubles else "ok"

    def sentence(self) -> str:
        """One line for people."""
        with self._lock:
            troubles = "; ".join(error.sentence for error in self._troubles.values())
            is_starting = self._is_starting
        return troubles or ("starting" if is_starting else "ready")

    def report(self, readings: Readings, also_failed: int, **more: Any) -> dict[str, Any]:
        """The health message.

        Args:
            also_failed: payloads that never became an announcement.
            more: what others know: ``queue``, ``underruns``, ``bundle``, …
        """
        status = self.status
        with self._lock:
            counts = self._counts | {"failed": self._counts["failed"] + also_failed}
            troubles = sorted((error.code, error.sentence) for error in self._troubles.values())
            return {
                "status": status,
                "reasons": [code for code, _ in troubles],
                "messages": [sentence for _, sentence in troubles],
                "uptime_s": round(time.monotonic() - self._started),
                "rss_mb": readings.rss_mb,
                "pss_mb": readings.pss_mb,
                "peak_rss_mb": readings.peak_rss_mb,
                "cpu_percent": readings.cpu_percent,
                "threads": readings.threads,
                "cpu_temp_c": readings.cpu_temp_c,
                "throttled": readings.throttled,
                "announcements": counts,
                "rtf": _p50_p95(self._rtf, 4),
                "first_audio_ms": _p50_p95(self._first_audio_ms, 1),
            } | more

    def history(self) -> dict[str, list[float]]:
        """What the percentiles are of, oldest first, as far as it can be looked at."""
        with self._lock:
            return {
                "rtf": [round(value, 4) for value in self._rtf][-_SHOWN:],
                "first_audio_ms": [round(value, 1) for value in self._first_audio_ms][-_SHOWN:],
            }


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The smallest value that ``percent`` of all do not exceed (nearest rank); None of none."""
    if not values:
        return None
    ordered = sorted(values)
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(int(rank), 1) - 1]


def _p50_p95(values: Sequence[float], digits: int) -> Mapping[str, float | None]:
    found = {"p50": percentile(values, 50), "p95": percentile(values, 95)}
    return {name: None if value is None else round(value, digits) for name, value in found.items()}
