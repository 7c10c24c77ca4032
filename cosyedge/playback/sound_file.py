"""Sounds of others: a WAV file (or what else libsndfile knows) → samples for a sink, piece by piece."""

from __future__ import annotations

import struct
import wave
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import soxr
from numpy.typing import NDArray

from cosyedge.errors import PlaybackError
from cosyedge.playback.sink import SAMPLE_RATE, Samples

_PIECE_S: Final = 0.1


def sound_pieces(source: Path | BinaryIO, longest_s: float | None = None) -> Iterator[Samples]:
    """The sound as float32 mono at 24 kHz, about 0.1 s at a time; several channels are mixed.

    A file that was cut short is played as far as it goes, and what its header says of its length is not
    believed: who streams writes what he likes there.

    Raises:
        PlaybackError: ``sound_unreadable``, at the first piece unless the samples themselves are wrong.
    """
    try:
        with ExitStack() as stack:
            rate, channels, read = _open(source, stack)
            if not 4_000 <= rate <= 192_000 or not 1 <= channels <= 8:
                raise ValueError(f"{rate} Hz in {channels} channels is not a sound")
            yield from _convert(rate, channels, read, longest_s)
    except (OSError, EOFError, ValueError) as error:
        words = str(error) or "it ends early"
        raise PlaybackError("sound_unreadable", f"The sound can't be used: {words}.") from error


_Read = Callable[[int], NDArray[np.float32]]


def _convert(rate: int, channels: int, read: _Read, longest_s: float | None) -> Iterator[Samples]:
    stream = None if rate == SAMPLE_RATE else soxr.ResampleStream(rate, SAMPLE_RATE, 1, "float32", "HQ")
    frames = 0
    while len(sound := read(round(_PIECE_S * rate))) >= channels:
        sound = sound[: len(sound) - len(sound) % channels].reshape(-1, channels)
        frames += len(sound)
        if longest_s is not None and frames > longest_s * rate:
            raise ValueError(f"it is longer than {longest_s:g} s")
        if not np.isfinite(sound).all():
            raise ValueError("it has samples that are no numbers")
        mono = np.ascontiguousarray(sound.mean(axis=1, dtype=np.float32))
        mono = mono if stream is None else stream.resample_chunk(mono)
        if len(mono):
            yield mono
    if not frames:
        raise ValueError("it is empty")
    if stream is not None and len(rest := stream.resample_chunk(np.zeros(0, np.float32), last=True)):
        yield rest


def _open(source: Path | BinaryIO, stack: ExitStack) -> tuple[int, int, _Read]:
    """Rate, channels, and what reads so many frames, interleaved; fewer at the end."""
    if isinstance(source, Path):
        if not source.is_file():
            raise ValueError("there is no such file")
        source = stack.enter_context(source.open("rb"))
    start = source.tell()
    try:
        file = wave.open(source, "rb")  # noqa: SIM115 - the stack closes it
    except (RuntimeError, struct.error) as error:  # chunks that reach beyond their file
        raise ValueError("it is damaged") from error
    except wave.Error:
        # float samples, or the extensible header: libsndfile knows them, and much else.
        source.seek(start)
        return _open_with_soundfile(source, stack)
    stack.callback(file.close)
    width = file.getsampwidth()
    if width > 4:
        raise ValueError(f"its samples have {8 * width} bits")
    return file.getframerate(), file.getnchannels(), lambda count: _from_pcm(file.readframes(count), width)


def _open_with_soundfile(source: BinaryIO, stack: ExitStack) -> tuple[int, int, _Read]:
    import soundfile

    try:
        file: Any = stack.enter_context(soundfile.SoundFile(source))
    except soundfile.LibsndfileError as error:
        raise ValueError(f"it is no sound file ({error.error_string})") from error
    return file.samplerate, file.channels, lambda count: file.read(count, dtype="float32").reshape(-1)


def _from_pcm(data: bytes, width: int) -> NDArray[np.float32]:
    """Interleaved PCM of 1 to 4 bytes as float32, where 1.0 is the largest number of that width.

    So it is where we write 16 bits: what one room makes, another plays to the last bit.
    """
    data = data[: len(data) - len(data) % width]
    if width == 1:  # unsigned, as the format has it
        return (np.frombuffer(data, np.uint8).astype(np.float32) - np.float32(128)) / np.float32(128)
    if width == 3:  # put below a zero byte, it is a number of 32 bits
        wide = np.zeros((len(data) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        data, width = wide.tobytes(), 4
    kind = np.dtype(f"<i{width}")
    return np.frombuffer(data, kind).astype(np.float32) / np.float32(np.iinfo(kind).max)
