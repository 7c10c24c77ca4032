"""`cosyedge say` and `cosyedge phonemes`: one text through the stages, without queue or broker."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np

from cosyedge.announcements.announcement import Arrival, from_bytes
from cosyedge.announcements.pacing import Pace
from cosyedge.announcements.performance import Performance, Stages
from cosyedge.announcements.result import Result
from cosyedge.announcements.say_object import check_value
from cosyedge.announcements.settings import Settings
from cosyedge.errors import ConfigError, CosyError
from cosyedge.options import Config
from cosyedge.playback.sink import SAMPLE_RATE, Buffering, Played, Samples
from cosyedge.playback.wav import write_mp3, write_wav
from cosyedge.progress import Progress
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.stages import make_limits, make_reader, make_sink, open_bundle
from cosyedge.text.reader import SpokenSpan


def say(config: Config, text: str, *, out: str | None, **asked: str | float | None) -> Result:
    """Speak ``text`` to the configured output, or into ``out``: a .wav or .mp3 file, or ``-``.

    Args:
        asked: voice, lang and speed; None where the configuration decides.

    Raises:
        CosyError: of any stage.
    """
    if out is not None and out != "-" and Path(out).suffix.lower() not in (".wav", ".mp3"):
        raise ConfigError("config_bad_value", "--out must be FILE.wav, FILE.mp3, or - for standard output.")
    with Progress("loading the voice") as progress:
        bundle = open_bundle(config)
        given = {key: value for key, value in asked.items() if value is not None}
        announcement = from_bytes(
            json.dumps({"id": "say", "text": text} | given).encode(),
            limits=make_limits(config, bundle),
            arrival=Arrival(time.monotonic(), time.time()),
        )
        settings = Settings(voice=config.speech.voice, lang=config.speech.lang, speed=config.speech.speed)
        stages = Stages(make_reader(config, bundle), Synthesizer(bundle), bundle)
        performance = Performance(announcement, settings, stages)
        if out is None:
            _play(config, performance, progress)
        else:
            _write(out, performance, progress)
    return performance.result("finished")


def _play(config: Config, performance: Performance, progress: Progress) -> None:
    sink = make_sink(config)
    try:
        sink.set_volume(config.audio.volume / 100)
        pieces = _followed(performance, progress, sink.buffering)
        first = next(pieces, None)
        if first is None:
            return  # nothing to say
        sink.begin()
        for samples in chain((first,), pieces):
            if len(samples):
                sink.play(samples)
            else:
                sink.expect_pause()
        performance.heard(sink.drain())
    finally:
        sink.close()


def _write(out: str, performance: Performance, progress: Progress) -> None:
    pieces = _followed(performance, progress)
    if out.lower().endswith(".mp3"):
        # Each piece is a view that the next one overwrites.
        whole = np.concatenate([np.zeros(0, np.float32), *(samples.copy() for samples in pieces)])
        frames = write_mp3(out, whole)
    else:
        frames = write_wav(out, pieces)
    performance.heard(Played(frames / SAMPLE_RATE, 0))


def _followed(
    performance: Performance, progress: Progress, buffering: Buffering | None = None
) -> Iterator[Samples]:
    """The pieces, each counted as it is handed out."""
    made = 0
    for samples in performance.samples(Pace(), buffering):
        if len(samples) and not performance.is_sounding:
            performance.sounds()
        performance.played(len(samples))
        made += len(samples)
        progress.say(f"{made / SAMPLE_RATE:.1f} s of speech")
        yield samples


class SpanRead(TypedDict):
    """How one span is read; ``reading`` is there for Chinese."""

    lang: str
    text: str
    spoken: str
    phonemes: str
    reading: NotRequired[str]


class TextRead(TypedDict):
    """How one text is read; ``error`` and ``message`` are there for one that can't be."""

    spans: list[SpanRead]
    error: NotRequired[str]
    message: NotRequired[str]


def read_phonemes(config: Config, texts: Iterable[bytes], lang: str | None) -> Iterator[TextRead]:
    """How each text is read, by the voice that would speak it; one that is not UTF-8 is told as such.

    Raises:
        CosyError: the bundle can't be used, or there is no such language.
    """
    bundle = open_bundle(config)
    reader = make_reader(config, bundle)
    base: Any = check_value("lang", lang, make_limits(config, bundle)) if lang else config.speech.lang
    for encoded in texts:
        answer = TextRead(spans=[])
        try:
            text = encoded.decode()
            voice = bundle.choose_voice(config.speech.voice, reader.dominant_language(text, base))
            for clause in reader.read(text, base, voice.native):
                answer["spans"] += [_span_read(span) for span in clause.spans]
        except CosyError as error:
            answer["error"], answer["message"] = error.code, error.sentence
        except UnicodeDecodeError as error:
            answer["error"], answer["message"] = "not_utf8", f"The text is not UTF-8: {error}."
        yield answer


def _span_read(span: SpokenSpan) -> SpanRead:
    read = SpanRead(lang=span.lang, text=span.text, spoken=span.spoken, phonemes=span.phonemes)
    if span.reading is not None:
        read["reading"] = span.reading
    return read
