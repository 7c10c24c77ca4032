"""Home Assistant itself, without its pages: core, MQTT and automations, told by lines what to do.

Runs in the Python that Home Assistant is installed in::

    python home_assistant.py BROKER_PORT FOLDER HTTP_PORT [AUTOMATIONS.yaml]

Each line of standard input is a JSON object, and each gets one line of standard output:

    {"do": "states"}                                          entity id → state, attributes and unique id
    {"do": "wait", "entity": "…", "state": "…"}               as soon as it has that state
    {"do": "absent", "entity": "…"}                           as soon as there is no such entity
    {"do": "call", "service": "notify.send_message", "data": {…}}
    {"do": "set", "entity": "…", "state": "…"}                of an entity that nobody else has
    {"do": "birth"}                                           what it says to all when it starts
    {"do": "notifications"}                                   title → message of what it shows to its people
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

from homeassistant import bootstrap, loader
from homeassistant.auth import auth_manager_from_config
from homeassistant.components import mqtt, persistent_notification
from homeassistant.config_entries import ConfigEntries, ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import load_yaml

PATIENCE_S = 60.0


async def start(port: int, folder: Path, http_port: int, automations: Path | None) -> HomeAssistant:
    folder.mkdir(exist_ok=True)
    (folder / "configuration.yaml").touch()
    hass = HomeAssistant(str(folder))
    loader.async_setup(hass)
    hass.config.skip_pip = True
    hass.config_entries = ConfigEntries(hass, {})
    await hass.config_entries.async_initialize()
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth_manager_from_config(hass, [], [])
    web = {"server_host": "127.0.0.1", "server_port": http_port}
    for name, options in (("homeassistant", {}), ("persistent_notification", {}), ("http", web)):
        assert await async_setup_component(hass, name, {name: options}), name
    entry = ConfigEntry(
        version=1,
        minor_version=2,
        domain="mqtt",
        title="broker",
        data={"broker": "127.0.0.1", "port": port},
        source="user",
        options={},
        unique_id=None,
        discovery_keys=MappingProxyType({}),
        subentries_data=[],
    )
    await hass.config_entries.async_add(entry)
    assert entry.state is ConfigEntryState.LOADED, entry.state
    if automations is not None:
        rules = await hass.async_add_executor_job(load_yaml, str(automations))
        assert await async_setup_component(hass, "automation", {"automation": rules})
    await hass.async_start()
    return hass


def states(hass: HomeAssistant) -> dict[str, Any]:
    registry = entity_registry.async_get(hass)
    found = {}
    for state in hass.states.async_all():
        entry = registry.async_get(state.entity_id)
        found[state.entity_id] = {
            "state": state.state,
            "attributes": state.as_dict()["attributes"],
            "unique_id": entry.unique_id if entry else None,
        }
    return found


async def obey(hass: HomeAssistant, order: dict[str, Any]) -> Any:
    match order["do"]:
        case "states":
            return states(hass)
        case "wait" | "absent":
            deadline = asyncio.get_running_loop().time() + PATIENCE_S
            while asyncio.get_running_loop().time() < deadline:
                state = hass.states.get(order["entity"])
                if (state and state.state) == order.get("state"):
                    return True
                await asyncio.sleep(0.05)
            return {"was": state and state.state}
        case "call":
            domain, service = order["service"].split(".")
            await hass.services.async_call(domain, service, order["data"], blocking=True)
            return True
        case "set":
            hass.states.async_set(order["entity"], order["state"], order.get("attributes"))
            await hass.async_block_till_done()
            return True
        case "notifications":
            shown = persistent_notification._async_get_or_create_notifications(hass).values()
            return {note["title"]: note["message"] for note in shown}
        case "birth":
            await mqtt.async_publish(hass, "homeassistant/status", "online", 0, False)
            return True
    raise ValueError(order)


async def main(arguments: list[str]) -> None:
    port, folder, http_port, *more = arguments
    hass = await start(int(port), Path(folder), int(http_port), Path(more[0]) if more else None)
    print(json.dumps("ready"), flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await obey(hass, json.loads(line)), default=str), flush=True)
    await hass.async_stop()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main(sys.argv[1:]))
