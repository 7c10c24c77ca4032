"""Threads as the machine shows them: their names in ``top -H``, and where each of them is."""

from __future__ import annotations

import contextlib
import faulthandler
import signal
import sys
import threading
from pathlib import Path
from types import FrameType


def name_threads() -> None:
    """Give every Python thread that runs now its own name in the kernel; Python itself does so from 3.14 on.

    The kernel keeps 15 bytes. The process keeps its name, which is that of its main thread.
    """
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            with contextlib.suppress(OSError):  # it has just ended, or there is no procfs
                Path(f"/proc/self/task/{thread.native_id}/comm").write_text(thread.name[:15])


def print_stacks_on(number: signal.Signals) -> None:
    """Print where each thread is, on standard error, whenever that signal comes or the process crashes.

    The stacks are printed by C and so come even when Python hangs; the names of the threads come after
    them, when Python runs.
    """
    faulthandler.enable(file=sys.stderr, all_threads=True)
    signal.signal(number, _print_names)
    faulthandler.register(number, file=sys.stderr, all_threads=True, chain=True)


def print_stacks() -> None:
    """Where each thread is, on standard error, at once."""
    faulthandler.dump_traceback(file=sys.stderr, all_threads=True)
    _print_names(0, None)


def _print_names(number: int, frame: FrameType | None) -> None:
    for thread in threading.enumerate():
        print(f"Thread 0x{thread.ident:016x} is {thread.name}", file=sys.stderr)
    sys.stderr.flush()
