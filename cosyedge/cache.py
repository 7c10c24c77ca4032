"""`cosyedge cache warm`: what a house says often is made before it is needed."""

from __future__ import annotations

from dataclasses import dataclass, field

from cosyedge.broker import warm_cache
from cosyedge.options import Config
from cosyedge.progress import Progress


@dataclass(slots=True)
class Warmed:
    """How it went: phrases that were made now, that the node had already, and what became of the others."""

    made: int = 0
    kept: int = 0
    failed: list[str] = field(default_factory=list)
    """number of the line and what the node said of it"""


def warm(config: Config, lines: str, timeout_s: float) -> Warmed:
    """Have the node make each of ``lines`` and keep it; empty ones are left out.

    Raises:
        MqttError: the broker or the node does not answer.
    """
    texts = {number: line.strip() for number, line in enumerate(lines.splitlines(), 1) if line.strip()}
    warmed = Warmed()
    with Progress("making phrases") as progress:
        for number, result in zip(texts, warm_cache(config, texts.values(), timeout_s), strict=True):
            if result.state != "finished":
                warmed.failed.append(f"line {number}: {result.message or result.state} [{result.error}]")
            elif result.skipped == "empty":
                warmed.failed.append(f"line {number}: there is nothing to say [empty]")
            elif result.rtf is None:
                warmed.kept += 1
            else:
                warmed.made += 1
            progress.say(f"{warmed.made + warmed.kept} of {len(texts)} phrases")
    return warmed
