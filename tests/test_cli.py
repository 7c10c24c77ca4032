"""Every command as a person or a script calls it."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
import threading
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cosyedge import cli
from cosyedge.cli import main
from cosyedge.errors import CosyError
from cosyedge.exit_codes import EXIT_CODES
from cosyedge.options import OPTIONS
from cosyedge.playback.chime import make_chime
from tests.broker import Broker, Peer, broker, make_broker, make_peer
from tests.playback.sound import file_pcm, use_pcms

__all__ = ["broker", "make_broker", "make_peer"]


@pytest.fixture
def voice(test_bundle_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The flags for the tiny voice; nothing outside ``tmp_path`` is written."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    return [f"--models-dir={test_bundle_path.parent}", f"--models-bundle={test_bundle_path.name}"]


def last_line(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# --- say


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
    assert captured.err.rstrip().endswith(f"{told['message']} {told['cure']} [{code}]")


def test_standard_input_that_is_no_text_is_refused(
    voice: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    standard_input(monkeypatch, b"caf\xe9")
    assert main(["say", "-", "--json", *voice]) == 65
    told = last_line(capsys)
    assert told["error"] == "not_utf8"
    assert told["message"].startswith("Standard input is not UTF-8: ")


def test_a_file_that_is_no_text_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "phrases.txt"
    file.write_bytes(b"caf\xe9")
    assert main(["cache", "warm", str(file), "--json"]) == 65
    told = last_line(capsys)
    assert told["error"] == "not_utf8"
    assert told["message"].startswith(f"{file} is not UTF-8: ")


# --- phonemes


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


def test_phonemes_of_many_lines_are_one_object_a_line(
    voice: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    standard_input(monkeypatch, "今天\r\n\n안녕\nHello\n".encode())
    assert main(["phonemes", "-", "--json", *voice]) == EXIT_CODES_BY_NAME["TextError"]
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [[span["lang"] for span in line["spans"]] for line in lines] == [["zh"], [], [], ["en"]]
    assert lines[2]["error"] == "language_unavailable"
    assert "error" not in lines[1]


def test_a_bad_byte_costs_its_own_line_only(
    voice: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    standard_input(monkeypatch, b"Hello\n\xff\nHello\n")
    assert main(["phonemes", "-", "--json", *voice]) == EXIT_CODES_BY_NAME["TextError"]
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("error") for line in lines] == [None, "not_utf8", None]
    assert lines[2]["spans"] == lines[0]["spans"] != []


def test_phonemes_for_people(voice: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["phonemes", "今天", "--lang", "zh", *voice]) == 0
    assert "jin1 tian1" in capsys.readouterr().out
    assert main(["phonemes", "今天", "--lang", "fr", *voice]) == 65


# --- the short ones


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


def test_check_tries_everything_and_names_what_fails(
    voice: list[str], broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--audio-output", "wav"]
    good += ["--audio-wav-path", str(tmp_path)]
    assert main(["check", "--json", *voice, *good]) == 0
    told = last_line(capsys)
    assert told["ok"] is True
    assert [c["what"] for c in told["checks"]] == ["configuration", "voice", "state", "output", "broker"]
    assert main(["check", "--json", *voice, *good, "--audio-wav-path", str(tmp_path / "no" / "a.wav")]) == 74
    assert [c.get("error") for c in last_line(capsys)["checks"]] == [None, None, None, "wav_unwritable", None]
    broker.kill()
    assert (
        main(["check", "--json", *voice, *good, "--audio-output", "alsa", "--audio-device", "CARD=no"]) == 74
    )
    told = last_line(capsys)
    assert told["ok"] is False
    assert {c["what"]: c.get("error") for c in told["checks"]} == {
        "configuration": None,
        "voice": None,
        "state": None,
        "output": "audio_missing",
        "broker": "mqtt_unreachable",
    }
    assert main(["check", *voice, *good]) == 69
    assert "FAILED broker: The broker at" in capsys.readouterr().out


def test_check_of_a_broker_that_refuses_us(
    voice: list[str], make_broker: Callable[..., Broker], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broker = make_broker(users={"node": "right"})
    flags = [*voice, "--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--audio-output", "wav"]
    (tmp_path / "secret").write_text("wrong\n")
    login = ["--mqtt-username", "node", "--mqtt-password-file", str(tmp_path / "secret")]
    assert main(["check", "--json", *flags, *login]) == 69
    assert last_line(capsys)["checks"][-1]["error"] == "mqtt_refused"
    (tmp_path / "secret").write_text("right\n")
    assert main(["check", "--json", *flags, *login]) == 0


def test_status_shows_what_a_node_has_said(
    broker: Broker, make_peer: Callable[..., Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--mqtt-node", "attic"]
    assert main(["status", "--json", "--timeout", "1", *flags]) == 69
    told = last_line(capsys)
    assert told["message"].startswith("No node 'attic' is known at ")
    assert "mqtt.node" in told["message"]
    assert told["error"] == "mqtt_unreachable"
    peer = make_peer(broker)
    peer.publish("cosyedge/attic/availability", "offline", retain=True)
    peer.publish("cosyedge/attic/state", '{"queue": 2}', retain=True)
    peer.publish("cosyedge/attic/health", '{"status": "ok"}', retain=True)
    assert main(["status", "--json", *flags, "--mqtt-protocol", "3.1.1"]) == 0
    said = {"availability": "offline", "state": {"queue": 2}, "health": {"status": "ok"}}
    assert last_line(capsys) == {"node": "attic", "answered": False, **said}
    assert main(["status", *flags]) == 0
    drawn = capsys.readouterr().out
    assert "attic is offline" in drawn
    assert "2 waiting" in drawn


def test_status_asks_a_node_that_is_there(
    broker: Broker, make_peer: Callable[..., Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--mqtt-node", "attic"]
    peer = make_peer(broker, "cosyedge/attic/status/get")
    peer.publish("cosyedge/attic/availability", "online", retain=True)
    peer.publish("cosyedge/attic/state", '{"queue": 2}', retain=True)

    def answer() -> None:
        peer.wait("cosyedge/attic/status/get")
        peer.publish("cosyedge/attic/status", '{"state": {"queue": 0}, "history": {"rtf": [0.1]}}')

    node = threading.Thread(target=answer)
    node.start()
    assert main(["status", "--json", *flags]) == 0
    node.join()
    told = last_line(capsys)
    assert told["answered"] is True
    assert told["state"] == {"queue": 0}
    assert told["history"] == {"rtf": [0.1]}
    assert main(["status", "--json", "--timeout", "1", *flags]) == 0
    assert last_line(capsys) == {
        "node": "attic", "answered": False, "availability": "online", "state": {"queue": 2},
    }  # fmt: skip


def test_discovery_is_removed_where_it_is_ours(
    broker: Broker, make_peer: Callable[..., Peer], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mqtt-host", broker.host, "--mqtt-port", str(broker.port), "--mqtt-node", "attic"]
    peer = make_peer(broker)
    message = {"origin": {"name": "cosyedge"}, "availability_topic": "cosyedge/attic/availability"}
    for name, changed in (
        ("old", {}),
        ("new", {}),
        ("cellar", {"availability_topic": "cosyedge/cellar/availability"}),
        ("lamp", {"origin": {"name": "zigbee"}}),
    ):
        payload = json.dumps({**message, **changed})
        peer.publish(f"homeassistant/device/{name}/config", payload, retain=True)
    peer.publish("homeassistant/device/broken/config", "{", retain=True)
    ours = [f"homeassistant/device/{name}/config" for name in ("new", "old")]
    assert main(["discovery", "remove", "--json", *flags]) == 0
    assert last_line(capsys) == {"removed": ours}
    for topic in sorted(ours):
        assert peer.wait(topic, lambda heard: heard.payload == b"").retain is False
    assert main(["discovery", "remove", *flags]) == 0
    assert capsys.readouterr().out == "there was nothing to remove\n"
    left = make_peer(broker, "homeassistant/device/+/config")
    for name in ("broken", "cellar", "lamp"):
        left.wait(f"homeassistant/device/{name}/config")
    assert len(left.messages) == 3


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
    both = ("rtf_p50", "rtf_p95", "first_audio_ms_p50", "first_audio_ms_p95")
    others = ("machine", "python", "onnxruntime", "bundle", "bundle_mb", "load_s", "rss_after_load_mb")
    others += ("rss_steady_mb", "peak_rss_mb", "inference_threads", "ready_s", "text_rss_mb", "text_ms_cpu")
    for name in (*others, *both, *(f"{figure}_cpu" for figure in both)):
        assert told[name], name
    assert told["inference_threads"] == 1
    assert told["peak_rss_mb"] >= told["rss_steady_mb"] - 1
    assert told["rtf_p95"] >= told["rtf_p50"]
    assert told["first_kept_ms_p95_cpu"] >= told["first_kept_ms_p50_cpu"] > 0


# --- the frame


EXIT_CODES_BY_NAME = {kind.__name__: code for kind, code in EXIT_CODES.items()}


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


def test_the_journal_of_systemd_is_given_priorities(tmp_path: Path) -> None:
    program = (
        "import logging\n"
        "from cosyedge.log_lines import log_to_stderr\n"
        "log_to_stderr('info')\n"
        "logging.getLogger('a').error('one\\ntwo')\n"
        "logging.getLogger('a').info('three')\n"
    )
    with (tmp_path / "log").open("w+") as log:
        status = os.fstat(log.fileno())
        for stream in (f"{status.st_dev}:{status.st_ino}", "1:2"):
            environment = {**os.environ, "JOURNAL_STREAM": stream}
            subprocess.run(
                [sys.executable, "-c", program], env=environment, stderr=log, timeout=60, check=True
            )
        log.seek(0)
        assert log.read() == "<3>a: one\n<3>two\n<6>a: three\nERROR a: one\ntwo\nINFO a: three\n"


def test_a_terminal_is_told_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    from cosyedge import progress

    monkeypatch.setattr(progress, "_PATIENCE_S", 0.0)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress.Progress("loading the voice") as shown:
            seen = b""
            while b"loading the voice" not in seen:
                seen += os.read(ours, 1000)
            shown.say("3.1 s of speech")
            while b"3.1 s of speech" not in seen:
                seen += os.read(ours, 1000)
    os.close(ours)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("cosyedge ")
    assert cli.__doc__
