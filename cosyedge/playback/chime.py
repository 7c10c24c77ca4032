"""The sound before the words, so that nobody is startled: two of our own, or a WAV file."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import Final

import numpy as np
import soxr
from numpy.typing import NDArray

from cosyedge.errors import PlaybackError
from cosyedge.playback.sink import SAMPLE_RATE, Samples

#: A chime of one's own is at most this long.
LONGEST_S: Final = 10.0
#: Silence between a chime and the first word.
_PAUSE_S: Final = 0.15

#: name → notes: (start in s, frequency in Hz, time in s to fall to 1/e, level).
_CHIMES: Final = {
    "soft": ((0.0, 659.26, 0.22, 0.22), (0.28, 523.25, 0.30, 0.22)),
    "short": ((0.0, 880.0, 0.07, 0.20),),
}
#: A struck bar: (multiple of the frequency, level, share of the decay time). The upper ones die first.
_PARTIALS: Final = ((1.0, 1.0, 1.0), (2.0, 0.20, 0.6), (3.93, 0.06, 0.25))
_ATTACK_S: Final = 0.008

CHIMES: Final = tuple(_CHIMES)


def make_chime(name: str) -> Samples:
    """One of :data:`CHIMES` as float32 at 24 kHz, silence before the first word included; KeyError otherwise.

    Each note is a sum of decaying sines, ``level * sum(a * sin(2 pi m f t) * exp(-t / (d * T)))``, with an
    attack of half a cosine.
    """
    notes = _CHIMES[name]
    end = max(start + 5 * decay for start, _, decay, _ in notes)  # 5 T: -43 dB
    sound = np.zeros(round((end + _PAUSE_S) * SAMPLE_RATE))
    for start, frequency, decay, level in notes:
        first = round(start * SAMPLE_RATE)
        time = np.arange(round(5 * decay * SAMPLE_RATE)) / SAMPLE_RATE
        note = sum(
            amount * np.sin(2 * np.pi * multiple * frequency * time) * np.exp(-time / (share * decay))
            for multiple, amount, share in _PARTIALS
        )
        note = level * np.asarray(note)
        attack = round(_ATTACK_S * SAMPLE_RATE)
        note[:attack] *= 0.5 - 0.5 * np.cos(np.pi * np.arange(attack) / attack)
        note *= np.minimum(1.0, (len(note) - np.arange(len(note))) / (0.02 * SAMPLE_RATE))
        sound[first : first + len(note)] += note
    return sound.astype(np.float32)


def load_chime(path: str | Path) -> Samples:
    """A WAV file of any rate and channels as float32 mono at 24 kHz. Raises ``chime_unreadable``."""
    try:
        sound, rate = _read(Path(path))
    except (OSError, EOFError, ValueError) as error:
        raise PlaybackError("chime_unreadable", f"The chime {str(path)!r} can't be used: {error}.") from error
    mono = np.ascontiguousarray(sound.mean(axis=1, dtype=np.float32))
    if rate != SAMPLE_RATE:
        mono = soxr.resample(mono, rate, SAMPLE_RATE, quality="HQ")
    pause = np.zeros(round(_PAUSE_S * SAMPLE_RATE), np.float32)
    return np.concatenate((mono, pause))


def _read(path: Path) -> tuple[NDArray[np.float32], int]:
    """float32 [frames, channels] and the rate. ValueError says what is wrong with the file."""
    if not path.is_file():
        raise ValueError("there is no such file")
    try:
        with wave.open(str(path), "rb") as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            _check(rate, channels, file.getnframes())
            sound = _from_pcm(file.readframes(file.getnframes()), width)
    except wave.Error:
        # float samples, or the extensible header: libsndfile knows them, and much else.
        sound, rate, channels = _read_with_soundfile(path)
    sound = sound[: len(sound) - len(sound) % channels].reshape(-1, channels)
    _check(rate, channels, len(sound))
    if not np.isfinite(sound).all():
        raise ValueError("it has samples that are no numbers")
    return sound, rate


def _read_with_soundfile(path: Path) -> tuple[NDArray[np.float32], int, int]:
    import soundfile

    try:
        with soundfile.SoundFile(path) as file:
            _check(file.samplerate, file.channels, file.frames)
            return file.read(dtype="float32").reshape(-1), file.samplerate, file.channels
    except soundfile.LibsndfileError as error:
        raise ValueError(f"it is no sound file ({error.error_string})") from error


def _check(rate: int, channels: int, frames: int) -> None:
    if not 4_000 <= rate <= 192_000 or not 1 <= channels <= 8:
        raise ValueError(f"{rate} Hz in {channels} channels is not a sound")
    if frames <= 0:
        raise ValueError("it is empty")
    if frames > LONGEST_S * rate:
        raise ValueError(f"it is {frames / rate:.1f} s long")


def _from_pcm(data: bytes, width: int) -> NDArray[np.float32]:
    """Interleaved PCM of 1 to 4 bytes as float32 in [-1, 1)."""
    data = data[: len(data) - len(data) % width]
    if width == 1:  # unsigned, as the format has it
        return (np.frombuffer(data, np.uint8).astype(np.float32) - np.float32(128)) / np.float32(128)
    if width == 3:  # put below a zero byte, it is a number of 32 bits
        wide = np.zeros((len(data) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        data, width = wide.tobytes(), 4
    kind = np.dtype(f"<i{width}")
    return np.frombuffer(data, kind).astype(np.float32) * np.float32(2.0 ** -(8 * width - 1))
