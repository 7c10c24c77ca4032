"""Readings of this very process, and of machines laid out as folders."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from cosyedge.host.health import Health


def lay_out(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_readings_of_this_process_agree_with_the_kernel() -> None:
    health = Health()
    now = health.read()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    assert abs(now.rss_mb - pages * os.sysconf("SC_PAGESIZE") / 2**20) < 2
    assert now.peak_rss_mb >= now.rss_mb
    assert now.pss_mb is None or 0 < now.pss_mb <= now.rss_mb + 0.1
    assert now.threads == len(os.listdir("/proc/self/task"))


def test_a_thread_and_memory_more_are_seen() -> None:
    health = Health()
    before = health.read()
    done = threading.Event()
    thread = threading.Thread(target=done.wait, daemon=True)
    thread.start()
    held = bytearray(b"x") * (50 << 20)
    after = health.read()
    done.set()
    thread.join()
    assert after.threads == before.threads + 1
    assert after.rss_mb - before.rss_mb > 45
    assert len(held) == 50 << 20


def test_processor_time_is_counted_between_readings() -> None:
    health = Health()
    began = time.process_time()
    while time.process_time() - began < 0.05:
        pass
    busy = health.read().cpu_percent
    threading.Event().wait(0.2)
    idle = health.read().cpu_percent
    assert busy > idle


def test_a_raspberry_pi_tells_heat_and_throttling(tmp_path: Path) -> None:
    sys = lay_out(
        tmp_path,
        {
            "class/thermal/thermal_zone0/type": "gpu-thermal\n",
            "class/thermal/thermal_zone0/temp": "99000\n",
            "class/thermal/thermal_zone1/type": "cpu-thermal\n",
            "class/thermal/thermal_zone1/temp": "48312\n",
            "devices/platform/soc/soc:firmware/get_throttled": "50000\n",
        },
    )
    health = Health(sys=sys)
    now = health.read()
    assert now.cpu_temp_c == 48.3
    assert now.throttled is False, "only the past is told by the high bits"
    for bits, throttled in (("0", False), ("1", True), ("50005", True), ("80008", True)):
        (sys / "devices/platform/soc/soc:firmware/get_throttled").write_text(bits + "\n")
        assert health.read().throttled is throttled, bits


def test_the_voltage_monitor_serves_where_the_firmware_tells_nothing(tmp_path: Path) -> None:
    sys = lay_out(
        tmp_path,
        {
            "class/hwmon/hwmon0/name": "cpu_thermal\n",
            "class/hwmon/hwmon1/name": "rpi_volt\n",
            "class/hwmon/hwmon1/in0_lcrit_alarm": "1\n",
        },
    )
    assert Health(sys=sys).read().throttled is True


def test_a_machine_that_tells_nothing_has_nulls(tmp_path: Path) -> None:
    now = Health(sys=tmp_path).read()
    assert now.cpu_temp_c is None
    assert now.throttled is None


def test_a_sensor_that_fails_is_null_until_it_answers_again(tmp_path: Path) -> None:
    sys = lay_out(
        tmp_path, {"class/thermal/thermal_zone0/type": "cpu-thermal", "class/thermal/thermal_zone0/temp": ""}
    )
    health = Health(sys=sys)
    assert health.read().cpu_temp_c is None
    (sys / "class/thermal/thermal_zone0/temp").write_text("50000")
    assert health.read().cpu_temp_c == 50.0


def test_a_kernel_without_smaps_rollup_has_no_pss(tmp_path: Path) -> None:
    proc = lay_out(tmp_path / "proc", {"status": "VmRSS:\t  2048 kB\nVmHWM:\t  4096 kB\nThreads:\t3\n"})
    now = Health(proc=proc, sys=tmp_path).read()
    assert (now.rss_mb, now.peak_rss_mb, now.threads, now.pss_mb) == (2.0, 4.0, 3, None)
