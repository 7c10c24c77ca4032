"""Sound without a card, for tests: an ALSA PCM that writes what it is given to a file, and a private
PulseAudio.

The file alone takes samples as fast as they come and is exact. In front of PulseAudio's null sink it is
exact and takes them in real time; that server can be killed (a device that vanishes) and stopped (a device
that hangs). Needs the Debian packages libportaudio2, libasound2-plugins and pulseaudio; without them these
tests fail.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray


def file_pcm(name: str, file: Path, slave: str = "unpaced") -> str:
    """A PCM that plays to ``slave`` and writes the same bytes to ``file``."""
    return (
        f'pcm."{name}" {{\n type file\n slave.pcm "{slave}"\n file "{file}"\n format "raw"\n}}\n'
        "pcm.unpaced {\n type null\n}\n"
    )


def use_pcms(monkeypatch, path: Path, *pcms: str) -> None:
    """Let ALSA know ``pcms`` and nothing else."""
    write_pcms(path, *pcms)
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(path))


def write_pcms(path: Path, *pcms: str) -> None:
    """Put ``pcms`` into the configuration file ``path``, so that ALSA notices a change."""
    before = path.stat().st_mtime if path.exists() else 0.0
    # PortAudio 19.6 wants one that can't be opened, where it lists them.
    path.write_text("".join(pcms) + "pcm.absent {\n type hw\n card absent\n}\n")
    # ALSA reads a file again when its time is another second.
    os.utime(path, (before + 2, before + 2))


def as_card(samples: NDArray[np.float32], rate: int) -> NDArray[np.int16]:
    """What a card at ``rate`` must be given for ``samples`` (24 kHz, no peak above 0.95)."""
    if rate != 24_000:
        samples = soxr.resample(samples, 24_000, rate, quality="HQ")
    return np.rint(samples * np.float32(32767)).astype(np.int16)


def recorded(file: Path, channels: int = 2) -> NDArray[np.int16]:
    """int16 [frames, channels] from a raw file; half a frame at its end is left out."""
    data = np.fromfile(file, np.int16)
    return data[: len(data) - len(data) % channels].reshape(-1, channels)


def assert_heard(recording: NDArray[np.int16], *sounds: NDArray[np.int16]) -> list[int]:
    """Every one of ``sounds`` is in ``recording`` on every channel, whole, in this order, and all else is
    silence.

    Returns where each begins. Sounds must begin and end with a sample that is not 0.
    """
    starts = []
    position = 0
    for sound in sounds:
        loud = np.flatnonzero(recording[position:].any(axis=1))
        assert len(loud), f"nothing is heard after frame {position}"
        position += int(loud[0])
        found = recording[position : position + len(sound)]
        assert len(found) == len(sound), f"the recording ends {len(sound) - len(found)} frames early"
        wrong = np.flatnonzero((found != sound[:, np.newaxis]).any(axis=1))
        assert not len(wrong), f"frame {wrong[0]} of {len(sound)} differs, and {len(wrong)} in all"
        starts.append(position)
        position += len(sound)
    assert not recording[position:].any(), "something is heard after the last sound"
    return starts


def trimmed(sound: NDArray[np.int16]) -> NDArray[np.int16]:
    """``sound`` without the zeros at its ends, which can't be told from silence."""
    loud = np.flatnonzero(sound)
    return sound[loud[0] : loud[-1] + 1]


def noise(seconds: float, seed: int = 0) -> NDArray[np.float32]:
    """Noise at 24 kHz: any sample that is lost, doubled or changed shows."""
    return np.random.default_rng(seed).uniform(-0.4, 0.4, round(seconds * 24_000)).astype(np.float32)


class PulseNull:
    """A private PulseAudio with one null sink: stereo, 16 bit, in real time."""

    def __init__(self, rate: int = 48_000) -> None:
        self.rate = rate
        # Not below pytest's own folder: the name of a socket is at most 107 bytes long.
        self.folder = Path(tempfile.mkdtemp(prefix="pulse-"))
        self.socket = self.folder / "native"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Run the server, and wait until it can be connected to."""
        self.socket.unlink(missing_ok=True)
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder)}
        native = f"module-native-protocol-unix auth-anonymous=1 socket={self.socket}"
        # norewinds: otherwise the head of a recording is lost.
        sink = f"module-null-sink sink_name=tnull rate={self.rate} channels=2 format=s16le norewinds=1"
        self._process = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
             f"--log-target=file:{self.folder / 'log'}", "-L", native, "-L", sink],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 20
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(self.socket))
                return
            except OSError:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < deadline, "pulseaudio did not start"
                time.sleep(0.02)

    def pcm(self, name: str) -> str:
        """The ALSA PCM that plays to it."""
        return f'pcm."{name}" {{\n type pulse\n server "unix:{self.socket}"\n device "tnull"\n}}\n'

    def suspend(self, suspended: bool) -> None:
        """As a sound server does with a sink whose device sleeps: it takes nothing, and says nothing."""
        words = ["pactl", f"--server=unix:{self.socket}", "suspend-sink", "tnull", str(int(suspended))]
        subprocess.run(words, check=True, timeout=20)

    def freeze(self) -> None:
        """Answer nothing from now on, as a driver that hangs."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def vanish(self) -> None:
        """End at once, as a cable that is pulled."""
        if self._process is not None:
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def close(self) -> None:
        self.vanish()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)
