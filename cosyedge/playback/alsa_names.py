"""What a person calls a sound card, and how ALSA and PortAudio find it by that name.

PortAudio only knows numbers, which change between boots, and lists no PCM that takes arguments. But it
lists every PCM that the ALSA configuration defines. So the device that was asked for becomes a PCM of ours:
a definition that only refers to it, added to the configuration of this process. ALSA then resolves the name
anew at every open, and everything that ``aplay -D`` takes works: ``default``, ``plughw:CARD=Device``,
``dmix:CARD=Headphones``, a PCM of ``~/.asoundrc`` whose name has spaces.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cosyedge.errors import PlaybackError

#: Our own PCM in PortAudio's list.
ALIAS: Final = "cosyedge"

_PROC_CARDS: Final = Path("/proc/asound/cards")
_DEV_SND: Final = Path("/dev/snd")


@dataclass(frozen=True, slots=True)
class SoundCard:
    """One line of ``/proc/asound/cards``."""

    index: int
    id: str
    """Short and stable: ``Headphones``, ``vc4hdmi0``, ``Device``."""
    name: str
    """Long: ``USB Audio Device``."""


def sound_cards(listing: str | None = None) -> tuple[SoundCard, ...]:
    """The cards of this machine; ``listing`` is the text of ``/proc/asound/cards`` where it is at hand."""
    if listing is None:
        listing = cards_listing()
    lines = re.finditer(r"^ *(\d+) \[(\S+) *\]: .*? - (.+?) *$", listing, re.MULTILINE)
    return tuple(SoundCard(int(line[1]), line[2], line[3]) for line in lines)


def cards_listing() -> str:
    """``/proc/asound/cards`` as it is now, empty without a sound driver. Another text means another set of
    cards.
    """
    try:
        return _PROC_CARDS.read_text(errors="replace")
    except OSError:
        return ""


def pcm_name(device: str, cards: tuple[SoundCard, ...] = ()) -> str:
    """The ALSA PCM that ``audio.device`` stands for.

    ``CARD=Device`` is that card through its default PCM, which converts what the card can't do and mixes
    where ALSA is set up for it; ``CARD=Device,DEV=1`` is another of its outputs. The id or the long name of
    a card that is plugged in works alone, a bare number too (but numbers change between boots). All else is
    taken as it is.
    """
    device = device.strip()
    found = re.fullmatch(r"CARD=([^,]+)(?:,DEV=(\d+))?", device)
    if found:
        card, output = found[1].strip(), int(found[2] or 0)
        return f"plughw:CARD={card},DEV={output}" if output else f"sysdefault:CARD={card}"
    if device.isdecimal():
        return f"sysdefault:CARD={device}"
    for known in cards:
        if device in (known.id, known.name):
            return f"sysdefault:CARD={known.id}"
    return device


class AlsaConfiguration:
    """The ALSA configuration of this process with the one PCM of ours in it.

    It is a file in memory, named after the system's own in ``ALSA_CONFIG_PATH``, which takes a list. The
    second definition can never be opened: PortAudio 19.6 aborts the process when every PCM in its list can
    be.
    """

    def __init__(self) -> None:
        self._file = os.memfd_create("cosyedge-alsa")
        self._path = f"/proc/self/fd/{self._file}"
        self._before = os.environ.get("ALSA_CONFIG_PATH")

    def define(self, pcm: str) -> None:
        """Let :data:`ALIAS` mean ``pcm`` from now on."""
        if any(ord(sign) < 32 for sign in pcm):
            raise PlaybackError("audio_missing", "The name of the sound card has a control character in it.")
        quoted = pcm.replace("\\", "\\\\").replace('"', '\\"')
        text = (
            f'pcm.{ALIAS} {{\n type empty\n slave.pcm "{quoted}"\n}}\n'
            f"pcm.{ALIAS}_absent {{\n type hw\n card {ALIAS}_absent\n}}\n"
        )
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, text.encode(), 0)
        system = os.environ.get("ALSA_CONFIG_PATH")
        if not system:
            system = os.path.join(os.environ.get("ALSA_CONFIG_DIR") or "/usr/share/alsa", "alsa.conf")
        if self._path not in system.split(":"):
            os.environ["ALSA_CONFIG_PATH"] = f"{system}:{self._path}"

    def withdraw(self) -> None:
        """Leave ``ALSA_CONFIG_PATH`` as it was."""
        if self._before is None:
            os.environ.pop("ALSA_CONFIG_PATH", None)
        else:
            os.environ["ALSA_CONFIG_PATH"] = self._before
        os.close(self._file)


def why_not(device: str) -> PlaybackError:
    """Why ALSA does not open :data:`ALIAS`, which stands for ``device``: PortAudio only says that it did
    not.
    """
    try:
        alsa = ctypes.CDLL("libasound.so.2")
    except OSError:
        return PlaybackError("audio_missing", f"The sound card {device!r} was not found.")
    alsa.snd_strerror.restype = ctypes.c_char_p
    handle = ctypes.c_void_p()
    playback, nonblocking = 0, 1
    result: int = alsa.snd_pcm_open(ctypes.byref(handle), ALIAS.encode(), playback, nonblocking)
    if result == 0:
        alsa.snd_pcm_close(handle)
        return PlaybackError("audio_refused", f"The sound card {device!r} can't be played through PortAudio.")
    words = (alsa.snd_strerror(result) or b"").decode("utf-8", "replace")
    return open_error(device, -result, words)


def open_error(device: str, number: int, words: str, dev_snd: Path = _DEV_SND) -> PlaybackError:
    """The error for an ``errno`` of ALSA; ``words`` are ALSA's own."""
    if number in (errno.EBUSY, errno.EAGAIN):
        return PlaybackError("audio_busy", f"The sound card {device!r} is in use.")
    if number in (errno.EACCES, errno.EPERM) or _locked_out(dev_snd):
        return PlaybackError("audio_refused", f"This user may not open the sound card {device!r}.")
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return PlaybackError("audio_missing", f"The sound card {device!r} was not found ({words}).")
    if number == errno.ECONNREFUSED:
        return PlaybackError(
            "audio_refused",
            f"{device!r} leads to a sound server that can't be reached ({words}); "
            "a system service plays through a card, such as CARD=Headphones.",
        )
    return PlaybackError("audio_refused", f"The sound card {device!r} can't be opened ({words}).")


def _locked_out(dev_snd: Path) -> bool:
    """Whether there are cards, and none that this user may use: without access ALSA finds no card at all."""
    controls = list(dev_snd.glob("controlC*")) if dev_snd.is_dir() else []
    return bool(controls) and not any(
        os.access(control, os.R_OK | os.W_OK, effective_ids=True) for control in controls
    )
