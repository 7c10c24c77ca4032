"""Whole systems: a booted Debian with the package in it, and an emulated ARM64. Their scripts do the work."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SUITES = ("bookworm", "trixie")

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]


def last_line(*command: str, needs: tuple[str, ...]) -> str:
    if os.getuid() != 0:
        pytest.skip("only root can make and mount a root file system")
    for tool in needs:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.rstrip().splitlines()[-1]


@pytest.mark.parametrize("suite", SUITES)
def test_the_service_in_a_booted_system(suite: str) -> None:
    said = last_line("scripts/boot_test.sh", suite, needs=("systemd-nspawn", "mmdebstrap"))
    assert said == "all is right"


@pytest.mark.parametrize("suite", SUITES)
def test_what_a_pi_would_run(suite: str) -> None:
    said = last_line("scripts/arm64.sh", suite, needs=("qemu-aarch64-static", "mmdebstrap"))
    assert said == f"report: build/arm64-{suite}-cortex-a76.txt"
