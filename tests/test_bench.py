"""What `cosyedge bench` makes of its figures. That it has them all, test_cli.py says."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cosyedge.bench.baseline import read_baseline, regressions
from cosyedge.bench.peers import measure_peers, peers_folder
from cosyedge.bench.plot import check_plot
from cosyedge.errors import ConfigError, HostError

FIGURES: dict[str, Any] = {
    "bundle_mb": 12.0,
    "inference_threads": 1,
    "rss_after_load_mb": 80.0,
    "rtf_p50": 0.05,
    "rtf_p50_cpu": 0.05,
    "ratios": {"kept_to_first_audio": 0.1, "to_piper": 0.5},
}


def test_a_slower_machine_is_no_regression() -> None:
    slower = FIGURES | {"rtf_p50": 5.0, "rtf_p50_cpu": 5.0, "rss_after_load_mb": 82.9}
    assert regressions(slower, FIGURES) == []


@pytest.mark.parametrize(
    ("worse", "named"),
    [
        ({"inference_threads": 2}, "inference_threads is 2, and was 1"),
        ({"rss_after_load_mb": 83.1}, "rss_after_load_mb"),
        ({"ratios": {"kept_to_first_audio": 0.16}}, "kept_to_first_audio"),
    ],
)
def test_more_of_a_count_and_a_worse_ratio_are(worse: dict[str, Any], named: str) -> None:
    (sentence,) = regressions(FIGURES | worse, FIGURES)
    assert named in sentence


def test_a_figure_that_only_one_has_is_not_compared() -> None:
    assert regressions(FIGURES, {"ratios": {"to_hibari": 0.1}}) == []


def test_a_baseline_is_the_last_line_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text("ready\n" + json.dumps(FIGURES) + "\n")
    assert read_baseline(file) == FIGURES
    for text in ("", "1\n", "{"):
        file.write_text(text)
        with pytest.raises(ConfigError, match="no output of bench"):
            read_baseline(file)


def test_peers_are_looked_for_outside_the_repository() -> None:
    assert peers_folder({"COSYEDGE_BENCH_PEERS": "/opt/peers"}) == Path("/opt/peers")
    assert peers_folder({"XDG_CACHE_HOME": "/c"}) == Path("/c/cosyedge/bench-peers")


def test_without_peers_it_is_said_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="piper-tts"):
        measure_peers(tmp_path, 0.1)


def test_a_peer_is_measured_as_a_program_of_its_own(tmp_path: Path) -> None:
    """One that takes 50 ms of processor to load, and 50 for each second that it says."""
    program = tmp_path / "bin" / "hibari"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable} -SE\n"
        "import sys, time, wave\n"
        "seconds = len(sys.stdin.read()) // 30\n"
        "while time.process_time() < 0.05 + 0.05 * seconds: pass\n"
        "with wave.open(sys.argv[-1], 'wb') as out:\n"
        "    out.setparams((1, 2, 8000, 0, 'NONE', ''))\n"
        "    out.writeframes(bytes(16000 * seconds))\n"
    )
    program.chmod(0o755)
    told = measure_peers(tmp_path, 0.01)["hibari"]
    assert 0.03 < told["rtf_cpu"] < 0.3
    assert told["ours_to_it"] == pytest.approx(0.01 / told["rtf_cpu"], rel=0.2)
    assert told["peak_rss_mb"] > 1


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is not None, reason="matplotlib is here")
def test_a_plot_without_matplotlib_is_refused_plainly() -> None:
    with pytest.raises(HostError, match="matplotlib"):
        check_plot()
