"""Strict reading of ``bundle.yaml``: what is missing, of another kind or left over is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from cosyedge.errors import SpeechError


class Section:
    """One mapping of a manifest. Values are taken out by name; :meth:`finish` refuses what is left.

    Every method raises SpeechError ``bundle_invalid``, naming the file and the key.
    """

    def __init__(self, path: Path, values: object, where: str = "") -> None:
        self._path = path
        self._where = where
        if not isinstance(values, dict):
            raise self.error("is not a mapping")
        self._values: dict[Any, Any] = dict(values)

    @classmethod
    def read(cls, path: Path) -> Section:
        """The manifest at ``path``. A file that is not there is ``bundle_missing``."""
        try:
            values = yaml.safe_load(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise SpeechError("bundle_missing", f"{path} can't be read: {error.strerror}.") from error
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise SpeechError(
                "bundle_invalid", f"{path} is not YAML: {' '.join(str(error).split())}."
            ) from error
        except RecursionError as error:
            raise SpeechError("bundle_invalid", f"{path} is nested too deeply.") from error
        return cls(path, values)

    def text(self, key: str) -> str:
        value = self._take(key)
        if not isinstance(value, str) or not value:
            raise self.error("is not a text", key)
        return value

    def whole(self, key: str) -> int:
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error("is not a whole number", key)
        return value

    def number(self, key: str) -> float:
        value = self._take(key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.error("is not a number", key)
        return float(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._take(key)
        if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
            raise self.error("is not a list of texts", key)
        return tuple(value)

    def section(self, key: str) -> Section:
        return Section(self._path, self._take(key), self._name(key))

    def sections(self, key: str) -> tuple[Section, ...]:
        value = self._take(key)
        if not isinstance(value, list):
            raise self.error("is not a list", key)
        return tuple(Section(self._path, item, f"{self._name(key)}[{i}]") for i, item in enumerate(value))

    def finish(self) -> None:
        for key in self._values:
            raise self.error("is no key of a bundle of format 1", str(key))

    def error(self, what: str, key: str = "") -> SpeechError:
        name = self._name(key)
        return SpeechError("bundle_invalid", f"{self._path}: {name + ' ' if name else 'the file '}{what}.")

    def _take(self, key: str) -> object:
        if key not in self._values:
            raise self.error("is missing", key)
        return self._values.pop(key)

    def _name(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where and key else self._where or key
