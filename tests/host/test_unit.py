"""The service unit, judged by systemd itself."""

from __future__ import annotations

import configparser
import subprocess
import sys
from pathlib import Path

import pytest

UNIT = Path(__file__).parent.parent.parent / "systemd" / "cosyedge.service"
INSTALLED = "/opt/cosyedge/.venv/bin/cosyedge"


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with the command of this very environment, since systemd looks whether it can be run."""
    copy = tmp_path / "cosyedge.service"
    text = UNIT.read_text()
    assert INSTALLED in text
    copy.write_text(text.replace(INSTALLED, str(Path(sys.executable).with_name("cosyedge"))))
    return copy


def test_systemd_finds_nothing_to_complain_of(unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60, check=False
    )
    # An unknown key is only a warning there.
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_the_sandbox_stays_tight(unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=20", unit],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_what_the_daemon_needs_stays_in_reach() -> None:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(UNIT.read_text())
    service = parser["Service"]
    assert service["Type"] == "notify"
    assert service["DeviceAllow"] == "char-alsa rw"
    assert "PrivateDevices" not in service
    assert "ProcSubset" not in service, "onnxruntime needs /proc/cpuinfo"
    assert service["SupplementaryGroups"] == "audio"
    assert parser["Unit"]["StartLimitIntervalSec"] == "0"
