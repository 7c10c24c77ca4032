"""A sound on its way from one node to another: how its chunks are marked, and how they become one again.

``render`` publishes an announcement as WAV in numbered chunks. Where its response topic is the topic ``play``
of a node, that node gathers them, and plays them in their turn as what the announcement was: with its
priority, its mode, its time to live and its ``at``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cosyedge.announcements.announcement import Announcement, AnnouncementFailed
from cosyedge.announcements.payload import claims_object
from cosyedge.announcements.say_object import Limits, Priority, check_value, is_id
from cosyedge.errors import AnnouncementError

#: Whose chunks stop coming for so long is given up.
PATIENCE_S: Final = 60.0
_MOST_AT_A_TIME: Final = 4
_MOST_REMEMBERED: Final = 64
_NUMBERS: Final = frozenset({"at", "ttl_s"})
_WISHES: Final = ("priority", "mode", "ttl_s", "at")

Properties = Sequence[tuple[str, str]]


def wishes_of(announcement: Announcement) -> tuple[tuple[str, str], ...]:
    """User properties that say how a rendered announcement is to be played."""
    wishes = []
    for name in _WISHES:
        value = getattr(announcement, name)
        if value is not None and value not in ("queue", Priority.NORMAL):
            wishes.append((name, value.name.lower() if isinstance(value, Priority) else str(value)))
    return tuple(wishes)


@dataclass(frozen=True, slots=True)
class Sound:
    """One that is whole. ``wishes`` are fields of an announcement; ``id`` is None where there was none."""

    id: str | None
    wav: bytes
    wishes: Mapping[str, Any]


@dataclass(slots=True)
class _Transfer:
    touched: float
    wav: bytearray = field(default_factory=bytearray)
    chunks: int = 0


class Chunks:
    """Used by the network thread alone. Never holds more than twice ``most_bytes``."""

    def __init__(self, most_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_bytes = most_bytes
        self._clock = clock
        self._transfers: dict[str, _Transfer] = {}
        self._done: deque[str] = deque(maxlen=_MOST_REMEMBERED)
        self._given_up: deque[str] = deque(
            maxlen=_MOST_REMEMBERED
        )  # each is told of once, not chunk by chunk

    def __len__(self) -> int:
        """Bytes that wait for the rest of their sound."""
        return sum(len(transfer.wav) for transfer in self._transfers.values())

    def add(self, payload: bytes, properties: Properties) -> Sound | None:
        """The sound, if it is whole now. A message without the property ``chunk`` is one.

        What begins as JSON is the result that ``render`` sends to the same topic, and no sound. Chunks that
        come twice are taken once.

        Raises:
            AnnouncementFailed: ``bad_value``, ``payload_too_large``; the sound is given up.
        """
        if claims_object(payload):
            return None
        given = dict(properties)
        id_ = given.get("id")
        if id_ is not None and not is_id(id_):
            raise AnnouncementFailed("bad_value", 'The property "id" is no id.', "play")
        try:
            wishes = _wishes(given)
            if "chunk" not in given:
                return Sound(id_, self._sized(payload), wishes)
            return self._gather(id_, payload, given, wishes)
        except AnnouncementError as error:
            if id_ is not None:
                self._transfers.pop(id_, None)
                self._given_up.append(id_)
            raise AnnouncementFailed(error.code, error.sentence, id_ or "play") from error

    def _gather(
        self, id_: str | None, payload: bytes, given: Mapping[str, str], wishes: Mapping[str, Any]
    ) -> Sound | None:
        number = given["chunk"]
        if id_ is None or not (number.isascii() and number.isdigit() and len(number) < 6):
            raise AnnouncementError("bad_value", "A chunk has an id and a number.")
        index = int(number)
        now = self._clock()
        for stale in [key for key, each in self._transfers.items() if now - each.touched > PATIENCE_S]:
            del self._transfers[stale]
        if index == 0:
            if id_ in self._done:
                return None
            known = self._transfers.get(id_)
            if known is not None and known.chunks == 1 and known.wav == payload:
                return None  # the broker sent it twice
            self._transfers[id_] = _Transfer(now)  # also when its making was interrupted, and began again
            if id_ in self._given_up:
                self._given_up.remove(id_)
        transfer = self._transfers.get(id_)
        if transfer is None:
            if id_ in self._done or id_ in self._given_up:
                return None
            raise AnnouncementError("bad_value", f"Chunk {index} came without those before it.")
        if index < transfer.chunks:
            return None
        if index > transfer.chunks:
            raise AnnouncementError("bad_value", f"Chunk {transfer.chunks} is missing.")
        self._sized(payload, len(transfer.wav))
        transfer.wav += payload
        transfer.chunks += 1
        transfer.touched = now
        if given.get("last") == "true":
            del self._transfers[id_]
            self._done.append(id_)
            return Sound(id_, bytes(transfer.wav), wishes)
        self._make_room(id_)
        return None

    def _sized(self, payload: bytes, before: int = 0) -> bytes:
        if before + len(payload) > self._most_bytes:
            raise AnnouncementError(
                "payload_too_large", f"The sound has more than {self._most_bytes // 1024} kB."
            )
        return payload

    def _make_room(self, keep: str) -> None:
        while len(self._transfers) > _MOST_AT_A_TIME or len(self) > 2 * self._most_bytes:
            others = (key for key in self._transfers if key != keep)
            del self._transfers[min(others, key=lambda key: self._transfers[key].touched)]


def _wishes(given: Mapping[str, str]) -> dict[str, Any]:
    wishes: dict[str, Any] = {}
    for name in _WISHES:
        if name not in given:
            continue
        value: object = given[name]
        if name in _NUMBERS:
            try:
                value = float(given[name])
            except ValueError:
                raise AnnouncementError("bad_value", f'"{name}" is a number.') from None
        wishes[name] = check_value(name, value, Limits())
    return wishes
