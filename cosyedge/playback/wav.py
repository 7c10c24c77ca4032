"""WAV files: as a sink in place of a sound card, and for whoever wants the samples themselves (16 bit, mono).

The standard library's ``wave`` needs a whole file at once; a header of 44 bytes needs nothing.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from cosyedge.errors import PlaybackError
from cosyedge.playback.resample import Quantizer
from cosyedge.playback.sink import FADE_S, SAMPLE_RATE, Played, Samples, checked
from cosyedge.playback.volume import gain

HEADER_BYTES: Final = 44
#: The format counts bytes in 32 bits.
MOST_FRAMES: Final = (2**32 - 1 - HEADER_BYTES) // 2
#: Says "until the end" in the header of a stream whose length isn't known yet.
_UNKNOWN: Final = 2**32 - 1

_FADE_FRAMES: Final = round(FADE_S * SAMPLE_RATE)
_FADE: Final = (0.5 + 0.5 * np.cos(np.pi * np.arange(_FADE_FRAMES) / _FADE_FRAMES)).astype(np.float32)
_BLOCK: Final = 4096


def wav_header(frames: int | None, rate: int = SAMPLE_RATE) -> bytes:
    """The 44 bytes before ``frames`` frames of 16-bit mono; None for a stream whose length isn't known."""
    data = _UNKNOWN if frames is None else 2 * frames
    riff = _UNKNOWN if frames is None else HEADER_BYTES - 8 + data
    form = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", riff, b"WAVE", b"fmt ", 16, 1, 1, rate, 2 * rate, 2, 16)
    return form + struct.pack("<4sI", b"data", data)


def write_wav(
    target: str | Path | BinaryIO, samples: Samples | Iterable[Samples], rate: int = SAMPLE_RATE
) -> int:
    """Write ``samples`` (one array, or arrays as they come) as a WAV file; the number of frames.

    ``target`` is a path, where the file appears only when it is whole; or ``-`` for standard output, or a
    binary stream. A stream that can't be rewound gets a header without a length when the length isn't known
    from the start.

    Raises:
        PlaybackError: ``wav_unwritable``.
        BrokenPipeError: whoever read the stream has gone.
    """
    known = len(samples) if isinstance(samples, np.ndarray) else None
    chunks: Iterable[Samples] = (samples,) if isinstance(samples, np.ndarray) else samples
    if target == "-":
        target = _standard_output()
    if not isinstance(target, str | Path):
        with _unwritable("the stream", leave=(BrokenPipeError,)):
            return _write(target, chunks, known, rate)
    with _whole_file(Path(target)) as file:
        return _write(file, chunks, known, rate)


def _write(file: BinaryIO, chunks: Iterable[Samples], known: int | None, rate: int) -> int:
    file.write(wav_header(known, rate))
    quantize = Quantizer(_BLOCK)
    frames = 0
    for chunk in chunks:
        for first in range(0, len(chunk), _BLOCK):
            pcm = quantize(chunk[first : first + _BLOCK])
            file.write(pcm.tobytes())
            frames += len(pcm)
    if known is None and file.seekable():
        file.seek(-(HEADER_BYTES + 2 * frames), os.SEEK_CUR)
        file.write(wav_header(frames, rate))
        file.seek(2 * frames, os.SEEK_CUR)
    file.flush()
    return frames


def write_mp3(target: str | Path | BinaryIO, samples: Samples, rate: int = SAMPLE_RATE) -> int:
    """The same as MP3; ``target`` as in :func:`write_wav`. Loads libsndfile, some 3 MB, when first called."""
    import io

    import soundfile

    encoded = io.BytesIO()
    with _unwritable("MP3"):
        try:
            soundfile.write(encoded, checked(samples), rate, format="MP3", subtype="MPEG_LAYER_III")
        except (soundfile.LibsndfileError, ValueError) as error:
            raise OSError(f"this libsndfile can't write MP3 ({error})") from error
    if target == "-":
        target = _standard_output()
    if not isinstance(target, str | Path):
        with _unwritable("the stream", leave=(BrokenPipeError,)):
            target.write(encoded.getbuffer())
            target.flush()
    else:
        with _whole_file(Path(target)) as file:
            file.write(encoded.getbuffer())
    return len(samples)


def _standard_output() -> BinaryIO:
    if sys.stdout is None:  # who started us has closed it
        raise PlaybackError("wav_unwritable", "Standard output is closed.")
    return sys.stdout.buffer


