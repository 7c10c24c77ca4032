"""The daemon: every part is made, wired, started and stopped here, and nowhere else.

Threads: ``main`` (signals, watchdog, state and health), ``mqtt``, ``journal``, ``speech`` (the only one that
runs inference), ``audio-device`` and PortAudio's own ``audio``.
"""

from __future__ import annotations

import logging
import os
import queue
import time
from collections.abc import Callable
from functools import partial
from typing import Final, Literal, NoReturn

from cosyedge import __version__
from cosyedge.announcements.announcement import Announcement, Reply, from_bytes
from cosyedge.announcements.attempts import Attempts
from cosyedge.announcements.clock import check_at, is_synchronised
from cosyedge.announcements.journal import Journal
from cosyedge.announcements.performance import Stages
from cosyedge.announcements.queue import AnnouncementQueue
from cosyedge.announcements.result import Result
from cosyedge.announcements.speaker import Speaker
from cosyedge.broker import broker_settings, make_bridges, node_topics
from cosyedge.condition import Condition
from cosyedge.errors import AnnouncementError, ConfigError, CosyError, HostError, PlaybackError, TextError
from cosyedge.exit_codes import EXIT_CODES
from cosyedge.host.hang import hang_at
from cosyedge.host.limits import Admission, give_back_free_pages, rss_mb, settle_memory, trim_memory
from cosyedge.host.notify import Notifier
from cosyedge.host.pages import release_library_pages
from cosyedge.host.threads import print_stacks
from cosyedge.liveness import Liveness
from cosyedge.mqtt.chunks import wishes_of
from cosyedge.mqtt.client import MqttClient
from cosyedge.mqtt.commands import Command
from cosyedge.mqtt.rates import Allowance
from cosyedge.options import Config
from cosyedge.playback.sink import Sink, try_out
from cosyedge.reload import differences
from cosyedge.self_report import SelfReport
from cosyedge.stages import (
    ahead_s,
    attempts_folder,
    cache_fingerprint,
    journal_folder,
    load_user_lexicon,
    make_cache,
    make_chimes,
    make_limits,
    make_reader,
    make_settings,
    make_sink,
    make_synthesizer,
    open_bundle,
    warm_up,
)

log = logging.getLogger(__name__)

#: At a stop, the announcement that is heard may go on for so long; then it is faded out.
GRACE_S: Final = 10.0
#: How long a broker may refuse rendered audio; less than SPEECH_ALLOWANCE_S, since the speech thread waits.
_RENDER_WAIT_S: Final = 10.0
#: How often is looked whether all threads are well, when systemd does not ask more often.
_LOOK_S: Final = 5.0

Event = Literal["stop", "reload", "given_up", "state", "health", "status"]


