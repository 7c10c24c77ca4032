"""Runs as root inside a booted Debian with the package installed: every promise of the service, for real.

Each step prints one line; the first that fails ends the test. The last line is ``all is right``.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path("/boot-test")
CONFIGURATION = Path("/etc/cosyedge/cosyedge.yaml")
CARD = Path("/var/lib/cosyedge/card.raw")
HEARD = HERE / "heard"
PATIENCE_S = 90.0
SECRET = "洗衣机已经洗完了。 Dinner is ready."  # a spoken text, which must not be in the journal
HANG = "hang here"
BEGAN = time.monotonic()


def run(*command: str, check: bool = True) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if check and done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def show(name: str, unit: str = "cosyedge") -> str:
    return run("systemctl", "show", "--value", "-p", name, unit).strip()


def journal(unit: str = "cosyedge") -> str:
    return run("journalctl", "--no-pager", "-o", "cat", "-u", unit)


def wait(what: str, condition: Callable[[], Any]) -> Any:
    """What ``condition`` gives, once it is true."""
    deadline = time.monotonic() + PATIENCE_S
    while not (value := condition()):
        if time.monotonic() > deadline:
            status = run("systemctl", "status", "--no-pager", "cosyedge", check=False)
            raise SystemExit(f"not within {PATIENCE_S:g} s: {what}\n{status}\n{journal()[-5000:]}")
        time.sleep(0.1)
    return value


def step(what: str) -> None:
    print(f"{time.monotonic() - BEGAN:6.1f} s  {what}")


def expect(what: str, good: object) -> None:
    if not good:
        raise SystemExit(f"not so: {what}\n{journal()[-5000:]}")


def say(id_: str, text: str, node: str = "boot") -> None:
    payload = json.dumps({"id": id_, "text": text})
    run("mosquitto_pub", "-q", "1", "-t", f"cosyedge/{node}/say", "-m", payload)


def result(id_: str, state: str, node: str = "boot") -> dict[str, Any] | None:
    for line in HEARD.read_text().splitlines():
        topic, _, payload = line.partition(" ")
        if topic == f"cosyedge/{node}/result":
            with contextlib.suppress(ValueError):  # a line that is being written
                told: dict[str, Any] = json.loads(payload)
                if told["id"] == id_ and told["state"] == state:
                    return told
    return None


def finished(id_: str, node: str = "boot") -> dict[str, Any]:
    found: dict[str, Any] = wait(f"{id_} is finished", lambda: result(id_, "finished", node))
    return found


def active(unit: str = "cosyedge") -> None:
    wait(f"{unit} is active", lambda: show("ActiveState", unit) == "active")


def retained() -> str:
    return run("mosquitto_sub", "-v", "-t", "cosyedge/#", "--retained-only", "-W", "2", check=False)


def drop_in(text: str) -> None:
    folder = Path("/etc/systemd/system/cosyedge.service.d")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test.conf").write_text(f"[Service]\n{text}\n")
    run("systemctl", "daemon-reload")


def configure(**sections: dict[str, Any]) -> None:
    settings = {"mqtt": {"node": "boot"}, "audio": {"device": "card"}} | sections
    CONFIGURATION.write_text(json.dumps(settings))  # JSON is YAML


def main() -> None:
    active()
    wait("the status line says ready", lambda: show("StatusText") == "ready as boot")
    step("started, type notify")
    expect("READY came from the daemon", show("Type") == "notify")
    expect("no start limit", show("StartLimitIntervalUSec") == "0")

    with HEARD.open("wb") as heard:
        listener = subprocess.Popen(["mosquitto_sub", "-v", "-t", "cosyedge/#"], stdout=heard)
    try:
        wait(
            "the retained availability is heard",
            lambda: "cosyedge/boot/availability online" in HEARD.read_text(),
        )
        judge()
    finally:
        listener.kill()


def judge() -> None:
    say("first", SECRET)
    audio_s = finished("first")["audio_s"]
    expect("the card heard more than silence", any(CARD.read_bytes()))
    expect("a length that is right", CARD.stat().st_size / 4 / 48000 > audio_s / 2 > 0.5)
    step(f"spoke {audio_s} s into a sound card that is a file")

    pid = show("MainPID")
    status = Path(f"/proc/{pid}/status").read_text()
    expect("not root", re.search(r"^Uid:\t[1-9]\d+", status, re.M))
    audio = Path("/etc/group").read_text().split("audio:x:")[1].split(":")[0]
    expect("in the group audio", re.search(rf"^Groups:\t.*\b{audio}\b", status, re.M))
    expect("no capability", re.search(r"^CapEff:\t0+$", status, re.M))
    expect("system calls are filtered", re.search(r"^Seccomp:\t2$", status, re.M))
    expect("nothing in the journal to worry about", not journal_warnings())
    exposure = run("systemd-analyze", "security", "--no-pager", "--threshold=15", "cosyedge").splitlines()[-1]
    step(f"sandboxed: {exposure.strip('→ ')}")

    configure(limits={"max_chars": 10})
    run("systemctl", "reload", "cosyedge")
    wait("the reload is in the journal", lambda: "limits.max_chars changed" in journal())
    say("long", "eleven char")
    wait("the new limit holds", lambda: result("long", "failed"))
    expect("the same process goes on", show("MainPID") == pid)
    active()
    configure()
    run("systemctl", "reload", "cosyedge")
    step("reloaded")

    run("systemctl", "stop", "mosquitto")
    wait("the status line tells of the broker", lambda: "broker" in show("StatusText"))
    expect("it stays", show("ActiveState") == "active")
    run("systemctl", "start", "mosquitto")
    wait("it finds the broker", lambda: show("StatusText") == "ready as boot")
    listen_again()
    say("after", "The broker is back.")
    finished("after")
    expect("still the same process", show("MainPID") == pid)
    step("lived without a broker")

    say("killed", "今天天气不错，出去走走吧。" * 20)
    wait("it is spoken", lambda: result("killed", "started"))
    os.kill(int(pid), 9)
    wait("it is started anew", lambda: show("MainPID") not in ("0", pid))
    active()
    finished("killed")
    step("was killed, and spoke what it had begun")

    drop_in(f'Environment="COSYEDGE_TEST_HANG={HANG}"\nWatchdogSec=3')
    run("systemctl", "restart", "cosyedge")
    restarts = int(show("NRestarts"))
    pid = show("MainPID")
    say("hangs", HANG)
    say("waits", "And on it goes.")
    wait("the watchdog bites", lambda: int(show("NRestarts")) > restarts)
    expect("systemd says why", "Watchdog timeout" in journal())
    expect("the stack is there", "given up by the watchdog" in journal() and "in read" in journal())
    active()
    finished("waits")
    failed = wait("what hung it has failed", lambda: result("hangs", "failed"))
    expect("the code", failed["error"] == "internal")
    drop_in("")
    step("hung, was bitten by the watchdog, and went on")

    configure(audio={"device": "CARD=Absent"})
    run("systemctl", "restart", "cosyedge")
    active()
    wait("the status line tells of the card", lambda: "Absent" in show("StatusText"))
    configure()
    run("systemctl", "restart", "cosyedge")
    active()
    step("lived without a card")

    attic = CONFIGURATION.with_name("attic.yaml")
    attic.write_text(json.dumps({"audio": {"output": "wav"}}))
    run("systemctl", "start", "cosyedge@attic")
    active("cosyedge@attic")
    say("second", "Two nodes.", "attic")
    finished("second", "attic")
    expect("its own state", list(Path("/var/lib/cosyedge-attic").glob("*.wav")))
    step("a second node speaks")

    run("systemctl", "stop", "cosyedge")
    expect("a clean end", (show("Result"), show("ExecMainStatus")) == ("success", "0"))
    wait("it says offline", lambda: "cosyedge/boot/availability offline" in retained())
    text = journal() + journal("cosyedge@attic")
    expect("the spoken text is nowhere in the journal", "Dinner" not in text and "洗衣机" not in text)
    expect("no traceback", "Traceback" not in text.replace("most recent call first", ""))
    run("systemctl", "start", "cosyedge")
    active()
    step("stopped; the journal is clean")

    package = str(next(HERE.glob("*.deb")))
    configure(limits={"max_chars": 77})
    kept = CONFIGURATION.read_bytes()
    pid = show("MainPID")
    run("dpkg", "-i", package)
    expect("the configuration is untouched", CONFIGURATION.read_bytes() == kept)
    active()
    expect("the new version runs", show("MainPID") != pid)
    step("upgraded")
    wait("both nodes are there", lambda: retained().count("/availability online") == 2)
    run("dpkg", "-r", "cosyedge")
    left = retained()
    expect(f"nothing is left at the broker: {left}", not left)
    expect("the configuration stays", CONFIGURATION.exists())
    expect(
        "no process",
        not run("pgrep", "-f", "bin/cosyedge", check=False) if Path("/usr/bin/pgrep").exists() else True,
    )
    run("dpkg", "-P", "cosyedge")
    places = "/etc/cosyedge", "/usr/lib/cosyedge", "/var/lib/cosyedge", "/var/lib/private/cosyedge"
    rest = [place for place in places if Path(place).exists()]
    expect(f"nothing is left here: {rest}", not rest)
    step("removed and purged")
    print("all is right")


def journal_warnings() -> str:
    lines = run("journalctl", "--no-pager", "-o", "cat", "-u", "cosyedge", "-p", "warning").splitlines()
    # The card is a file, which takes sound faster than it could be heard: the daemon is right to ask.
    known = "-- No entries", "is it a real card?"
    return "\n".join(line for line in lines if line and not any(words in line for words in known))


def listen_again() -> None:
    """mosquitto_sub comes back by itself; what is published before it has is not heard."""

    def probe() -> bool:
        run("mosquitto_pub", "-t", "cosyedge/probe", "-m", "x")
        return "cosyedge/probe x" in HEARD.read_text()

    wait("the listener is back", probe)


if __name__ == "__main__":
    main()
