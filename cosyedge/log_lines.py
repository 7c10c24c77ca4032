"""The log on standard error, a line a record, as a terminal or the journal of systemd wants it."""

from __future__ import annotations

import logging
import os
import sys
from typing import Final

_STANDARD_ERROR: Final = 2
#: Level of a record → priority of syslog.
_PRIORITIES: Final = {logging.WARNING: 4, logging.INFO: 6}
_ERROR, _DEBUG = 3, 7


def log_to_stderr(level: str) -> None:
    """One line a record; under systemd with the priority that its journal understands, and no time."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    if _is_journal(_STANDARD_ERROR):
        handler.setFormatter(_JournalFormatter("%(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])


def _is_journal(descriptor: int) -> bool:
    """Whether systemd's journal reads it: systemd.exec(5), JOURNAL_STREAM. The variable alone is no proof,
    a shell of a service inherits it."""
    status = os.fstat(descriptor)
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


class _JournalFormatter(logging.Formatter):
    """Puts the priority before each line, as sd-daemon(3) wants it."""

    def format(self, record: logging.LogRecord) -> str:
        priority = _ERROR if record.levelno >= logging.ERROR else _PRIORITIES.get(record.levelno, _DEBUG)
        return "\n".join(f"<{priority}>{line}" for line in super().format(record).splitlines())
