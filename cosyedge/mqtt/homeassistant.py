"""Home Assistant, by MQTT discovery: one retained message makes a device with all its entities.

The ids in it come from the node's own id and never from its name, so that a node that is called something
else tomorrow keeps its place in dashboards and automations. Home Assistant asks again for everything when it
starts (its birth message).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cosyedge.announcements.announcement import Reply
from cosyedge.announcements.result import Result
from cosyedge.announcements.say_object import FASTEST, SLOWEST
from cosyedge.mqtt.bridge import Heard
from cosyedge.mqtt.outbox import Publication
from cosyedge.mqtt.topics import Topics

ORIGIN: Final = "cosyedge"

_DIAGNOSTIC: Final = {"entity_category": "diagnostic"}
_SETTING: Final = {"entity_category": "config"}
_MEASURED: Final = {"state_class": "measurement"}


@dataclass(frozen=True, slots=True)
class Described:
    """What Home Assistant is to know of the node besides its topics."""

    node_id: str
    voices: Sequence[str]
    """without ``auto``"""
    langs: Sequence[str]
    """that the voices speak, without ``auto``"""
    version: str
    bundle: str
    last_text: bool = False
    """whether what was said last is published"""


class HomeAssistant:
    """The bridge. ``prefix`` is that of discovery, ``status_topic`` where Home Assistant says it is there."""

    name: Final = "homeassistant"
    #: It is on by default, and who does not have Home Assistant need not allow its topics.
    is_dispensable: Final = True

    def __init__(self, topics: Topics, described: Described, *, prefix: str, status_topic: str) -> None:
        self._status_topic = status_topic
        payload = json.dumps(device(topics, described), ensure_ascii=False, separators=(",", ":"))
        topic = discovery_topic(prefix, described.node_id)
        self._discovery = Publication(topic, payload.encode(), retain=True, content_type="application/json")

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return (self._status_topic,)

    @property
    def retained(self) -> tuple[Publication, ...]:
        return (self._discovery,)

    def hears(self, topic: str) -> bool:
        return topic == self._status_topic

    def hear(self, topic: str, payload: bytes) -> Heard | None:
        # It may have lost what was retained: a broker without persistence starts together with it.
        return Heard(afresh=True) if payload == b"online" else None

    def answer(self, result: Result, reply: Reply) -> tuple[Publication, ...]:
        return ()


def discovery_topic(prefix: str, node_id: str) -> str:
    return f"{prefix}/device/cosyedge_{node_id}/config"


def is_of(topics: Topics, payload: bytes) -> bool:
    """Whether a discovery message is one that a node of this name made, under whatever id."""
    try:
        told = json.loads(payload)
        return bool(told["origin"]["name"] == ORIGIN and told["availability_topic"] == topics.availability)
    except (ValueError, TypeError, LookupError, RecursionError):
        return False


def device(topics: Topics, described: Described) -> dict[str, Any]:
    """The discovery message: a device, its components, and the availability that all of them share."""
    unique = f"cosyedge_{described.node_id}"
    components = _controls(topics, described) | _sensors(topics)
    # A component of its platform alone is one that is to be removed.
    last_text: dict[str, Any] = {"platform": "sensor"}
    if described.last_text:
        last_text |= {"name": "Last text", "state_topic": topics.last_text, "icon": "mdi:text"}
    components["last_text"] = last_text
    for key, component in components.items():
        if len(component) > 1:
            component["unique_id"] = f"{unique}_{key}"
    return {
        "device": {
            "identifiers": [unique],
            "name": f"cosyedge {topics.node}",
            "manufacturer": "cosyedge",
            "model": described.bundle,
            "sw_version": described.version,
        },
        "origin": {"name": ORIGIN, "sw_version": described.version},
        "availability_topic": topics.availability,
        "qos": 1,
        "components": components,
    }


def _controls(topics: Topics, described: Described) -> dict[str, dict[str, Any]]:
    langs = ["auto", *described.langs]
    # A language that the bundle can't speak counts as auto there, and is no option here.
    lang = f"{{{{ value_json.lang if value_json.lang in {langs} else 'auto' }}}}"
    return {
        # Without a name of its own it is called as the device is: the one thing that this device is for.
        "say": {
            "platform": "notify",
            "name": None,
            "command_topic": f"{topics.base}/say",
            "icon": "mdi:bullhorn",
        },
        "voice": _select(topics, "Voice", "voice", ["auto", *described.voices], "{{ value_json.voice }}")
        | {"icon": "mdi:account-voice"},
        "language": _select(topics, "Language", "lang", langs, lang) | {"icon": "mdi:translate"},
        "volume": _number(topics, "Volume", "volume", 0, 100, 1)
        | {"unit_of_measurement": "%", "icon": "mdi:volume-high"},
        "speed": _number(topics, "Speed", "speed", SLOWEST, FASTEST, 0.05) | {"icon": "mdi:speedometer"},
        "mute": {
            "platform": "switch",
            "name": "Mute",
            "command_topic": f"{topics.base}/mute/set",
            "state_topic": topics.state,
            "value_template": _on_if("value_json.mute"),
            "icon": "mdi:volume-off",
        },
        # Who presses it wants silence, and not the next announcement.
        "stop": _button(topics, "Stop", "stop", "mdi:stop") | {"payload_press": '{"queue": true}'},
        "test": _button(topics, "Test", "test", "mdi:bullhorn-outline") | _DIAGNOSTIC,
        "repeat": _button(topics, "Repeat", "repeat", "mdi:replay"),
    }


def _sensors(topics: Topics) -> dict[str, dict[str, Any]]:
    return {
        "speaking": {
            "platform": "binary_sensor",
            "name": "Speaking",
            "state_topic": topics.state,
            "value_template": _on_if("value_json.speaking"),
            "icon": "mdi:account-voice",
        },
        "problem": {
            "platform": "binary_sensor",
            "name": "Problem",
            "state_topic": topics.health,
            "value_template": _on_if("value_json.status == 'degraded'"),
            "device_class": "problem",
            "json_attributes_topic": topics.health,
            "json_attributes_template": "{{ {'reasons': value_json.reasons} | tojson }}",
        }
        | _DIAGNOSTIC,
        "queue": _sensor("Queue", topics.state, "queue", _MEASURED, icon="mdi:tray-full"),
        "memory": _sensor(
            "Memory", topics.health, "rss_mb", _MEASURED | _DIAGNOSTIC, device_class="data_size", unit="MiB"
        ),
        "first_audio": _sensor(
            "First audio", topics.health, "first_audio_ms.p50", _MEASURED | _DIAGNOSTIC,
            device_class="duration", unit="ms", digits=0,
        ),
        "rtf": _sensor(
            "Real-time factor", topics.health, "rtf.p50", _MEASURED | _DIAGNOSTIC, icon="mdi:gauge", digits=3
        ),
        "temperature": _sensor(
            "CPU temperature", topics.health, "cpu_temp_c", _MEASURED | _DIAGNOSTIC,
            device_class="temperature", unit="°C",
        ),
        "version": _sensor("Version", topics.health, "version", _DIAGNOSTIC, icon="mdi:package-variant"),
    }  # fmt: skip


def _on_if(condition: str) -> str:
    return f"{{{{ 'ON' if {condition} else 'OFF' }}}}"


def _select(topics: Topics, name: str, command: str, options: list[str], template: str) -> dict[str, Any]:
    return {
        "platform": "select",
        "name": name,
        "command_topic": f"{topics.base}/{command}/set",
        "state_topic": topics.state,
        "value_template": template,
        "options": options,
        **_SETTING,
    }


def _number(
    topics: Topics, name: str, command: str, lowest: float, highest: float, step: float
) -> dict[str, Any]:
    return {
        "platform": "number",
        "name": name,
        "command_topic": f"{topics.base}/{command}/set",
        "state_topic": topics.state,
        "value_template": f"{{{{ value_json.{command} }}}}",
        "min": lowest,
        "max": highest,
        "step": step,
        "mode": "slider",
        **_SETTING,
    }


def _button(topics: Topics, name: str, command: str, icon: str) -> dict[str, Any]:
    return {"platform": "button", "name": name, "command_topic": f"{topics.base}/{command}", "icon": icon}


def _sensor(
    name: str,
    topic: str,
    field: str,
    more: Mapping[str, str],
    *,
    device_class: str | None = None,
    unit: str | None = None,
    icon: str | None = None,
    digits: int | None = None,
) -> dict[str, Any]:
    """A value that is null becomes ``None``, which Home Assistant shows as unknown."""
    wanted = {
        "device_class": device_class,
        "unit_of_measurement": unit,
        "icon": icon,
        "suggested_display_precision": digits,
    }
    return {
        "platform": "sensor",
        "name": name,
        "state_topic": topic,
        "value_template": f"{{{{ value_json.{field} }}}}",
        **{key: value for key, value in wanted.items() if value is not None},
        **more,
    }
