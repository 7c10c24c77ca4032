"""What start-up touched is given back, and everything still works; each in a process of its own."""

from __future__ import annotations

from pathlib import Path

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
