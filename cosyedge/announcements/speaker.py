"""The thread that speaks: takes from the queue, reads, synthesises, plays, and says what became of it.

It is the only one that runs inference. Sound is made while sound is heard: the sink takes a piece when it has
room, so the next clause is made while the one before plays, and the first is heard long before the last is
made. Nothing that goes wrong with one announcement ends the thread or harms the next.

A sound card that fails costs no announcement: it goes back to its place in the queue and is tried again,
with growing pauses, until it is heard, stopped, or expired.
"""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from itertools import chain
from typing import Final, Literal

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.attempts import Attempts
from cosyedge.announcements.card_trouble import CardTrouble
from cosyedge.announcements.clock import moment_of
from cosyedge.announcements.journal import Journal
from cosyedge.announcements.listener import tell_listener
from cosyedge.announcements.own_words import repetition, self_test
from cosyedge.announcements.pacing import Pace
from cosyedge.announcements.performance import Output, Performance, Stages
from cosyedge.announcements.phrase_cache import PhraseCache
from cosyedge.announcements.queue import AnnouncementQueue, Ending
from cosyedge.announcements.render import WavChunks
from cosyedge.announcements.result import Result
from cosyedge.announcements.seldom_log import SeldomLog
from cosyedge.announcements.settings import Settings
from cosyedge.errors import CosyError, PlaybackError, SpeechError
from cosyedge.playback.sink import SAMPLE_RATE, Samples, Sink

_HEARTBEAT_S: Final = 5.0
_DISK_S: Final = 1.0
#: The output has the first sound so long before the moment at which it is to be heard.
_READY_S: Final = 0.15
#: So much of one that waits for its moment is made ahead, in samples.
_MADE_AHEAD: Final = 2 * SAMPLE_RATE
_STEP_S: Final = 0.02
_CHIME_PIECE: Final = SAMPLE_RATE // 10

_log = logging.getLogger(__name__)


