from __future__ import annotations

import wave

import numpy as np
import pytest
import soundfile

from cosyedge.errors import PlaybackError
from cosyedge.playback.chime import CEILING, CHIMES, load_chime, make_chime
from cosyedge.playback.loudness import TARGET_LUFS, loudness


@pytest.mark.parametrize("name", CHIMES)
def test_our_own_chimes_are_soft_and_end_in_silence(name):
    sound = make_chime(name)
    assert sound.dtype == np.float32
    assert 0.3 < len(sound) / 24_000 < 2.5
    assert 0.1 < np.abs(sound).max() <= CEILING
    assert np.abs(sound[:24]).max() < 0.05 * np.abs(sound).max(), "no click at the start"
    assert not sound[-3600:].any(), "a pause before the first word"
    assert np.abs(np.diff(sound)).max() < 0.15
    assert np.array_equal(sound, make_chime(name))


def test_there_are_two_and_no_third():
    assert CHIMES == ("soft", "short")
    assert len(make_chime("short")) < len(make_chime("soft")) / 2
    with pytest.raises(KeyError):
        make_chime("loud")


@pytest.mark.parametrize("rate", [8_000, 24_000, 44_100, 48_000])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT"])
def test_a_wav_of_any_kind_becomes_24_khz_mono(tmp_path, rate, channels, subtype):
    time = np.arange(rate // 2) / rate
    tone = 0.5 * np.sin(2 * np.pi * 440 * time)
    soundfile.write(tmp_path / "c.wav", np.tile(tone[:, np.newaxis], channels), rate, subtype=subtype)
    sound = load_chime(tmp_path / "c.wav")
    assert sound.dtype == np.float32
    assert len(sound) == 12_000 + 3600
    # Its loudness is another than in the file.
    expected = np.abs(sound).max() * np.sin(2 * np.pi * 440 * np.arange(12_000) / 24_000)
    inner = slice(2000, 10_000)
    assert np.abs(sound[inner] - expected[inner]).max() < 0.01
    assert not sound[-3600:].any()


def test_channels_are_mixed(tmp_path):
    left, right = (np.sin(2 * np.pi * f * np.arange(12_000) / 24_000) for f in (300, 1000))
    soundfile.write(tmp_path / "both.wav", np.stack((0.4 * left, 0.2 * right), axis=1), 24_000)
    soundfile.write(tmp_path / "mixed.wav", 0.2 * left + 0.1 * right, 24_000)
    mixed = load_chime(tmp_path / "mixed.wav")
    assert np.abs(load_chime(tmp_path / "both.wav") - mixed).max() < 1e-3


@pytest.mark.parametrize("level", [0.004, 0.05, 1.0])
def test_a_wav_is_as_loud_as_a_voice_however_loud_it_was(tmp_path, level):
    tone = level * np.sin(2 * np.pi * 700 * np.arange(48_000) / 24_000)
    soundfile.write(tmp_path / "c.wav", tone, 24_000, subtype="FLOAT")
    assert loudness(load_chime(tmp_path / "c.wav")) == pytest.approx(TARGET_LUFS, abs=0.1)


def test_a_wav_of_high_peaks_is_softer_and_silence_stays_silent(tmp_path):
    clicks = np.zeros(24_000)
    clicks[::3000] = 0.9
    soundfile.write(tmp_path / "clicks.wav", clicks, 24_000, subtype="FLOAT")
    sound = load_chime(tmp_path / "clicks.wav")
    assert np.abs(sound).max() == pytest.approx(CEILING)
    assert loudness(sound) < TARGET_LUFS
    soundfile.write(tmp_path / "silence.wav", np.zeros(24_000), 24_000)
    assert not load_chime(tmp_path / "silence.wav").any()


def test_our_own_are_as_loud_as_a_voice_unless_their_peak_forbids_it():
    assert loudness(make_chime("soft")) == pytest.approx(TARGET_LUFS, abs=0.1)
    short = make_chime("short")
    assert np.abs(short).max() == pytest.approx(CEILING, abs=0.001)
    assert TARGET_LUFS - 3 < loudness(short) < TARGET_LUFS


def test_what_is_no_chime_is_refused_in_words(tmp_path):
    (tmp_path / "text.wav").write_text("no sound at all")
    (tmp_path / "empty.wav").touch()
    soundfile.write(tmp_path / "long.wav", np.zeros(24_000 * 11), 24_000)
    soundfile.write(tmp_path / "long-float.wav", np.zeros(24_000 * 11), 24_000, subtype="FLOAT")
    soundfile.write(tmp_path / "none.wav", np.zeros(0), 24_000)
    soundfile.write(tmp_path / "slow.wav", np.zeros(100), 100)
    soundfile.write(tmp_path / "nan.wav", np.full(100, np.nan, np.float32), 24_000, subtype="FLOAT")
    for name, words in [
        ("missing.wav", "no such file"),
        ("text.wav", "no sound file"),
        ("empty.wav", "can't be used"),
        ("long.wav", "longer than 10 s"),
        ("long-float.wav", "longer than 10 s"),
        ("none.wav", "empty"),
        ("slow.wav", "not a sound"),
        ("nan.wav", "no numbers"),
        (".", "no such file"),
    ]:
        with pytest.raises(PlaybackError, match=words) as caught:
            load_chime(tmp_path / name)
        assert caught.value.code == "chime_unreadable"
        assert caught.value.cure


def test_a_file_that_was_cut_short_is_played_as_far_as_it_goes(tmp_path):
    soundfile.write(tmp_path / "c.wav", np.full((2400, 2), 0.25), 24_000, subtype="PCM_16")
    whole = (tmp_path / "c.wav").read_bytes()
    (tmp_path / "c.wav").write_bytes(whole[:-2401])
    with wave.open(str(tmp_path / "c.wav"), "rb") as file:
        assert file.getnframes() == 2400
    assert 1700 < len(load_chime(tmp_path / "c.wav")) - 3600 < 1801
