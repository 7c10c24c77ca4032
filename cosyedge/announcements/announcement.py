"""What is to be said, by whom, when and how: the value, and the one place where bytes become it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from cosyedge.announcements import payload as payloads
from cosyedge.announcements.say_object import Limits, Mode, Priority, check_object, is_id, too_long
from cosyedge.errors import AnnouncementError

__all__ = [
    "Announcement",
    "AnnouncementFailed",
    "Arrival",
    "Limits",
    "Mode",
    "Priority",
    "Reply",
    "from_bytes",
    "from_sound",
    "reply_from_values",
    "reply_to_values",
]

# A character is at most two escapes of six bytes in JSON; the rest of the object is small.
_BYTES_PER_CHARACTER: Final = 12
_BYTES_BESIDES_TEXT: Final = 4096


@dataclass(frozen=True, slots=True)
class Reply:
    """Where results are wanted besides the node's own topic (MQTT 5: response topic, correlation data).

    ``bridge`` names the protocol in which they are wanted there, None is ours.
    """

    topic: str
    correlation: bytes | None = None
    bridge: str | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """How a payload came. ``monotonic`` and ``unix`` are the same moment on two clocks, in seconds.

    ``expiry_s`` is MQTT 5's message expiry and counts as a ``ttl_s``. ``redelivered`` is the DUP flag: alone
    it proves nothing, together with equal content under the same ``packet`` identifier it does. ``scale`` is
    that of the announcement.
    """

    monotonic: float
    unix: float
    reply: Reply | None = None
    expiry_s: float | None = None
    render: bool = False
    redelivered: bool = False
    packet: int = 0
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Announcement:
    """One announcement. None means that the node's own setting holds.

    ``arrived_monotonic`` is on this boot's clock. ``content`` is a digest of everything that was asked, a
    dot, and the packet identifier under which it came; None where the sender gave an id: then the id alone
    tells what is a duplicate. ``scale``, 0..1, multiplies whichever volume holds. ``sound`` is a WAV file,
    played in place of a text; no journal keeps it.
    """

    id: str
    text: str = field(repr=False)  # so that no log can hold it by accident
    lang: str | None = None
    voice: str | None = None
    priority: Priority = Priority.NORMAL
    mode: Mode = "queue"
    ttl_s: float | None = None
    at: float | None = None
    volume: float | None = None
    speed: float | None = None
    chime: str | bool | None = None
    reply: Reply | None = None
    render: bool = False
    arrived_monotonic: float = 0.0
    arrived_unix: float = 0.0
    redelivered: bool = False
    content: str | None = None
    scale: float = 1.0
    sound: bytes | None = field(default=None, repr=False)

    def to_values(self) -> dict[str, Any]:
        """What JSON can hold; what has its default is left out, and a sound is."""
        values: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value == each.default or each.name == "sound":
                continue
            if isinstance(value, Priority):
                value = value.name.lower()
            elif isinstance(value, Reply):
                value = reply_to_values(value)
            values[each.name] = value
        return values

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Announcement:
        """From :meth:`to_values`, of this version or another: keys that are not known are left out.

        Raises:
            ValueError: these are no such values.
        """
        known = {each.name: values[each.name] for each in fields(cls) if each.name in values}
        try:
            if "priority" in known:
                known["priority"] = Priority[known["priority"].upper()]
            if "reply" in known:
                known["reply"] = reply_from_values(known["reply"])
            return cls(**known)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not an announcement: {type(error).__name__}") from error


class AnnouncementFailed(AnnouncementError):  # noqa: N818 - what happened, in the words of the result topic
    """A payload that can't become an announcement, with the ``id`` for its result.

    That is the sender's own where it could be read, else one made from content and arrival.
    """

    def __init__(self, code: str, sentence: str, id_: str) -> None:
        super().__init__(code, sentence)
        self.id = id_


def from_bytes(payload: bytes, *, limits: Limits, arrival: Arrival) -> Announcement:
    """The announcement that a payload asks for: plain UTF-8 text, or a JSON object.

    It is an object if it begins, after white space, with ``{`` but not ``{{``.

    Raises:
        AnnouncementFailed: ``not_utf8``, ``bad_json``, ``unknown_key``, ``bad_value``, ``missing_text``,
            ``template_not_rendered``, ``payload_too_large``, ``text_too_long``, ``unknown_voice``,
            ``unknown_lang``, ``unknown_chime``.
    """
    asked: dict[str, Any] = {}
    try:
        _check_size(payload, limits)
        text = payloads.decode(payload)
        asked = payloads.parse_object(text) if payloads.claims_object(payload) else {"text": text}
        values = check_object(asked, limits)
    except AnnouncementError as error:
        given = asked.get("id") if asked else payloads.find_id(payload)
        digest = hashlib.blake2b(payload, digest_size=8).hexdigest()
        id_ = given if is_id(given) else _made_id(digest, arrival)
        raise AnnouncementFailed(error.code, error.sentence, id_) from error
    lifetimes = [ttl for ttl in (values.pop("ttl_s", None), arrival.expiry_s) if ttl is not None]
    content = None
    if "id" not in values:
        digest = _digest(asked, arrival)
        content = f"{digest}.{arrival.packet}"
        values["id"] = _made_id(digest, arrival)
    return Announcement(
        **values,
        ttl_s=min(lifetimes, default=None),
        reply=arrival.reply,
        render=arrival.render,
        arrived_monotonic=arrival.monotonic,
        arrived_unix=arrival.unix,
        redelivered=arrival.redelivered,
        content=content,
        scale=arrival.scale,
    )


def from_sound(
    wav: bytes, *, arrival: Arrival, id_: str | None = None, wishes: Mapping[str, Any] | None = None
) -> Announcement:
    """The announcement that plays a WAV file. Whether it is one is found out when its turn comes.

    ``id_`` is the sender's; ``wishes`` are values of ``priority``, ``mode``, ``ttl_s`` and ``at``.
    """
    asked = dict(wishes or {})
    lifetimes = [ttl for ttl in (asked.pop("ttl_s", None), arrival.expiry_s) if ttl is not None]
    digest = hashlib.blake2b(wav, digest_size=8).hexdigest()
    digest = _digest({"sound": digest}, arrival)
    return Announcement(
        id_ or _made_id(digest, arrival),
        "",
        **asked,
        ttl_s=min(lifetimes, default=None),
        reply=arrival.reply,
        arrived_monotonic=arrival.monotonic,
        arrived_unix=arrival.unix,
        redelivered=arrival.redelivered,
        content=None if id_ else f"{digest}.{arrival.packet}",
        scale=arrival.scale,
        sound=wav,
    )


def _check_size(payload: bytes, limits: Limits) -> None:
    """Refuses what is far too large before anything is made of it."""
    most = limits.max_chars * _BYTES_PER_CHARACTER + _BYTES_BESIDES_TEXT
    if len(payload) <= most:
        return
    if (
        not payloads.claims_object(payload)
        or payloads.longest_text(payload) > limits.max_chars * _BYTES_PER_CHARACTER
    ):
        raise too_long(limits)
    raise AnnouncementError("payload_too_large", f"The payload has {len(payload)} bytes; {most} is the most.")


def _digest(asked: Mapping[str, Any], arrival: Arrival) -> str:
    """Of all that was asked: what is equal in it is the same announcement sent twice."""
    everything = json.dumps([asked, reply_to_values(arrival.reply), arrival.render], sort_keys=True)
    return hashlib.blake2b(everything.encode(), digest_size=8).hexdigest()


def _made_id(digest: str, arrival: Arrival) -> str:
    return f"{digest}-{round(arrival.unix * 1e6):x}"


def reply_to_values(reply: Reply | None) -> list[str | None] | None:
    """What JSON can hold."""
    if reply is None:
        return None
    values = [reply.topic, _to_base64(reply.correlation)]
    return values if reply.bridge is None else [*values, reply.bridge]


def reply_from_values(values: Any) -> Reply | None:
    """From :func:`reply_to_values`. Raises TypeError or ValueError: these are no such values."""
    if values is None:
        return None
    topic, correlation, *bridge = values
    return Reply(topic, _from_base64(correlation), *bridge)


def _to_base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _from_base64(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)
