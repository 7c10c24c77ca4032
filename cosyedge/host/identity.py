"""Who this node is when its name changes: an id of its own, kept with its state."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import uuid
from pathlib import Path
from typing import Final

FILE_NAME: Final = "node-id"

_ID: Final = re.compile(r"[0-9a-f]{16}\n?\Z")
_MACHINE_ID: Final = Path("/etc/machine-id")

_log = logging.getLogger(__name__)


def node_id(folder: Path, machine_id: Path = _MACHINE_ID) -> str:
    """16 hex digits that are the same at every start with this state folder; made at the first.

    Where the folder can't be written they follow from the machine and the folder's name, so that they are
    the same even so.
    """
    path = folder / FILE_NAME
    try:
        if _ID.match(kept := path.read_text(encoding="ascii")):
            return kept.strip()
        _log.warning("%s holds no id of a node: a new one is made", path)
    except FileNotFoundError:
        pass
    except (OSError, UnicodeDecodeError) as error:
        _log.warning("%s can't be read: %s", path, error)
    made = uuid.uuid4().hex[:16]
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        with new.open("w", encoding="ascii") as file:
            file.write(made + "\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        _log.warning("%s can't be written (%s): the id of the node follows from the machine", path, error)
        return _derived(folder, machine_id)
    return made


def _derived(folder: Path, machine_id: Path) -> str:
    try:
        machine = machine_id.read_bytes()
    except OSError:
        machine = os.uname().nodename.encode()
    # machine-id(5): it is not to be shown, a digest keyed with the application's name may.
    return hashlib.blake2b(
        machine + os.fsencode(folder.absolute()), digest_size=8, key=b"cosyedge node"
    ).hexdigest()
