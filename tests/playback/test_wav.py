from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import wave

import numpy as np
import pytest
import soundfile

from cosyedge.errors import PlaybackError
from cosyedge.playback.sink import Played
from cosyedge.playback.wav import WavSink, wav_header, write_mp3, write_wav
from tests.playback.sound import as_card, noise


def read(path) -> np.ndarray:
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
        data = file.readframes(file.getnframes())
    assert os.path.getsize(path) == 44 + len(data), "nothing but the header and the sound"
    return np.frombuffer(data, np.int16)


def announce(sink, samples, chunk=1000) -> Played:
    sink.begin()
    for first in range(0, len(samples), chunk):
        sink.play(samples[first : first + chunk])
    return sink.drain()


def test_one_file_grows_and_is_right_after_each_announcement(tmp_path):
    path = tmp_path / "out.wav"
    sink = WavSink(path)
    assert sink.name == f"wav:{path}"
    assert not sink.is_open
    sounds = [noise(0.5, 1), noise(0.0001, 2), noise(0), noise(1.0, 3)]
    for count, sound in enumerate(sounds, 1):
        assert announce(sink, sound) == Played(len(sound) / 24_000, 0)
        assert np.array_equal(read(path), as_card(np.concatenate(sounds[:count]), 24_000))
    assert sink.is_open
    sink.close()
    assert not sink.is_open
    again = WavSink(path)
    announce(again, sounds[0])
    again.close()
    assert np.array_equal(read(path), as_card(np.concatenate([*sounds, sounds[0]]), 24_000))


def test_what_a_crash_left_behind_is_dropped(tmp_path):
    path = tmp_path / "out.wav"
    sink = WavSink(path)
    announce(sink, noise(0.5, 1))
    sink.begin()
    sink.play(noise(1.0, 2))
    sink._the_file().flush()
    assert os.path.getsize(path) > 44 + 24_000
    with wave.open(str(path), "rb") as file:
        assert file.getnframes() == 12_000, "the header does not tell of what is not whole"
    after = WavSink(path)
    announce(after, noise(0.25, 3))
    after.close()
    assert np.array_equal(read(path), as_card(np.concatenate((noise(0.5, 1), noise(0.25, 3))), 24_000))


def test_an_undrained_announcement_is_dropped(tmp_path):
    path = tmp_path / "out.wav"
    sink = WavSink(path)
    announce(sink, noise(0.5, 1))
    sink.begin()
    sink.play(noise(1.0, 2))
    announce(sink, noise(0.5, 3))
    sink.begin()
    sink.play(noise(1.0, 4))
    sink.close()
    assert np.array_equal(read(path), as_card(np.concatenate((noise(0.5, 1), noise(0.5, 3))), 24_000))


@pytest.mark.parametrize("template", ["", "say-{n}.wav"])
def test_one_file_for_each_announcement_that_appears_when_it_is_whole(tmp_path, template):
    name = template or "announcement-{n}.wav"
    sink = WavSink(tmp_path / template if template else tmp_path)
    sounds = [noise(0.3, 1), noise(0.6, 2)]
    for number, sound in enumerate(sounds, 1):
        path = tmp_path / name.replace("{n}", f"{number:04d}")
        sink.begin()
        sink.play(sound)
        assert not path.exists()
        sink.drain()
        assert np.array_equal(read(path), as_card(sound, 24_000))
    sink.begin()
    sink.play(sounds[0])
    sink.close()
    assert len(list(tmp_path.iterdir())) == 2, "an announcement that was not finished leaves nothing"
    announce(WavSink(tmp_path / name), sounds[0])
    assert (tmp_path / name.replace("{n}", "0003")).exists()


def test_a_cut_fades_what_was_not_written_yet(tmp_path):
    path = tmp_path / "out.wav"
    sink = WavSink(path)
    sink.begin()
    sink.play(np.full(24_000, 0.5, np.float32))
    sink.cut()
    sink.play(noise(1.0))
    assert sink.drain() == Played(1.0, 0)
    sound = read(path).astype(float)
    ramp = 0.5 + 0.5 * np.cos(np.pi * np.arange(480) / 480)
    assert np.abs(sound[-480:] - 0.5 * 32767 * ramp).max() <= 1
    assert (sound[:-480] == round(0.5 * 32767)).all()
    sink.cut()
    announce(sink, noise(0.1))
    assert len(read(path)) == 26_400, "a cut without an announcement does nothing"
    sink.close()


def test_a_cut_from_another_thread_ends_play(tmp_path):
    sink = WavSink(tmp_path / "out.wav")
    sink.begin()
    timer = threading.Timer(0.05, sink.cut)
    timer.name = "test-cutter"
    timer.start()
    block, played = noise(1.0), 0
    while not sink._cut.is_set():
        sink.play(block)
        played += 1
        assert played < 10_000
    assert sink.drain().audio_s <= played
    sink.close()


def test_volume_slides_and_stands(tmp_path):
    path = tmp_path / "out.wav"
    sink = WavSink(path)
    sink.begin()
    sink.play(np.full(1000, 0.5, np.float32))
    sink.set_volume(0.5)
    sink.play(np.full(1000, 0.5, np.float32))
    sink.drain()
    sink.close()
    sound = read(path).astype(int)
    assert (sound[:1000] == 16384).all()
    assert (sound[1480:] == 2048).all()
    assert np.diff(sound[1000:1480]).max() <= 0
    assert -np.diff(sound[1000:1480]).min() < 40


