"""The names under which one node listens and speaks, and the names it never lets anybody choose.

A node owns everything below ``cosyedge/<node>``. It also hears ``cosyedge/all/say`` and, for each of its
groups, ``cosyedge/group/<name>/say``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from cosyedge.errors import AnnouncementError, ConfigError

ROOT: Final = "cosyedge"

#: What a node can be asked, as the topic's end below its base.
SAY: Final = "say"
RENDER: Final = "render"
#: A WAV file that is to be played, whole or in the chunks of ``render``.
PLAY: Final = "play"
#: As say, but what is made is only kept, and not heard.
WARM: Final = "cache/warm"
COMMANDS: Final = (
    "stop", "volume/set", "mute/set", "voice/set", "lang/set", "speed/set", "test", "repeat", "status/get",
    "cache/clear",
)  # fmt: skip
#: The same for a WAV file that is to be played; only other protocols ask for it.
SOUND: Final = "sound"

#: What a node says about itself; the first three are retained.
_OUTPUTS: Final = ("availability", "state", "health", "result", "status", "last_text")

# A slash, a wildcard, a blank or a NUL in a name would address somebody else's topic.
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")

# `all` and `group` are levels of their own in the tree.
_RESERVED_NAMES: Final = frozenset({"all", "group"})

_LONGEST_RESPONSE_TOPIC: Final = 1024  # bytes


def _check_name(what: str, name: str) -> None:
    if not _NAME.match(name) or name in _RESERVED_NAMES:
        raise ConfigError(
            "config_bad_value",
            f"{what} {name!r} is not a name of 1 to 64 letters (A-Z, a-z), digits, _ or -, "
            "other than 'all' and 'group'.",
        )


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one node.

    Raises :class:`ConfigError` ``config_bad_value`` when a name could reach beyond its own level.
    """

    node: str
    groups: tuple[str, ...] = ()
    _commands: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_name("mqtt.node", self.node)
        for group in self.groups:
            _check_name("mqtt.groups", group)
        commands = {f"{self.base}/{command}": command for command in (SAY, RENDER, PLAY, WARM, *COMMANDS)}
        commands[f"{ROOT}/all/{SAY}"] = SAY
        commands.update((f"{ROOT}/group/{group}/{SAY}", SAY) for group in self.groups)
        object.__setattr__(self, "_commands", commands)

    @property
    def base(self) -> str:
        return f"{ROOT}/{self.node}"

    @property
    def client_id(self) -> str:
        return f"{ROOT}-{self.node}"

    @property
    def availability(self) -> str:
        return f"{self.base}/availability"

    @property
    def state(self) -> str:
        return f"{self.base}/state"

    @property
    def health(self) -> str:
        return f"{self.base}/health"

    @property
    def result(self) -> str:
        return f"{self.base}/result"

    @property
    def status(self) -> str:
        return f"{self.base}/status"

    @property
    def last_text(self) -> str:
        return f"{self.base}/last_text"

    @property
    def retained(self) -> tuple[str, ...]:
        """What the node leaves at the broker."""
        return self.availability, self.state, self.health

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """Every topic to subscribe to; none has a wildcard."""
        return tuple(self._commands)

    def command_of(self, topic: str) -> str | None:
        """``say``, ``render``, ``stop``, ``volume/set`` …; None for a topic that was never subscribed."""
        return self._commands.get(topic)


def check_response_topic(topic: str) -> str:
    """The topic, if a reply may be sent there.

    Raises :class:`AnnouncementError` ``bad_value`` for wildcards, the broker's own ``$`` tree, and every
    topic that a node of this product reads or keeps retained: a result sent to ``…/say`` would be spoken.
    Not for ``…/play``: it is where rendered chunks are heard, and it takes results for what they are.
    """
    if not topic or "+" in topic or "#" in topic or "\0" in topic or topic.startswith("$"):
        raise AnnouncementError("bad_value", "The response topic is empty, starts with $ or has a wildcard.")
    if len(topic.encode("utf-8", "replace")) > _LONGEST_RESPONSE_TOPIC:
        raise AnnouncementError(
            "bad_value", f"The response topic is longer than {_LONGEST_RESPONSE_TOPIC} bytes."
        )
    levels = topic.split("/")
    if levels[0] == ROOT:
        ends = ("/".join(levels[2:]), "/".join(levels[3:]) if levels[1:2] == ["group"] else "")
        if any(end in (SAY, RENDER, WARM, *COMMANDS, *_OUTPUTS) for end in ends):
            raise AnnouncementError("bad_value", "The response topic is one that cosyedge itself uses.")
    return topic
