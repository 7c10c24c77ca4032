"""Phrases as files in a folder, which is best one in memory: a tmpfs survives a restart of the daemon.

What this user speaks is nobody else's business: folder and files are for their owner alone, and the name of a
file tells nothing. Files that are not ours by their name are left alone, and so is a folder that is not ours.
"""

from __future__ import annotations

import logging
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"([0-9a-f]{32})\.phrase\Z")
_PART: Final = re.compile(r"[0-9a-f]{32}\.part\Z")
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_log = logging.getLogger(__name__)


class FolderStore:
    """Files ``<key>.phrase`` in ``folder``, which is made where it is missing.

    Each appears whole or not at all. Nothing is synchronised to a disk: after a power cut it may be torn,
    which whoever reads it finds out.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listing(self) -> list[tuple[str, int]]:
        """By the time of their last use. What an earlier process left half written is removed."""
        found: list[tuple[int, str, int]] = []
        try:
            self._prepare()
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    if not stat.S_ISREG(status.st_mode):
                        continue
                    if _PART.match(entry.name):
                        os.unlink(entry.path)
                    elif name := _NAME.match(entry.name):
                        found.append((status.st_mtime_ns, name[1], status.st_size))
        except OSError as error:
            # Not a reason to be silent: the first phrase that can't be kept is told of.
            _log.warning("the phrases in %s can't be used: %s", self._folder, error.strerror)
            return []
        return [(key, size) for _, key, size in sorted(found)]

    def read(self, key: str) -> bytes | None:
        try:
            descriptor = os.open(self._path(key), _READ)
        except FileNotFoundError:
            return None
        with open(descriptor, "rb", buffering=0) as file:
            os.utime(descriptor)  # so that a restart still knows which was asked for last
            return file.read()

    def write(self, key: str, data: bytes) -> None:
        """Raises OSError: there is no room, the folder is not ours, …"""
        self._prepare()
        part = f"{self._folder}/{key}.part"
        with suppress(FileNotFoundError):
            os.unlink(part)
        descriptor = os.open(part, _WRITE, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
            os.replace(part, self._path(key))
        except OSError:
            with suppress(FileNotFoundError):
                os.unlink(part)
            raise

    def remove(self, key: str) -> None:
        try:
            os.unlink(self._path(key))
        except FileNotFoundError:
            pass
        except OSError as error:
            _log.debug("a phrase can't be removed: %s", error.strerror)

    # Not of pathlib, which has the interpreter intern the name of every file.
    def _path(self, key: str) -> str:
        return f"{self._folder}/{key}.phrase"

    def _prepare(self) -> None:
        """See to a folder that nobody else can put anything into."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = self._folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise PermissionError(0, "it is not a folder of this user alone")
