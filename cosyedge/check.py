"""`cosyedge check`: each thing that has to work, tried for real, and what is wrong with those that don't."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.own_words import TEST_SENTENCES
from cosyedge.broker import greet, node_topics
from cosyedge.config import DEFAULT_FILE
from cosyedge.errors import CosyError, HostError, PlaybackError
from cosyedge.options import Config
from cosyedge.playback.sink import SAMPLE_RATE
from cosyedge.progress import Progress
from cosyedge.stages import (
    make_chimes,
    make_limits,
    make_reader,
    make_sink,
    make_synthesizer,
    open_bundle,
    state_folder,
)

_BROKER_S: Final = 10.0
#: What a full disk has no room for.
_TRIED_BYTES: Final = 65536


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was tried: what was found, or the error."""

    what: str
    said: str = ""
    error: CosyError | None = None

    def as_dict(self) -> dict[str, Any]:
        if self.error is None:
            return {"what": self.what, "ok": True, "said": self.said}
        return {
            "what": self.what,
            "ok": False,
            "error": self.error.code,
            "message": self.error.sentence,
            "cure": self.error.cure,
        }


def check(config: Config) -> list[Finding]:
    """Everything that a daemon needs, each tried whatever became of the others. Nothing is heard."""
    trials: tuple[tuple[str, Callable[[Config], str]], ...] = (
        ("configuration", _configuration),
        ("voice", _voice),
        ("state", _state),
        ("output", _output),
        ("broker", lambda config: greet(config, _BROKER_S)),
    )
    with Progress("checking") as progress:
        return list(_try(config, trials, progress))


def _try(
    config: Config, trials: tuple[tuple[str, Callable[[Config], str]], ...], progress: Progress
) -> Iterator[Finding]:
    for what, trial in trials:
        progress.say(f"checking: {what}")
        try:
            yield Finding(what, trial(config))
        except CosyError as error:
            yield Finding(what, error=error)


def _configuration(config: Config) -> str:
    files = {origin.rpartition(":")[0] for origin in config.origins.values() if ":" in origin}
    node = node_topics(config).base
    make_chimes(config)
    source = ", ".join(sorted(files)) or f"defaults; there is no {DEFAULT_FILE}, or nothing in it"
    return f"{source}; this node is {node}"


def _voice(config: Config) -> str:
    bundle = open_bundle(config)
    make_limits(config, bundle)
    reader, synthesizer = make_reader(config, bundle), make_synthesizer(bundle)
    synthesizer.load()
    began, made = time.perf_counter(), 0
    for clause in reader.read(TEST_SENTENCES["auto"]):
        for samples in synthesizer.stream(clause, bundle.choose_voice("auto", "zh")):
            made += len(samples)
    rtf = (time.perf_counter() - began) * SAMPLE_RATE / made
    voices = ", ".join(voice.id for voice in bundle.voices)
    return f"{bundle.path} ({bundle.name} {bundle.version}: {voices}) speaks, real-time factor {rtf:.2f}"


def _state(config: Config) -> str:
    folder, cache = state_folder(config), config.cache.dir
    if trouble := _trouble_of_writing(folder):
        raise HostError("journal_unwritable", f"{folder} can't be written by this user: {trouble}.")
    if cache is None or not config.cache.max_mb:
        return f"{folder} can be written"
    if trouble := _trouble_of_writing(cache):
        raise HostError("cache_unwritable", f"{cache} can't be written by this user: {trouble}.")
    return f"{folder} and {cache} can be written"


def _output(config: Config) -> str:
    sink = make_sink(config)
    if config.audio.output == "wav":
        folder = Path(sink.name.removeprefix("wav:")).parent
        if why := _trouble_of_writing(folder) if folder.exists() else "it is not there":
            raise PlaybackError("wav_unwritable", f"{folder} can't be written by this user: {why}.")
        return sink.name
    try:
        sink.begin()
        sink.cut()
        sink.drain()
    finally:
        sink.close()
    return f"{sink.name} opens and plays"


def _trouble_of_writing(folder: Path) -> str | None:
    """Why nothing can be written into ``folder``, or where it would have to be made; None where it can."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:  # it has no name that is left behind
            file.write(bytes(_TRIED_BYTES))
    except OSError as error:
        return error.strerror or type(error).__name__
    return None
