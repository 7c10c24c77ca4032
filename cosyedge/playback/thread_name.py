"""The name of a thread as the system shows it (``ps -L``, ``top -H``); Python itself sets none before
3.14.
"""

from __future__ import annotations

import ctypes
from typing import Final

_PR_SET_NAME: Final = 15
_libc: Final = ctypes.CDLL(None)


def set_thread_name(name: str) -> None:
    """Name the calling thread; the kernel keeps the first 15 bytes. PortAudio's threads have no other way."""
    _libc.prctl(_PR_SET_NAME, name.encode()[:15], 0, 0, 0)
