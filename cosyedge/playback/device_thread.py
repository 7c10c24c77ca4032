"""The one thread that talks to PortAudio, so that a call that hangs costs a deadline and not the daemon.

A sound server that is stopped, or a card whose driver is stuck, can hold ``open`` and ``close`` for ever,
and PortAudio must not be called by a second thread meanwhile. So every call is made here; whoever waits for
it gives up after a while, and is refused at once until the hung call has returned.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from cosyedge.errors import PlaybackError
from cosyedge.playback.thread_name import set_thread_name

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class _Job:
    __slots__ = ("abandoned", "done", "error", "function", "result", "undo")

    def __init__(self, function: Callable[[], Any], undo: Callable[[Any], None] | None) -> None:
        self.function = function
        self.undo = undo
        self.done = threading.Event()
        self.abandoned = False
        self.result: Any = None
        self.error: Exception | None = None


class DeviceThread:
    """Runs functions one after another on a thread named ``audio-device``, started when it is first needed.

    ``due`` says in how many seconds ``idle`` is to be called, should nothing else be asked of the thread
    until then; None for never. It is asked anew after every job.
    """

    def __init__(self, idle: Callable[[], None], due: Callable[[], float | None]) -> None:
        self._idle = idle
        self._due = due
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._hung_since: float | None = None
        self._stopped = False

    def call(
        self,
        function: Callable[[], Result],
        timeout_s: float,
        undo: Callable[[Result], None] | None = None,
    ) -> Result:
        """``function()`` on the thread: its result or its exception.

        Raises ``audio_lost`` after ``timeout_s``, and at once while an earlier call still hangs. When a
        call that was given up returns after all, ``undo`` gets its result, on the thread.
        """
        job = _Job(function, undo)
        with self._lock:
            if self._hung_since is not None:
                raise _no_answer(time.monotonic() - self._hung_since)
            if self._stopped:
                raise PlaybackError("audio_lost", "The sound card was closed.")
            self._start()
            self._jobs.put(job)
        if not job.done.wait(timeout_s):
            with self._lock:
                if not job.done.is_set():
                    job.abandoned = True
                    self._hung_since = time.monotonic() - timeout_s
                    raise _no_answer(timeout_s)
        error, job.error = job.error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # else it keeps this frame, which keeps it
        result: Result = job.result
        return result

    def post(self, function: Callable[[], None]) -> None:
        """``function()`` on the thread, later; nobody waits for it. Nothing happens after :meth:`stop`."""
        with self._lock:
            if not self._stopped:
                self._start()
                self._jobs.put(_Job(partial(self._guarded, function), None))

    def stop(self, timeout_s: float) -> None:
        """End the thread after what was asked of it so far; one that hangs is left behind, as a daemon."""
        with self._lock:
            self._stopped = True
            thread, self._thread = self._thread, None
            if thread is None:
                return
            self._jobs.put(None)
        thread.join(timeout_s)
        if thread.is_alive():
            log.warning("the sound system does not answer; the thread %s is left behind", thread.name)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="audio-device", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        set_thread_name("audio-device")
        while True:
            try:
                job = self._jobs.get(timeout=self._due())
            except queue.Empty:
                self._guarded(self._idle)
                continue
            if job is None:
                return
            try:
                job.result = job.function()
            except Exception as error:
                job.error = error
            with self._lock:
                job.done.set()
                if job.abandoned:
                    self._hung_since = None
            undo = job.undo
            if job.abandoned and job.error is None and undo is not None:
                self._guarded(partial(undo, job.result))
            del job, undo  # what they hold is not kept until the next job comes

    def _guarded(self, function: Callable[[], None]) -> None:
        try:
            function()
        except Exception:
            log.exception("closing the sound card failed")


def _no_answer(seconds: float) -> PlaybackError:
    return PlaybackError("audio_lost", f"The sound system has not answered for {seconds:.0f} s.")
