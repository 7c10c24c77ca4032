from __future__ import annotations

import numpy as np
import pytest
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from cosyedge.playback.resample import KNEE, Quantizer, Resampler
from tests.playback.sound import noise


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 3000), max_size=12),
    st.sampled_from([48_000, 44_100, 24_000, 16_000, 96_000]),
)
def test_any_cutting_gives_the_samples_of_one_piece(sizes, rate):
    samples = noise(sum(sizes) / 24_000)
    resampler = Resampler(rate)
    for _ in range(2):  # after a flush it is as new
        out, position = [], 0
        for size in sizes:
            out.append(resampler.push(samples[position : position + size]).copy())
            position += size
        out.append(resampler.flush())
        whole = soxr.resample(samples, 24_000, rate, quality="HQ") if len(samples) else samples
        assert np.array_equal(np.concatenate(out), whole)


def test_reset_forgets():
    resampler = Resampler(48_000)
    resampler.push(noise(0.1, 1))
    resampler.reset()
    assert len(resampler.flush()) == 0
    samples = noise(0.1, 2)
    out = np.concatenate((resampler.push(samples), resampler.flush()))
    assert np.array_equal(out, soxr.resample(samples, 24_000, 48_000, quality="HQ"))


def test_a_tone_keeps_its_level_and_gets_no_image():
    time = np.arange(24_000) / 24_000
    resampler = Resampler(48_000)
    tone = (0.5 * np.sin(2 * np.pi * 9000 * time)).astype(np.float32)
    out = np.concatenate((resampler.push(tone), resampler.flush()))[4800:-4800]
    spectrum = np.abs(np.fft.rfft(out * np.hanning(len(out)))) / (len(out) / 4)
    frequency = np.fft.rfftfreq(len(out), 1 / 48_000)
    assert spectrum.max() == pytest.approx(0.5, abs=0.005)
    assert spectrum[np.abs(frequency - 9000) > 100].max() < 1e-4


def test_below_the_knee_it_is_rounding_and_nothing_else():
    samples = np.linspace(-KNEE, KNEE, 70_001, dtype=np.float32)
    pcm = Quantizer(100)(samples)
    assert np.array_equal(pcm, np.rint(samples * np.float32(32767)).astype(np.int16))


def test_above_the_knee_it_bends_and_never_wraps():
    samples = np.linspace(-4, 4, 100_001, dtype=np.float32)
    pcm = Quantizer(100)(samples).astype(int)
    assert np.diff(pcm).min() >= 0, "louder stays louder"
    assert np.array_equal(pcm, -pcm[::-1])
    assert pcm.max() == 32767
    assert np.diff(pcm).max() <= 5, "no corner"


def test_the_buffers_are_used_again():
    quantize = Quantizer(100)
    first = quantize(noise(0.004))
    second = quantize(noise(0.004, 1))
    assert np.shares_memory(first, second)
    assert len(quantize(np.zeros(0, np.float32))) == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        Quantizer(10)(np.array([0.1, bad], np.float32))
