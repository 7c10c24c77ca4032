"""The service units, judged by systemd itself."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cosyedge.host.limits import service_memory_mb
from cosyedge.options import Config

ROOT = Path(__file__).parent.parent.parent
SYSTEM = ROOT / "systemd" / "cosyedge.service"
TEMPLATE = ROOT / "systemd" / "cosyedge@.service"
USER = ROOT / "systemd" / "user" / "cosyedge.service"
#: Of 100; "exposure" in the words of systemd-analyze, where 1.5 is 15.
MOST_EXPOSED = 15

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units as an installation makes them, with the command of this very environment."""
    command = [ROOT / "scripts" / "units.sh", Path(sys.executable).with_name("cosyedge"), tmp_path]
    subprocess.run(command, check=True, timeout=60)
    return tmp_path


def read(unit: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit.read_text())
    return parser


def analyze(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@needs_systemd
@pytest.mark.parametrize(
    "name", ["system/cosyedge.service", "system/cosyedge@.service", "user/cosyedge.service"]
)
def test_systemd_finds_nothing_to_complain_of(units: Path, name: str) -> None:
    unit = units / name
    if unit == units / "system" / "cosyedge@.service":
        unit = unit.rename(unit.with_name("cosyedge@attic.service"))
    # A user's unit as well: without a session its manager can't be asked, and the keys are the same.
    done = analyze("verify", unit)
    # An unknown key is only a warning there.
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


@needs_systemd
@pytest.mark.parametrize("unit", [SYSTEM, TEMPLATE], ids=["one", "several"])
def test_the_sandbox_stays_tight(unit: Path) -> None:
    done = analyze("security", "--offline=yes", f"--threshold={MOST_EXPOSED}", unit)
    assert done.returncode == 0, done.stdout


def test_what_the_daemon_needs_stays_in_reach() -> None:
    service = read(SYSTEM)["Service"]
    assert service["Type"] == "notify"
    assert service["DeviceAllow"] == "char-alsa rw"
    assert "PrivateDevices" not in service
    assert "ProcSubset" not in service, "onnxruntime needs /proc/cpuinfo"
    # In a user name space, dmix could not give its shared memory to the group audio.
    assert "PrivateUsers" not in service
    assert service["SupplementaryGroups"] == "audio"


@pytest.mark.parametrize("unit", [SYSTEM, TEMPLATE, USER], ids=["one", "several", "user"])
def test_nothing_that_may_heal_ends_the_service_for_good(unit: Path) -> None:
    parser = read(unit)
    assert parser["Unit"]["StartLimitIntervalSec"] == "0"
    service = parser["Service"]
    assert service["Restart"] == "on-failure"
    assert service["RestartPreventExitStatus"] == "2 78", "wrong flags, wrong configuration"
    assert int(service["WatchdogSec"]) > 20, "more than the daemon allows the thread that speaks"
    assert "HUP $MAINPID" in service["ExecReload"]
    memory_mb = service_memory_mb(Config().memory.limit_mb)
    assert service["MemoryMax"] == f"{memory_mb}M", "of memory.limit_mb"


def test_several_nodes_differ_in_their_names_alone() -> None:
    one, several = (unit.read_text().splitlines() for unit in (SYSTEM, TEMPLATE))
    kept = several[2:]  # a comment of its own
    assert len(kept) == len(one)
    differing = [(old, new) for old, new in zip(one, kept, strict=True) if old != new]
    assert {old.partition("=")[0] for old, _ in differing} == {
        "Description",
        "ExecStart",
        "StateDirectory",
        "RuntimeDirectory",
    }
    assert all("%i" in new for _, new in differing)


def test_the_drop_in_follows_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    from cosyedge.cli import main

    assert main(["config", "--systemd", "--memory-limit-mb", "1000"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["[Service]", "MemoryMax=1216M"]
