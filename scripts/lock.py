#!/usr/bin/env python3
"""Pin what an installation downloads: scripts/lock.txt, with the SHA-256 of every file that pip may take.

    scripts/lock.py           the newest versions that pyproject.toml allows

The versions are the same everywhere; a hash stands for each Python and each processor of TARGETS. PyAudio is
not among them: it has no wheel for Linux, and an installation takes that of the distribution, whose archive
is signed. Only metadata is downloaded.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = ROOT / "scripts" / "lock.txt"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
MACHINES: Final = ("x86_64", "aarch64")
TARGETS: Final = tuple(itertools.product(PYTHONS, MACHINES))
#: Debian 12 and Raspberry Pi OS of 2023 have glibc 2.36; pip doesn't derive the older tags by itself.
GLIBC_MINORS: Final = range(17, 37)
FROM_THE_DISTRIBUTION: Final = "pyaudio"

Pins = dict[tuple[str, str], set[str]]  # (name, version) → hashes


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [
        line for line in project["project"]["dependencies"] if not line.startswith(FROM_THE_DISTRIBUTION)
    ]
    pins: Pins = defaultdict(set)
    for python, machine in TARGETS:
        # What the first target was given, the others have to take: one set of versions.
        known = [f"{name}=={version}" for name, version in pins]
        for name, version, digest in _resolve(wanted, known, _target(python, machine)):
            pins[name, version].add(digest)
        print(f"{machine}, Python {python}: {len(pins)} packages", file=sys.stderr)
    _check_one_version_each(pins)
    _write(pins)


def _target(python: str, machine: str) -> list[str]:
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in GLIBC_MINORS] + [f"manylinux2014_{machine}"]
    flags = ["--python-version", python, "--implementation", "cp", "--only-binary", ":all:", "--target", "-"]
    return flags + list(itertools.chain.from_iterable(("--platform", name) for name in platforms))


def _resolve(wanted: list[str], known: list[str], flags: list[str]) -> list[tuple[str, str, str]]:
    """Name, version and SHA-256 of each file that pip would install."""
    with tempfile.TemporaryDirectory() as folder:
        report, constraints = Path(folder) / "report.json", Path(folder) / "constraints.txt"
        constraints.write_text("\n".join(known))
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += ["--disable-pip-version-check", "--constraint", str(constraints), "--report", str(report)]
        subprocess.run([*command, *flags, *wanted], check=True, cwd=folder)
        chosen: list[dict[str, Any]] = json.loads(report.read_text())["install"]
    return [
        (
            item["metadata"]["name"].lower().replace("_", "-"),
            item["metadata"]["version"],
            item["download_info"]["archive_info"]["hashes"]["sha256"],
        )
        for item in chosen
    ]


def _check_one_version_each(pins: Pins) -> None:
    versions: dict[str, list[str]] = defaultdict(list)
    for name, version in pins:
        versions[name].append(version)
    if several := {name: found for name, found in versions.items() if len(found) > 1}:
        sys.exit(f"no single version for all targets: {several}")


def _write(pins: Pins) -> None:
    lines = ["# What scripts/install.sh and scripts/deb.sh install. Made by scripts/lock.py; do not edit."]
    for (name, version), digests in sorted(pins.items()):
        lines.append(f"{name}=={version} \\")
        lines += [f"    --hash=sha256:{digest} \\" for digest in sorted(digests)]
        lines[-1] = lines[-1].removesuffix(" \\")
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
