"""Plots as SVG, by hand: a few lines of text each, the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#222222")
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 760, 300, 56, 44, 36


def bars(
    path: Path, title: str, groups: Mapping[str, Mapping[str, float]], low: float = 0.0, unit: str = ""
) -> None:
    """Grouped bars: group → series → value."""
    series = list(dict.fromkeys(name for values in groups.values() for name in values))
    highest = max((value for values in groups.values() for value in values.values()), default=1.0)
    scale = _Scale(low, highest * 1.08 if highest > low else low + 1)
    width = (_WIDTH - _LEFT - 10) / max(1, len(groups))
    parts = _frame(title, scale, unit) + _legend(series)
    for g, (group, values) in enumerate(groups.items()):
        x = _LEFT + g * width
        parts.append(_text(x + width / 2, _HEIGHT - _BOTTOM + 16, group, "middle"))
        slot = width * 0.86 / max(1, len(series))
        for s, name in enumerate(series):
            if name not in values:
                continue
            top = scale.y(values[name])
            left = x + width * 0.07 + s * slot
            parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{slot * 0.9:.1f}" '
                f'height="{max(0.5, scale.y(low) - top):.1f}" fill="{_COLOURS[s % len(_COLOURS)]}">'
                f"<title>{escape(f'{group} {name}: {values[name]:g}')}</title></rect>"
            )
    _write(path, parts)


def lines(
    path: Path, title: str, curves: Mapping[str, Sequence[tuple[float, float]]], relative: bool = False
) -> None:
    """Curves: series → (x in minutes, y); ``relative``: each y divided by the first of its series."""
    shown = {name: points for name, points in curves.items() if len(points) > 1 and points[0][1]}
    by = {name: points[0][1] if relative else 1.0 for name, points in shown.items()}
    ratios = {name: [(x, y / by[name]) for x, y in points] for name, points in shown.items()}
    values = [y for points in ratios.values() for _, y in points] or [0.0, 1.0]
    scale = _Scale(min(0.0, *values), max(values) * 1.05)
    longest = max((x for points in ratios.values() for x, _ in points), default=1.0)
    parts = _frame(title, scale, "") + _legend(list(ratios))
    parts.append(_text(_WIDTH - 10, _HEIGHT - 6, f"core-minutes, to {longest:.0f}", "end"))
    for s, points in enumerate(ratios.values()):
        at = " ".join(
            f"{_LEFT + x / longest * (_WIDTH - _LEFT - 10):.1f},{scale.y(y):.1f}" for x, y in points
        )
        colour = _COLOURS[s % len(_COLOURS)]
        parts.append(f'<polyline points="{at}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    _write(path, parts)


class _Scale:
    """Values of the upright axis to rows of the picture."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)

    @property
    def ticks(self) -> list[float]:
        step = next(
            s
            for e in range(-4, 6)
            for s in (10.0**e, 2 * 10.0**e, 5 * 10.0**e)
            if (self.high - self.low) / s <= 6
        )
        first = -(-self.low // step) * step
        return [round(first + i * step, 6) for i in range(int((self.high - first) / step) + 1)]


def _frame(title: str, scale: _Scale, unit: str) -> list[str]:
    parts = [f'<text x="{_LEFT}" y="16" font-size="14" font-weight="bold">{escape(title)}</text>']
    for tick in scale.ticks:
        y = scale.y(tick)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(_text(_LEFT - 6, y + 4, f"{tick:g}{unit}", "end"))
    return parts


def _legend(series: Sequence[str]) -> list[str]:
    parts = []
    x = float(_LEFT)
    for s, name in enumerate(series):
        parts.append(
            f'<rect x="{x:.0f}" y="24" width="10" height="10" fill="{_COLOURS[s % len(_COLOURS)]}"/>'
        )
        parts.append(_text(x + 14, 33, name, "start"))
        x += 26 + 7 * len(name)
    return parts


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _write(path: Path, parts: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'font-family="sans-serif" font-size="12"><rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
    )
    path.write_text("\n".join([head, *parts, "</svg>"]) + "\n", "utf-8")
