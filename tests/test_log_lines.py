"""The log on standard error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


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
