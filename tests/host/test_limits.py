"""What prepare_environment and the memory steps do to a process, each seen in a process of its own."""

from __future__ import annotations

import json
import mmap
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cosyedge.host.limits import Admission, data_mb, rss_mb


def in_a_process(program: str, home: Path) -> Any:
    """What ``program`` prints last, as JSON; it runs with nothing in the environment to help it."""
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_heavy_imports_start_no_thread_and_write_no_file(tmp_path: Path) -> None:
    threads = in_a_process(
        "from cosyedge.host.limits import prepare_environment\n"
        "prepare_environment()\n"
        "import json, os, numpy, onnxruntime, soxr\n"
        "numpy.ones((500, 500)) @ numpy.ones((500, 500))\n"
        "print(json.dumps(len(os.listdir('/proc/self/task'))))\n",
        tmp_path,
    )
    assert threads == 1
    assert list(tmp_path.rglob("*")) == []


def test_malloc_is_held_to_one_arena(tmp_path: Path) -> None:
    """Small blocks of many threads would otherwise each come from a pool of their own."""
    arenas = in_a_process(
        "from cosyedge.host.limits import prepare_environment\n"
        "prepare_environment()\n"
        "import ctypes, json, os, re, threading\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.malloc.restype = ctypes.c_void_p\n"
        "together = threading.Barrier(8)\n"
        "def work():\n"
        "    together.wait()\n"
        "    for _ in range(1000): libc.malloc(100)\n"
        "    together.wait()\n"
        "threads = [threading.Thread(target=work) for _ in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "report = os.environ['HOME'] + '/malloc.xml'\n"
        "libc.fopen.restype = ctypes.c_void_p\n"
        "stream = libc.fopen(report.encode(), b'w')\n"
        "libc.malloc_info(0, ctypes.c_void_p(stream)); libc.fclose(ctypes.c_void_p(stream))\n"
        "print(json.dumps(len(re.findall('<heap ', open(report).read()))))\n",
        tmp_path,
    )
    assert arenas == 1


def test_beyond_the_limit_an_allocation_fails_and_the_process_lives(tmp_path: Path) -> None:
    told = in_a_process(
        "from cosyedge.host.limits import prepare_environment, set_memory_limit\n"
        "prepare_environment(); set_memory_limit(200)\n"
        "import json, numpy\n"
        "kept = numpy.ones(50 * 131072)\n"
        "try:\n"
        "    numpy.ones(300 * 131072)\n"
        "except MemoryError:\n"
        "    print(json.dumps(['refused', float(kept[-1] + numpy.ones(1000)[-1])]))\n",
        tmp_path,
    )
    assert told == ["refused", 2.0]


def test_a_limit_above_the_hard_one_is_an_error_with_a_code(tmp_path: Path) -> None:
    code = in_a_process(
        "import json, resource\n"
        "from cosyedge.errors import HostError\n"
        "from cosyedge.host.limits import set_memory_limit\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20))\n"
        "try:\n"
        "    set_memory_limit(400)\n"
        "except HostError as error:\n"
        "    print(json.dumps(error.code))\n",
        tmp_path,
    )
    assert code == "memory_limit"


def used_mb() -> float:
    return max(rss_mb(), data_mb())


@pytest.mark.parametrize(("freed", "admitted"), [(True, True), (False, False)])
def test_admission_drops_caches_before_it_refuses(freed: bool, admitted: bool) -> None:
    held = [bytearray(b"x") * (100 << 20)]
    dropped: list[float] = []

    def drop() -> None:
        dropped.append(used_mb())
        if freed:
            held.clear()

    limit_mb = round((used_mb() - 40) / 0.9)
    admission = Admission(limit_mb, drop)
    assert admission() is admitted
    assert len(dropped) == 1
    assert dropped[0] > limit_mb * 0.9


def test_within_the_budget_nothing_is_dropped() -> None:
    dropped: list[bool] = []
    assert Admission(round(used_mb() * 2), lambda: dropped.append(True))()
    assert dropped == []
    assert Admission(100_000)()
    assert not Admission(1)()


def test_what_the_kernel_counts_against_the_limit_is_kept_free_too() -> None:
    """Memory that was asked for and not used yet is not resident; the limit is reached all the same."""
    limit_mb = round(used_mb() * 1.2)
    admission = Admission(limit_mb)
    assert admission()
    with mmap.mmap(-1, limit_mb << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
        assert rss_mb() < limit_mb * 0.9
        assert not admission()
    assert admission()


def test_what_was_loaded_is_not_looked_at_again_in_search_of_garbage(tmp_path: Path) -> None:
    """Much that lives is no reason to wait longer with the next full collection, nor does it make it long."""
    looked_at, fulls = in_a_process(
        "from cosyedge.host.limits import settle_memory\n"
        "import gc, json\n"
        "loaded = [[number] for number in range(200_000)]\n"
        "settle_memory()\n"
        "looked_at = len(gc.get_objects())\n"
        "before = gc.get_stats()[2]['collections']\n"
        "kept = []\n"
        "for number in range(300_000):\n"
        "    knot = [number]; knot.append(knot)\n"
        "    if number % 8 == 0: kept.append(knot)\n"
        "print(json.dumps([looked_at, gc.get_stats()[2]['collections'] - before]))\n",
        tmp_path,
    )
    assert looked_at < 2_000
    assert fulls >= 1, "else there would have to be 50,000 more that stay"


def test_free_pages_go_back_to_the_kernel(tmp_path: Path) -> None:
    """Holes between blocks that are in use, each of many pages, and touched."""
    full, holed, given_back = in_a_process(
        "from cosyedge.host.limits import give_back_free_pages, prepare_environment, rss_mb\n"
        "prepare_environment()\n"
        "import json\n"
        "blocks = [bytearray(b'x') * 60_000 for _ in range(1000)]\n"
        "full = rss_mb()\n"
        "del blocks[::2]\n"
        "holed = rss_mb()\n"
        "give_back_free_pages()\n"
        "print(json.dumps([full, holed, rss_mb()]))\n",
        tmp_path,
    )
    assert holed > full - 5, "the C library keeps them"
    assert given_back < full - 20


def test_a_look_at_the_memory_has_the_interpreter_intern_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken for every announcement, and what comes and goes makes the table of interned names grow."""
    interned: list[str] = []
    monkeypatch.setattr(sys, "intern", lambda name: interned.append(name) or name)
    assert 0 < rss_mb() < data_mb() + 1000
    assert interned == []
