"""`cosyedge bench`: how fast, how soon and in how much memory this machine speaks.

What is measured is the product's own road from text to samples, on one thread, with everything imported
that a daemon that speaks has imported. Times are given twice: on the wall, and in CPU seconds of this
process (names with ``_cpu``), which a busy machine does not falsify.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cosyedge import __version__
from cosyedge.announcements.performance import Stages
from cosyedge.bench.kept_cost import kept_cost
from cosyedge.bench.memory import memory_by_part
from cosyedge.bench.text_cost import text_cost
from cosyedge.condition import percentile
from cosyedge.host.health import Health
from cosyedge.host.limits import rss_mb
from cosyedge.options import Config
from cosyedge.playback.sink import SAMPLE_RATE
from cosyedge.progress import Progress
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle, Voice
from cosyedge.stages import make_reader, make_synthesizer, open_bundle, warm_up
from cosyedge.text.reader import Phonemes, Reader

#: name → text. zh_common, en and en_short are those that other projects publish their figures with.
TEXTS: Final = {
    "zh_common": (
        "当夜幕降临，星光点点，伴随着微风拂面，我在静谧中感受着时光的流转，思念如涟漪荡漾，梦境如画卷展开，"
        "我与自然融为一体，沉静在这片宁静的美丽之中，感受着生命的奇迹与温柔。"
    ),
    "zh_4s": "今天傍晚有大雨，出门的时候记得带一把伞，关好窗户。",
    "zh_30": "客厅的窗户还开着，外面马上要下雨了，请尽快关好窗户和阳台门。",
    "zh_200": (
        "大家晚上好，现在为您播报今天的家庭简报。今天白天多云，傍晚有小雨，气温在十八度到二十五度之间，出门请带好雨伞。"
        "洗衣机已经洗完了衣服，烘干机还需要四十分钟。冰箱里的牛奶明天到期，鸡蛋还剩下六个，建议在周末之前去一趟超市。"
        "孩子的钢琴课改到了星期四下午五点，请提前半个小时出发。车库的门没有关好，系统会在十分钟之后自动关闭。"
        "今天全家一共用电十二度，比昨天少了两度。祝您和您的家人今晚度过一个安静愉快的夜晚。"
    ),
    "en": "The quick brown fox jumps over the lazy dog. Dr. Smith asked whether it's 3:30 PM today.",
    "en_short": "Hello, how are you doing today?",
}
#: The text of :data:`TEXTS` whose first sound is waited for.
FIRST_AUDIO: Final = "zh_4s"
#: First audio is short work: it is measured so many times for each run of the texts.
_FIRST_AUDIO_RUNS: Final = 5


@dataclass(slots=True)
class _Took:
    """Seconds of one measured stretch, on the wall and on the processor."""

    wall: float = 0.0
    cpu: float = 0.0


@contextmanager
def _timed() -> Iterator[_Took]:
    took = _Took()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield took
    finally:
        took.wall = time.perf_counter() - wall
        took.cpu = time.process_time() - cpu


def bench(config: Config, runs: int, *, memory: bool = False) -> dict[str, Any]:
    """The figures, by name; those of the real-time factor are over every run of every text.

    ``rss_after_load_mb`` is taken after the warm-up on a clause of 12 s. ``ready_s`` is from the start of
    the process to there. ``rtf`` is that of acoustic model and vocoder; ``first_audio_ms`` begins with the
    text. ``text_rss_mb`` is what reading adds with every language loaded, ``text_ms_cpu`` what a sentence
    of 30 characters costs in each. ``first_kept_ms`` is as ``first_audio_ms``, of what was said before.
    ``ratios`` are of CPU times to each other. With ``memory`` also ``memory``, of processes of their own.

    Raises:
        CosyError: the bundle can't be used.
    """
    with Progress("loading") as progress:
        _import_the_daemon()
        with _timed() as load:
            bundle = open_bundle(config)
            reader, synthesizer = make_reader(config, bundle), make_synthesizer(bundle)
            warm_up(reader, synthesizer)
        ready_s = _seconds_since_start()
        after_load = rss_mb()
        measured = _Measured(bundle, reader, synthesizer)
        before = _cpu_ticks()
        conditions = _Conditions()
        for run in range(runs):
            progress.say(f"run {run + 1} of {runs}")
            measured.run()
            conditions.look()
        threads = sum(ticks > before.get(thread, 0) for thread, ticks in _cpu_ticks().items())
        progress.say("the text front end")
        text = text_cost(bundle.path, bundle.languages)
        if memory:
            progress.say("memory by part")
        parts = {"memory": memory_by_part(bundle.path, bundle.languages)} if memory else {}
        kept = kept_cost(Stages(reader, synthesizer, bundle), TEXTS[FIRST_AUDIO])
    import onnxruntime

    figures = {
        "machine": _machine(),
        "cosyedge": __version__,
        "python": platform.python_version(),
        "onnxruntime": onnxruntime.__version__,
        "bundle": f"{bundle.name} {bundle.version}",
        "bundle_mb": round(bundle.size_bytes / 2**20, 2),
        "runs": runs,
        "load_s": round(load.wall, 3),
        "load_s_cpu": round(load.cpu, 3),
        "ready_s": round(ready_s, 2),
        "rss_after_load_mb": round(after_load, 1),
        "rss_steady_mb": round(rss_mb(), 1),
        "peak_rss_mb": Health().read().peak_rss_mb,
        **measured.figures(),
        "inference_threads": threads,
        **conditions.figures(),
        **kept,
        "text_rss_mb": text.rss_mb,
        "text_ms_cpu": text.cpu_ms,
        **parts,
    }
    return figures | {"ratios": ratios(figures)}


def ratios(figures: dict[str, Any]) -> dict[str, float]:
    """What a slower machine does not change: CPU times of this run to each other."""
    texts = figures["texts"]
    pairs = {
        "rtf_zh_200_to_zh_30": (texts["zh_200"]["rtf_p50_cpu"], texts["zh_30"]["rtf_p50_cpu"]),
        "rtf_en_to_zh_30": (texts["en"]["rtf_p50_cpu"], texts["zh_30"]["rtf_p50_cpu"]),
        "kept_to_first_audio": (figures["first_kept_ms_p50_cpu"], figures["first_audio_ms_p50_cpu"]),
    }
    return {name: round(a / b, 3) for name, (a, b) in pairs.items() if a is not None and b}


class _Conditions:
    """How the machine was during the runs."""

    def __init__(self) -> None:
        self._health = Health()
        self._readings = [self._health.read()]

    def look(self) -> None:
        self._readings.append(self._health.read())

    def figures(self) -> dict[str, Any]:
        ours = self._readings[1:]  # the percentage of the first is of nothing
        heat = [r.cpu_temp_c for r in self._readings if r.cpu_temp_c is not None]
        throttled = [r.throttled for r in self._readings if r.throttled is not None]
        return {
            "cpu_percent": round(sum(r.cpu_percent for r in ours) / len(ours), 1),
            "threads": max(r.threads for r in ours),
            "cpu_temp_c": [min(heat), max(heat)] if heat else None,
            "throttled": any(throttled) if throttled else None,
        }


class _Measured:
    """The measured runs."""

    def __init__(self, bundle: Bundle, reader: Reader, synthesizer: Synthesizer) -> None:
        self._bundle = bundle
        self._reader = reader
        self._synthesizer = synthesizer
        self._clauses = {name: self._read(text) for name, text in TEXTS.items()}
        self._rtf: dict[str, list[_Took]] = {name: [] for name in TEXTS}
        self._audio_s: dict[str, float] = {}
        self._first_of: dict[str, list[_Took]] = {name: [] for name in TEXTS}
        for clauses in self._clauses.values():  # once, unmeasured: a daemon has spoken before
            self._speak(clauses)

    def run(self) -> None:
        """Every text once, then the first samples of each; those of the short one a few times."""
        for name, clauses in self._clauses.items():
            with _timed() as took:
                audio_s = self._speak(clauses)
            self._audio_s[name] = audio_s
            self._rtf[name].append(_Took(took.wall / audio_s, took.cpu / audio_s))
        for name in (*TEXTS, *(FIRST_AUDIO,) * (_FIRST_AUDIO_RUNS - 1)):
            with _timed() as took:
                clause = next(iter(self._reader.read(TEXTS[name])))
                stream = self._synthesizer.stream(clause, self._voice(self._clauses[name]))
                next(stream)
            stream.close()
            self._first_of[name].append(_Took(took.wall * 1000, took.cpu * 1000))

    def figures(self) -> dict[str, Any]:
        every = [took for of_text in self._rtf.values() for took in of_text]
        return {
            **_percentiles("rtf", every, 4),
            **_percentiles("first_audio_ms", self._first_of[FIRST_AUDIO], 1),
            "texts": {
                name: {
                    "audio_s": round(self._audio_s[name], 2),
                    **_percentiles("rtf", took, 4),
                    **_percentiles("first_audio_ms", self._first_of[name], 1),
                }
                for name, took in self._rtf.items()
            },
        }

    def _read(self, text: str) -> list[Phonemes]:
        return list(self._reader.read(text))

    def _voice(self, clauses: list[Phonemes]) -> Voice:
        return self._bundle.choose_voice("auto", clauses[0].spans[0].lang)

    def _speak(self, clauses: list[Phonemes]) -> float:
        """Seconds of speech that were made."""
        voice = self._voice(clauses)
        made = sum(len(samples) for clause in clauses for samples in self._synthesizer.stream(clause, voice))
        return made / SAMPLE_RATE


def _percentiles(name: str, took: list[_Took], digits: int) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for suffix, values in (("", [t.wall for t in took]), ("_cpu", [t.cpu for t in took])):
        for percent in (50, 95):
            value = percentile(values, percent)
            found[f"{name}_p{percent}{suffix}"] = None if value is None else round(value, digits)
    return found


def _import_the_daemon() -> None:
    """Every module that a daemon has imported once it speaks, so that its memory is counted."""
    import cosyedge.daemon
    import cosyedge.playback.alsa
    from cosyedge.errors import PlaybackError
    from cosyedge.playback.portaudio import PortAudio

    del cosyedge
    try:
        sound = PortAudio("default")
        sound.prepare()
        sound.shut()
    except PlaybackError as error:
        print(f"without a sound system: {error}", file=sys.stderr)


def _machine() -> str:
    """The board or processor, the number of its cores, and the architecture."""
    try:
        name = Path("/proc/device-tree/model").read_text().strip("\0 \n")
    except OSError:
        cpuinfo = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.partition(":")[2].strip() for line in cpuinfo if line.startswith("model name")]
        name = names[0] if names else "unknown processor"
    return f"{name}, {os.cpu_count()} cores, {platform.machine()}"


def _seconds_since_start() -> float:
    """Since this process was started (proc(5), field 22 of stat), with the kernel's clock since boot."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    started_s = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started_s


def _cpu_ticks() -> dict[str, int]:
    """CPU time of each OS thread of this process, in ticks of 10 ms: user and system."""
    ticks = {}
    for task in Path("/proc/self/task").iterdir():
        fields = (task / "stat").read_text().rpartition(")")[2].split()
        ticks[task.name] = int(fields[11]) + int(fields[12])
    return ticks