def test_where_nothing_can_be_written_it_says_so(tmp_path):
    (tmp_path / "letter.txt").write_text("dear reader, " * 10)
    for path, words in [
        (tmp_path / "none" / "out.wav", "No such file"),
        (tmp_path / "letter.txt", "not a file of ours"),
        ("/dev/null", "not a regular file"),
        (tmp_path / "none" / "{n}.wav", "No such file"),
    ]:
        with pytest.raises(PlaybackError, match=words) as caught:
            WavSink(path).begin()
        assert caught.value.code == "wav_unwritable"
    assert (tmp_path / "letter.txt").read_text().startswith("dear reader")


def test_a_full_disk_is_an_error_and_the_next_announcement_works(tmp_path):
    import resource
    import signal

    sink = WavSink(tmp_path / "out.wav")
    announce(sink, noise(0.1))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        sink.begin()
        with pytest.raises(PlaybackError, match=r"out\.wav can't be written") as caught:
            sink.play(noise(10.0))
        assert caught.value.code == "wav_unwritable"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    announce(sink, noise(0.2))
    sink.close()
    assert np.array_equal(
        read(tmp_path / "out.wav"), as_card(np.concatenate((noise(0.1), noise(0.2))), 24_000)
    )


def test_a_file_ends_at_4_gib(tmp_path, monkeypatch):
    monkeypatch.setattr("cosyedge.playback.wav.MOST_FRAMES", 20_000)
    sink = WavSink(tmp_path / "out.wav")
    announce(sink, noise(0.5))
    with pytest.raises(PlaybackError, match="is full"):
        announce(sink, noise(0.5))
    sink.close()
    assert len(read(tmp_path / "out.wav")) == 12_000


@pytest.mark.parametrize("chunks", [False, True])
def test_write_wav_to_a_path(tmp_path, chunks):
    sound, path = noise(1.0), tmp_path / "a.wav"
    path.write_bytes(b"old")
    frames = write_wav(path, iter(np.split(sound, 10)) if chunks else sound)
    assert frames == 24_000
    assert np.array_equal(read(path), as_card(sound, 24_000))
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.wav"]


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path):
    path = tmp_path / "a.wav"
    write_wav(path, noise(0.1))

    def chunks():
        yield noise(0.1)
        raise RuntimeError("synthesis failed")

    with pytest.raises(RuntimeError, match="synthesis failed"):
        write_wav(path, chunks())
    assert len(read(path)) == 2400
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.wav"]


def test_a_link_and_a_device_stay_what_they_are(tmp_path):
    (tmp_path / "real.wav").touch()
    (tmp_path / "link.wav").symlink_to("real.wav")
    write_wav(tmp_path / "link.wav", noise(0.1))
    assert (tmp_path / "link.wav").is_symlink()
    assert len(read(tmp_path / "real.wav")) == 2400
    write_wav("/dev/null", noise(0.1))
    assert not os.path.isfile("/dev/null")


def test_streams(tmp_path):
    sound = noise(0.5)
    stream = io.BytesIO(b"before")
    stream.seek(6)
    write_wav(stream, iter(np.split(sound, 4)))
    assert stream.getvalue()[:6] == b"before"
    assert stream.getvalue()[6:50] == wav_header(12_000)
    assert stream.tell() == 6 + 44 + 24_000


@pytest.mark.parametrize("chunks", [False, True])
def test_standard_output(chunks):
    made = "iter([s[:100], s[100:]])" if chunks else "s"
    code = "import numpy as np; from cosyedge.playback.wav import write_wav; "
    code += f"s = np.full(240, 0.5, np.float32); write_wav('-', {made})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert out[:44] == wav_header(None if chunks else 240)
    assert np.array_equal(np.frombuffer(out[44:], np.int16), np.full(240, 16384))


def test_a_path_that_cannot_be_written(tmp_path):
    with pytest.raises(PlaybackError, match="No such file") as caught:
        write_wav(tmp_path / "none" / "a.wav", noise(0.1))
    assert caught.value.code == "wav_unwritable"


def test_mp3(tmp_path):
    time = np.arange(24_000) / 24_000
    tone = (0.5 * np.sin(2 * np.pi * 440 * time)).astype(np.float32)
    assert write_mp3(tmp_path / "a.mp3", tone) == 24_000
    sound, rate = soundfile.read(tmp_path / "a.mp3")
    assert rate == 24_000
    assert len(sound) == pytest.approx(24_000, abs=3000)
    spectrum = np.abs(np.fft.rfft(sound))
    assert np.argmax(spectrum) * rate / len(sound) == pytest.approx(440, abs=2)
    stream = io.BytesIO()
    write_mp3(stream, tone)
    assert stream.getvalue() == (tmp_path / "a.mp3").read_bytes()


def test_wav_alone_does_not_load_libsndfile():
    code = "import sys, cosyedge.playback.wav, cosyedge.playback.alsa, cosyedge.playback.chime; "
    code += "sys.exit('soundfile' in sys.modules or 'pyaudio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
