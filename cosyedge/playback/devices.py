"""What ``cosyedge devices`` shows: the names that ``audio.device`` takes on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cosyedge.playback.alsa_names import ALIAS, SoundCard, cards_listing, sound_cards
from cosyedge.playback.chatter import captured_chatter
from cosyedge.playback.device_thread import DeviceThread
from cosyedge.playback.portaudio import alsa_outputs, make_pyaudio

#: Enumerating opens every device of the machine once.
_TIMEOUT_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Device:
    """One thing that can be played to."""

    name: str
    """For ``audio.device``; the same after every boot: ``CARD=Headphones``, ``default``, ``dmix``."""
    description: str
    channels: int
    """The most that it takes."""
    default: bool
    """Whether ``audio.device: default`` leads here."""


def list_devices() -> list[Device]:
    """The devices of this machine, sound cards first. For a process that plays nothing itself.

    Raises ``audio_refused`` when ALSA's configuration is broken, ``audio_library`` without PortAudio,
    ``audio_lost`` when a device does not answer.
    """
    thread = DeviceThread(idle=lambda: None, due=lambda: None)
    try:
        with captured_chatter():
            entries = thread.call(_enumerate, _TIMEOUT_S)
    finally:
        thread.stop(1.0)
    return describe(entries, sound_cards(cards_listing()))


def _enumerate() -> list[dict[str, Any]]:
    instance = make_pyaudio()
    try:
        return alsa_outputs(instance)
    finally:
        instance.terminate()


def describe(entries: Iterable[Mapping[str, Any]], cards: Iterable[SoundCard]) -> list[Device]:
    """PortAudio's ``entries`` by stable names: ``USB Audio Device: - (hw:1,0)`` is ``CARD=Device``."""
    by_index = {card.index: card for card in cards}
    hardware, others = [], []
    for entry in entries:
        name, channels = str(entry["name"]), int(entry["maxOutputChannels"])
        found = re.fullmatch(r"(?P<words>.*) \((?:plug)?hw:(?P<card>\d+),(?P<output>\d+)\)", name)
        card = by_index.get(int(found["card"])) if found else None
        if found and card:
            output = int(found["output"])
            stable = f"CARD={card.id},DEV={output}" if output else f"CARD={card.id}"
            words = found["words"].removesuffix(": -")
            hardware.append(Device(stable, words, channels, default=False))
        elif not name.startswith(ALIAS):
            others.append(Device(name, "ALSA PCM", channels, default=name == "default"))
    return hardware + others
