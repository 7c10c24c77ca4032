"""What SIGHUP takes over from the configuration, and what it leaves to a restart."""

from __future__ import annotations

from pathlib import Path

from cosyedge.config import load_config
from cosyedge.options import OPTIONS, Config
from cosyedge.reload import LIVE, differences


def read(folder: Path, text: str) -> Config:
    file = folder / "cosyedge.yaml"
    file.write_text(text)
    return load_config(file, {}, {})


def test_what_is_live_is_taken_over_and_the_rest_is_named_until_a_restart(tmp_path: Path) -> None:
    running = read(tmp_path, "queue:\n  resume: restart\naudio:\n  device: a\n")
    changed = read(tmp_path, "queue:\n  resume: drop\nlog:\n  level: debug\naudio:\n  device: b\n")
    config, live, waiting = differences(running, changed)
    assert set(live) == {"queue.resume", "log.level"}
    assert waiting == ("audio.device",)
    assert (config.queue.resume, config.log.level, config.audio.device) == ("drop", "debug", "a")
    again, live, waiting = differences(config, changed)
    assert (again, live, waiting) == (config, (), ("audio.device",))


def test_nothing_changed_is_nothing_to_do(tmp_path: Path) -> None:
    running = read(tmp_path, "")
    assert differences(running, read(tmp_path, "")) == (running, (), ())


def test_live_keys_are_options() -> None:
    assert {row.key for row in OPTIONS} >= LIVE
