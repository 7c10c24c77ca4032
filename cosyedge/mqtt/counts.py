"""What the connection with the broker counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """For the health message; all since the start."""

    connections: int
    received: int
    retained_ignored: int
    failed: int
    """announcements that could not become one, or were not taken"""
    commands_failed: int
    defects: int
    """exceptions that should not have been; each is in the log"""
    results_dropped: int
    publications_refused: int
