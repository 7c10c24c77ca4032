"""One announcement on its way from text to sound, and what was measured on it."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeVar

import numpy as np

from cosyedge.announcements.announcement import Announcement
from cosyedge.announcements.pacing import NOTHING_YET, Maker, Pace, held_back
from cosyedge.announcements.phrase import Phrase
from cosyedge.announcements.phrase_cache import PhraseCache, Recording
from cosyedge.announcements.result import Result, State
from cosyedge.announcements.settings import Settings
from cosyedge.errors import AnnouncementError, CosyError, PlaybackError, SpeechError
from cosyedge.playback.sink import SAMPLE_RATE, Buffering, Played, Samples
from cosyedge.playback.sound_file import sound_pieces

if TYPE_CHECKING:
    from cosyedge.speech.voice import Voice
    from cosyedge.text.reader import Phonemes
    from cosyedge.text.spans import Lang

_T = TypeVar("_T")

#: Sinks count in frames of their own rate.
_ROUNDING_S: Final = 0.002
_SILENCE: Final = np.zeros(SAMPLE_RATE // 10, np.float32)
#: Before a clause that may be late; it pushes out what resampler and ring keep back of the one before.
_SHORTEST_PAUSE_S: Final = 0.1


class Reader(Protocol):
    """:class:`cosyedge.text.reader.Reader`."""

    def read(self, text: str, lang: Lang | Literal["auto"], voice_lang: Lang) -> Iterator[Phonemes]: ...

    def dominant_language(self, text: str, lang: Lang | Literal["auto"]) -> Lang: ...


class Synthesizer(Maker, Protocol):
    """:class:`cosyedge.speech.synthesizer.Synthesizer`. What it yields is good until the next one."""

    def stream(self, clause: Phonemes, voice: Voice, speed: float) -> Iterator[Samples]: ...


class Voices(Protocol):
    """:class:`cosyedge.speech.voice.Bundle`."""

    def choose_voice(self, voice: str, lang: Lang) -> Voice: ...


class Output(Protocol):
    """A :class:`cosyedge.playback.sink.Sink`, or :class:`cosyedge.announcements.render.WavChunks`."""

    def begin(self) -> None: ...

    def hold_until(self, moment: float) -> None: ...

    def play(self, samples: Samples) -> None: ...

    def expect_pause(self) -> None: ...

    def drain(self) -> Played: ...


@dataclass(frozen=True, slots=True)
class Stages:
    """What makes sound of text."""

    reader: Reader
    synthesizer: Synthesizer
    voices: Voices


class Performance:
    """One attempt at one announcement, used by the speech thread; ``skip`` clauses were heard before."""

    def __init__(
        self,
        announcement: Announcement,
        settings: Settings,
        stages: Stages,
        *,
        skip: int = 0,
        cache: PhraseCache | None = None,
    ) -> None:
        self.announcement = announcement
        self._settings = settings
        self._stages = stages
        self._began = time.monotonic()
        self._lang: str | None = None
        self._voice: str | None = None
        self._busy_s = 0.0  # reading and synthesis, on the wall
        self._made = 0  # samples of speech that these made
        self._unknown = 0
        self._first_audio_s: float | None = None
        self._idle_s = 0.0  # that it was ready and waited for its moment
        self._skip = skip
        self._cache = cache
        self._recording: Recording | None = None
        self._clause_ends: list[int] = []  # in samples of speech and pauses
        self._position = 0  # the same, of what was made so far
        self._chimed = 0  # samples that the output was given before the speech
        self._given = 0  # samples that the output took
        self._audio_s: float | None = None

    def samples(self, pace: Pace | None = None, buffering: Buffering | None = None) -> Generator[Samples]:
        """The speech (or the sound), piece by piece, each made when it is asked for; nothing where there is
        nothing to say.

        Where it is heard in real time, ``buffering`` is that of the sink and ``pace`` that of the machine:
        then :data:`~cosyedge.announcements.pacing.NOTHING_YET` comes where there may have to be a pause.

        Raises:
            AnnouncementError: ``sound_unreadable``.
            CosyError: from the stages.
            SpeechError: ``synthesis_failed`` for whatever else they raise, ``overloaded`` without memory.
        """
        announcement, settings, stages = self.announcement, self._settings, self._stages
        if announcement.sound is not None:
            yield from self._sound(announcement.sound)
            return
        lang: Any = announcement.lang or settings.lang
        speed = announcement.speed if announcement.speed is not None else settings.speed
        with self._working():
            voice = self._choose_voice(lang)
            phrase = self._kept(voice.id, lang, speed)
        if phrase is not None:
            yield from self._again(phrase)
            return
        pause_s = 0.0
        clauses = self._timed(partial(stages.reader.read, announcement.text, lang, voice.native))
        for number, clause in enumerate(clauses):
            self._unknown += len(clause.unknown)
            if number < self._skip:
                continue
            # A pause is made only once it is known that something follows it.
            if self._recording is not None:
                self._recording.begin_clause(pause_s)
            may_be_late = pace is not None and buffering is not None and pace.is_slow
            if may_be_late and self._clause_ends:
                pause_s = max(pause_s, _SHORTEST_PAUSE_S)
            for silence in _silence(pause_s):
                self._position += len(silence)
                yield silence
            if may_be_late:
                yield NOTHING_YET
            pause_s = clause.pause_s
            chunks = self._chunks(clause, voice, speed)
            if pace is not None and buffering is not None:
                chunks = held_back(chunks, stages.synthesizer, pace, buffering)
            for samples in chunks:
                self._position += len(samples)
                yield samples
            self._clause_ends.append(self._position)
            if self._recording is not None:
                self._recording.end_clause()
        if self._recording is not None:
            self._recording.end()

    def keep(self) -> None:
        """It was heard to its end: what was made of it is kept for the next time."""
        if self._recording is not None:
            self._recording.keep(self._unknown)

    def _kept(self, voice: str, lang: str, speed: float) -> Phrase | None:
        """What was kept of it; where there is nothing, it is recorded from here on."""
        if self._cache is None:
            return None
        key = self._cache.key(voice, self.announcement.text, lang, speed)
        phrase = self._cache.get(key)
        if phrase is None and not self._skip:
            self._recording = Recording(self._cache, key)
        return phrase

    def _again(self, phrase: Phrase) -> Iterator[Samples]:
        self._unknown = phrase.unknown
        clauses = phrase.clauses[self._skip :].tolist()
        if not clauses:
            return
        first = clauses[0][0]
        self._clause_ends = [end - first for _, end in clauses]
        yield from phrase.pieces(first)

    def _chunks(self, clause: Phonemes, voice: Voice, speed: float) -> Iterator[Samples]:
        for samples in self._timed(partial(self._stages.synthesizer.stream, clause, voice, speed)):
            self._made += len(samples)
            if self._recording is not None:
                self._recording.add(samples)
            yield samples

    def chimes(self, count: int) -> None:
        """So many samples of what the output is given next come before the speech."""
        self._chimed += count

    def played(self, count: int) -> None:
        """So many samples more, of whatever, are with the output."""
        self._given += count

    def idled(self, seconds: float) -> None:
        """So long it was ready, and waited for its moment."""
        self._idle_s += seconds

    def sounds(self) -> None:
        """The first samples are with the output."""
        self._first_audio_s = time.monotonic() - self._began - self._idle_s

    def heard(self, played: Played) -> bool:
        """The output has ended; whether all that it was given was heard."""
        given_s = self._given / SAMPLE_RATE
        whole: bool = played.audio_s > given_s - _ROUNDING_S
        self._audio_s = given_s if whole else played.audio_s
        return whole

    @property
    def clauses_heard(self) -> int:
        """How many clauses, from the beginning of the text, were heard whole. Known after :meth:`heard`."""
        heard = round(((self._audio_s or 0.0) + _ROUNDING_S) * SAMPLE_RATE) - self._chimed
        return self._skip + bisect_right(self._clause_ends, heard)

    @property
    def is_sounding(self) -> bool:
        return self._first_audio_s is not None

    def result(self, state: State, error: CosyError | None = None, message: str | None = None) -> Result:
        announcement = self.announcement
        since = announcement.arrived_monotonic
        if announcement.at is not None:
            since += max(0.0, announcement.at - announcement.arrived_unix)
        made_s = self._made / SAMPLE_RATE
        return Result(
            announcement.id,
            state,
            error=error.code if error else None,
            message=error.sentence if error else message,
            skipped=self._skipped() if state == "finished" else None,
            lang=self._lang,
            voice=self._voice,
            audio_s=self._audio_s,
            first_audio_ms=None if self._first_audio_s is None else 1000 * self._first_audio_s,
            rtf=self._busy_s / made_s if made_s and state != "started" else None,
            waited_s=max(0.0, self._began - since),
        )

    def _skipped(self) -> str | None:
        if not (self.is_sounding or self._skip):
            return "empty"
        return f"unknown characters: {self._unknown}" if self._unknown else None

    def _sound(self, wav: bytes) -> Iterator[Samples]:
        try:
            yield from self._timed(partial(sound_pieces, BytesIO(wav)))
        except PlaybackError as error:  # its sender's fault, not the card's
            raise AnnouncementError(error.code, error.sentence) from error

    def _choose_voice(self, lang: Any) -> Voice:
        dominant = self._stages.reader.dominant_language(self.announcement.text, lang)
        name = self.announcement.voice or self._settings.voice
        voice = self._stages.voices.choose_voice(name, dominant)
        self._lang, self._voice = dominant, voice.id
        return voice

    def _timed(self, begin: Callable[[], Iterator[_T]]) -> Iterator[_T]:
        with self._working():
            iterator = begin()
        while True:
            with self._working():
                item = next(iterator, None)
            if item is None:
                return
            yield item

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Takes the time; what a stage raises becomes a :class:`CosyError`."""
        start = time.perf_counter()
        try:
            yield
        except CosyError:
            raise
        except MemoryError:
            raise SpeechError("overloaded", "There was not enough memory to speak this.") from None
        except Exception as error:
            sentence = f"The synthesis failed with {type(error).__name__}."
            raise SpeechError("synthesis_failed", sentence) from error
        finally:
            self._busy_s += time.perf_counter() - start


def _silence(seconds: float) -> Iterator[Samples]:
    left = round(seconds * SAMPLE_RATE)
    while left > 0:
        yield _SILENCE[:left]
        left -= len(_SILENCE)
