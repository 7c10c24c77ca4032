"""What start-up touched is given back, and everything still works; each in a process of its own."""

from __future__ import annotations

import ctypes
import gc
import mmap
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.host.test_limits import in_a_process


def test_the_pages_of_libraries_leave_and_the_libraries_still_work(tmp_path: Path) -> None:
    before, after, released, result = in_a_process(
        "from cosyedge.host.limits import prepare_environment, rss_mb\n"
        "from cosyedge.host.pages import release_library_pages\n"
        "prepare_environment()\n"
        "import json, numpy, onnxruntime, ssl\n"
        "before = rss_mb()\n"
        "released = release_library_pages()\n"
        "after = rss_mb()\n"
        "ssl.create_default_context()\n"
        "result = float((numpy.ones((50, 50)) @ numpy.ones((50, 50)))[0, 0])\n"
        "for _ in range(3): release_library_pages()\n"
        "print(json.dumps([before, after, released, result]))\n",
        tmp_path,
    )
    assert after < before - 10
    assert released > 10 << 20
    assert result == 50.0


def test_what_is_written_in_a_library_stays(tmp_path: Path) -> None:
    """The table of errno and the environment are data of the C library: relocated, or written since."""
    told = in_a_process(
        "import ctypes, json, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "libc.setenv(b'LATER', b'kept', 1)\n"
        "libc.strerror.restype = libc.getenv.restype = ctypes.c_char_p\n"
        "from cosyedge.host.pages import release_library_pages\n"
        "release_library_pages()\n"
        "print(json.dumps([libc.getenv(b'LATER').decode(), libc.strerror(2).decode()]))\n",
        tmp_path,
    )
    assert told == ["kept", "No such file or directory"]


def test_the_proxy_chain_of_paho_is_loaded_when_it_is_used(tmp_path: Path) -> None:
    unloaded, proxies, loaded = in_a_process(
        "from cosyedge.host.limits import prepare_environment\n"
        "prepare_environment()\n"
        "import json, os, sys\n"
        "import paho.mqtt.client as paho\n"
        "unloaded = not {'http.client', 'email.parser'} & set(sys.modules)\n"
        "os.environ['mqtt_proxy'] = 'http://proxy.example:8080'\n"
        "proxies = paho.urllib.request.getproxies()['mqtt']\n"
        "import urllib.request\n"
        "urllib.request.Request\n"
        "print(json.dumps([unloaded, proxies, 'http.client' in sys.modules]))\n",
        tmp_path,
    )
    assert unloaded
    assert proxies == "http://proxy.example:8080"
    assert loaded


def cached_pages(file: Path) -> int:
    """How many pages of it the kernel has in its cache."""
    size = file.stat().st_size
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), size, access=mmap.ACCESS_COPY) as pages:
        count = -(-size // mmap.PAGESIZE)
        told = (ctypes.c_ubyte * count)()
        begin = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        assert ctypes.CDLL(None).mincore(ctypes.c_void_p(begin), ctypes.c_size_t(size), told) == 0
        gc.collect()  # the view of the map, which can't be closed before
    return sum(page & 1 for page in told)


def test_libraries_that_were_just_written_are_let_go_of_by_the_kernel() -> None:
    script = Path(__file__).parents[2] / "scripts" / "uncache.sh"
    # Beside the source: what lies in a tmpfs can't be let go of.
    with TemporaryDirectory(dir=script.parents[1]) as folder:
        library, other = Path(folder) / "libsome.so.1", Path(folder) / "other.py"
        for file in (library, other):
            file.write_bytes(bytes(1 << 20))
        assert cached_pages(library) == cached_pages(other) == (1 << 20) // mmap.PAGESIZE
        subprocess.run([script, folder], check=True)
        assert cached_pages(library) == 0
        assert cached_pages(other) == (1 << 20) // mmap.PAGESIZE
        assert library.read_bytes() == bytes(1 << 20)