class WavSink:
    """Announcements into files, as fast as they come.

    A path to a file is one file that grows by every announcement; its header is right after each. A WAV
    file of ours that is there already is continued, anything else is refused. A folder, or a path with
    ``{n}`` in its name, is one file for each announcement, ``announcement-0001.wav`` and so on, which
    appears when it is whole.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        if self.path.endswith("/") or Path(self.path).is_dir():
            self.path = str(Path(self.path) / "announcement-{n}.wav")
        self._file: BinaryIO | None = None
        self._final: Path | None = None  # where the announcement's own file goes
        self._kept = 0  # frames of the growing file up to the end of the last announcement
        self._frames = 0  # of this announcement
        self._quantize = Quantizer(_BLOCK)
        self._held = np.zeros(0, np.float32)  # the last 20 ms: a cut fades what was not written yet
        self._gain = self._target_gain = 1.0
        self._lock = threading.Lock()
        self._announcing = False
        self._held_until: float | None = None  # monotonic
        self._cut = threading.Event()

    @property
    def name(self) -> str:
        return f"wav:{self.path}"

    @property
    def underruns(self) -> int:
        """Always 0: a file waits."""
        return 0

    @property
    def is_open(self) -> bool:
        return self._file is not None

    @property
    def keep_alive(self) -> bool:
        """Never: a file does not fall asleep."""
        return False

    @property
    def buffering(self) -> None:
        """A file waits."""
        return None

    def set_volume(self, level: float, mute: bool = False) -> None:
        self._target_gain = gain(level, mute)

    def cut(self) -> None:
        with self._lock:
            if self._announcing:
                self._cut.set()

    def begin(self) -> None:
        with self._lock:
            self._announcing = True
            self._cut.clear()
        self._drop()
        with _unwritable(self.path):
            if "{n}" in Path(self.path).name:
                self._final = _next_free(Path(self.path))
                self._file = open(_part(self._final), "wb")  # noqa: SIM115
                self._file.write(wav_header(0))
            elif self._file is None:
                self._file, self._kept = _open_growing(Path(self.path))
        self._frames = 0
        self._held = np.zeros(0, np.float32)
        self._gain = self._target_gain
        self._held_until = None

    def hold_until(self, moment: float) -> None:
        self._held_until = moment

    def play(self, samples: Samples) -> None:
        checked(samples)
        if self._held_until is not None:
            self._cut.wait(max(0.0, self._held_until - time.monotonic()))
        for first in range(0, len(samples), _BLOCK):
            if self._cut.is_set():
                return
            self._held = np.concatenate((self._held, self._at_gain(samples[first : first + _BLOCK])))
            ready = len(self._held) - _FADE_FRAMES
            if ready > 0:
                self._append(self._held[:ready])
                self._held = self._held[ready:]
                if self._held_until is not None:  # the file begins at this moment, not when a buffer is full
                    self._held_until = None
                    with _unwritable(self.path):
                        self._the_file().flush()

    def expect_pause(self) -> None:
        """Nothing comes into a file meanwhile."""

    def drain(self) -> Played:
        if self._cut.is_set():
            self._held = self._held * _FADE[: len(self._held)]
        self._append(self._held)
        file = self._the_file()
        with _unwritable(self.path):
            file.flush()
            os.pwrite(file.fileno(), wav_header(self._kept + self._frames), 0)
            if self._final is not None:
                file.close()
                self._file = None
                os.replace(_part(self._final), self._final)
                self._final = None
            else:
                self._kept += self._frames
        with self._lock:
            self._announcing = False
        frames, self._frames = self._frames, 0
        return Played(frames / SAMPLE_RATE, 0)

    def close(self) -> None:
        self.cut()
        self._drop()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _the_file(self) -> BinaryIO:
        if self._file is None:
            raise RuntimeError("begin() comes first")
        return self._file

    def _append(self, samples: Samples) -> None:
        if self._kept + self._frames + len(samples) > MOST_FRAMES:
            raise PlaybackError("wav_unwritable", f"{self.path} is full: a WAV file ends at 4 GiB.")
        file = self._the_file()
        with _unwritable(self.path):
            file.write(self._quantize(samples).tobytes())
        self._frames += len(samples)

    def _at_gain(self, samples: Samples) -> Samples:
        """At the present volume; a change becomes a line of 20 ms."""
        before, target = self._gain, self._target_gain
        self._gain = target
        if before == target:
            return samples if target == 1.0 else samples * np.float32(target)
        slope = np.full(len(samples), target, np.float32)
        ramp = slope[:_FADE_FRAMES]
        ramp[:] = np.linspace(before, target, len(ramp), dtype=np.float32)
        return samples * slope

    def _drop(self) -> None:
        """Forget an announcement that was not drained."""
        file = self._file
        if file is None:
            return
        if self._final is not None:
            file.close()
            self._file = None
            _part(self._final).unlink(missing_ok=True)
            self._final = None
        elif self._frames:
            with _unwritable(self.path):
                file.flush()
                os.ftruncate(file.fileno(), HEADER_BYTES + 2 * self._kept)
                file.seek(0, os.SEEK_END)
        self._frames = 0


def _open_growing(path: Path) -> tuple[BinaryIO, int]:
    """A new file with an empty header, or one of ours at the end of its sound, and the frames in it."""
    try:
        file: BinaryIO = open(path, "x+b")  # noqa: SIM115
    except FileExistsError:
        if not path.is_file():
            raise OSError("it is not a regular file") from None
        file = open(path, "r+b")  # noqa: SIM115
        header = file.read(HEADER_BYTES)
        frames = int.from_bytes(header[40:44], "little") // 2
        if header and header != wav_header(frames):
            file.close()
            raise OSError("it is there already, and is not a file of ours") from None
    else:
        header, frames = b"", 0
    if not header:
        file.write(wav_header(0))
        file.flush()
        return file, 0
    os.ftruncate(file.fileno(), HEADER_BYTES + 2 * frames)  # what a crash left behind
    file.seek(0, os.SEEK_END)
    return file, frames


def _next_free(template: Path) -> Path:
    """The path with the number after the highest that is there in place of ``{n}``."""
    pattern = re.compile(re.escape(template.name).replace(r"\{n\}", r"(\d+)"))
    numbers = [int(found[1]) for name in os.listdir(template.parent) if (found := pattern.fullmatch(name))]
    return template.with_name(template.name.replace("{n}", f"{max(numbers, default=0) + 1:04d}"))


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


@contextmanager
def _whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its name only when the block has ended well. Devices and pipes are written in
    place.
    """
    with _unwritable(str(path)):
        path = Path(os.path.realpath(path))
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            with open(path, "wb") as file:
                yield file
            return
        part = _part(path)
        try:
            with open(part, "wb") as file:
                yield file
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


@contextmanager
def _unwritable(what: str, *, leave: tuple[type[OSError], ...] = ()) -> Iterator[None]:
    try:
        yield
    except leave:
        raise
    except OSError as error:
        words = error.strerror or str(error)
        raise PlaybackError("wav_unwritable", f"{what} can't be written: {words}.") from error
