"""What is set by MQTT holds at once and is kept across restarts."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any, Final

import pytest

from cosyedge.announcements.announcement import Limits
from cosyedge.announcements.settings import FILE_NAME, Settings, SettingsStore
from cosyedge.errors import AnnouncementError, HostError

LIMITS: Final = Limits(voices=frozenset({"auto", "xiaoyan", "en_us"}))


def store(folder: Path | None, defaults: Settings | None = None, **more: Any) -> SettingsStore:
    return SettingsStore(folder, defaults=defaults or Settings(), limits=LIMITS, **more)


def test_a_change_holds_at_once_and_after_a_restart(tmp_path: Path) -> None:
    settings = store(tmp_path / "state")
    for name, value in [("volume", 0.25), ("mute", True), ("voice", "en_us"), ("lang", "en"), ("speed", 1.5)]:
        assert getattr(settings.change(name, value), name) == value
    assert settings.value == Settings(0.25, True, "en_us", "en", 1.5)
    settings.save()
    assert store(tmp_path / "state").value == settings.value


def test_what_was_never_set_follows_the_configuration(tmp_path: Path) -> None:
    assert store(tmp_path, Settings(volume=0.5, lang="zh")).value == Settings(volume=0.5, lang="zh")
    settings = store(tmp_path)
    settings.save()
    assert not (tmp_path / FILE_NAME).exists()


def test_only_a_change_is_written(tmp_path: Path) -> None:
    settings = store(tmp_path)
    settings.change("volume", 0.5)
    settings.save()
    before = (tmp_path / FILE_NAME).stat()
    settings.change("volume", 0.7)
    settings.change("volume", 0.5)
    settings.save()
    after = (tmp_path / FILE_NAME).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_without_a_folder_nothing_is_kept() -> None:
    settings = store(None)
    settings.change("volume", 0.5)
    settings.save()
    assert settings.value.volume == 0.5


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("volume", 1.5, "bad_value"),
        ("volume", True, "bad_value"),
        ("volume", float("nan"), "bad_value"),
        ("speed", 0.1, "bad_value"),
        ("mute", 1, "bad_value"),
        ("mute", "ON", "bad_value"),
        ("lang", "de", "unknown_lang"),
        ("voice", "nobody", "unknown_voice"),
        ("colour", "red", "bad_value"),
        ("text", "red", "bad_value"),
    ],
)
def test_what_cannot_be_set_changes_nothing(name: str, value: object, code: str) -> None:
    settings = store(None)
    with pytest.raises(AnnouncementError) as caught:
        settings.change(name, value)
    assert caught.value.code == code
    assert settings.value == Settings()


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_a_file_that_is_damaged_leaves_the_defaults(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    settings = store(tmp_path, Settings(volume=0.5))
    assert settings.value == Settings(volume=0.5)
    settings.change("mute", True)
    settings.save()
    assert store(tmp_path).value == Settings(volume=0.5, mute=True)


def test_a_voice_that_is_gone_costs_only_itself(tmp_path: Path) -> None:
    kept = {"volume": 0.5, "voice": "ja_jp", "speed": "fast", "new": 1}
    (tmp_path / FILE_NAME).write_text(json.dumps(kept))
    assert store(tmp_path, Settings(voice="xiaoyan")).value == Settings(volume=0.5, voice="xiaoyan")


def test_a_folder_that_cannot_be_written_is_reported_until_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "state"
    folder.write_text("a file is in the way")
    told: list[HostError | None] = []
    settings = store(folder, on_trouble=told.append)
    settings.change("volume", 0.5)
    settings.save()
    assert settings.value.volume == 0.5
    assert [error and error.code for error in told] == ["settings_unwritable"]
    settings.save()
    assert [record.getMessage() for record in caplog.records].count(str(told[0])) == 1, "it is logged once"
    folder.unlink()
    settings.save()
    assert told[2:] == [None]
    assert store(folder).value.volume == 0.5
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
