"""Many announcements in one process, with all that goes wrong in a house, and the account of every one.

``python -m tests.soak --hours 24`` (or ``scripts/soak.sh``) starts a broker, a daemon and a sound card (the
null sink of a private PulseAudio, in real time), and asks for announcements without a pause. By chance there
come payloads that are none, stops, interruptions, repetitions and commands that can't be carried out; the
broker is restarted or killed, and the card vanishes. In the end every announcement must have ended in exactly
one way, the counters of the health message must agree, and the figures are printed: memory and its growth,
open files, threads, underruns. Ctrl-C ends it early. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.result import FINAL
from cosyedge.options import Config
from tests.broker import Broker, Peer
from tests.end_to_end.node import RunningNode
from tests.playback.sound import PulseNull
from tests.trend import slope

ROOT: Final = Path(__file__).parent.parent
BUNDLES: Final = {
    "tiny": Path(__file__).parent / "data" / "voice" / "tiny",
    "shipped": ROOT / "models" / Config().models.bundle,
}
BASE: Final = "cosyedge/attic"
PATIENCE_S: Final = 180.0
TEXTS: Final = ("好。", "门开了。", "Dinner is ready.", "10:30", "😀", "", "今天天气不错。", "好了。水开了。")
BAD: Final = (
    (b"\xff\xfe\x00", "not_utf8"),
    (b'{"text": "broken', "bad_json"),
    (b'{"text": "x", "volumne": 1}', "unknown_key"),
    (b"{{ states.sensor }}", "template_not_rendered"),
    (b'{"text": "x", "speed": 9}', "bad_value"),
    (b"x" * 5000, "text_too_long"),
)
BAD_COMMANDS: Final = (("volume/set", "loud"), ("speed/set", "9"), ("mute/set", "perhaps"), ("stop", "{"))
_ABSENT: Final = "pcm.absent {\n type hw\n card absent\n}\n"
#: Announcements that may be on their way at a time.
_MOST_WAITING: Final = 12
#: The first tenth of a run fills caches; growth is counted from there.
_WARM_UP: Final = 0.1


@dataclass(frozen=True)
class Plan:
    """``card``: ``paced`` (real time), ``null`` (an ALSA PCM that takes sound as fast as it comes and so runs
    dry: its underruns say nothing) or ``wav`` (files, which can't vanish). Faults come once in so many
    announcements; 0 for never.
    """

    count: int | None = None
    hours: float | None = None
    voice: str = "tiny"
    card: str = "paced"
    seed: int = 1
    broker_every: int = 200
    card_every: int = 300


@dataclass
class Report:
    """``wrong`` is empty when all is accounted for. Memory in MB of 1,048,576 bytes."""

    announcements: int = 0
    hours: float = 0.0
    finals: Counter[str] = field(default_factory=Counter)
    bad_payloads: int = 0
    commands: int = 0
    broker_restarts: int = 0
    card_losses: int = 0
    told_twice: int = 0
    underruns: int = 0
    rss_warm_mb: float = 0.0
    rss_end_mb: float = 0.0
    rss_growth_mb: float = 0.0
    rss_slope_mb_per_hour: float = 0.0
    rss_slope_error: float = 0.0
    """half the width of the slope's 95 % confidence interval"""
    open_files: tuple[int, int] = (0, 0)
    """least and most, after the warm-up"""
    threads: tuple[int, int] = (0, 0)
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Sample:
    hours: float
    rss_mb: float
    files: int
    threads: int


class Soak:
    """One run. ``say`` is told of progress, about once a minute."""

    def __init__(self, plan: Plan, folder: Path, say: Callable[[str], None] = lambda words: None) -> None:
        self._plan = plan
        self._folder = folder
        self._say = say
        self._chance = random.Random(plan.seed)
        self._report = Report()
        self._expected: dict[str, str | None] = {}  # id → the error that it must end with
        self._finals: dict[str, list[str]] = {}
        self._waiting: set[str] = set()
        self._bad_told: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        self._health: dict[str, Any] = {}
        self._state: dict[str, Any] = {}
        self._samples: list[_Sample] = []
        self._wav: Path | None = None
        self._enough = False

    def run(self) -> Report:
        with ExitStack() as stack:
            self._pulse = stack.enter_context(_pulse()) if self._plan.card == "paced" else None
            self._broker = stack.enter_context(Broker(self._folder / "broker", persistence=True, log="error"))
            self._peer = Peer(self._broker, f"{BASE}/#", session="watcher")
            stack.callback(self._peer.close)
            self._peer._client.reconnect_delay_set(0.05, 1)  # type: ignore[arg-type]
            self._node = RunningNode(
                self._folder / "node", BUNDLES[self._plan.voice], self._broker.port,
                self._environment(), **self._flags(),
            )  # fmt: skip
            stack.callback(self._node.close)
            self._node.wait_until_ready()
            self._until(lambda: self._state.get("queue") == 0, "the node did not come online")
            self._announce_all()
            self._until(lambda: not self._waiting, "not all was told")
            self._until(self._counters_agree, "the counters of the health message never agreed", quietly=True)
            code = self._node.stop()
            if code != 0:
                self._report.wrong.append(f"the daemon ended with {code}")
        self._conclude()
        return self._report

    def _environment(self) -> dict[str, str]:
        self._configuration = self._folder / "asound.conf"
        self._configuration.write_text(self._card())
        return {"ALSA_CONFIG_PATH": str(self._configuration)}

    def _card(self) -> str:
        return (self._pulse.pcm("card") if self._pulse else "pcm.card {\n type null\n}\n") + _ABSENT

    def _flags(self) -> dict[str, Any]:
        flags: dict[str, Any] = {"health_interval_s": 5, "log_level": "warning"}
        if self._plan.card == "wav":
            self._wav = self._folder / "wav"
            self._wav.mkdir()
            return flags | {"audio_output": "wav", "audio_wav_path": self._wav}
        idle_close_s = 3 if self._pulse else 0  # what has no server is only looked for when it is opened
        return flags | {
            "audio_device": "card", "audio_lead_in_s": 0.05, "audio_idle_close_s": idle_close_s
        }  # fmt: skip

    def _announce_all(self) -> None:
        plan = self._plan
        began = time.monotonic()
        end = began + 3600 * plan.hours if plan.hours else None
        number, told_at = 0, began
        while not self._enough and (number < plan.count if plan.count else time.monotonic() < (end or 0.0)):
            number += 1
            self._one(number)
            if number % 10 == 0:
                self._sample(began)
            if plan.broker_every and number % plan.broker_every == 0:
                self._restart_broker()
            if plan.card_every and number % plan.card_every == plan.card_every // 2 and plan.card != "wav":
                self._lose_card()
            self._until(lambda: len(self._waiting) < _MOST_WAITING, "nothing ends any more")
            if time.monotonic() - told_at > 60:
                told_at = time.monotonic()
                self._say(f"{number} announcements, {self._samples[-1].rss_mb:.1f} MB")
        self._report.announcements = number
        self._report.hours = (time.monotonic() - began) / 3600

    def _one(self, number: int) -> None:
        chance, draw = self._chance, self._chance.random()
        if draw < 0.06:
            payload, error = chance.choice(BAD)
            self._bad_told[error] += 1
            self._report.bad_payloads += 1
            self._publish("say", payload)
        elif draw < 0.10:
            self._publish("stop", chance.choice(["", '{"queue": true}', "PRESS"]))
        elif draw < 0.13:
            self._report.commands += 1
            self._publish(*chance.choice(BAD_COMMANDS))
        say: dict[str, Any] = {"id": f"n{number}", "text": chance.choice(TEXTS)}
        if chance.random() < 0.2:
            say["priority"] = chance.choice(["low", "high", "urgent"])
        if chance.random() < 0.06:
            say["mode"] = chance.choice(["interrupt", "interrupt", "replace"])
        if chance.random() < 0.06:
            say["ttl_s"] = round(0.01 + chance.random(), 2)
        if chance.random() < 0.04:
            say["chime"] = True
        self._waiting.add(say["id"])
        self._finals[say["id"]] = []
        for _ in range(1 + (chance.random() < 0.04)):
            self._publish("say", json.dumps(say))

    def _publish(self, topic: str, payload: str | bytes) -> None:
        self._until(self._peer._client.is_connected, "there is no broker")
        self._peer.publish(f"{BASE}/{topic}", payload)

    def _restart_broker(self) -> None:
        self._report.broker_restarts += 1
        if self._chance.random() < 0.5:
            self._broker.save()
            self._broker.kill()
        else:
            self._broker.stop()
        time.sleep(self._chance.random())
        self._broker.start()

    def _lose_card(self) -> None:
        self._report.card_losses += 1
        pause_s = self._chance.random() * 3
        if self._pulse:
            self._pulse.vanish()
            time.sleep(pause_s)
            self._pulse.start()
        else:
            self._configure(_ABSENT)
            time.sleep(pause_s)
            self._configure(self._card())

    def _configure(self, text: str) -> None:
        """In one step, and so that ALSA notices."""
        new = self._configuration.with_suffix(".new")
        new.write_text(text)
        later = self._configuration.stat().st_mtime + 2
        os.utime(new, (later, later))
        new.replace(self._configuration)

    # --- what is told

    def _listen(self) -> None:
        with self._peer._arrived:
            messages, self._peer.messages = self._peer.messages, []
        for message in messages:
            topic = message.topic.removeprefix(f"{BASE}/")
            if topic == "result":
                self._hear(json.loads(message.payload))
            elif topic == "health":
                self._health = json.loads(message.payload)
            elif topic == "state":
                self._state = json.loads(message.payload)

    def _hear(self, result: dict[str, Any]) -> None:
        id_, state = result["id"], result["state"]
        if state not in FINAL:
            return
        if id_ in self._finals:
            if state == "duplicate":
                self._report.finals["duplicate"] += 1
                return
            if self._finals[id_]:
                self._report.told_twice += 1
            else:
                self._report.finals[state] += 1
            self._finals[id_].append(state)
            self._waiting.discard(id_)
        else:
            self._told[result.get("error", state)] += 1

    def _counters_agree(self) -> bool:
        """The daemon's own count; what the broker sent twice it may have counted as a duplicate or a failure
        more.
        """
        counted, told = self._health.get("announcements", {}), self._report.finals
        return all(counted.get(state) == told[state] for state in ("finished", "cancelled", "expired"))

    def _until(self, condition: Callable[[], bool], what: str, *, quietly: bool = False) -> None:
        give_up = time.monotonic() + (20 if quietly else PATIENCE_S)
        self._listen()
        while not condition():
            if time.monotonic() > give_up:
                words = f"{what}; waiting: {sorted(self._waiting)[:20]}; health: {self._health}"
                if quietly:
                    self._report.wrong.append(words)
                    return
                raise AssertionError(f"{words}\n{self._node.log[-3000:]}")
            time.sleep(0.01)
            self._listen()

    def end(self) -> None:
        """Asks for no more; what is asked for is still accounted for."""
        self._enough = True

    def _sample(self, began: float) -> None:
        for file in self._wav.glob("*.wav") if self._wav else ():
            file.unlink()
        process = Path("/proc") / str(self._node.process.pid)
        pages = int((process / "statm").read_text().split()[1])
        self._samples.append(
            _Sample(
                hours=(time.monotonic() - began) / 3600,
                rss_mb=pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
                files=len(list((process / "fd").iterdir())),
                threads=len(list((process / "task").iterdir())),
            )
        )

    # --- the account

    def _conclude(self) -> None:
        report = self._report
        for id_, finals in self._finals.items():
            if len(set(finals)) != 1:
                report.wrong.append(f"{id_} ended as {finals}")
        for code, count in self._bad_told.items():
            if self._told[code] < count:
                report.wrong.append(f"{count} payloads were {code}, {self._told[code]} were told of")
        report.underruns = self._health["underruns"]
        if report.underruns and self._plan.card == "paced":
            report.wrong.append(f"{report.underruns} underruns")
        if self._health["results_dropped"]:
            report.wrong.append(f"{self._health['results_dropped']} results were dropped")
        warm = self._samples[int(len(self._samples) * _WARM_UP) :]
        if not warm:
            return
        tenth = max(1, len(warm) // 10)
        report.rss_warm_mb = round(statistics.median(sample.rss_mb for sample in warm[:tenth]), 2)
        report.rss_end_mb = round(statistics.median(sample.rss_mb for sample in warm[-tenth:]), 2)
        report.rss_growth_mb = round(report.rss_end_mb - report.rss_warm_mb, 2)
        growth, error = slope([sample.hours for sample in warm], [sample.rss_mb for sample in warm])
        report.rss_slope_mb_per_hour, report.rss_slope_error = round(growth, 3), round(error, 3)
        files, threads = [s.files for s in warm], [s.threads for s in warm]
        report.open_files = min(files), max(files)
        report.threads = min(threads), max(threads)


@contextmanager
def _pulse() -> Iterator[PulseNull]:
    pulse = PulseNull()
    try:
        pulse.start()
        yield pulse
    finally:
        pulse.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__.partition("\n")[0])
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--hours", type=float, help="for so long")
    length.add_argument("--count", type=int, help="so many announcements")
    parser.add_argument("--voice", choices=sorted(BUNDLES), default="shipped")
    parser.add_argument("--card", choices=("paced", "null", "wav"), default="paced")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cosyedge-soak-") as folder:
        soak = Soak(Plan(**vars(asked)), Path(folder), lambda words: print(words, flush=True))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: soak.end())
        report = soak.run()
    print(f"announcements   {report.announcements} in {report.hours:.2f} h: {dict(report.finals)}")
    print(f"memory          {report.rss_warm_mb} MB warm, {report.rss_end_mb} MB at the end")
    print(f"growth          {report.rss_slope_mb_per_hour} ± {report.rss_slope_error} MB per hour (95 %)")
    print(f"open files      {report.open_files[0]} to {report.open_files[1]}")
    print(f"threads         {report.threads[0]} to {report.threads[1]}")
    print(f"underruns       {report.underruns}")
    print(f"wrong           {report.wrong or 'nothing'}")
    print(json.dumps(vars(report)), flush=True)
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
