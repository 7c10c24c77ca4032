"""How a node is, drawn for a terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_FULL, _EMPTY = "█", "░"
#: The same for a terminal that knows no more than ASCII.
_PLAIN: Final = str.maketrans(
    {**dict(zip(_BLOCKS, "_.-~=+*#", strict=True)), _EMPTY: ".", "–": "-", "…": "~", "°": ""}
)
_LABEL: Final = 12
_FIGURES: Final = 34
_UNKNOWN: Final = "–"


def show(told: Mapping[str, Any]) -> None:
    """Prints what :func:`cosyedge.broker.ask` was told, as wide as the terminal is."""
    text = "\n".join(draw(told, shutil.get_terminal_size().columns))
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = text.translate(_PLAIN).encode("ascii", "replace").decode()
    print(text)


def draw(told: Mapping[str, Any], width: int) -> list[str]:
    """The lines, at most ``width`` characters each where that is 60 or more."""
    width = max(width, 60)
    return [line if len(line) <= width else line[: width - 1] + "…" for line in _lines(told, width)]


def _lines(told: Mapping[str, Any], width: int) -> Iterator[str]:
    state, health, history = (told.get(part) or {} for part in ("state", "health", "history"))
    room = width - _LABEL - _FIGURES
    availability = told.get("availability", "unknown")
    yield f"{told['node']} is {availability}{_how(health, availability)}"
    if not told["answered"]:
        yield "It did not answer: what follows is what it said last."
    for sentence in health.get("messages", ()):
        yield f"! {sentence}"
    yield ""
    yield from _memory(health, room)
    yield _line("queue", _queue(state, health))
    yield _line("rtf", _percentiles(health.get("rtf"), ""), _spark(history.get("rtf", ()), room))
    first_audio = _percentiles(health.get("first_audio_ms"), " ms")
    yield _line("first audio", first_audio, _spark(history.get("first_audio_ms", ()), room))
    yield _line("underruns", _text(health.get("underruns")))
    yield _line("spoken", _counts(health.get("announcements") or {}))
    yield _line("sounds as", _settings(state))
    yield _line("machine", _machine(health))
    yield _line("software", f"cosyedge {_text(health.get('version'))}, {_text(health.get('bundle'))}")


def _how(health: Mapping[str, Any], availability: str) -> str:
    if availability != "online" or not health:
        return ""
    reasons = f" ({', '.join(health['reasons'])})" if health.get("reasons") else ""
    return f", {health.get('status', 'unknown')}{reasons}, up for {_duration(health.get('uptime_s'))}"


def _memory(health: Mapping[str, Any], room: int) -> Iterator[str]:
    used, limit = health.get("rss_mb"), health.get("limit_mb")
    figures = f"{_text(used)} of {_text(limit)} MB, most {_text(health.get('peak_rss_mb'))}"
    if not isinstance(used, int | float) or not isinstance(limit, int | float) or limit <= 0:
        yield _line("memory", figures)
        return
    filled = min(round(room * used / limit), room)
    yield _line("memory", figures, _FULL * filled + _EMPTY * (room - filled))


def _queue(state: Mapping[str, Any], health: Mapping[str, Any]) -> str:
    waiting = state.get("queue", health.get("queue"))
    return f"{_text(waiting)} waiting, {'speaking' if state.get('speaking') else 'silent'}"


def _percentiles(values: Mapping[str, Any] | None, unit: str) -> str:
    half, most = (values or {}).get("p50"), (values or {}).get("p95")
    if half is None:
        return f"{_UNKNOWN} nothing spoken yet"
    return f"{half}{unit}, 95 % below {most}{unit}"


def _counts(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{number} {state}" for state, number in counts.items() if number) or "nothing yet"


def _settings(state: Mapping[str, Any]) -> str:
    muted = ", muted" if state.get("mute") else ""
    parts = f"voice {_text(state.get('voice'))}, language {_text(state.get('lang'))}"
    return f"{parts}, speed {_text(state.get('speed'))}, volume {_text(state.get('volume'))} %{muted}"


def _machine(health: Mapping[str, Any]) -> str:
    slow = ", slowed down" if health.get("throttled") else ""
    heat, load = health.get("cpu_temp_c"), _text(health.get("cpu_percent"))
    return f"{load} % of a core, {_text(health.get('threads'))} threads, {_text(heat)} °C{slow}"


def _spark(values: Sequence[float], room: int) -> str:
    """The newest values as bars from nothing to the highest of them."""
    shown = list(values)[-room:]
    highest = max(shown, default=0)
    if highest <= 0:
        return _BLOCKS[0] * len(shown)
    steps = len(_BLOCKS) - 1
    return "".join(_BLOCKS[min(max(round(steps * value / highest), 0), steps)] for value in shown)


def _line(label: str, figures: str, picture: str = "") -> str:
    return f"{label:{_LABEL}}{figures:{_FIGURES}}{picture}".rstrip()


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return _UNKNOWN
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


def _text(value: object) -> str:
    return _UNKNOWN if value is None else str(value)
