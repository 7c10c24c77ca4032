#!/usr/bin/env python3
"""Pin what an installation downloads, to the newest versions that pyproject.toml allows, with the SHA-256 of
every file that pip may take.

    lock.txt         what the program needs: scripts/install.sh, scripts/deb.sh and scripts/setup.sh
    lock_build.txt   what builds a checkout: scripts/setup.sh
    lock_source.txt  PyAudio, for a checkout
    lock_dev.txt     what tests it: scripts/setup.sh --dev

The versions are the same everywhere; a hash stands for each Python and each processor of TARGETS. PyAudio has
no wheel for Linux: an installation takes that of the distribution, whose archive is signed, and a checkout
builds it for its own Python from the source of lock_source.txt. Only metadata is downloaded, and that source.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "scripts"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
MACHINES: Final = ("x86_64", "aarch64")
TARGETS: Final = tuple(itertools.product(PYTHONS, MACHINES))
#: Debian 12 and Raspberry Pi OS of 2023 have glibc 2.36; pip doesn't derive the older tags by itself.
GLIBC_MINORS: Final = range(17, 37)
FROM_SOURCE: Final = "pyaudio"

Pins = dict[tuple[str, str], set[str]]  # (name, version) → hashes


def main() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project: dict[str, Any] = pyproject["project"]
    from_source = [line for line in project["dependencies"] if line.startswith(FROM_SOURCE)]
    runtime = [line for line in project["dependencies"] if line not in from_source]
    backend: list[str] = pyproject["build-system"]["requires"]

    pins = _pinned(runtime, {})
    everything = _pinned([*runtime, *backend, *project["optional-dependencies"]["dev"]], pins)
    build = _pinned(backend, everything)
    flags = ["--no-binary", FROM_SOURCE, "--no-deps"]
    source = {(name, version): {digest} for name, version, digest in _resolve(from_source, [], flags)}
    _write("lock.txt", "What scripts/install.sh, scripts/deb.sh and scripts/setup.sh install.", pins)
    _write("lock_build.txt", "What scripts/setup.sh builds a checkout with.", build)
    _write("lock_source.txt", "What scripts/setup.sh builds itself.", source)
    dev = {pin: hashes for pin, hashes in everything.items() if pin not in pins and pin not in build}
    _write("lock_dev.txt", "What scripts/setup.sh --dev installs as well.", dev)


def _pinned(wanted: list[str], before: Pins) -> Pins:
    """Everything that ``wanted`` needs, of the versions of ``before`` where it has one."""
    pins: Pins = defaultdict(set)
    for python, machine in TARGETS:
        # What the first target was given, the others have to take: one set of versions.
        known = [f"{name}=={version}" for name, version in {**before, **pins}]
        for name, version, digest in _resolve(wanted, known, _target(python, machine)):
            pins[name, version].add(digest)
        print(f"{machine}, Python {python}: {len(pins)} packages", file=sys.stderr)
    _check_one_version_each(pins)
    return pins


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


def _check_one_version_each(pins: Iterable[tuple[str, str]]) -> None:
    versions: dict[str, list[str]] = defaultdict(list)
    for name, version in pins:
        versions[name].append(version)
    if several := {name: found for name, found in versions.items() if len(found) > 1}:
        sys.exit(f"no single version for all targets: {several}")


def _write(file: str, what: str, pins: Pins) -> None:
    lines = [f"# {what} Made by scripts/lock.py; do not edit."]
    for (name, version), digests in sorted(pins.items()):
        lines.append(f"{name}=={version} \\")
        lines += [f"    --hash=sha256:{digest} \\" for digest in sorted(digests)]
        lines[-1] = lines[-1].removesuffix(" \\")
    (FOLDER / file).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
