"""What a running daemon takes over from a changed configuration, and what waits for the next start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from cosyedge.options import OPTIONS, Config

#: Nothing was made from these at the start: whoever needs them asks the configuration, or can be told.
LIVE: Final = frozenset(
    {
        "health.interval_s",
        "lexicon.user",
        "limits.max_chars",
        "log.level",
        "queue.max_announcements",
        "queue.max_bytes",
        "queue.resume",
    }
)


def differences(running: Config, read: Config) -> tuple[Config, tuple[str, ...], tuple[str, ...]]:
    """The configuration that holds from now on, the keys that changed in it, and those that wait.

    A key that waits for a restart keeps the value that runs, and so is named again until there was one.
    """
    config = running
    live, waiting = [], []
    for row in OPTIONS:
        value = read.value(row.key)
        if value == running.value(row.key):
            continue
        if row.key not in LIVE:
            waiting.append(row.key)
            continue
        section, name = row.key.split(".")
        changed: Any = replace(getattr(config, section), **{name: value})
        config = replace(config, **{section: changed})
        live.append(row.key)
    return config, tuple(live), tuple(waiting)