class Speaker:
    """Drives the stages for one announcement after the other.

    ``queue`` must have been made with ``on_cut=sink.cut``. The callbacks run in the thread ``speech``, in
    that of whoever submits, or in the journal's; they must not wait.

    Args:
        settings: what holds now where an announcement doesn't say.
        cache: where finished speech is kept.
        attempts: where it stands of which announcement a process died; it has recovered.
        chime: name (or True, for the node's own) → samples.
        on_result: each state of each announcement, in order; the last one when the journal has it.
        on_safe: no crash can lose the announcement any more, or it was refused: acknowledge it. Called once
            for each that was submitted, in the journal's thread.
        on_render: announcement, number of the chunk from 0 (again from 0 if it was interrupted), WAV bytes,
            whether it is the last. It may wait; a CosyError fails the announcement.
        on_degraded: the sound card's error when it begins to fail, None when it works again.
        look: tries the sound card without a sound; a card that has failed is tried again by it, with the same
            pauses, when nothing waits to be spoken.
        on_idle: every few seconds while nothing waits to be spoken: for how many seconds it has been so.
            Called in the thread ``speech``, so what it does to the stages is done between announcements.
    """

    def __init__(
        self,
        *,
        stages: Stages,
        sink: Sink,
        queue: AnnouncementQueue,
        journal: Journal,
        settings: Callable[[], Settings],
        chime: Callable[[str | bool], Samples],
        cache: PhraseCache | None = None,
        attempts: Attempts | None = None,
        on_result: Callable[[Announcement, Result], None],
        on_safe: Callable[[Announcement], None] = lambda announcement: None,
        on_render: Callable[[Announcement, int, bytes, bool], None] = lambda *_: None,
        on_degraded: Callable[[PlaybackError | None], None] = lambda error: None,
        look: Callable[[], None] | None = None,
        on_idle: Callable[[float], None] = lambda idle_s: None,
    ) -> None:
        self._stages = stages
        self._sink = sink
        self._queue = queue
        self._journal = journal
        self._settings = settings
        self._chime = chime
        self._cache = cache
        self._attempts = attempts or Attempts(None)
        self._on_result = on_result
        self._failures = SeldomLog(_log)
        self._on_safe = on_safe
        self._on_render = on_render
        self._card_trouble = CardTrouble(look, partial(tell_listener, on_degraded))
        self._on_idle = on_idle
        # Held while an announcement changes its state and this is told, so that it is told in order.
        self._telling = threading.RLock()
        self._thread = threading.Thread(target=self._run, name="speech", daemon=True)
        self._pace = Pace()
        self._sink_is_used = False
        self._cut_at_end = False
        self._last: Announcement | None = None
        self._last_end = 0  # ticket of the journal
        #: When the thread last made progress or was truly idle, on the monotonic clock. It is renewed every
        #: few seconds, but not while the sink drains, or waits for a card that stalls, or on_render waits.
        self.heartbeat = time.monotonic()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def start(self) -> None:
        self._beat()
        self._thread.start()

    def look(self) -> None:
        """Tries the sound card; before :meth:`start`, so that one that is missing is known by then."""
        self._card_trouble.look()

    def submit(self, announcement: Announcement) -> None:
        """Takes an announcement; whatever becomes of it is told by ``on_result``."""
        safe = partial(self._on_safe, announcement)
        with self._telling:
            ended = self._queue.put(announcement)
            refused = ended.pop() if ended and ended[-1].announcement is announcement else None
            if refused is not None:
                self._warn(refused)
                self._tell(announcement, refused.result())
                self._journal.follow(refused.of, safe)
            else:
                if announcement.sound is None:
                    self._journal.put(announcement, safe)
                else:  # too large to be kept, and worth nothing when its moment is over
                    self._journal.follow(None, safe)
                self._tell(announcement, Result(announcement.id, "queued"))
            self._end_all(ended)

    def stop(self, *, clear: bool = False) -> None:
        """Ends the announcement that is heard, with a fade of 20 ms; with ``clear`` also those that wait."""
        with self._telling:
            self._end_all(self._queue.stop(clear=clear))

    def repeat(self) -> None:
        """Says the last announcement again; where there was none, there is nothing to say."""
        self.submit(repetition(self._last))

    def test(self) -> None:
        """Says a sentence in the language that is set."""
        self.submit(self_test(self._settings().lang))

    def settings_changed(self) -> None:
        """Volume and mute hold at once, also in the middle of a word."""
        self._set_volume(self._queue.current)

    def close(self, timeout_s: float, *, cut: bool = False) -> bool:
        """Ends the thread, once the announcement that is heard has ended, or at once with ``cut``.

        After ``timeout_s`` it is cut as well. What was cut and what waits is not ended: it stays in the
        journal for the next start; only sounds, which it does not keep, are cancelled. False if the thread
        hangs even so.
        """
        self._queue.close()
        if self._thread.is_alive() and not cut:
            self._thread.join(timeout_s)
        if self._thread.is_alive():
            self._cut_at_end = True
            self._sink.cut()
            self._thread.join(max(timeout_s, 1.0) if cut else 1.0)
        self._end_all(self._queue.abandon())
        return not self._thread.is_alive()

    # The thread "speech".

    def _run(self) -> None:
        idle_since = time.monotonic()
        while True:
            self._beat()
            trouble = self._card_trouble
            announcement, ended = self._queue.take(
                trouble.patience_s(_HEARTBEAT_S), audible_after=trouble.audible_after
            )
            self._end_all(ended)
            self._failures.flush()
            if announcement is not None:
                self._perform(announcement)
                idle_since = time.monotonic()
                continue
            if self._queue.is_closed:
                return
            tell_listener(self._on_idle, time.monotonic() - idle_since)
            if time.monotonic() >= trouble.audible_after and (trouble.is_there or self._sink.keep_alive):
                trouble.look()

    def _perform(self, announcement: Announcement) -> None:
        """One attempt. Whatever happens, the announcement has then ended or waits again."""
        performance = Performance(
            announcement, self._settings(), self._stages, skip=self._queue.heard, cache=self._cache
        )
        output: Output = self._sink
        if announcement.render:
            level = 1.0 if announcement.volume is None else announcement.volume
            output = WavChunks(partial(self._on_render, announcement), level=level)
        try:
            self._attempts.begin(announcement.id)
            try:
                heard = self._speak(performance, output)
            finally:
                self._attempts.rest()
        except CosyError as error:
            self._fail(performance, error)
        except MemoryError:
            self._fail(performance, SpeechError("overloaded", "There was not enough memory to play this."))
        except Exception as error:
            # The message of an exception may hold the spoken text: it is told at debug alone.
            defect = SpeechError("internal", f"It failed with {type(error).__name__}.")
            defect.__cause__ = error
            self._fail(performance, defect)
        else:
            if not heard:
                self._give_back(performance)
                return
            if performance.is_sounding and output is self._sink:
                self._card_trouble.ends()
            performance.keep()
            self._finish(performance, "finished")

    def _speak(self, performance: Performance, output: Output) -> bool:
        """Whether it was heard to its end; False if it was cut."""
        buffering = self._sink.buffering if output is self._sink else None
        with closing(performance.samples(self._pace, buffering)) as pieces:
            first = next(pieces, None)
            return first is None or self._play(performance, output, chain((first,), pieces))

    def _play(self, performance: Performance, output: Output, speech: Iterator[Samples]) -> bool:
        # Of two announcements a power cut must not repeat both: the end of the last one is on the disk first.
        self._journal.settle(self._last_end, _DISK_S)
        announcement = performance.announcement
        if output is self._sink:
            self._set_volume(announcement)
        output.begin()
        self._sink_is_used = output is self._sink
        if self._is_cut():  # begin() took back a cut that came before it
            self._cut(performance)
            return False
        moment = moment_of(announcement)
        if moment is not None:
            output.hold_until(moment)
            ahead = self._make_ahead(performance, speech, moment)
            if ahead is None:
                self._cut(performance)
                return False
            speech = chain(ahead, speech)
        for samples in chain(self._chime_for(performance), speech):
            if len(samples):
                output.play(samples)
            else:
                output.expect_pause()
            performance.played(len(samples))
            if len(samples) and not performance.is_sounding:
                performance.sounds()
                if output is self._sink and announcement.sound is None:
                    self._last = announcement
                self._tell(announcement, performance.result("started"))
            if self._is_cut():
                self._cut(performance)
                return False
        self._attempts.rest()
        whole = performance.heard(output.drain())
        self._sink_is_used = False
        return whole or not self._is_cut()

    def _make_ahead(
        self, performance: Performance, speech: Iterator[Samples], moment: float
    ) -> list[Samples] | None:
        """Waits until shortly before ``moment``, and makes meanwhile; None if it was cut.

        The output was begun already, so that the card is open and its lead-in runs.
        """
        began = time.monotonic()
        made: list[Samples] = []
        count, is_more = 0, True
        while (left := moment - _READY_S - time.monotonic()) > 0:
            if self._is_cut():
                return None
            piece = next(speech, None) if is_more and count < _MADE_AHEAD else None
            if piece is not None:
                made.append(piece.copy())
                count += len(piece)
            else:
                is_more = is_more and count >= _MADE_AHEAD
                time.sleep(min(left, _STEP_S))
        performance.idled(time.monotonic() - began)
        return made

    def _chime_for(self, performance: Performance) -> Iterator[Samples]:
        wanted = performance.announcement.chime
        if not wanted:
            return
        try:
            chime = self._chime(wanted)
        except CosyError as error:  # not worth an announcement
            _log.warning("%s", error)
            return
        for start in range(0, len(chime), _CHIME_PIECE):
            piece = chime[start : start + _CHIME_PIECE]
            performance.chimes(len(piece))
            yield piece

    def _is_cut(self) -> bool:
        self._beat()
        cut, ended = self._queue.check()
        self._end_all(ended)
        return cut is not None or self._cut_at_end

    def _cut(self, performance: Performance) -> None:
        """Silences the sink, whether or not it was told to be silent, and learns what was heard."""
        if not self._sink_is_used:
            return
        self._sink_is_used = False
        with suppress(Exception):  # what has failed may fail again; that is no news
            self._sink.cut()
            performance.heard(self._sink.drain())

    def _fail(self, performance: Performance, error: CosyError) -> None:
        self._cut(performance)
        if isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.ENOMEM:
            error = SpeechError("overloaded", "There was not enough memory to play this.")
        if isinstance(error, PlaybackError):
            self._card_trouble.fails(error)
            if error.code.startswith("audio_"):
                self._give_back(performance)
                return
        self._finish(performance, "failed", error)

    def _finish(
        self,
        performance: Performance,
        state: Literal["finished", "failed"],
        error: CosyError | None = None,
    ) -> None:
        if error is not None:
            _log.warning("announcement %s failed: %s", performance.announcement.id, error)
            _log.debug("in full:", exc_info=error)
        with self._telling:
            self._queue.finish(state, error)
            self._ended(performance.announcement, performance.result(state, error))

    def _give_back(self, performance: Performance) -> None:
        announcement = performance.announcement
        with self._telling:
            ending = self._queue.give_back(0 if announcement.render else performance.clauses_heard)
            if ending is not None:
                self._ended(announcement, performance.result("cancelled", message=ending.message))
            elif performance.is_sounding:
                self._tell(announcement, performance.result("queued"))

    def _beat(self) -> None:
        self.heartbeat = time.monotonic()

    # Any thread.

    def _set_volume(self, announcement: Announcement | None) -> None:
        settings = self._settings()
        own = announcement.volume if announcement is not None else None
        scale = announcement.scale if announcement is not None else 1.0
        self._sink.set_volume((settings.volume if own is None else own) * scale, settings.mute)

    def _end_all(self, ended: Iterable[Ending]) -> None:
        for ending in ended:
            self._warn(ending)
            self._ended(ending.announcement, ending.result())

    def _warn(self, ending: Ending) -> None:
        if ending.state == "failed" and ending.error is not None:  # for want of room: one of a flood, perhaps
            told = f"announcement {ending.announcement.id} failed: {ending.error}"
            self._failures.warn(ending.error.code, told)

    def _ended(self, announcement: Announcement, result: Result) -> None:
        with self._telling:
            tell = partial(self._tell, announcement, result)
            self._last_end = self._journal.end(announcement.id, result, tell)
            self._attempts.forget(announcement.id)

    def _tell(self, announcement: Announcement, result: Result) -> None:
        with self._telling:
            tell_listener(self._on_result, announcement, result)
