"""The demonstration that the README promises: one command, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import wave
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent.parent
NO_CARD = "pcm.absent {\n type hw\n card absent\n}\n"
CARD = "pcm.!default {\n type null\n}\n" + NO_CARD


def of_session(session: int) -> list[str]:
    """The command of every process of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, fields = stat.read_text().rpartition(")")
        except OSError:
            continue  # it has just ended
        if fields.split()[3] == str(session):
            found.append(name.partition("(")[2])
    return found


@pytest.mark.parametrize(("sound", "where"), [(NO_CARD, "the file"), (CARD, "the sound card")])
def test_the_demonstration_speaks_and_leaves_nothing_running(tmp_path: Path, sound: str, where: str) -> None:
    (tmp_path / "asound.conf").write_text(sound)
    demo_wav = ROOT / "build" / "demo.wav"
    demo_wav.unlink(missing_ok=True)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {
        **os.environ,
        "ALSA_CONFIG_PATH": str(tmp_path / "asound.conf"),
        "HOME": str(tmp_path),
        "TMPDIR": str(temporary),
    }
    with subprocess.Popen(
        [ROOT / "scripts" / "demo.sh"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as demo:
        output, _ = demo.communicate(timeout=110)
    assert demo.returncode == 0, output
    assert f"demo: heard from {where}" in output
    assert of_session(demo.pid) == []
    assert list(temporary.iterdir()) == []
    assert demo_wav.exists() == (where == "the file")
    if demo_wav.exists():
        with wave.open(str(demo_wav)) as said:
            samples = np.frombuffer(said.readframes(said.getnframes()), np.int16)
        assert np.abs(samples).max() > 1000
