"""Learning curves, from what the trainings printed."""

from __future__ import annotations

import re
from pathlib import Path

Points = list[tuple[float, float]]
_MINUTES = re.compile(r"([\d.]+) min")
_PAIR = re.compile(r"([a-z]\w*) (-?\d+\.\d+)")
_NATS = re.compile(r"(-?\d+\.\d+) nats")


def acoustic(log: Path) -> dict[str, Points]:
    """Held-out loss of each kind by core-minutes: lines ``500 held out: mel 0.12 …`` between others."""
    found: dict[str, Points] = {}
    minutes = 0.0
    for line in log.read_text("utf-8").splitlines():
        if "held out" in line:
            for name, value in _PAIR.findall(line.split(":", 1)[1]):
                found.setdefault(name, []).append((minutes, float(value)))
        elif match := _MINUTES.search(line):
            minutes = float(match[1])
    return found


def vocoder(log: Path) -> dict[str, Points]:
    """Whatever a vocoder's training prints with a name or as nats, by core-minutes."""
    found: dict[str, Points] = {}
    for line in log.read_text("utf-8").splitlines():
        match = _MINUTES.search(line)
        if match is None:
            continue
        pairs = [(name, value) for name, value in _PAIR.findall(line) if name != "corpus"]
        pairs += [("nats", value) for value in _NATS.findall(line)]
        for name, value in pairs:
            found.setdefault(name, []).append((float(match[1]), float(value)))
    return found
