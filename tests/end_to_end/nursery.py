"""Daemons by fork: what is heavy is imported once, so that a life begins in a tenth of the time.

Run as a process of its own, it takes a life a line (a JSON object with the fields of :class:`Life`), answers
with the pid, and once that process has ended with how, as :func:`os.waitstatus_to_exitcode` has it. What is
born is the daemon as ``cosyedge`` starts it. Two things are added: a process may be told to kill itself at
the n-th call of one of its own functions, and beside each file that is brought to the disk stands how much of
it was (:func:`synced`).
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Final

#: Where a life may end: before or after a call of one of these. In the order of an announcement's life.
MOMENTS: Final = {
    "recover": "cosyedge.announcements.journal_file:JournalFile.read",
    "compact": "cosyedge.announcements.journal_file:JournalFile.compact",
    "connect": "cosyedge.mqtt.connection:Connection.subscribe",
    "receive": "cosyedge.mqtt.inbox:Inbox.receive",
    "queue": "cosyedge.announcements.queue:AnnouncementQueue.put",
    "journal": "cosyedge.announcements.journal_file:JournalFile.write",
    "sync": "os:fdatasync",
    "acknowledge": "cosyedge.mqtt.connection:Connection.acknowledge",
    "take": "cosyedge.announcements.queue:AnnouncementQueue.take",
    "frames": "cosyedge.speech.acoustic:AcousticModel.frames",
    "begin": "cosyedge.playback.wav:WavSink.begin",
    "samples": "cosyedge.speech.vocoder:Vocoder.step",
    "play": "cosyedge.playback.wav:WavSink.play",
    "drain": "cosyedge.playback.wav:WavSink.drain",
    "end": "cosyedge.announcements.journal:Journal.end",
    "publish": "cosyedge.mqtt.connection:Connection.publish",
    "told": "cosyedge.announcements.journal:Journal.told",
}
#: These happen while the models are warmed up as well; it is what comes after that counts.
_AFTER_START: Final = ("frames", "samples")


@dataclass(frozen=True)
class Death:
    """At the ``count``-th call of ``moment``, before it or after it."""

    moment: str
    count: int
    after: bool


@dataclass(frozen=True)
class Life:
    """``arguments`` as of the command ``cosyedge``; ``log`` takes what it prints. At an announcement whose
    text is ``deadly`` its synthesis crashes, as a library that touches memory which is not its own.
    """

    arguments: list[str]
    log: str
    death: Death | None = None
    deadly: str | None = None
    environment: dict[str, str] = field(default_factory=dict)


class Nursery:
    """One life at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.end_to_end.nursery"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2], bufsize=0,
        )  # fmt: skip
        self._pid: int | None = None

    def bear(self, life: Life) -> int:
        """The pid of the new process."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(life)).encode() + b"\n")
        pid = self._answer(60)
        assert pid is not None, "nothing was born"
        self._pid = pid
        return pid

    def ended(self, timeout_s: float) -> int | None:
        """The exit code, negative for a signal; None if it still lives after ``timeout_s``."""
        assert self._pid is not None
        code = self._answer(timeout_s)
        if code is not None:
            self._pid = None
        return code

    def close(self) -> None:
        if self._pid is not None:
            os.kill(self._pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _answer(self, timeout_s: float) -> int | None:
        stream = self._process.stdout
        assert stream is not None
        if not select.select([stream], [], [], timeout_s)[0]:
            return None
        line = stream.readline()
        assert line, "the nursery has ended"
        return int(line)


def synced(path: Path) -> Path:
    """The file that says how many bytes of ``path`` have certainly reached the disk."""
    return path.with_name(f"{path.name}.synced")


def cut_power(journal: Path) -> int:
    """Takes from the end of the file what was never brought to the disk; how many bytes those were.

    A new file that has not yet taken the place of the old one is left: nothing depends on it.
    """
    if not journal.exists():
        return 0
    size = int(synced(journal).read_text())
    lost = journal.stat().st_size - size
    os.truncate(journal, size)
    return lost


def _note_syncs() -> None:
    fdatasync, rename = os.fdatasync, Path.rename

    @wraps(fdatasync)
    def noting(fd: int) -> None:
        fdatasync(fd)
        path = Path(os.readlink(f"/proc/self/fd/{fd}"))
        _write_whole(synced(path), str(os.fstat(fd).st_size))

    @wraps(rename)
    def moving(path: Path, target: Path) -> Path:
        if synced(path).exists():
            os.replace(synced(path), synced(target))
        return rename(path, target)

    os.fdatasync = noting  # type: ignore[assignment]
    Path.rename = moving  # type: ignore[assignment, method-assign]


def _write_whole(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".part")
    new.write_text(text)
    os.replace(new, path)


def _arrange(death: Death) -> None:
    module, _, path = MOMENTS[death.moment].partition(":")
    *owners, name = path.split(".")
    holder: Any = sys.modules[module]
    for owner in owners:
        holder = getattr(holder, owner)
    setattr(holder, name, _fatal(getattr(holder, name), death))
    if death.moment == "sync":  # it was taken as a default before
        from cosyedge.announcements.journal import Journal

        assert Journal.__init__.__kwdefaults__ is not None
        Journal.__init__.__kwdefaults__["sync"] = os.fdatasync


def _fatal(function: Callable[..., Any], death: Death) -> Callable[..., Any]:
    calls = itertools.count(1)

    @wraps(function)
    def fatal(*arguments: Any, **more: Any) -> Any:
        is_last = next(calls) == death.count
        if is_last and not death.after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*arguments, **more)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return fatal


def _poison(text: str) -> None:
    from cosyedge.speech.acoustic import AcousticModel
    from cosyedge.text.reader import Reader

    read, frames = Reader.read, AcousticModel.frames
    last = ""

    def noting(reader: Reader, said: str, *more: Any) -> Any:
        nonlocal last
        last = said
        return read(reader, said, *more)

    def crashing(model: AcousticModel, *arguments: Any) -> Any:
        if last == text:
            os.kill(os.getpid(), signal.SIGSEGV)
        return frames(model, *arguments)

    Reader.read = noting  # type: ignore[method-assign, assignment]
    AcousticModel.frames = crashing  # type: ignore[method-assign, assignment]


def _live(life: Life) -> int:
    from cosyedge.cli import main

    log = os.open(life.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((0, nothing), (1, log), (2, log)):
        os.dup2(new, old)
    os.environ.update(life.environment)
    if life.deadly is not None:
        _poison(life.deadly)
    death = life.death
    if death is not None and death.moment in _AFTER_START:
        from cosyedge.announcements.speaker import Speaker

        start = Speaker.start

        def start_to_die(speaker: Speaker) -> None:
            _arrange(death)
            start(speaker)

        Speaker.start = start_to_die  # type: ignore[method-assign, assignment]
    elif death is not None:
        _arrange(death)
    return main(life.arguments)


def _end_with_parent() -> None:
    """A test that is killed leaves nobody behind."""
    kill_when_parent_dies = 1
    ctypes.CDLL(None).prctl(kill_when_parent_dies, signal.SIGKILL)


def _serve() -> None:
    _end_with_parent()
    from cosyedge.host.limits import prepare_environment

    prepare_environment()
    _note_syncs()
    import cosyedge.daemon
    import cosyedge.playback.wav  # noqa: F401
    from cosyedge.speech.synthesizer import Synthesizer
    from cosyedge.speech.voice import load_bundle
    from cosyedge.stages import warm_up
    from cosyedge.text.reader import Reader

    # With it comes whatever is imported at the first word. Nothing of it lives on, and no thread does.
    bundle = load_bundle(Path(__file__).parents[1] / "data" / "voice" / "tiny")
    synthesizer = Synthesizer(bundle)
    warm_up(Reader(bundle.path, bundle.languages), synthesizer)
    synthesizer.close()
    assert threading.active_count() == 1
    for line in iter(sys.stdin.buffer.readline, b""):
        values = json.loads(line)
        death = values.pop("death")
        life = Life(**values, death=Death(**death) if death else None)
        pid = os.fork()
        if pid == 0:
            _end_with_parent()
            code = 1
            try:
                code = _live(life)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    _serve()
