"""A speaker with the real stages around it, the test voice, and WAV files for a loudspeaker."""

from __future__ import annotations

import threading
import time
import wave
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.journal import Journal
from cosyedge.announcements.performance import Stages
from cosyedge.announcements.queue import AnnouncementQueue
from cosyedge.announcements.result import Result
from cosyedge.announcements.settings import Settings
from cosyedge.announcements.speaker import Speaker
from cosyedge.errors import PlaybackError
from cosyedge.playback.chime import make_chime
from cosyedge.playback.sink import Played, Samples
from cosyedge.playback.wav import WavSink
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle
from cosyedge.text.reader import Reader

DEADLINE_S: Final = 30.0

_ids = count(1)


class Loudspeaker(WavSink):
    """A WAV file for each announcement. It can be made to wait, as a card whose ring is full, and to fail."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        super().__init__(folder)
        self.folder = folder
        self.plays = 0  # pieces of this announcement that were taken
        self.hold_after: int | None = None
        self.holding = threading.Event()
        self.failures: dict[str, list[Exception]] = defaultdict(list)
        self._let_go = threading.Event()

    def begin(self) -> None:
        self._let_go.clear()
        self._fail("begin")
        super().begin()
        self.plays = 0

    def play(self, samples: Samples) -> None:
        self._fail("play")
        if self.hold_after is not None and self.plays >= self.hold_after:
            self.holding.set()
            assert self._let_go.wait(DEADLINE_S)
            self.holding.clear()
        super().play(samples)
        self.plays += 1

    def drain(self) -> Played:
        self._fail("drain")
        return super().drain()

    def cut(self) -> None:
        super().cut()
        self._let_go.set()

    def release(self) -> None:
        """Takes all from now on."""
        self.hold_after = None
        self._let_go.set()

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*.wav"))

    def heard(self) -> list[NDArray[np.int16]]:
        return [read_wav(file) for file in self.files()]

    def _fail(self, where: str) -> None:
        if self.failures[where]:
            raise self.failures[where].pop(0)


def read_wav(file: Path) -> NDArray[np.int16]:
    with wave.open(str(file)) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (24_000, 1, 2)
        return np.frombuffer(sound.readframes(sound.getnframes()), np.int16)


class Stage:
    """A speaker and all that it told. Pass ``synthesizer``, ``reader`` or ``sink`` to have others."""

    def __init__(self, bundle: Bundle, folder: Path, **others: Any) -> None:
        self.bundle = bundle
        self.sink: Loudspeaker = others.pop("sink", None) or Loudspeaker(folder / "heard")
        self.synthesizer: Synthesizer = others.pop("synthesizer", None) or Synthesizer(bundle)
        self.reader: Reader = others.pop("reader", None) or Reader(bundle.path, bundle.languages)
        self.settings = Settings()
        self.queue = AnnouncementQueue(on_cut=self.sink.cut, **others.pop("queue", {}))
        self.journal = Journal(others.pop("journal", None))
        self.recovered = self.journal.recover()
        self.results: list[Result] = []
        self.safe: list[str] = []
        self.degraded: list[str | None] = []
        self.chunks: list[tuple[str, int, bytes, bool]] = []
        self.threads: set[str] = set()
        self.changed = threading.Condition()
        self.on_render: Callable[[Announcement, int, bytes, bool], None] = self._on_render
        self.on_result: Callable[[Announcement, Result], None] = self._on_result
        self.speaker = Speaker(
            stages=Stages(self.reader, self.synthesizer, bundle),
            sink=self.sink,
            queue=self.queue,
            journal=self.journal,
            settings=lambda: self.settings,
            cache=others.pop("cache", None),
            chime=others.pop("chime", None)
            or (lambda name: make_chime("short" if name is True else str(name))),
            on_result=lambda announcement, result: self.on_result(announcement, result),
            on_safe=self._on_safe,
            on_render=lambda *chunk: self.on_render(*chunk),
            on_degraded=self._on_degraded,
            look=others.pop("look", None),
        )
        assert not others

    def start(self) -> None:
        self.queue.restore_ended(self.recovered.ended)
        self.queue.restore(self.recovered.unfinished)
        self.journal.start()
        self.speaker.start()

    def close(self) -> None:
        self.sink.release()
        assert self.speaker.close(DEADLINE_S)
        self.journal.close()
        self.sink.close()

    def say(self, text: str, **more: Any) -> str:
        """Submits an announcement; its id."""
        more.setdefault("id", f"a{next(_ids)}")
        announcement = Announcement(
            text=text, arrived_monotonic=time.monotonic(), arrived_unix=time.time(), **more
        )
        self.speaker.submit(announcement)
        return announcement.id

    def hear(self, text: str, **more: Any) -> Result:
        """Says it, waits for its end, and returns that."""
        return self.end_of(self.say(text, **more))

    def end_of(self, id_: str) -> Result:
        self.wait(lambda: any(result.is_final for result in self.results if result.id == id_))
        return self.told(id_)[-1]

    def told(self, id_: str) -> list[Result]:
        with self.changed:
            return [result for result in self.results if result.id == id_]

    def states(self, id_: str) -> list[str]:
        return [result.state for result in self.told(id_)]

    def order_of(self, state: str) -> list[str]:
        with self.changed:
            return [result.id for result in self.results if result.state == state]

    def wait(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, DEADLINE_S), self.results

    def wait_until_held(self) -> None:
        assert self.sink.holding.wait(DEADLINE_S), self.results

    def speech(self, text: str, voice: str = "auto", speed: float = 1.0, lang: Any = "auto") -> Samples:
        """What the stages make of a text when nobody plays it: clauses with the pauses between them."""
        reader = Reader(self.bundle.path, self.bundle.languages)
        chosen = self.bundle.choose_voice(voice, reader.dominant_language(text, lang))
        synthesizer = Synthesizer(self.bundle)
        pieces: list[Samples] = []
        pause_s = 0.0
        for clause in reader.read(text, lang, chosen.native):
            pieces.append(np.zeros(round(pause_s * 24_000), np.float32))
            pieces += [chunk.copy() for chunk in synthesizer.stream(clause, chosen, speed)]
            pause_s = clause.pause_s
        synthesizer.close()
        return np.concatenate(pieces)

    def _on_result(self, announcement: Announcement, result: Result) -> None:
        assert announcement.id == result.id
        with self.changed:
            self.results.append(result)
            if result.state == "started":
                self.threads.add(threading.current_thread().name)
            self.changed.notify_all()

    def _on_safe(self, announcement: Announcement) -> None:
        with self.changed:
            self.safe.append(announcement.id)
            self.changed.notify_all()

    def _on_render(self, announcement: Announcement, index: int, data: bytes, last: bool) -> None:
        with self.changed:
            self.chunks.append((announcement.id, index, data, last))
            self.changed.notify_all()

    def _on_degraded(self, error: PlaybackError | None) -> None:
        with self.changed:
            self.degraded.append(error.code if error else None)
            self.changed.notify_all()


@contextmanager
def on_stage(bundle: Bundle, folder: Path, **others: Any) -> Iterator[Stage]:
    """A stage whose speaker runs; it is ended, and nothing of it is left, afterwards."""
    stage = Stage(bundle, folder, **others)
    stage.start()
    try:
        yield stage
    finally:
        stage.close()
        left = {thread.name for thread in threading.enumerate()} & {"speech", "journal"}
        assert not left


def as_pcm(samples: Samples, level: float = 1.0) -> NDArray[np.int16]:
    """What a WAV file holds of them (no peak above 0.95)."""
    return np.rint(samples * np.float32(level) * np.float32(32767)).astype(np.int16)
