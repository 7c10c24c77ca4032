"""Who may import whom: the road runs one way, and the daemon's package holds nothing of the training."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
PACKAGE: Final = ROOT / "cosyedge"

#: room → the rooms that it may import, besides itself and ``errors``.
MAY_IMPORT: Final = {
    "text": set(),
    "speech": {"text"},
    "playback": set(),
    "announcements": {"text", "speech", "playback"},
    "mqtt": {"announcements"},
    "host": set(),
    # Measures all the others: beside the daemon, and never imported by it.
    "bench": {
        *("text", "speech", "playback", "announcements", "mqtt", "host"),
        *("daemon", "condition", "options", "progress", "stages"),
    },
}
#: Modules beside the rooms that may import the room ``mqtt``: the daemon, and what visits its broker.
MAY_IMPORT_MQTT: Final = {"daemon.py", "broker.py"}
#: Third-party modules of the running product.
RUNTIME: Final = {"numpy", "onnxruntime", "soxr", "soundfile", "pyaudio", "paho", "psutil", "yaml"}

MODULES: Final = sorted(PACKAGE.rglob("*.py"))


def imports_of(file: Path) -> Iterator[str]:
    """The full names that a module imports, wherever in it the statement stands."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import hides the room it comes from"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_of(file: Path) -> set[str]:
    """The parts of cosyedge that a module imports: names of rooms or of modules beside them."""
    return {name.split(".")[1] for name in imports_of(file) if name.startswith("cosyedge.")}


def name_of(file: Path) -> str:
    return str(file.relative_to(PACKAGE))


def test_the_rooms_are_those_of_the_table() -> None:
    folders = {
        folder.name for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name != "__pycache__"
    }
    assert folders == set(MAY_IMPORT)


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_a_room_imports_only_what_the_table_allows(file: Path) -> None:
    room = file.relative_to(PACKAGE).parts[0]
    if room in MAY_IMPORT:
        allowed = {room, "errors", "__version__"} | MAY_IMPORT[room]
        assert rooms_of(file) <= allowed
    elif file.name not in MAY_IMPORT_MQTT:
        assert "mqtt" not in rooms_of(file)


@pytest.mark.parametrize("file", MODULES, ids=name_of)
def test_third_parties_are_those_of_the_running_product(file: Path) -> None:
    outside = {name.split(".")[0] for name in imports_of(file)} - {"cosyedge"}
    assert outside - set(sys.stdlib_module_names) <= RUNTIME


def test_the_training_is_imported_by_no_one() -> None:
    for file in [*MODULES, *(ROOT / "tests").rglob("*.py")]:
        assert not any(name.split(".")[0] == "scripts" for name in imports_of(file)), file


def test_other_protocols_are_loaded_only_where_they_are_wanted() -> None:
    program = "import sys, cosyedge.daemon; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "cosyedge.mqtt.bridge" in loaded
    assert not loaded & {"cosyedge.mqtt.homeassistant", "cosyedge.mqtt.hermes"}


@pytest.mark.parametrize("module", ["cosyedge.cli", "cosyedge.config", "cosyedge.host.limits"])
def test_nothing_heavy_is_imported_before_the_environment_is_prepared(module: str) -> None:
    program = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert module in loaded
    assert not loaded & {"numpy", "onnxruntime", "soxr", "pyaudio", "paho", "soundfile"}
