"""What a card is, from a copy of what the kernel tells of real ones."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from cosyedge.playback.sink_kind import LEAD_IN_S, opened_kind

CARDS = """\
 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones
                      bcm2835 Headphones
 1 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0
                      vc4-hdmi-0
 2 [Device         ]: USB-Audio - USB Audio Device
                      C-Media Electronics Inc. USB Audio Device at usb-xhci-hcd.0-1, full speed
 3 [PCH            ]: HDA-Intel - HDA Intel PCH
                      HDA Intel PCH at 0xa1138000 irq 143
 4 [sndrpihifiberry]: RPi-simple - snd_rpi_hifiberry_dac
                      snd_rpi_hifiberry_dac
 5 [Loopback       ]: Loopback - Loopback
                      Loopback 1
10 [Speaker        ]: snd-soc-dummy - Built-in
                      Built-in
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Folders ``asound`` and ``process`` as in procfs; nothing is open yet."""
    (tmp_path / "process" / "fd").mkdir(parents=True)
    (tmp_path / "process" / "maps").write_text("7f0 r-xp 0 /usr/lib/libasound.so.2.0.0\n")
    (tmp_path / "asound").mkdir()
    (tmp_path / "asound" / "cards").write_text(CARDS)
    for output, name in ((0, "ALC256 Analog"), (3, "HDMI 0"), (7, "HDMI 1")):
        folder = tmp_path / "asound" / "card3" / f"pcm{output}p"
        folder.mkdir(parents=True)
        (folder / "info").write_text(
            f"card: 3\ndevice: {output}\nstream: PLAYBACK\nid: {name}\nname: {name}\n"
        )
    (tmp_path / "asound" / "card2").mkdir()
    (tmp_path / "asound" / "card2" / "usbid").write_text("0d8c:0014\n")
    return tmp_path


def kind(machine: Path, pcm: str, *opened: str) -> str:
    for number, target in enumerate(("/dev/null", "socket:[4711]", *opened)):
        os.symlink(target, machine / "process" / "fd" / str(number))
    return opened_kind(pcm, machine / "process", machine / "asound")


@pytest.mark.parametrize(
    ("opened", "expected"),
    [
        ("pcmC0D0p", "analogue"),
        ("pcmC1D0p", "hdmi"),
        ("pcmC2D0p", "usb"),
        ("pcmC3D0p", "analogue"),
        ("pcmC3D3p", "hdmi"),
        ("pcmC4D0p", "analogue"),
        ("pcmC5D0p", "virtual"),
        ("pcmC10D0p", "virtual"),
        ("pcmC77D0p", "analogue"),
        ("pcmC1D0c", "virtual"),
    ],
)
def test_a_card_is_known_by_its_driver_and_not_by_the_name_that_led_there(machine, opened, expected):
    assert kind(machine, "default", f"/dev/snd/{opened}") == expected


def test_of_several_the_slowest_counts(machine):
    assert kind(machine, "both", "/dev/snd/pcmC0D0p", "/dev/snd/pcmC1D0p", "/dev/snd/controlC2") == "hdmi"


@pytest.mark.parametrize("pcm", ["bluealsa", "bluealsa:DEV=AA:BB:CC:DD:EE:FF", "Bluetooth box"])
def test_bluetooth_is_known_by_its_name(machine, pcm):
    assert kind(machine, pcm) == "bluetooth"


def test_bluetooth_is_known_by_its_plug_in_whatever_its_name(machine):
    with (machine / "process" / "maps").open("a") as file:
        file.write("7f1 r-xp 0 /usr/lib/alsa-lib/libasound_module_pcm_bluealsa.so\n")
    assert kind(machine, "kitchen") == "bluetooth"


def test_all_else_is_virtual_and_so_is_a_machine_that_tells_nothing(machine, tmp_path):
    assert kind(machine, "pulse") == "virtual"
    assert opened_kind("default", tmp_path / "none", tmp_path / "none") == "virtual"


def test_what_wakes_slowly_gets_more_silence():
    assert LEAD_IN_S == {"analogue": 0.2, "hdmi": 1.5, "usb": 0.6, "bluetooth": 1.0, "virtual": 0.2}


def test_asking_has_the_interpreter_intern_nothing(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card may be opened for each announcement; names that come and go make the table of them grow."""
    assert kind(machine, "default", "/dev/snd/pcmC2D0p") == "usb"
    interned: list[str] = []
    monkeypatch.setattr(sys, "intern", lambda name: interned.append(name) or name)
    assert opened_kind("default", machine / "process", machine / "asound") == "usb"
    assert [name for name in interned if name not in (*machine.parts, "process", "asound")] == []
