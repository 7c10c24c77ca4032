"""Resident memory by part, for `cosyedge bench --memory`: of a process that loads one part after the other.

``cold`` is that of a process that has loaded and not spoken, ``warm`` after the longest clause; what the
parts add is told in the order in which they are loaded, for a part pays for what it shares with a later one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, cast

from cosyedge.errors import HostError
from cosyedge.host.limits import files_mb, prepare_environment, rss_mb
from cosyedge.text.spans import Lang

#: Those that nearly every text needs come first: the rest is what another language adds.
_FIRST: Final = ("zh", "en")


def memory_by_part(folder: Path, languages: Iterable[Lang]) -> dict[str, Any]:
    """``parts_mb`` (what each adds), ``cold_mb``, ``warm_mb``, ``warm_files_mb``, ``cold_load_s``,
    ``cold_first_audio_ms``: of a process of its own with the bundle in ``folder``.

    ``warm_files_mb`` of ``warm_mb`` are unchanged pages of libraries and lexicons, which the kernel can take
    back at any time. How many it maps at a touch depends on how a file came into its cache
    (scripts/uncache.sh).

    Raises:
        HostError: ``internal``: the measuring process failed; its last words are in the sentence.
    """
    ordered = sorted(languages, key=lambda lang: (_FIRST.index(lang) if lang in _FIRST else 9, lang))
    command = [sys.executable, "-m", "cosyedge.bench.memory", str(folder), *ordered]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["without a word"])[-1]
        raise HostError("internal", f"Measuring the memory failed: {last}")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


class _Parts:
    def __init__(self) -> None:
        self.added: dict[str, float] = {}
        self._before = 0.0

    def end(self, name: str) -> None:
        now = rss_mb()
        self.added[name] = round(now - self._before, 1)
        self._before = now


def _measure(folder: Path, languages: list[Lang]) -> dict[str, Any]:
    from cosyedge.bench.text_cost import SENTENCES

    parts = _Parts()
    parts.end("interpreter")
    prepare_environment()
    import numpy

    parts.end("numpy")
    import cosyedge.speech.runtime

    parts.end("onnxruntime")
    from cosyedge.host.pages import release_library_pages
    from cosyedge.speech.synthesizer import Synthesizer
    from cosyedge.speech.voice import load_bundle
    from cosyedge.text.reader import Reader

    began = time.perf_counter()
    bundle = load_bundle(folder)
    synthesizer = Synthesizer(bundle)
    reader = Reader(folder, frozenset(languages))
    parts.end("cosyedge")
    synthesizer.load()
    load_s = time.perf_counter() - began
    parts.end("models")
    for lang in languages:
        for _ in reader.read(SENTENCES[lang].format(3), lang):
            pass
        parts.end(f"front end {lang}")
    import paho.mqtt.client

    import cosyedge.mqtt.client

    parts.end("mqtt")
    import cosyedge.playback.alsa
    from cosyedge.playback.ring import Ring

    ring = Ring(94, 1024, 2)  # two seconds at 48 kHz in stereo, all of it written
    ring.write(numpy.ones(94 * 1024, numpy.int16))
    parts.end("ring and sound")
    import cosyedge.daemon

    del cosyedge, paho
    parts.end("daemon")
    release_library_pages()
    parts.end("given back")
    cold_mb = rss_mb()
    began = time.perf_counter()
    clause = next(iter(reader.read(SENTENCES["zh" if "zh" in languages else languages[0]].format(4))))
    stream = synthesizer.stream(clause, bundle.voices[0])
    next(stream)
    first_ms = 1000 * (time.perf_counter() - began)
    stream.close()
    synthesizer.warm_up()
    parts.end("speaking")
    return {
        "parts_mb": parts.added,
        "cold_mb": round(cold_mb, 1),
        "warm_mb": round(rss_mb(), 1),
        "warm_files_mb": round(files_mb(), 1),
        "cold_load_s": round(load_s, 3),
        "cold_first_audio_ms": round(first_ms, 1),
    }


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), cast(list[Lang], sys.argv[2:]))))
