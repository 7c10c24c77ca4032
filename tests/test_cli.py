"""The command as a person or a script calls it: what it takes, what it exits with, and what is short."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cosyedge import cli
from cosyedge.cli import main
from cosyedge.errors import CosyError
from cosyedge.exit_codes import EXIT_CODES
from cosyedge.options import OPTIONS
from cosyedge.playback.chime import make_chime
from tests.command import last_line, voice
from tests.playback.sound import file_pcm, use_pcms

__all__ = ["voice"]


def test_a_file_that_is_no_text_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "phrases.txt"
    file.write_bytes(b"caf\xe9")
    assert main(["cache", "warm", str(file), "--json"]) == 65
    told = last_line(capsys)
    assert told["error"] == "not_utf8"
    assert told["message"].startswith(f"{file} is not UTF-8: ")


def test_voices_are_those_of_the_bundle(voice: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voices", "--json", *voice]) == 0
    told = last_line(capsys)
    assert {v["id"] for v in told["voices"]} == {"zhitian", "xiaoyan", "en_us"}
    assert all(v["native"] in v["languages"] for v in told["voices"])
    assert main(["voices", *voice]) == 0
    assert "xiaoyan" in capsys.readouterr().out


def test_devices_are_those_of_alsa(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "asound.conf").write_text(
        "pcm.attic {\n type null\n}\npcm.absent {\n type hw\n card absent\n}\n"
    )
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(tmp_path / "asound.conf"))
    assert main(["devices", "--json"]) == 0
    assert [device["name"] for device in last_line(capsys)["devices"]] == ["attic"]
    assert main(["devices"]) == 0
    assert "attic" in capsys.readouterr().out


def test_a_device_is_tried_by_a_chime_and_told_how_that_went(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chime = make_chime("soft")
    heard = tmp_path / "card.raw"
    use_pcms(monkeypatch, tmp_path / "asound.conf", file_pcm("attic", heard))
    options = ["--audio-device", "attic", "--audio-rate", "44100", "--audio-ring-s", "10"]
    assert main(["devices", "--test", "--json", *options]) == 0
    trial = last_line(capsys)
    assert (trial["device"], trial["pcm"], trial["kind"]) == ("attic", "attic", "virtual")
    assert (trial["rate"], trial["channels"], trial["whole"]) == (44_100, 2, True)
    assert trial["audio_s"] == pytest.approx(len(chime) / 24_000, abs=0.05)
    assert np.count_nonzero(np.fromfile(heard, np.int16)) > len(chime)
    assert main(["devices", "--test", *options]) == 0
    told = capsys.readouterr().out
    assert "opened 'attic' as the ALSA PCM 'attic': virtual, 44100 Hz, stereo" in told
    assert "to its end" in told
    assert "faster than sound" in told, "a file is no card"
    assert main(["devices", "--test", "--json", "--audio-device", "CARD=Unplugged"]) == 74
    assert last_line(capsys)["error"] == "audio_missing"


def test_config_tells_each_value_and_its_origin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("mqtt:\n  username: me\n  password: hunter2\n")
    assert main(["config", "--config", str(file), "--mqtt-port", "8883", "--json"]) == 0
    told = last_line(capsys)
    assert set(told) == {row.key for row in OPTIONS}
    assert told["mqtt.port"] == {"value": "8883", "origin": "--mqtt-port"}
    assert told["mqtt.username"] == {"value": "me", "origin": f"{file}:2"}
    assert told["mqtt.host"] == {"value": "localhost", "origin": "default"}
    assert main(["config", "--config", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "hunter2" not in shown + json.dumps(told)
    assert re.search(rf"mqtt.username +me +{re.escape(str(file))}:2", shown)


def test_config_prints_the_file_and_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--yaml"]) == 0
    assert capsys.readouterr().out == (Path(__file__).parent.parent / "config/cosyedge.yaml").read_text()
    assert main(["config", "--markdown"]) == 0
    assert capsys.readouterr().out.count("\n") == len(OPTIONS) + 2


def test_bench_has_all_figures(voice: list[str], tmp_path: Path) -> None:
    """In a process of its own, as always: it counts the threads that compute."""
    baseline = tmp_path / "baseline.json"
    baseline.write_text('{"inference_threads": 0}')
    command = [sys.executable, "-m", "cosyedge", "bench", "--json", "--runs", "1", "--memory", *voice]
    command += ["--check", str(baseline)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["worse"] == ["inference_threads is 1, and was 0"]
    assert "685; embedded 420" in done.stderr, "the table for people"
    assert set(told["memory"]["parts_mb"]) >= {
        "interpreter",
        "numpy",
        "onnxruntime",
        "models",
        "ring and sound",
    }
    assert told["memory"]["warm_mb"] > 20
    assert 5 < told["memory"]["warm_files_mb"] < told["memory"]["warm_mb"]
    both = ("rtf_p50", "rtf_p95", "first_audio_ms_p50", "first_audio_ms_p95")
    others = ("machine", "python", "onnxruntime", "bundle", "bundle_mb", "load_s", "rss_after_load_mb")
    others += ("rss_steady_mb", "peak_rss_mb", "inference_threads", "ready_s", "text_rss_mb", "text_ms_cpu")
    for name in (*others, *both, *(f"{figure}_cpu" for figure in both)):
        assert told[name], name
    assert told["inference_threads"] == 1
    assert told["peak_rss_mb"] >= told["rss_steady_mb"] - 1
    assert told["rtf_p95"] >= told["rtf_p50"]
    assert told["first_kept_ms_p95_cpu"] >= told["first_kept_ms_p50_cpu"] > 0


def test_every_kind_of_error_has_its_own_documented_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(EXIT_CODES) == set(CosyError.__subclasses__())
    assert len(set(EXIT_CODES.values()) | {0, 1, 2, 3, 130}) == len(EXIT_CODES) + 5
    with pytest.raises(SystemExit) as ended:
        main(["say", "--help"])
    assert ended.value.code == 0
    documented = {int(number) for number in re.findall(r"^  (\d+) +", capsys.readouterr().out, re.MULTILINE)}
    assert documented == {0, 1, 2, 3, 130, *EXIT_CODES.values()}


def test_wrong_arguments_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["sing"], ["say"], ["say", "a", "--vioce", "b"], ["bench", "--runs", "0"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_an_option_is_not_taken_for_another_by_its_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["config", "--mqtt-hos", "x"])


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m cosyedge config | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("say - --out said.wav <&-", "file_unreadable"),
        ("cache warm - <&-", "file_unreadable"),
        ("cache warm /nowhere", "file_unreadable"),
        ("yes 2>/dev/null | {} say - --out said.wav", "text_too_long"),
        ("say 好 --out - >&-", "wav_unwritable"),
        ("config >/dev/full", "output_unwritable"),
        ("config --json >/dev/full", "output_unwritable"),
    ],
)
def test_a_stream_that_is_no_use_is_told_in_one_line(
    voice: list[str], tmp_path: Path, words: str, code: str
) -> None:
    ours = f"{sys.executable} -m cosyedge"
    command = words.format(ours) if "{}" in words else f"{ours} {words}"
    if "config" not in words:
        command += " " + " ".join(voice)
    done = subprocess.run(
        ["bash", "-c", f"cd {tmp_path}; {command}"],
        env={**os.environ, "PYTHONPATH": str(Path(cli.__file__).parent.parent)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert re.fullmatch(rf"cosyedge: .+\. .+\. \[{code}\]\n", done.stderr), done.stderr
    assert done.returncode in EXIT_CODES.values()


def test_text_is_shown_whatever_the_locale(voice: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cosyedge", "phonemes", "好", *voice],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert b"zh   \\u597d" in done.stdout


def test_help_tells_what_an_option_takes_and_usage_stays_short(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["say", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith("usage: cosyedge say [options] TEXT Speak")
    assert "--queue-resume RESUME What becomes of" in told
    assert "(One of restart, continue, drop.)" in told


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("cosyedge ")
    assert cli.__doc__
