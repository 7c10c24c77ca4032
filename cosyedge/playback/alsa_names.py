"""What a person calls a sound card, and how ALSA and PortAudio find it by that name.

PortAudio only knows numbers, which change between boots. It makes its list once, lists no PCM that takes
arguments, leaves out what is absent or busy at that moment, and to make it opens everything there is (a
second on a Pi, and 15 MB of plug-ins). But it also lists every PCM that the ALSA configuration defines, by
name.

So it is shown a configuration with a single PCM of ours, ``cosyedge``; and when that is opened, the
configuration is the system's own with ``cosyedge`` added, a definition that only refers to the device that
was asked for. ALSA resolves it anew at every open, and everything that ``aplay -D`` takes works:
``default``, ``plughw:CARD=Device``, ``dmix:CARD=Headphones``, a PCM of ``~/.asoundrc`` whose name has
spaces.
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

_IEC958_ALONE: Final = "vc4hdmi"

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
    """``/proc/asound/cards`` as it is now, empty without a sound driver. Another text: other cards."""
    try:
        return _PROC_CARDS.read_text(errors="replace")
    except OSError:
        return ""


def pcm_name(device: str, cards: tuple[SoundCard, ...] = ()) -> str:
    """The ALSA PCM that ``audio.device`` stands for.

    ``CARD=Device`` is that card through its default PCM, which converts what the card can't do and mixes
    where ALSA is set up for it; ``CARD=Device,DEV=1`` is another of its outputs. The id or the long name of
    a card that is plugged in works alone, a bare number too (but numbers change between boots). All else is
    taken as it is, but for the HDMI of a Raspberry Pi: what ``hw`` and ``plughw`` lead to there takes nothing
    but IEC958 frames, which only its default PCM makes.
    """
    device = device.strip()
    if direct := re.fullmatch(r"(?:plug)?hw:(?:CARD=)?([^,]+)(?:,(?:DEV=)?0)?", device):
        ids = {str(known.index): known.id for known in cards}
        card = ids.get(direct[1], direct[1])
        if card.startswith(_IEC958_ALONE):
            return f"sysdefault:CARD={card}"
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
    """The ALSA configuration of this process: files in memory, put in ``ALSA_CONFIG_PATH``, which takes a
    list.

    ALSA reads it again when the list has changed or one of its files is another one; a file that was changed
    within the same second is the same to it.
    """

    def __init__(self) -> None:
        self._before = os.environ.get("ALSA_CONFIG_PATH")
        self._system = self._before or os.path.join(
            os.environ.get("ALSA_CONFIG_DIR") or "/usr/share/alsa", "alsa.conf"
        )
        self._file = -1

    def for_listing(self) -> None:
        """From now on there is :data:`ALIAS` and nothing else."""
        # The second can never be opened: PortAudio 19.6 aborts the process when all that it lists can be.
        self._write(f"pcm.{ALIAS} {{\n type null\n}}\npcm.none {{\n type {ALIAS}\n}}\n")
        os.environ["ALSA_CONFIG_PATH"] = f"/proc/self/fd/{self._file}"

    def for_opening(self, pcm: str) -> None:
        """From now on :data:`ALIAS` means ``pcm``, and all else is as the system has it."""
        if any(ord(sign) < 32 for sign in pcm):
            raise PlaybackError("audio_missing", "The name of the sound card has a control character in it.")
        quoted = pcm.replace("\\", "\\\\").replace('"', '\\"')
        self._write(f'pcm.{ALIAS} {{\n type empty\n slave.pcm "{quoted}"\n}}\n')
        os.environ["ALSA_CONFIG_PATH"] = f"{self._system}:/proc/self/fd/{self._file}"

    def withdraw(self) -> None:
        """Leave ``ALSA_CONFIG_PATH`` as it was."""
        if self._before is None:
            os.environ.pop("ALSA_CONFIG_PATH", None)
        else:
            os.environ["ALSA_CONFIG_PATH"] = self._before
        self._discard()

    def _write(self, text: str) -> None:
        self._discard()
        self._file = os.memfd_create("cosyedge-alsa")
        os.write(self._file, text.encode())

    def _discard(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def why_not(device: str) -> PlaybackError | None:
    """Why ALSA does not open :data:`ALIAS`, which stands for ``device``: PortAudio only says that it did not.

    None if it does open.
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
        return None
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
    try:
        controls = [dev_snd / name for name in os.listdir(dev_snd) if name.startswith("controlC")]
    except PermissionError:
        return True
    except OSError:
        return False
    return bool(controls) and not any(
        os.access(control, os.R_OK | os.W_OK, effective_ids=True) for control in controls
    )
