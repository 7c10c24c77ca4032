"""What a machine must have, from its own /proc/cpuinfo and that of others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cosyedge.errors import HostError
from cosyedge.host.processor import NEEDED, check_processor

GLIBC = "glibc 2.36"
X86 = "fpu sse sse2 pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm"
PI_3 = "fp asimd evtstrm crc32 cpuid"


def cpuinfo(folder: Path, key: str, features: str) -> Path:
    file = folder / "cpuinfo"
    file.write_text(f"processor\t: 0\n{key}\t: {features}\n\nprocessor\t: 1\n{key}\t:\n")
    return file


def test_this_machine_will_do() -> None:
    check_processor()


@pytest.mark.parametrize(
    ("machine", "key", "features"), [("x86_64", "flags", X86), ("aarch64", "Features", PI_3)]
)
def test_what_has_just_enough_passes_and_each_thing_less_is_named(
    machine: str, key: str, features: str, tmp_path: Path
) -> None:
    check_processor(machine, cpuinfo(tmp_path, key, features), GLIBC)
    for name in NEEDED[machine]:
        less = " ".join(word for word in features.split() if word != name)
        with pytest.raises(HostError) as caught:
            check_processor(machine, cpuinfo(tmp_path, key, less), GLIBC)
        assert caught.value.code == "cpu_unsupported"
        assert f"lacks {name}." in caught.value.sentence


@pytest.mark.parametrize("machine", ["armv7l", "riscv64", "i686"])
def test_another_machine_is_refused_by_name(machine: str, tmp_path: Path) -> None:
    with pytest.raises(HostError, match=machine) as caught:
        check_processor(machine, tmp_path / "absent", GLIBC)
    assert caught.value.code == "cpu_unsupported"


def test_a_kernel_that_does_not_tell_proves_nothing(tmp_path: Path) -> None:
    check_processor("aarch64", tmp_path / "absent", GLIBC)
    check_processor("aarch64", cpuinfo(tmp_path, "model name", "secret"), GLIBC)


@pytest.mark.parametrize("libc", ["glibc 2.27", "glibc 2.4", "musl 1.2.5", "another"])
def test_a_c_library_that_is_too_old_or_another_is_refused(libc: str, tmp_path: Path) -> None:
    with pytest.raises(HostError) as caught:
        check_processor("x86_64", cpuinfo(tmp_path, "flags", X86), libc)
    assert caught.value.code == "libc_unsupported"


def test_every_command_says_so_before_anything_heavy_is_imported() -> None:
    """Where a processor of 2006 takes this one's place, numpy would end the process by a signal."""
    program = (
        "import sys\n"
        "from cosyedge.host import processor\n"
        "processor.NEEDED['x86_64'] = processor.NEEDED['aarch64'] = ('quantum',)\n"
        "from cosyedge.cli import main\n"
        "code = main(['voices', '--json'])\n"
        "assert 'numpy' not in sys.modules\n"
        "sys.exit(code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 71, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["error"] == "cpu_unsupported"
    assert "lacks quantum" in done.stderr
