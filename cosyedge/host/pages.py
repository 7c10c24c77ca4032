"""Resident pages of libraries that only starting needed.

To import numpy and onnxruntime and to make sessions touches code and tables that speaking never uses again:
schemas and kernels that are registered, the parser, the optimiser. They stay resident, as clean pages of
files, until the kernel runs short. Measured on x86-64 with both models loaded: 39 MB, of which speaking
brought back 19.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from typing import Any, Final

_PT_LOAD: Final = 1
_PF_W: Final = 2
_MADV_DONTNEED: Final = 4


class _Segment(ctypes.Structure):
    """Elf64_Phdr of elf(5)."""

    _fields_ = (
        ("type", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("offset", ctypes.c_uint64),
        ("vaddr", ctypes.c_uint64),
        ("paddr", ctypes.c_uint64),
        ("filesz", ctypes.c_uint64),
        ("memsz", ctypes.c_uint64),
        ("align", ctypes.c_uint64),
    )


class _Library(ctypes.Structure):
    """The beginning of struct dl_phdr_info, dl_iterate_phdr(3)."""

    _fields_ = (
        ("base", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("segments", ctypes.POINTER(_Segment)),
        ("count", ctypes.c_uint16),
    )


def release_library_pages() -> int:
    """Let go of the pages of loaded libraries that hold what is in their files; how many bytes of address
    space that was.

    What is used again is read again: from the page cache, for a fraction of a millisecond in all, or from
    the disk where memory is short, as the kernel does by itself. Only segments that no one may write are
    touched, as the program headers tell them, so relocated tables and data stay; nothing is done where the
    headers are not those of a 64-bit Linux.
    """
    libc = ctypes.CDLL(None)
    if sys.platform != "linux" or ctypes.sizeof(ctypes.c_void_p) != 8 or not hasattr(libc, "dl_iterate_phdr"):
        return 0
    page = resource.getpagesize()
    madvise = libc.madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    released = 0

    def visit(library: Any, _size: int, _data: Any) -> int:
        nonlocal released
        name = library.contents.name or b""
        if name and b"/" not in name:  # the kernel's own, which is no file
            return 0
        for number in range(library.contents.count):
            segment = library.contents.segments[number]
            if segment.type != _PT_LOAD or segment.flags & _PF_W:
                continue
            begin = library.contents.base + segment.vaddr
            first, last = -(-begin // page) * page, (begin + segment.filesz) // page * page
            if first < last and madvise(first, last - first, _MADV_DONTNEED) == 0:
                released += last - first
        return 0

    visitor = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Library), ctypes.c_size_t, ctypes.c_void_p)
    libc.dl_iterate_phdr(visitor(visit), None)
    return released
