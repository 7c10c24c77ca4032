"""Where the programs of others are that a node is tried with: Home Assistant, Node-RED, Rhasspy.

``scripts/setup_peers.sh`` puts them into ``.peers``; ``COSYEDGE_PEERS`` names another folder. Each is too
large, or wants another Python, to be a package of ours. A test whose program is absent is skipped and says
so.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent.parent
PEERS: Final = Path(os.environ.get("COSYEDGE_PEERS") or ROOT / ".peers")
_HOW: Final = "is not installed: scripts/setup_peers.sh does that"


def python_of(peer: str) -> Path:
    """The interpreter of the virtual environment of ``home-assistant`` or ``rhasspy-hermes``."""
    python = PEERS / peer / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{peer} {_HOW}")
    return python


def node_red() -> Path:
    """The command, from the folder of the peers or from PATH."""
    installed = PEERS / "node-red" / "node_modules" / ".bin" / "node-red"
    found = str(installed) if installed.exists() else shutil.which("node-red")
    if found is None or shutil.which("node") is None:
        pytest.skip(f"node-red {_HOW}")
    return Path(found)
