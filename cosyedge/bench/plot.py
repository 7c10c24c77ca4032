"""A picture of the figures, where matplotlib is installed; it is no dependency of the product."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from cosyedge.errors import ConfigError, HostError


def plot(figures: dict[str, Any], path: Path) -> None:
    """Real-time factor and first audio of each text as a PNG at ``path``.

    Raises:
        HostError: ``bench_missing``: matplotlib is not installed.
        ConfigError: ``config_bad_value``: ``path`` can't be written.
    """
    canvas_class, figure_class = _matplotlib()
    figure = figure_class(figsize=(8, 6), layout="constrained")
    canvas_class(figure)
    names = list(figures["texts"])
    above, below = figure.subplots(2, 1, sharex=True)
    for axes, figure_name, label in (
        (above, "rtf", "real-time factor"),
        (below, "first_audio_ms", "first audio, ms"),
    ):
        for percent in (50, 95):
            values = [figures["texts"][name][f"{figure_name}_p{percent}_cpu"] or 0.0 for name in names]
            axes.plot(names, values, "o-", label=f"p{percent}, CPU")
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.legend()
    above.set_title(f"{figures['bundle']} on {figures['machine']}", fontsize=9)
    try:
        figure.savefig(path, format="png", dpi=120)
    except OSError as error:
        raise ConfigError("config_bad_value", f"{path} can't be written: {error.strerror}.") from error


def check_plot() -> None:
    """Raises what :func:`plot` would raise without matplotlib: before minutes are spent on measuring."""
    _matplotlib()


def _matplotlib() -> tuple[Any, Any]:
    try:
        canvas = importlib.import_module("matplotlib.backends.backend_agg").FigureCanvasAgg
        return canvas, importlib.import_module("matplotlib.figure").Figure
    except ImportError as error:
        sentence = "A plot needs matplotlib, which is not installed: pip install matplotlib."
        raise HostError("bench_missing", sentence) from error
