"""How much of the machine we take: one thread of arithmetic, and a fixed budget of memory.

The budget is kept in three steps. :class:`Admission` watches the resident memory and refuses new work
above 90 % of the budget; :func:`set_memory_limit` makes the kernel fail an allocation beyond it, which
costs one announcement and not the process; ``MemoryMax`` in the systemd unit is the last.

Nothing here imports numpy or onnxruntime: :func:`prepare_environment` has to run before they do.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cosyedge.errors import HostError
from cosyedge.host.lazy_imports import import_seldom_used_lazily

#: Read by libraries while they are imported, so it has to stand before the first heavy import.
_ENVIRONMENT: Final = {
    # numpy's OpenBLAS starts a thread for each core otherwise; pip's onnxruntime has no OpenMP.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # onnxruntime 1.29 and later start a telemetry thread at import and write into $HOME; only this
    # variable stops both, the call of its API comes too late.
    "ORT_DISABLE_TELEMETRY": "1",
}

_libc: Final = ctypes.CDLL(None)
#: From malloc.h of glibc. One arena: threads that allocate now and then need no 64 MB pool of their own.
_M_ARENA_MAX: Final = -8
_MB: Final = 1024 * 1024
#: One for all: a path made anew has the interpreter intern its parts, for each announcement, and the table of
#: interned names grows by half a megabyte when enough have come and gone.
_STATM: Final = Path("/proc/self/statm")
_PAGE_BYTES: Final = resource.getpagesize()
_ADMITTED_SHARE: Final = 0.9


def prepare_environment() -> None:
    """Hold every library to one thread, telemetry off, malloc to one arena, and what is seldom used unloaded.

    Call it first in the process: what numpy and onnxruntime read at import can't be changed later.
    The environment variable ``MALLOC_ARENA_MAX`` is read before Python runs, hence the call of mallopt.
    """
    os.environ.update(_ENVIRONMENT)
    import_seldom_used_lazily()
    if hasattr(_libc, "mallopt"):  # not in musl
        _libc.mallopt(_M_ARENA_MAX, 1)


def set_memory_limit(limit_mb: int) -> None:
    """Cap what the process may allocate at ``limit_mb``; beyond it an allocation fails with MemoryError.

    RLIMIT_DATA counts the heap and private writable maps (Linux 4.7 and later) and not, as RLIMIT_AS
    does, the mapped libraries, lexicons and shared buffers, whose address space says nothing about
    memory in use. (A daemon with 96 MB resident was measured at 128 MB of such data, 32 of them the stacks
    of its threads, and at several times that of address space.) Only the soft limit is set, so no privilege
    is needed.

    Raises:
        HostError: ``memory_limit`` if the hard limit of the process is lower.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (limit_mb * _MB, hard))
    except (ValueError, OSError) as error:
        raise HostError(
            "memory_limit",
            f"A memory limit of {limit_mb} MB can't be set: the process may have {hard} bytes.",
        ) from error


def service_memory_mb(limit_mb: int) -> int:
    """MemoryMax of the unit for a budget: a fifth more, in steps of 32 MB, for what the kernel counts as ours
    beside it, the files in RuntimeDirectory above all."""
    return -(-limit_mb * 12 // 320) * 32


def rss_mb() -> float:
    """Resident memory of this process in MB (1,048,576 bytes)."""
    return _statm_mb(1)


def files_mb() -> float:
    """What of it are pages of files, and shared ones, in MB: they are in memory once for all who use them."""
    return _statm_mb(2)


def data_mb() -> float:
    """What counts against RLIMIT_DATA, and the stack of the main thread, in MB."""
    return _statm_mb(5)


def _statm_mb(field: int) -> float:
    return int(_STATM.read_bytes().split()[field]) * _PAGE_BYTES / _MB


class Admission:
    """Whether new work may start: called for every announcement, it must be cheap.

    The tenth that is left is what an announcement may need. An allocation that fails in the midst of one
    costs it; but where it fails inside a function of onnxruntime that may not throw, it costs the process.

    Args:
        limit_mb: the memory budget; work is admitted while 90 % of it hold what is resident, and what counts
            against :func:`set_memory_limit`.
        drop_caches: called once before work is refused, to give back what can be made again.
    """

    def __init__(self, limit_mb: int, drop_caches: Callable[[], None] | None = None) -> None:
        self.limit_mb = limit_mb
        self._drop_caches = drop_caches

    def __call__(self) -> bool:
        if self._fits():
            return True
        if self._drop_caches is not None:
            self._drop_caches()
        trim_memory()
        return self._fits()

    def _fits(self) -> bool:
        return max(rss_mb(), data_mb()) <= self.limit_mb * _ADMITTED_SHARE


def settle_memory() -> None:
    """Call it when all is loaded: what lives now is taken to live on, and no search for garbage looks at it.

    Such a search holds the interpreter lock, for which the callback of a sound card waits. Measured on x86-64
    with all of a daemon loaded: 7 to 15 ms before, less than 0.1 after. It is made once a quarter as much is
    new as was found by the last one, which before let half a megabyte of garbage wait.
    """
    gc.collect()
    gc.freeze()
    gc.collect()  # finds next to nothing: the measure for the next one
    give_back_free_pages()


def trim_memory() -> None:
    """Collect garbage and hand free pages back to the kernel."""
    gc.collect()
    give_back_free_pages()


def give_back_free_pages() -> None:
    """Hand back to the kernel what malloc holds free, which counts as resident once it was touched.

    Loading leaves the heap with holes of ten megabytes in all, and small blocks come to lie all over them.
    """
    if hasattr(_libc, "malloc_trim"):
        _libc.malloc_trim(0)
