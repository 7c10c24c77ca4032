"""Plots and learning curves of a report."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import curves
import plots

SVG = "{http://www.w3.org/2000/svg}"


def test_a_bar_for_each_figure(tmp_path: Path) -> None:
    figures = {"zh": {"teacher": 2.0, "int8": 4.0}, "en": {"teacher": 0.0, "a <b>": 3.0}}
    plots.bars(tmp_path / "new" / "error.svg", "Errors & more", figures)
    root = ElementTree.parse(tmp_path / "new" / "error.svg").getroot()
    marked = [bar for bar in root.iter(f"{SVG}rect") if bar.find(f"{SVG}title") is not None]
    heights = [float(bar.attrib["height"]) for bar in marked]
    assert len(marked) == 4
    assert abs(heights[1] / heights[0] - 2) < 0.02


def test_curves_share_their_axes(tmp_path: Path) -> None:
    plots.lines(
        tmp_path / "c.svg", "Loss", {"mel": [(0, 2.0), (10, 1.0)], "alone": [(1, 1.0)]}, relative=True
    )
    root = ElementTree.parse(tmp_path / "c.svg").getroot()
    (line,) = root.iter(f"{SVG}polyline")
    (_, top), (_, end) = (map(float, point.split(",")) for point in line.attrib["points"].split())
    assert top < end


def test_what_the_trainings_print(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        "9.5 M parameters\n100 mel 0.3 duration 0.1 | 2.5 min, corpus 9 min\n"
        "500 held out: mel 0.1230 duration 0.0765\n600 mel 0.2 | 14.0 min, corpus 9 min\n"
        "1000 held out: mel 0.1100 duration 0.0700\n"
    )
    assert curves.acoustic(log) == {
        "mel": [(2.5, 0.123), (14.0, 0.11)],
        "duration": [(2.5, 0.0765), (14.0, 0.07)],
    }
    log.write_text("20 spectral 1.0660, -4.4543 nats, 18.6 min\n40 spectral 1.05, -4.46 nats, 19.1 min\n")
    assert curves.vocoder(log) == {
        "spectral": [(18.6, 1.066), (19.1, 1.05)],
        "nats": [(18.6, -4.4543), (19.1, -4.46)],
    }
