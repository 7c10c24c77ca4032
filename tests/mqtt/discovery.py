"""What Home Assistant takes for a device discovery message, in so far as a message of ours can have it.

After the schemas of its MQTT integration: what a device, its origin and its components must and may have. It
ignores keys that it does not know; here they are errors, for one of ours would be a typing error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_ID: Final = re.compile(r"[a-zA-Z0-9_-]+\Z")
_ICON: Final = re.compile(r"mdi:[a-z-]+\Z")

_DEVICE: Final = {
    "identifiers", "connections", "name", "manufacturer", "model", "sw_version", "hw_version",
}  # fmt: skip
_ORIGIN: Final = {"name", "sw_version", "support_url"}
_TOP: Final = {"device", "origin", "components", "availability_topic", "qos"}
_COMMON: Final = {
    "platform", "unique_id", "name", "icon", "entity_category", "enabled_by_default", "qos",
    "json_attributes_topic", "json_attributes_template",
}  # fmt: skip
#: platform → (what it must have, what it may have besides what all may)
_PLATFORMS: Final[Mapping[str, tuple[set[str], set[str]]]] = {
    "notify": ({"command_topic"}, {"command_template", "retain"}),
    "select": ({"command_topic", "options"}, {"state_topic", "value_template"}),
    "number": (
        {"command_topic"},
        {"state_topic", "value_template", "min", "max", "step", "mode", "unit_of_measurement"},
    ),
    "switch": ({"command_topic"}, {"state_topic", "value_template", "payload_on", "payload_off"}),
    "button": ({"command_topic"}, {"payload_press"}),
    "binary_sensor": ({"state_topic"}, {"value_template", "device_class"}),
    "sensor": (
        {"state_topic"},
        {
            "value_template", "device_class", "unit_of_measurement", "state_class",
            "suggested_display_precision",
        },
    ),
}  # fmt: skip
#: Of device classes of sensors that ours have, the units.
_UNITS: Final = {
    "data_size": {"B", "kB", "MB", "GB", "KiB", "MiB", "GiB"},
    "duration": {"ms", "s", "min", "h", "d"},
    "temperature": {"°C", "°F", "K"},
}
#: Only what is measured or diagnosed has a category, and which of the two depends on who can change it.
_CATEGORIES: Final = {
    "select": "config",
    "number": "config",
    "binary_sensor": "diagnostic",
    "sensor": "diagnostic",
    "button": "diagnostic",
}


def check(message: Mapping[str, Any]) -> None:
    """AssertionError says what is wrong."""
    assert set(message) <= _TOP, set(message) - _TOP
    assert {"device", "origin", "components"} <= set(message)
    device, origin = message["device"], message["origin"]
    assert set(device) <= _DEVICE
    assert device.get("identifiers") or device.get("connections")
    assert set(origin) <= _ORIGIN
    assert origin["name"]
    ids = []
    for key, component in message["components"].items():
        assert _ID.match(key)
        if set(component) == {"platform"}:  # asks for its removal
            continue
        _check_component(component)
        ids.append(component["unique_id"])
    assert len(set(ids)) == len(ids)


def _check_component(component: Mapping[str, Any]) -> None:
    platform = component["platform"]
    must, may = _PLATFORMS[platform]
    assert must <= set(component), f"{platform} lacks {must - set(component)}"
    assert set(component) <= _COMMON | must | may, f"{platform} has {set(component) - _COMMON - must - may}"
    assert _ID.match(component["unique_id"])
    assert component["name"] is None or component["name"]
    assert "icon" not in component or _ICON.match(component["icon"])
    if "entity_category" in component:
        assert component["entity_category"] == _CATEGORIES[platform]
    for key, value in component.items():
        if key.endswith("_topic"):
            assert re.match(r"[^+#\0$][^+#\0]*\Z", value), f"{key} is no topic: {value}"
        elif key.endswith("_template"):
            assert value.count("{{") == value.count("}}") == 1, value
    if platform == "number":
        assert component["min"] < component["max"]
        assert component["step"] >= 0.001
        assert component["mode"] in ("auto", "box", "slider")
    if platform == "select":
        assert component["options"]
        assert len(set(component["options"])) == len(component["options"])
    if platform == "sensor":
        _check_sensor(component)


def _check_sensor(component: Mapping[str, Any]) -> None:
    unit, of_class = component.get("unit_of_measurement"), component.get("device_class")
    assert unit in _UNITS[of_class] if of_class is not None else unit is None
    # A unit or a number of digits makes it a number, for which alone there are statistics.
    assert component.get("state_class") in (None, "measurement")
    assert "suggested_display_precision" not in component or "state_class" in component
