"""Sounds of others: read as they come, and no header is believed."""

from __future__ import annotations

import io
import struct
import tracemalloc
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from cosyedge.errors import PlaybackError
from cosyedge.playback.resample import Quantizer
from cosyedge.playback.sound_file import sound_pieces


def wav(samples: NDArray[np.float64], rate: int, subtype: str = "PCM_16") -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype=subtype)
    return file.getvalue()


def tone(rate: int, seconds: float = 1.0) -> NDArray[np.float64]:
    return 0.5 * np.sin(2 * np.pi * 440 * np.arange(round(rate * seconds)) / rate)


@pytest.mark.parametrize("rate", [16_000, 22_050, 24_000, 48_000])
@pytest.mark.parametrize("subtype", ["PCM_16", "FLOAT"])
def test_pieces_join_without_a_seam(rate: int, subtype: str) -> None:
    pieces = list(sound_pieces(io.BytesIO(wav(tone(rate), rate, subtype))))
    assert len(pieces) > 5
    assert max(len(piece) for piece in pieces) < 24_000 // 5
    sound = np.concatenate(pieces)
    assert sound.dtype == np.float32
    assert len(sound) == 24_000
    assert np.abs(sound[1000:-1000] - tone(24_000)[1000:-1000]).max() < 0.01


def test_the_bytes_of_24_khz_are_played_as_they_are() -> None:
    """Every number that the limiter lets pass comes out as it went in, loud ones too."""
    pcm = np.arange(-31128, 31129, 7).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, 24_000, 0, "NONE", ""))
        writer.writeframes(pcm.tobytes())
    file.seek(0)
    sound = np.concatenate(list(sound_pieces(file)))
    assert np.array_equal(Quantizer(len(sound))(sound), pcm)


@pytest.mark.parametrize("length", [0x7FFFFFFF, 0xFFFFFFFF - 36, 24_000 * 2 * 100])
def test_a_length_that_nobody_knew_when_it_was_written_is_no_harm(length: int) -> None:
    data = bytearray(wav(tone(24_000, 0.5), 24_000))
    struct.pack_into("<I", data, data.index(b"data") + 4, length)
    assert sum(len(piece) for piece in sound_pieces(io.BytesIO(bytes(data)))) == 12_000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "ends early"),
        (b"RIFF", "ends early"),
        (b"no sound at all, but long enough for a header, is it not?", "no sound file"),
        (wav(np.zeros(0), 24_000), "empty"),
        (wav(np.zeros(10), 100), "100 Hz"),
        (wav(np.full(9000, np.nan), 24_000, "FLOAT"), "no numbers"),
        (b"{}", "ends early"),
    ],
)
def test_what_is_no_sound_is_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(PlaybackError, match=words) as caught:
        list(sound_pieces(io.BytesIO(data)))
    assert caught.value.code == "sound_unreadable"


def test_every_header_that_is_cut_or_broken_is_an_error_of_ours() -> None:
    whole = wav(tone(8_000, 0.05), 8_000)
    codes: set[str | None] = set()
    for count in range(60):
        for flip in (0xFF, 0x01, 0x80):
            with_fault = bytearray(whole)
            with_fault[count] ^= flip
            for data in (whole[:count], bytes(with_fault)):
                try:
                    codes.update(None for piece in sound_pieces(io.BytesIO(data)) if np.isfinite(piece).all())
                except PlaybackError as error:
                    codes.add(error.code)
    assert codes == {None, "sound_unreadable"}


def test_a_long_sound_is_never_whole_in_memory() -> None:
    data = io.BytesIO(wav(np.zeros(16_000 * 20), 16_000))
    tracemalloc.start()
    assert sum(len(piece) for piece in sound_pieces(data)) == 24_000 * 20
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300_000


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PlaybackError, match="no such file"):
        next(sound_pieces(tmp_path / "missing.wav"))
