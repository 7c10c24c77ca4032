"""Whether PortAudio's thread runs in circles in a card that has gone.

PortAudio 19.6 can, when waiting for a card fails in an unlucky moment: the thread then jumps between two
lines for ever, at full speed and not to be cancelled, and whoever closes the card waits for it. Nothing ends
that but the end of the process. A sound server that stands still, in contrast, costs no time, and may go on.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

#: A thread that waits for a card sleeps nearly always; one that runs in circles never does.
_MOST_AWAKE: Final = 0.5
#: Seconds that a look must be apart from the one before.
_LOOK_S: Final = 1.0


class Circles:
    """Looks at the threads called ``name``; ``process`` is the folder in procfs."""

    def __init__(self, name: str, process: Path = Path("/proc/self")) -> None:
        self._name = name
        self._process = process
        self._last: tuple[float, float] | None = None

    def reset(self) -> None:
        """The card answers."""
        self._last = None

    def seen(self) -> bool:
        """Whether the thread has not slept between this look and an earlier one, at least a second ago."""
        now, awake = time.monotonic(), self._awake_s()
        if self._last is None:
            self._last = now, awake
        then, awake_then = self._last
        if now - then < _LOOK_S:
            return False
        self._last = now, awake
        return (awake - awake_then) / (now - then) > _MOST_AWAKE

    def _awake_s(self) -> float:
        """Seconds for which threads of that name have run or waited for a processor."""
        awake = 0.0
        for task in self._process.glob("task/*"):
            try:
                if (task / "comm").read_text().strip() == self._name:
                    run_ns, wait_ns = (task / "schedstat").read_text().split()[:2]
                    awake += (int(run_ns) + int(wait_ns)) / 1e9
            except OSError:  # it has just ended; or this kernel keeps no such account
                continue
        return awake
