"""How a node speaks when an announcement doesn't say: set by MQTT, kept across restarts."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.say_object import Limits, check_value
from cosyedge.errors import AnnouncementError, HostError

FILE_NAME: Final = "settings.json"

#: Settings that an announcement can have of its own take the same values there.
_SPOKEN: Final = ("volume", "voice", "lang", "speed")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settings:
    """``volume`` from 0 to 1, ``speed`` from 0.5 to 2.0; ``lang`` and ``voice`` may be ``auto``."""

    volume: float = 1.0
    mute: bool = False
    voice: str = "auto"
    lang: str = "auto"
    speed: float = 1.0


class SettingsStore:
    """The settings of this node; any thread may read and change them.

    A change holds at once. It reaches the disk with the next :meth:`save`, which waits for the disk and so
    belongs to a thread that may wait; a slider that is dragged then costs one write and not fifty. Without a
    ``folder`` nothing is kept.

    Args:
        defaults: what holds where nothing was kept.
        limits: names the voices that are installed.
        on_trouble: told the error when the file can't be written, and None when it can again.
    """

    def __init__(
        self,
        folder: Path | None,
        *,
        defaults: Settings,
        limits: Limits,
        on_trouble: Callable[[HostError | None], None] = lambda error: None,
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._on_trouble = on_trouble
        self._lock = threading.Lock()
        self._settings = self._load(defaults)
        self._saved = self._settings
        self._in_trouble = False

    @property
    def value(self) -> Settings:
        with self._lock:
            return self._settings

    def change(self, name: str, value: object) -> Settings:
        """The settings with ``name`` changed.

        Raises:
            AnnouncementError: ``bad_value``, ``unknown_voice``, ``unknown_lang``.
        """
        checked = _check(name, value, self._limits)
        with self._lock:
            self._settings = replace(self._settings, **{name: checked})
            return self._settings

    def save(self) -> None:
        """Writes what has changed since the last time, in one step as seen from outside."""
        settings = self.value
        if self._folder is None or settings == self._saved:
            return
        path = self._folder / FILE_NAME
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = path.with_suffix(".new")
            with new.open("w") as file:
                json.dump(asdict(settings), file)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            trouble = HostError("settings_unwritable", f"{path} can't be written: {reason}.")
            if not self._in_trouble:  # it is tried again and again
                _log.warning("%s", trouble)
            self._in_trouble = True
            self._on_trouble(trouble)
            return
        self._saved = settings
        if self._in_trouble:
            self._in_trouble = False
            self._on_trouble(None)

    def _load(self, defaults: Settings) -> Settings:
        """What was kept, each value for itself: one that no longer holds is left at its default."""
        if self._folder is None:
            return defaults
        path = self._folder / FILE_NAME
        try:
            kept = json.loads(path.read_bytes())
        except FileNotFoundError:
            return defaults
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("%s can't be read (%s): the defaults hold", path, type(error).__name__)
            return defaults
        settings = defaults
        for field in fields(Settings):
            if not isinstance(kept, dict) or field.name not in kept:
                continue
            try:
                checked = _check(field.name, kept[field.name], self._limits)
            except AnnouncementError as error:
                _log.warning("%s in %s was left out: %s", field.name, path, error.sentence)
                continue
            settings = replace(settings, **{field.name: checked})
        return settings


def _check(name: str, value: object, limits: Limits) -> Any:
    if name in _SPOKEN:
        return check_value(name, value, limits)
    if name == "mute" and isinstance(value, bool):
        return value
    raise AnnouncementError("bad_value", f"{name} can't be set to that.")
