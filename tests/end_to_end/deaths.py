"""A daemon that dies again and again, at moments drawn by chance, and what became of all that it was to say.

One broker, one watcher, one folder of WAV files. A life begins with messages that wait at the broker, gets
more while it runs, and ends by SIGKILL: at a call of one of its own functions (:data:`.nursery.MOMENTS`), or
at any time. To every other death belongs a power cut, which takes what was not fsynced. In the end one more
life says what is left, and every text once more for comparison; then each id is accounted for by what was
told of it and by what was heard.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.attempts import FILE_NAME as ATTEMPTS
from cosyedge.announcements.journal_file import FILE_NAME
from tests.broker import Broker, Peer
from tests.end_to_end.account import Account, Asked, finals_of, heard_whole, reconcile
from tests.end_to_end.nursery import MOMENTS, Death, Life, Nursery, cut_power

BASE: Final = "cosyedge/attic"
PATIENCE_S: Final = 90.0
#: Texts differ in sound; they come again after so many, by which time the first is long over.
TEXTS: Final = tuple(
    f"{word} {other}."
    for word in ("dinner", "morning", "kitchen", "window", "water")
    for other in ("is ready", "is open", "will come", "has gone", "in ten", "at home", "too late", "now")
)
#: How many calls of a moment a life may have, about.
_MOST_CALLS: Final = {"recover": 1, "compact": 1, "connect": 1, "samples": 40, "play": 40, "publish": 60}
_CALLS: Final = 6
#: Before anything is spoken there are as many moments as after that; most deaths are to come later.
_LATE: Final = tuple(MOMENTS)[list(MOMENTS).index("take") :]


class Series:
    """``broker`` runs; ``watcher`` is a peer with a session, so that no result escapes it."""

    def __init__(
        self, folder: Path, bundle: Path, broker: Broker, watcher: Peer, nursery: Nursery, *, seed: int
    ) -> None:
        self.account = Account()
        self.asked: list[Asked] = []
        self._broker = broker
        self._watcher = watcher
        self._nursery = nursery
        watcher._client.reconnect_delay_set(0.05, 1)  # type: ignore[arg-type]
        self._chance = random.Random(seed)
        self._state = folder / "state"
        self._wav = folder / "wav"
        self._log = folder / "daemon.log"
        for made in (self._state, self._wav):
            made.mkdir(parents=True, exist_ok=True)
        options = {
            "models-dir": bundle.parent, "models-bundle": bundle.name, "mqtt-host": broker.host,
            "mqtt-port": broker.port, "mqtt-node": "attic", "state-dir": self._state, "audio-output": "wav",
            "audio-wav-path": self._wav, "queue-max-announcements": 1000, "log-level": "warning",
        }  # fmt: skip
        self._arguments = ["run", "--config", os.devnull]
        for name, value in options.items():
            self._arguments += [f"--{name}", str(value)]
        self._lives: list[int] = []  # number of WAV files at the end of each
        self._position = 0  # in the watcher's messages
        self._online = 0
        self._states: dict[str, list[dict[str, Any]]] = {}
        self._sent = 0  # of the broker's log
        self._unacknowledged: list[Asked] = []

    def run(self, deaths: int) -> Account:
        """Lives and dies so many times, lives once more, and gives account."""
        self._born()
        self._wait_online()
        for number in range(deaths):
            self._end_of_life(number)
            if self._broker_forgets:
                self._born(self._death())
                self._wait_online_or_end()
            else:
                self._say(self._chance.randrange(4))
                self._born(self._death())
            self._live(self._chance.randrange(1, 4))
        self._end_of_life(deaths)
        self._born()
        self._until(self._is_all_told, "not all was told")
        references = self._say_references()
        os.kill(self._pid, signal.SIGTERM)
        assert self._nursery.ended(PATIENCE_S) == 0, self._log.read_text()
        heard = heard_whole(self._files()[: self._lives[-1]], references, self._lives)
        reconcile(self.account, self.asked, self._states, heard)
        return self.account

    @property
    def _broker_forgets(self) -> bool:
        return "persistence false" in (self._broker.folder / "mosquitto.conf").read_text()

    # --- living and dying

    def _born(self, death: Death | None = None) -> None:
        self._death_of_this = death
        self._online_before = self._online
        self._pid = self._nursery.bear(Life(self._arguments, str(self._log), death))
        self._ended = False

    def _death(self) -> Death | None:
        if self._chance.random() < 0.25:
            return None  # at any time
        moment = self._chance.choice([*MOMENTS, *_LATE, *_LATE])
        most = _MOST_CALLS.get(moment, _CALLS)
        return Death(moment, self._chance.randint(1, most), self._chance.random() < 0.5)

    def _live(self, more: int) -> None:
        """Until it dies: by its own hand, when all was said, or at some time."""
        give_up = time.monotonic() + PATIENCE_S
        at_any_time = self._death_of_this is None
        say_at = sorted(self._chance.random() for _ in range(more))
        die_after = self._chance.randrange(1, 8)  # messages of the daemon
        restart_broker = not self._broker_forgets and self._chance.random() < 0.05
        heard = self._position
        while not self._is_ended(0.005):
            self._listen()
            told = self._position - heard
            while say_at and (self._online > self._online_before or not self._broker_forgets):
                say_at.pop()
                self._say(1)
                if restart_broker:
                    restart_broker = False
                    self._restart_broker()
            if at_any_time and told >= die_after:
                time.sleep(self._chance.random() * 0.03)
                self._kill("any time")
            elif not say_at and self._is_all_told():
                self._kill("idle")
            assert time.monotonic() < give_up, f"it neither dies nor goes on\n{self._log.read_text()[-3000:]}"

    def _is_ended(self, timeout_s: float) -> bool:
        if self._ended:
            return True
        code = self._nursery.ended(timeout_s)
        if code is None:
            return False
        assert code == -9, f"it ended by itself, with {code}\n{self._log.read_text()[-3000:]}"
        self._ended = True
        death = self._death_of_this
        if death is not None:
            self.account.deaths[death.moment] += 1
        return True

    def _kill(self, why: str) -> None:
        try:
            os.kill(self._pid, 9)
        except ProcessLookupError:  # it was faster
            return
        if self._nursery.ended(30) is not None:
            self._ended = True
            self.account.deaths[why] += 1

    def _end_of_life(self, number: int) -> None:
        if not self._ended:
            self._kill("idle")
        self._lives.append(len(self._files()))
        if self._chance.random() < 0.5:
            self.account.power_cuts += 1
            self.account.bytes_cut += cut_power(self._state / FILE_NAME)
            (self._state / ATTEMPTS).unlink(missing_ok=True)  # it is never synchronised
        if self._chance.random() < (0.3 if self._broker_forgets else 0.08):
            self._restart_broker()

    def _restart_broker(self) -> None:
        self.account.broker_restarts += 1
        if self._broker_forgets:
            self._note_acknowledgements()
            for asked in self._unacknowledged:
                asked.may_be_lost = True
            self._unacknowledged.clear()
        else:
            self._broker.save()
        self._broker.kill() if self._chance.random() < 0.5 else self._broker.stop()
        self._broker.start()
        self._until(self._watcher._client.is_connected, "the watcher did not come back")
        self._watcher._subscribed.clear()
        self._watcher._client.subscribe("#", 1)
        assert self._watcher._subscribed.wait(30)

    def _untold(self) -> str:
        """For a message of failure."""
        named = {
            asked.id: [result["state"] for result in self._states.get(asked.id, ())]
            for asked in self.asked
            if asked.id and not asked.may_be_lost and not self._finals(asked.id)
        }
        others = {asked.id for asked in self.asked}
        nameless = {
            id_: [result["state"] for result in states]
            for id_, states in self._states.items()
            if id_ not in others and not self._finals(id_)
        }
        asked_without = sum(asked.id is None for asked in self.asked)
        return f"{named}; of {asked_without} without a name these have not ended: {nameless}"

    # --- asking and listening

    def _say(self, count: int) -> None:
        for _ in range(count):
            number = len(self.asked)
            asked = Asked(TEXTS[number % len(TEXTS)], f"n{number}", expires=self._chance.random() < 0.2)
            payload: dict[str, Any] = {"id": asked.id, "text": asked.text}
            payload["priority"] = self._chance.choice(["low", "normal", "normal", "high", "urgent"])
            if self._chance.random() < 0.1:
                payload["mode"] = "replace" if self._chance.random() < 0.1 else "interrupt"
            if asked.expires:
                payload["ttl_s"] = round(0.02 + self._chance.random() * 2, 3)
            if self._chance.random() < 0.15 and not asked.expires:
                asked.id = None
            asked.deaths_before = sum(self.account.deaths.values())
            self.asked.append(asked)
            self._unacknowledged.append(asked)
            text = asked.text if asked.id is None else json.dumps(payload)
            self._until(self._watcher._client.is_connected, "the watcher has no broker")
            self._watcher.publish(f"{BASE}/say", text)
            if asked.id is not None and self._chance.random() < 0.1:
                self._unacknowledged.append(asked)
                self._watcher.publish(f"{BASE}/say", text)

    def _listen(self) -> None:
        messages = self._watcher.messages
        while self._position < len(messages):
            message = messages[self._position]
            self._position += 1
            if message.topic == f"{BASE}/result":
                result = json.loads(message.payload)
                self._states.setdefault(result["id"], []).append(result)
            elif message.topic == f"{BASE}/availability" and message.payload == b"online":
                self._online += not message.retain

    def _finals(self, id_: str) -> list[str]:
        return finals_of(self._states, id_)

    def _is_told(self, id_: str) -> bool:
        self._listen()
        return bool(self._finals(id_))

    def _is_all_told(self) -> bool:
        """Of what has an id; and what has none and waits is seen in the state of the node."""
        self._listen()
        if not all(asked.may_be_lost or self._finals(asked.id) for asked in self.asked if asked.id):
            return False
        # Lives that died young were told of under another name than those that spoke.
        named = {asked.id for asked in self.asked}
        nameless = sum(bool(self._finals(id_)) for id_ in self._states if id_ not in named)
        return nameless >= sum(not asked.may_be_lost for asked in self.asked if asked.id is None)

    def _wait_online(self) -> None:
        def is_online() -> bool:
            self._listen()
            return self._online > self._online_before

        self._until(is_online, "it did not come online")

    def _wait_online_or_end(self) -> None:
        def is_either() -> bool:
            self._listen()
            return self._online > self._online_before or self._is_ended(0.001)

        self._until(is_either, "it came neither online nor to its end")

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < give_up, f"{what}: {self._untold()}\n{self._log.read_text()[-3000:]}"
            time.sleep(0.005)

    def _note_acknowledgements(self) -> None:
        """Which messages the daemon has taken, as the broker saw it: they are sent in order, each first
        without DUP, under an identifier that the acknowledgement bears.
        """
        log = self._broker.log
        news, self._sent = log[self._sent :], len(log)
        waiting, by_mid = list(self._unacknowledged), {}
        sent = r"Sending PUBLISH to cosyedge-attic \(d0, q1, r0, m(\d+), '[^']*/say'"
        for line in re.finditer(rf"{sent}|Received PUBACK from cosyedge-attic \(Mid: (\d+)", news):
            if line[1] and waiting:
                by_mid[line[1]] = waiting.pop(0)
            elif line[2] in by_mid:
                by_mid[line[2]].acknowledged = True
        self._unacknowledged = [asked for asked in self._unacknowledged if not asked.acknowledged]

    # --- what was heard

    def _files(self) -> list[Path]:
        return sorted(self._wav.glob("*.wav"))

    def _say_references(self) -> dict[bytes, str]:
        """What each text sounds like: the sound of a WAV file → the text."""
        self._lives.append(len(self._files()))
        sounds = {}
        texts = TEXTS[: len(self.asked)]
        for number, text in enumerate(texts):
            id_ = f"reference{number}"
            self._watcher.publish(f"{BASE}/say", json.dumps({"id": id_, "text": text}))
            self._until(partial(self._is_told, id_), f"{id_} was not said")
            sounds[self._files()[-1].read_bytes()] = text
        assert len(sounds) == len(texts), "two texts sound alike"
        return sounds
