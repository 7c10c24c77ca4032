"""Installing, upgrading and uninstalling from a checkout, into a home directory of this test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import wave
from functools import partial
from pathlib import Path

import pytest

from tests.broker import Broker, Peer, broker, make_broker

__all__ = ["broker", "make_broker"]

ROOT = Path(__file__).parent.parent.parent


def script(name: str, home: Path, *flags: str, checkout: Path = ROOT) -> str:
    """What the script says; as the user whose home that is, without a service manager."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "DBUS_"))}
    done = subprocess.run(
        [checkout / "scripts" / name, "--user", *flags],
        env=kept | {"HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.mark.parametrize("name", ["install.sh", "uninstall.sh"])
def test_a_dry_run_says_much_and_does_nothing(name: str, tmp_path: Path) -> None:
    said = script(name, tmp_path, "--dry-run")
    assert not files(tmp_path)
    assert "install: " in said
    if name == "install.sh":
        for what in (".local/share/cosyedge/", "/.local/bin/cosyedge", "/cosyedge.yaml", "/systemd/user"):
            assert str(tmp_path) in said
            assert what in said


def test_a_flag_that_is_none_is_refused() -> None:
    for name in ("install.sh", "uninstall.sh"):
        command = [ROOT / "scripts" / name, "--usr"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2
        assert "--dry-run" in done.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy in which nobody works meanwhile."""
    copy = tmp_path / "checkout"
    for name in ("config", "cosyedge", "models", "scripts", "systemd"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.mark.long
@pytest.mark.timeout(900)
def test_installed_upgraded_and_uninstalled(tmp_path: Path, checkout: Path, broker: Broker) -> None:
    for package in ("python3-venv", "python3-pyaudio"):
        query = ["dpkg-query", "--show", "--showformat=${db:Status-Abbrev}", package]
        found = subprocess.run(query, capture_output=True, text=True, check=False)
        if found.stdout != "ii ":
            pytest.skip(f"{package} is not installed")
    home = tmp_path / "home"
    home.mkdir()
    install, uninstall = (
        partial(script, name, home, checkout=checkout) for name in ("install.sh", "uninstall.sh")
    )
    install()
    program = home / ".local/bin/cosyedge"
    configuration = home / ".config/cosyedge/cosyedge.yaml"
    assert (home / ".config/systemd/user/cosyedge.service").exists()
    configuration.write_text(f"mqtt:\n  node: cellar\n  host: {broker.host}\n  port: {broker.port}\n")
    wav = home / "said.wav"
    outside = {"HOME": str(home), "PATH": "/usr/bin:/bin"}  # and not in the checkout
    command = [program, "say", "你好。Hello.", "--out", wav, "--config", configuration]
    subprocess.run(command, env=outside, cwd=home, check=True, timeout=120)
    with wave.open(str(wav)) as sound:
        assert sound.getnframes() > sound.getframerate() / 2
    before = files(home)

    assert "is there already" in install()
    assert files(home) == before, "again changes nothing"
    current = home / ".local/share/cosyedge/current"
    old = current.with_name("0.0.1-000000000000")
    current.resolve().rename(old)
    current.unlink()
    current.symlink_to(old.name)
    install()
    assert configuration.read_text().startswith("mqtt:\n  node: cellar\n"), "an upgrade keeps it"
    assert current.resolve().name != old.name
    assert not old.exists()

    peer = Peer(broker, "none")
    peer.publish("cosyedge/cellar/availability", "offline", retain=True)
    peer.close()
    uninstall()
    late = Peer(broker, "#")
    late.publish("end")
    late.wait("end")
    late.close()
    assert not [message.topic for message in late.messages if message.retain], "nothing tells of the node"
    assert not current.parent.exists()
    assert not program.is_symlink()
    assert configuration.exists()
    uninstall("--purge")
    assert not configuration.exists()
