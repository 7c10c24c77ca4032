"""Everything that can be asked of a node but an announcement: bytes → :class:`Command`, pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from cosyedge.announcements.say_object import Limits, check_value
from cosyedge.errors import AnnouncementError

CommandName = Literal["stop", "volume", "mute", "voice", "lang", "speed", "test", "repeat", "status", "cache"]

_LONGEST: Final = 256  # bytes; the longest sensible command is an object of one key
# float() alone would also take "nan", "1_0" and digits of other scripts.
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,6}(?:\.[0-9]{1,17})?\Z")
_VOICE: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")


@dataclass(frozen=True, slots=True)
class Command:
    """What was asked. ``value`` is

    - for ``stop`` a bool: whether the queue is to be emptied as well;
    - for ``volume`` 0..1, of which the topic carries percent; for ``speed`` 0.5..2.0;
    - for ``mute`` a bool; for ``voice`` and ``lang`` the name; else None.
    """

    name: CommandName
    value: float | bool | str | None = None


def parse_command(command: str, payload: bytes) -> Command:
    """The command of a topic's end (``volume/set``) and its payload.

    Raises :class:`AnnouncementError`: ``payload_too_large``, ``not_utf8``, ``bad_json``, ``unknown_key``,
    ``bad_value``, ``unknown_lang``. Whether a voice is installed is for whoever carries it out to say.
    """
    if len(payload) > _LONGEST:
        raise AnnouncementError("payload_too_large", f"{command} takes at most {_LONGEST} bytes.")
    if command == "test":
        return Command("test")  # a button sends what it likes
    if command == "repeat":
        return Command("repeat")
    if command == "status/get":
        return Command("status")
    if command == "cache/clear":
        return Command("cache")
    try:
        text = payload.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise AnnouncementError("not_utf8", f"The payload of {command} is not UTF-8.") from None
    return _PARSERS[command](text)


def _stop(text: str) -> Command:
    # A button's own word ("PRESS", "stop", nothing at all) must stop the speech; only an object can ask more.
    if not text.startswith(("{", "[")):
        return Command("stop", False)
    try:
        asked = json.loads(text)
    except ValueError:
        raise AnnouncementError("bad_json", "The payload of stop is not valid JSON.") from None
    if not isinstance(asked, dict):
        raise AnnouncementError("bad_json", "stop takes one object, not a list.")
    for key in asked:
        if key != "queue":
            raise AnnouncementError("unknown_key", f"stop knows the key 'queue', not {key[:64]!r}.")
    queue = asked.get("queue", False)
    if not isinstance(queue, bool):
        raise AnnouncementError("bad_value", "queue is true or false.")
    return Command("stop", queue)


def _number(what: str, text: str, lowest: float, highest: float) -> float:
    value = float(text) if _NUMBER.match(text) else None
    if value is None or not lowest <= value <= highest:
        raise AnnouncementError("bad_value", f"{what} takes a number from {lowest:g} to {highest:g}.")
    return value


def _volume(text: str) -> Command:
    return Command("volume", _number("volume/set", text, 0, 100) / 100)


def _speed(text: str) -> Command:
    return Command("speed", _number("speed/set", text, 0.5, 2.0))


def _mute(text: str) -> Command:
    if text.upper() not in ("ON", "OFF"):
        raise AnnouncementError("bad_value", "mute/set takes ON or OFF.")
    return Command("mute", text.upper() == "ON")


def _voice(text: str) -> Command:
    if not _VOICE.match(text):
        raise AnnouncementError("unknown_voice", "voice/set takes auto or the name of a voice.")
    return Command("voice", text)


def _lang(text: str) -> Command:
    return Command("lang", check_value("lang", text, Limits()))


_PARSERS: Final[Mapping[str, Callable[[str], Command]]] = {
    "stop": _stop,
    "volume/set": _volume,
    "mute/set": _mute,
    "voice/set": _voice,
    "lang/set": _lang,
    "speed/set": _speed,
}
