"""The keys of a say object: what each takes, and the sentence for one who gave something else."""

from __future__ import annotations

import difflib
import enum
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeGuard, get_args

from cosyedge.announcements.payload import quoted
from cosyedge.errors import AnnouncementError
from cosyedge.text.language_tags import language_of

Mode = Literal["queue", "interrupt", "replace"]

LANGS: Final = ("auto", "zh", "yue", "en", "ja", "ko")
LONGEST_ID: Final = 128
SLOWEST: Final = 0.5
FASTEST: Final = 2.0
#: Seconds; in the year 5138. What is above is a time in milliseconds.
LATEST_AT: Final = 1e11

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Not over the next beginning: so many of them cost no more than one.
_TEMPLATE: Final = re.compile(r"\{\{(?:(?!\{\{).)*?\}\}|\{%(?:(?!\{%).)*?%\}", re.DOTALL)
# C0 without tab and newline, DEL, C1: they part words but have no sound.
_TO_SPACE: Final = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160)], " ")


class Priority(enum.IntEnum):
    """Who speaks first; ``URGENT`` does not even wait for the one that is speaking."""

    LOW = 0
    NORMAL = 1
    HIGH = 2
    URGENT = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """What a payload may ask for. ``voices`` and ``chimes`` are the names that are installed."""

    max_chars: int = 1000
    voices: frozenset[str] = frozenset({"auto"})
    chimes: frozenset[str] = frozenset()


def check_object(asked: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """The fields of an announcement from the keys of a say object.

    Raises:
        AnnouncementError: what :func:`cosyedge.announcements.announcement.from_bytes` says.
    """
    for key in asked:
        if key not in _CHECKS:
            raise AnnouncementError("unknown_key", f"There is no key {quoted(key)}.{_suggestion(key)}")
    if "text" not in asked:
        raise AnnouncementError("missing_text", 'The object has no "text".')
    if "voice" in asked and "speaker" in asked:
        raise AnnouncementError("bad_value", '"voice" and "speaker" are the same: give one of them.')
    values = {key: check_value(key, value, limits) for key, value in asked.items()}
    if "speaker" in values:
        values["voice"] = values.pop("speaker")
    return values


def check_value(key: str, value: object, limits: Limits) -> Any:
    """The value of one key.

    Raises:
        AnnouncementError: it is not of the kind that the key takes.
    """
    return _CHECKS[key](key, value, limits)


def too_long(limits: Limits) -> AnnouncementError:
    return AnnouncementError("text_too_long", f"text too long > {limits.max_chars} chars")


def _suggestion(key: str) -> str:
    for name, others in _OFTEN_MEANT.items():
        if key.casefold() in others:
            return f' Did you mean "{name}"?'
    if len(key) <= 40:
        close = difflib.get_close_matches(key.casefold(), _CHECKS, n=1)
        if close:
            return f' Did you mean "{close[0]}"?'
    return f" The keys are {', '.join(_CHECKS)}."


def _text(key: str, value: object, limits: Limits) -> str:
    text = _string(key, value).strip()
    if len(text) > limits.max_chars:
        raise too_long(limits)
    if _TEMPLATE.search(text):
        raise AnnouncementError("template_not_rendered", "The text still has a {{ template }} in it.")
    # Half a character, as a sender that cuts text blindly leaves it, can't be written as UTF-8: it becomes
    # U+FFFD, which has no sound, as a decoder would have made of it.
    text = _LONE_SURROGATE.sub("\ufffd", text)
    return text.replace("\r\n", "\n").translate(_TO_SPACE)


def _id(key: str, value: object, limits: Limits) -> str:
    if not is_id(value):
        raise AnnouncementError("bad_value", f'"{key}" is text of 1 to {LONGEST_ID} printable characters.')
    return value


def is_id(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 1 <= len(value) <= LONGEST_ID and value.isprintable()


def _at(key: str, value: object, limits: Limits) -> float:
    number = _number(key, value)
    if number < 0:
        raise AnnouncementError("bad_value", f'"{key}" is Unix time in seconds, not below 0.')
    if number > LATEST_AT:
        raise AnnouncementError("bad_value", f'"{key}" is Unix time in seconds, not in milliseconds.')
    return number


def _ttl_s(key: str, value: object, limits: Limits) -> float:
    number = _number(key, value)
    if number <= 0:
        raise AnnouncementError("bad_value", f'"{key}" is a number of seconds above 0.')
    return number


def _volume(key: str, value: object, limits: Limits) -> float:
    return _within(key, value, 0.0, 1.0)


def _speed(key: str, value: object, limits: Limits) -> float:
    return _within(key, value, SLOWEST, FASTEST)


def _lang(key: str, value: object, limits: Limits) -> str:
    asked = _string(key, value)
    lang = language_of(asked)
    if lang is None:
        raise AnnouncementError(
            "unknown_lang", f"There is no language {quoted(asked)}; it is one of {', '.join(LANGS)}."
        )
    return lang


def _voice(key: str, value: object, limits: Limits) -> str:
    voice = _string(key, value)
    if voice not in limits.voices:
        names = ", ".join(sorted(limits.voices))
        raise AnnouncementError("unknown_voice", f"There is no voice {quoted(voice)}; it is one of {names}.")
    return voice


def _priority(key: str, value: object, limits: Limits) -> Priority:
    names = [priority.name.lower() for priority in Priority]
    return Priority[_one_of(key, value, names).upper()]


def _mode(key: str, value: object, limits: Limits) -> str:
    return _one_of(key, value, get_args(Mode))


def _chime(key: str, value: object, limits: Limits) -> str | bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise AnnouncementError("bad_value", f'"{key}" is true, false or the name of a chime.')
    if value not in limits.chimes:
        names = ", ".join(["true", "false", *sorted(limits.chimes)])
        raise AnnouncementError("unknown_chime", f"There is no chime {quoted(value)}; it is one of {names}.")
    return value


def _string(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise AnnouncementError("bad_value", f'"{key}" is text, not {_kind(value)}.')
    return value


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AnnouncementError("bad_value", f'"{key}" is a number, not {_kind(value)}.')
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise AnnouncementError("bad_value", f'"{key}" is too large a number.')
    return number


def _within(key: str, value: object, least: float, most: float) -> float:
    number = _number(key, value)
    if not least <= number <= most:
        raise AnnouncementError("bad_value", f'"{key}" is a number from {least} to {most}.')
    return number


def _one_of(key: str, value: object, names: list[str] | tuple[str, ...]) -> str:
    name = _string(key, value)
    if name not in names:
        raise AnnouncementError("bad_value", f'"{key}" is one of {", ".join(names)}, not {quoted(name)}.')
    return name


def _kind(value: object) -> str:
    kinds = {bool: "true or false", type(None): "null", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")


#: key of a say object → check(key, value, limits) that returns the value, or raises AnnouncementError
_CHECKS: Final[Mapping[str, Callable[[str, object, Limits], Any]]] = {
    "text": _text,
    "id": _id,
    "at": _at,
    "lang": _lang,
    "voice": _voice,
    "speaker": _voice,
    "priority": _priority,
    "mode": _mode,
    "ttl_s": _ttl_s,
    "volume": _volume,
    "speed": _speed,
    "chime": _chime,
}
#: What other speech services call the same.
_OFTEN_MEANT: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("message", "msg", "payload", "content", "tts"),
    "ttl_s": ("expiry", "expires", "timeout"),
    "speed": ("rate",),
    "chime": ("sound", "preannounce"),
}
