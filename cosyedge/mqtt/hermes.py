"""Hermes, the protocol of Rhasspy: a node is the text to speech and the loudspeaker of one site.

``sayFinished`` and ``playFinished`` are sent once the last sample was heard, and always: after an error they
follow the message that tells it. Messages of other sites are not for us, whatever they hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cosyedge.announcements.announcement import Reply
from cosyedge.announcements.payload import claims_object, decode, parse_object
from cosyedge.announcements.result import Result
from cosyedge.errors import AnnouncementError
from cosyedge.mqtt.bridge import Heard
from cosyedge.mqtt.outbox import Publication
from cosyedge.mqtt.topics import SAY, SOUND

_SAY: Final = "hermes/tts/say"
_SAY_FINISHED: Final = "hermes/tts/sayFinished"
_SAY_ERROR: Final = "hermes/error/tts"
_PLAY_ERROR: Final = "hermes/error/audioServer/play"
_TOGGLE_ON: Final = "hermes/audioServer/toggleOn"
_TOGGLE_OFF: Final = "hermes/audioServer/toggleOff"
# Rhasspy's own additions to Hermes. Its documents name the first two hermes/…, its programs do not.
_GET_VOICES: Final = "rhasspy/tts/getVoices"
_VOICES: Final = "rhasspy/tts/voices"
_SET_VOLUME: Final = "rhasspy/audioServer/setVolume"

_DEFAULT_SITE: Final = "default"
_MOST_CHUNKS: Final = 64  # of a WAV file; those that programs write have a handful
_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class _Request:
    """What an answer repeats of its question; lives in :attr:`Reply.correlation`."""

    id: str | None
    session: str | None

    def to_bytes(self) -> bytes:
        return json.dumps([self.id, self.session]).encode()

    @classmethod
    def from_bytes(cls, data: bytes | None) -> _Request:
        id_, session = json.loads(data or b"[null, null]")
        return cls(id_, session)


class Hermes:
    """The bridge of one site. ``voices`` maps names to descriptions."""

    name: Final = "hermes"
    is_dispensable: Final = False

    def __init__(self, site: str, voices: Mapping[str, str]) -> None:
        self._site = site
        self._voices = voices
        self._play = f"hermes/audioServer/{site}/playBytes/"
        self._play_finished = f"hermes/audioServer/{site}/playFinished"
        self._hearers: Mapping[str, Callable[[dict[str, Any]], Heard]] = {
            _SAY: self._hear_say,
            _TOGGLE_ON: lambda asked: Heard("mute/set", b"OFF"),
            _TOGGLE_OFF: lambda asked: Heard("mute/set", b"ON"),
            _SET_VOLUME: lambda asked: Heard("volume/set", b"%.3f" % (100 * _level(asked))),
            _GET_VOICES: self._hear_get_voices,
        }
        self._live: set[Reply] = set()

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return (*self._hearers, f"{self._play}+")

    @property
    def retained(self) -> tuple[Publication, ...]:
        return ()

    def hears(self, topic: str) -> bool:
        return topic in self._hearers or topic.startswith(self._play)

    def hear(self, topic: str, payload: bytes) -> Heard | None:
        if topic.startswith(self._play):
            request = topic.removeprefix(self._play)
            reply = self._reply(self._play_finished, request, request)
            return Heard(SOUND, payload, reply, _scale(payload))
        if not claims_object(payload):
            raise AnnouncementError("bad_json", "The payload of a Hermes message is a JSON object.")
        asked = parse_object(decode(payload))
        if (asked.get("siteId") or _DEFAULT_SITE) != self._site:
            return None
        return self._hearers[topic](asked)

    def answer(self, result: Result, reply: Reply) -> tuple[Publication, ...]:
        if not result.is_final:
            self._live.add(reply)
            return ()
        # One that was sent twice is done when the first is: that says so to both.
        if result.state == "duplicate" and reply in self._live:
            return ()
        self._live.discard(reply)
        request = _Request.from_bytes(reply.correlation)
        done: dict[str, Any] = {"id": request.id, "sessionId": request.session}
        error_topic = _PLAY_ERROR
        if reply.topic == _SAY_FINISHED:
            done["siteId"] = self._site
            error_topic = _SAY_ERROR
        finished = Publication(reply.topic, _encode(done), content_type=_JSON)
        if result.error is None:
            return (finished,)
        failed = {
            "error": f"{result.message} [{result.error}]",
            "siteId": self._site,
            "context": request.id,
            "sessionId": request.session,
        }
        return Publication(error_topic, _encode(failed), content_type=_JSON), finished

    def _hear_say(self, asked: dict[str, Any]) -> Heard:
        reply = self._reply(_SAY_FINISHED, _text(asked, "id"), _text(asked, "sessionId"))
        say: dict[str, Any] = {key: asked[key] for key in ("text", "lang") if asked.get(key) is not None}
        if asked.get("volume") is None:
            return Heard(SAY, _encode(say), reply)
        try:
            return Heard(SAY, _encode(say), reply, scale=_level(asked))
        except AnnouncementError as error:
            return Heard(SAY, reply=reply, error=error)

    def _hear_get_voices(self, asked: dict[str, Any]) -> Heard:
        voices = [{"voiceId": name, "description": text} for name, text in self._voices.items()]
        answer = {"voices": voices, "id": _text(asked, "id"), "siteId": self._site}
        return Heard(publish=(Publication(_VOICES, _encode(answer), content_type=_JSON),))

    def _reply(self, topic: str, id_: str | None, session: str | None) -> Reply:
        return Reply(topic, _Request(id_, session).to_bytes(), self.name)


def _level(asked: Mapping[str, Any]) -> float:
    volume = asked.get("volume")
    if isinstance(volume, bool) or not isinstance(volume, int | float) or not 0 <= volume <= 1:
        raise AnnouncementError("bad_value", '"volume" is a number from 0 to 1.')
    return float(volume)


def _text(asked: Mapping[str, Any], key: str) -> str | None:
    """An id as it was sent; one that is no text could not be repeated to any client."""
    value = asked.get(key)
    return value if isinstance(value, str) else None


def _scale(wav: bytes) -> float:
    """The volume that Rhasspy's text to speech writes into a chunk ``INFO`` of the file; 1 without one."""
    position = 12
    for _ in range(_MOST_CHUNKS):
        if position > len(wav) - 8:
            break
        name, size = wav[position : position + 4], int.from_bytes(wav[position + 4 : position + 8], "little")
        if name == b"INFO":
            try:
                return _level(json.loads(wav[position + 8 : position + 8 + size].rstrip(b"\0")))
            except (ValueError, AttributeError, RecursionError, AnnouncementError):
                return 1.0  # some other program's chunk
        position += 8 + size + size % 2
    return 1.0


def _encode(value: Mapping[str, Any]) -> bytes:
    """ASCII: what a sender has escaped, half a character perhaps, can be repeated in no other form."""
    return json.dumps(value).encode()
