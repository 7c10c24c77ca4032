"""`cosyedge say` and `cosyedge phonemes`, as a person or a script calls them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from cosyedge.cli import main
from cosyedge.errors import TextError
from cosyedge.exit_codes import EXIT_CODES
from tests.command import last_line, standard_input, voice

__all__ = ["voice"]


def test_say_writes_a_wav_file_and_tells_the_result(
    voice: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "said.wav"
    arguments = ["--voice", "xiaoyan", "--lang", "zh", "--speed", "1.5", "--out", str(out), "--json"]
    assert main(["say", "今天天气不错。", *arguments, *voice]) == 0
    result = last_line(capsys)
    assert (result["state"], result["voice"], result["lang"]) == ("finished", "xiaoyan", "zh")
    with wave.open(str(out)) as sound:
        assert (sound.getframerate(), sound.getnchannels()) == (24_000, 1)
        assert result["audio_s"] == pytest.approx(sound.getnframes() / 24_000, abs=1e-4)
        samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
    assert np.abs(samples).max() > 500
    assert not list(tmp_path.glob(".*")), "no part of a file is left"


def test_say_writes_wav_to_standard_output(voice: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cosyedge", "say", "-", "--out", "-", *voice],
        input="好。".encode(),
        capture_output=True,
        timeout=100,
        check=True,
    )
    assert done.stdout.startswith(b"RIFF")
    assert len(done.stdout) > 44 + 4800
    assert done.stderr == b""


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_player_that_has_heard_enough_is_no_error(voice: list[str], options: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "cosyedge", "say", "好。", "--out", "-", *options, *voice],
            stdout=out,
            stderr=subprocess.PIPE,
            timeout=100,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_say_writes_mp3(voice: list[str], tmp_path: Path) -> None:
    import soundfile

    out = tmp_path / "said.mp3"
    assert main(["say", "今天天气不错。", "--out", str(out), *voice]) == 0
    with soundfile.SoundFile(out) as sound:
        assert sound.format == "MP3"
        assert sound.samplerate == 24_000
        assert sound.frames > 4800


def test_say_speaks_to_the_configured_output(
    voice: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["--audio-output", "wav", "--audio-wav-path", str(tmp_path / "out.wav")]
    assert main(["say", "你好。Hello.", "--json", *output, *voice]) == 0
    with wave.open(str(tmp_path / "out.wav")) as sound:
        assert last_line(capsys)["audio_s"] == pytest.approx(sound.getnframes() / 24_000, abs=1e-4)


def test_wav_files_go_to_the_state_folder_which_need_not_be_there(
    voice: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "state"
    output = ["--audio-output", "wav", "--state-dir", str(folder), "--json"]
    assert main(["say", "好。", *output, *voice]) == 0
    assert [file.name for file in folder.iterdir()] == ["announcement-0001.wav"]
    (tmp_path / "file").touch()
    capsys.readouterr()
    assert main(["say", "好。", *output, "--state-dir", str(tmp_path / "file"), *voice]) == 74
    assert last_line(capsys)["error"] == "wav_unwritable"


def test_say_with_nothing_to_say(
    voice: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["--audio-output", "wav", "--audio-wav-path", str(tmp_path / "out.wav")]
    assert main(["say", "……", "--json", *output, *voice]) == 0
    assert last_line(capsys)["skipped"] == "empty"
    assert not (tmp_path / "out.wav").exists()
    assert main(["say", "", "--out", str(tmp_path / "empty.wav"), "--json", *voice]) == 0
    assert last_line(capsys)["skipped"] == "empty"


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["好", "--voice", "nobody"], "unknown_voice", 65),
        (["好", "--lang", "fr"], "unknown_lang", 65),
        (["好", "--speed", "3"], "bad_value", 65),
        (["好" * 1001], "text_too_long", 65),
        (["안녕하세요"], "language_unavailable", 66),
        (["好", "--out", "said.ogg"], "config_bad_value", 78),
        (["好", "--out", "/nowhere/said.wav"], "wav_unwritable", 74),
        (["好", "--audio-device", "CARD=Unplugged"], "audio_missing", 74),
        (["好", "--models-bundle", "absent"], "bundle_missing", 70),
        (["好", "--speech-voice", "nobody"], "config_bad_value", 78),
        (["好", "--audio-output", "smoke"], "config_bad_value", 78),
        (["好", "--config", "/nowhere.yaml"], "config_unreadable", 78),
    ],
)
def test_say_fails_with_code_sentence_and_exit_code(
    voice: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], code: str, exit_code: int
) -> None:
    assert main(["say", "--json", *voice, *arguments]) == exit_code
    captured = capsys.readouterr()
    told = json.loads(captured.out.splitlines()[-1])
    assert told["error"] == code
    assert told["message"]
    assert told["cure"]
    assert captured.err.rstrip().endswith(f"{told['message'].removesuffix('.')}. {told['cure']} [{code}]")


def test_standard_input_that_is_no_text_is_refused(
    voice: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    standard_input(monkeypatch, b"caf\xe9")
    assert main(["say", "-", "--json", *voice]) == 65
    told = last_line(capsys)
    assert told["error"] == "not_utf8"
    assert told["message"].startswith("Standard input is not UTF-8: ")


def test_phonemes_of_one_text(voice: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["phonemes", "今天21度。Hello!", "--json", *voice]) == 0
    told = last_line(capsys)
    assert list(told) == ["spans"]
    chinese, english = told["spans"]
    assert set(chinese) == {"lang", "text", "spoken", "phonemes", "reading"}
    assert set(english) == {"lang", "text", "spoken", "phonemes"}
    assert chinese["lang"] == "zh"
    assert chinese["spoken"].startswith("今天二十一度")
    assert chinese["reading"].startswith("jin1 tian1 er4 shi2 yi1 du4")
    assert english["lang"] == "en"
    assert english["spoken"].startswith("hello")


def test_words_without_quotes_are_one_text(
    voice: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["phonemes", "Hello", "world", "--json", *voice]) == 0
    (span,) = last_line(capsys)["spans"]
    assert span["text"] == "Hello world"
    said = []
    for number, words in enumerate((["Hello world"], ["Hello", "world"])):
        assert main(["say", *words, "--out", str(tmp_path / f"{number}.wav"), *voice]) == 0
        said.append((tmp_path / f"{number}.wav").read_bytes())
    assert said[0] == said[1]


def test_phonemes_of_many_lines_are_one_object_a_line(
    voice: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    standard_input(monkeypatch, "今天\r\n\n안녕\nHello\n".encode())
    assert main(["phonemes", "-", "--json", *voice]) == EXIT_CODES[TextError]
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [[span["lang"] for span in line["spans"]] for line in lines] == [["zh"], [], [], ["en"]]
    assert lines[2]["error"] == "language_unavailable"
    assert "error" not in lines[1]


def test_a_bad_byte_costs_its_own_line_only(
    voice: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    standard_input(monkeypatch, b"Hello\n\xff\nHello\n")
    assert main(["phonemes", "-", "--json", *voice]) == EXIT_CODES[TextError]
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("error") for line in lines] == [None, "not_utf8", None]
    assert lines[2]["spans"] == lines[0]["spans"] != []


def test_phonemes_for_people(voice: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["phonemes", "今天", "--lang", "zh", *voice]) == 0
    assert "jin1 tian1" in capsys.readouterr().out
    assert main(["phonemes", "今天", "--lang", "fr", *voice]) == 65