class Node:
    """One node: its parts, wired. What its parts tell comes back to the methods that begin with ``_on``."""

    def __init__(
        self,
        config: Config,
        events: queue.SimpleQueue[Event],
        read_again: Callable[[], Config] | None = None,
    ) -> None:
        self._config = config
        self._events = events
        self._read_again = read_again
        self.condition = Condition()
        self._topics = node_topics(config)
        self._bundle = open_bundle(config)
        self._cache = make_cache(config, self._bundle, lambda error: self._on_trouble("cache", error))
        self._admits = Admission(config.memory.limit_mb, self._cache.clear if self._cache else None)
        self._limits = make_limits(config, self._bundle)
        self._reader = make_reader(config, self._bundle)
        self._synthesizer = make_synthesizer(self._bundle)
        self._sink: Sink = make_sink(config)
        self._settings = make_settings(
            config, self._limits, lambda error: self._on_trouble("settings", error)
        )
        self._journal = Journal(
            journal_folder(config), on_trouble=lambda error: self._on_trouble("journal", error)
        )
        self._queue = AnnouncementQueue(
            max_announcements=config.queue.max_announcements,
            max_bytes=config.queue.max_bytes,
            resume=config.queue.resume,
            on_cut=self._sink.cut,
            synchronised=is_synchronised,
            ahead_s=ahead_s(config),
        )
        self._attempts = Attempts(attempts_folder(config))
        self._speaker = Speaker(
            stages=Stages(hang_at(self._reader), self._synthesizer, self._bundle),
            sink=self._sink,
            queue=self._queue,
            journal=self._journal,
            settings=lambda: self._settings.value,
            cache=self._cache,
            attempts=self._attempts,
            chime=make_chimes(config),
            on_result=self._on_result,
            on_safe=lambda announcement: self._mqtt.ack(announcement),
            on_render=self._on_render,
            on_degraded=self._on_card,
            look=partial(try_out, self._sink) if config.audio.output == "alsa" else None,
            on_idle=self._on_idle,
        )
        self._mqtt = MqttClient(
            broker_settings(config),
            self._topics,
            parse=lambda payload, arrival: from_bytes(payload, limits=self._limits, arrival=arrival),
            on_announcement=self._on_announcement,
            on_command=self._on_command,
            on_status=lambda error: self._on_trouble("mqtt", error),
            allowance=Allowance(config.limits.max_rate, config.limits.max_sound_kb << 10),
            bridges=make_bridges(config, self._topics, self._bundle),
        )
        self.report = SelfReport(
            node=self._topics.node,
            bundle=f"{self._bundle.name} {self._bundle.version}",
            limit_mb=config.memory.limit_mb,
            condition=self.condition,
            settings=lambda: self._settings.value,
            queue=self._queue,
            sink=self._sink,
            cache=self._cache,
            counts=self._mqtt.counts,
        )
        self._liveness = Liveness(self._speaker, lambda: self._mqtt.alive_until, config.audio.ring_s)
        self._look_at = self._report_at = 0.0  # on the monotonic clock

    def start(self) -> None:
        """What has survived is taken up, the broker is called, the models are loaded; then speech begins."""
        recovered = self._journal.recover()
        self._attempts.recover()
        self._queue.restore_ended(recovered.ended)
        self._queue.restore(recovered.unfinished)
        self._on_trouble("journal_content", recovered.trouble)
        kept, damaged = len(recovered.unfinished), recovered.damaged_bytes
        self.report.recovered = {"recovered": kept, "damaged_bytes": damaged}
        self._journal.start()
        for reply, result in recovered.untold:
            self._tell_result(result, reply)
        self._publish_state()
        self._publish_health()
        self._mqtt.start()  # connects while the models load; what comes already waits in the queue
        if self._config.models.preload:
            warm_up(self._reader, self._synthesizer)
        self._speaker.look()
        settle_memory()
        self._speaker.start()
        self.report.rss_after_load_mb = round(rss_mb(), 1)
        self.condition.started()
        log.info(
            "cosyedge %s speaks for %s through %s with %s %s",
            __version__, self._topics.base, self._sink.name, self._bundle.name, self._bundle.version,
        )  # fmt: skip

    def stop(self, notifier: Notifier) -> None:
        """In the order of :meth:`start`, from its end; the broker hears the last results, then good-bye."""
        notifier.stopping("finishing")
        log.info("stopping")
        self._mqtt.hold()
        parts: tuple[Callable[[], object], ...] = (
            lambda: self._speaker.close(GRACE_S),
            self._journal.flush,  # what it says to be safe is still acknowledged
            self._settings.save,
            self._publish_state,
            lambda: self._mqtt.stop(await_acks=False),
            self._attempts.close,
            self._journal.close,  # by now it knows which results the broker has
            self._sink.close,
            self._synthesizer.close,
        )
        for part in parts:
            notifier.watchdog()  # each has a deadline of its own; the watchdog's is shorter than their sum
            try:
                part()
            except Exception:
                log.exception("a part of the daemon did not stop cleanly")

    def serve(self, notifier: Notifier) -> None:
        """The loop of the main thread, until an event says stop.

        Raises:
            HostError: ``internal``, the thread that speaks has ended.
            PlaybackError: ``audio_stuck``, only another process can use the card again.
        """
        self._look_at = self._report_at = time.monotonic()
        while True:
            try:
                event = self._next_event(notifier)
                if event == "stop":
                    return
                if event is not None:
                    self._handle(event, notifier)
            except MemoryError:  # what was to be told is told with the next change, or the next report
                trim_memory()
                log.warning("there was not enough memory to tell how the daemon is")

    def _next_event(self, notifier: Notifier) -> Event | None:
        """What is due by the clock is done; then the next event, or None where the clock comes first."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + min(notifier.watchdog_interval_s or _LOOK_S, _LOOK_S)
            self._settings.save()
            if self._is_well(now):
                notifier.watchdog()
        if now >= self._report_at:
            self._report_at = now + self._config.health.interval_s
            give_back_free_pages()  # synthesis does so too, but not what was kept and is said again
            self._publish_health()
        try:
            return self._events.get(timeout=max(0.0, min(self._look_at, self._report_at) - now))
        except queue.Empty:
            return None

    def _handle(self, event: Event, notifier: Notifier) -> None:
        match event:
            case "given_up":
                self._end_at_once()
            case "reload":
                notifier.reloading()
                try:
                    self._reload()
                finally:
                    notifier.ready(self.report.sentence())
            case "state":
                self._publish_state()
                notifier.status(self.report.sentence())
            case "health":
                self._publish_health()
                notifier.status(self.report.sentence())
            case "status":
                self._mqtt.publish_status(self.report.status())

    def _is_well(self, now: float) -> bool:
        error = self._liveness.check(now)
        if self.condition.trouble("threads", error):
            log.error("%s", error) if error else log.info("all threads make progress again")
            self._events.put("health")
        return error is None

    def _end_at_once(self) -> NoReturn:
        """The watchdog has given us up. Which thread hung where is in the log then, and the announcement at
        which the speech thread hung has failed, or it would hang the next start as well."""
        log.error("given up by the watchdog; the threads are at:")
        print_stacks()
        current = self._queue.current
        if current is not None and self._liveness.speech_hangs():
            error = HostError("internal", "The daemon hung at it and was started anew.")
            result = Result.failed(current.id, error)
            self._journal.end(current.id, result)
            self._tell_result(result, current.reply)
            self._journal.flush(1.0)
        os._exit(EXIT_CODES[HostError])  # a thread hangs: nothing can be waited for

    def _reload(self) -> None:
        """Take over what can change while we run; what can't is named in the log."""
        if self._read_again is None:
            return
        try:
            config, live, waiting = differences(self._config, self._read_again())
            self._reader.use(load_user_lexicon(config))
        except (ConfigError, TextError) as error:
            log.error("SIGHUP: %s Nothing was changed.", error)
            return
        self._config = config
        if self._cache is not None:
            self._cache.renew(cache_fingerprint(config, self._bundle))
        logging.getLogger().setLevel(config.log.level.upper())
        self._limits = make_limits(config, self._bundle)
        self._queue.bound(config.queue.max_announcements, config.queue.max_bytes, config.queue.resume)
        log.info("SIGHUP: %s", ", ".join(live) + " changed" if live else "nothing has changed that can now")
        if waiting:
            log.warning("SIGHUP: %s: a restart is needed", ", ".join(waiting))

    def _publish_state(self) -> None:
        self._mqtt.publish_state(self.report.state())

    def _publish_health(self) -> None:
        self._mqtt.publish_health(self.report.health())

    # --- what the parts tell, each in its own thread

    def _on_announcement(self, announcement: Announcement) -> None:
        error = None
        if not self._admits():
            error = AnnouncementError(
                "overloaded", f"More than 90 % of the {self._config.memory.limit_mb} MB are in use."
            )
        self._on_trouble("memory", error)
        check_at(announcement)
        if error is not None:
            raise error
        self._speaker.submit(announcement)

    def _on_command(self, command: Command) -> None:
        match command.name:
            case "stop":
                self._speaker.stop(clear=command.value is True)
            case "test":
                self._speaker.test()
            case "repeat":
                self._speaker.repeat()
            case "status":
                self._events.put("status")
                return
            case "cache":
                if self._cache is not None:
                    self._cache.clear()
                self._events.put("health")
                return
            case setting:
                self._settings.change(setting, command.value)
                self._speaker.settings_changed()
        self._events.put("state")

    def _on_result(self, announcement: Announcement, result: Result) -> None:
        self.condition.count(result)
        self._tell_result(result, announcement.reply)
        if result.state == "started" and not announcement.render:
            self.report.speaking = announcement.id
            if self._config.homeassistant.last_text and announcement.text:
                self._mqtt.publish_last_text(announcement.text)
        elif self.report.speaking == announcement.id:
            self.report.speaking = None
        if result.state == "finished" and result.skipped != "empty" and not announcement.render:
            self._on_trouble("audio", None)  # heard, so the card works, whatever it was at the start
        self._events.put("state")

    def _tell_result(self, result: Result, reply: Reply | None) -> None:
        # The result of a duplicate bears the id of what it repeats, which may not have ended yet.
        ends = result.is_final and result.state != "duplicate"
        taken = partial(self._journal.told, result.id) if ends else None
        self._mqtt.publish_result(result, reply, taken)

    def _on_render(self, announcement: Announcement, index: int, wav: bytes, last: bool) -> None:
        if announcement.reply is not None:
            self._mqtt.publish_audio(
                announcement.reply, announcement.id, index, wav, last=last, timeout_s=_RENDER_WAIT_S,
                wishes=wishes_of(announcement),
            )  # fmt: skip

    def _on_idle(self, idle_s: float) -> None:
        unload_s = self._config.models.idle_unload_s
        if unload_s is not None and idle_s >= unload_s and self._synthesizer.is_loaded:
            self._synthesizer.close()
            release_library_pages()
            log.info("the models are unloaded until the next announcement")
            self._events.put("health")

    def _on_card(self, error: PlaybackError | None) -> None:
        if error is not None and error.code == "audio_stuck":
            self._liveness.stuck = error
        self._on_trouble("audio", error)

    def _on_trouble(self, whose: str, error: CosyError | None) -> None:
        if self.condition.trouble(whose, error):
            self._events.put("health")
