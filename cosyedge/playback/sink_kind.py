"""What kind of thing a sound card is, told from what ALSA has opened: each kind wakes up in its own time.

A name alone says little, ``default`` may be anything. But whichever way an ALSA PCM leads, through ``plug``,
``dmix`` or a file of the user's, this process has the device file of the card open afterwards, and the kernel
tells what drives it. A PCM that ends in a sound server, a file or nothing has none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

SinkKind = Literal["analogue", "hdmi", "usb", "bluetooth", "virtual"]

#: Seconds of silence that each swallows when it wakes up. Reported by users of other programs: HDMI and
#: DisplayPort 1.0 to 1.5, Bluetooth 0.5 to 1, USB 0.05 to 0.6.
LEAD_IN_S: Final[Mapping[SinkKind, float]] = {
    "analogue": 0.2,
    "hdmi": 1.5,
    "usb": 0.6,
    "bluetooth": 1.0,
    "virtual": 0.2,
}

_SCREEN: Final = re.compile(r"hdmi|display ?port|\bdp\b", re.IGNORECASE)
_BLUETOOTH: Final = re.compile(r"blue(?:alsa|tooth|z)", re.IGNORECASE)
_NO_CARD: Final = re.compile(r"loopback|aloop|dummy", re.IGNORECASE)


def opened_kind(pcm: str, process: Path = Path("/proc/self"), sound: Path = Path("/proc/asound")) -> SinkKind:
    """The kind of what this process has just opened as the ALSA PCM ``pcm``; of several, the slowest.

    Args:
        process: its folder in procfs.
        sound: ALSA's own folder there.
    """
    outputs = sorted(_open_outputs(process))
    if outputs:
        kinds = [_kind_of(sound, card, output) for card, output in outputs]
        return max(kinds, key=lambda kind: LEAD_IN_S[kind])
    # Without a card of its own: BlueALSA is a plug-in in this process, whatever its PCM is called.
    return "bluetooth" if _BLUETOOTH.search(pcm) or _has_bluealsa(process) else "virtual"


def _open_outputs(process: Path) -> Iterator[tuple[int, int]]:
    """Card and device number of each card that is open for playing."""
    # Not by pathlib, which has the interpreter intern each name; a card may be opened for each announcement.
    folder = f"{process}/fd"
    for descriptor in _listed(folder):
        try:
            target = os.readlink(f"{folder}/{descriptor}")
        except OSError:  # closed meanwhile
            continue
        if found := re.fullmatch(r"/dev/snd/pcmC(\d+)D(\d+)p", target):
            yield int(found[1]), int(found[2])


def _kind_of(sound: Path, card: int, output: int) -> SinkKind:
    # " 0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0", then the device: "id: HDMI 0" on a card with several
    about = re.search(rf"^ *{card} \[.*$", _text(f"{sound}/cards"), re.MULTILINE)
    words = (about[0] if about else "") + _text(f"{sound}/card{card}/pcm{output}p/info")
    if os.path.exists(f"{sound}/card{card}/usbid") or "USB-Audio" in words:
        return "usb"
    if _SCREEN.search(words):
        return "hdmi"
    return "virtual" if _NO_CARD.search(words) else "analogue"


def _has_bluealsa(process: Path) -> bool:
    return "libasound_module_pcm_bluealsa" in _text(f"{process}/maps")


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(file: str) -> str:
    try:
        with open(file, errors="replace") as text:
            return text.read()
    except OSError:
        return ""
