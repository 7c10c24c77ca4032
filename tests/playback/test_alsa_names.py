from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from cosyedge.errors import PlaybackError
from cosyedge.playback import portaudio
from cosyedge.playback.alsa_names import AlsaConfiguration, SoundCard, open_error, pcm_name, sound_cards
from cosyedge.playback.devices import Device, describe, list_devices
from cosyedge.playback.portaudio import PortAudio
from tests.playback.sound import file_pcm, use_pcms

# /proc/asound/cards of a Raspberry Pi 4 with an USB loudspeaker.
CARDS = """\
 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones
                      bcm2835 Headphones
 1 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0
                      vc4-hdmi-0
 10 [Device         ]: USB-Audio - USB Audio Device
                      C-Media Electronics Inc. USB Audio Device at usb-0000:01:00.0-1.3, full speed
"""


def test_cards_are_read():
    assert sound_cards(CARDS) == (
        SoundCard(0, "Headphones", "bcm2835 Headphones"),
        SoundCard(1, "vc4hdmi0", "vc4-hdmi-0"),
        SoundCard(10, "Device", "USB Audio Device"),
    )
    assert sound_cards("--- no soundcards ---\n") == ()
    assert sound_cards("") == ()


@pytest.mark.parametrize(
    ("device", "pcm"),
    [
        ("default", "default"),
        (" default ", "default"),
        ("CARD=Device", "sysdefault:CARD=Device"),
        ("CARD=Device,DEV=0", "sysdefault:CARD=Device"),
        ("CARD=Device,DEV=1", "plughw:CARD=Device,DEV=1"),
        ("Headphones", "sysdefault:CARD=Headphones"),
        ("USB Audio Device", "sysdefault:CARD=Device"),
        ("1", "sysdefault:CARD=1"),
        ("hw:CARD=Device,DEV=0", "hw:CARD=Device,DEV=0"),
        ("dmix:CARD=Headphones", "dmix:CARD=Headphones"),
        ("CARD=vc4hdmi0", "sysdefault:CARD=vc4hdmi0"),
        ("hw:CARD=vc4hdmi0,DEV=0", "sysdefault:CARD=vc4hdmi0"),
        ("plughw:vc4hdmi1", "sysdefault:CARD=vc4hdmi1"),
        ("hw:1,0", "sysdefault:CARD=vc4hdmi0"),
        ("hw:0,0", "hw:0,0"),
        ("my speaker", "my speaker"),
    ],
)
def test_a_device_becomes_a_pcm(device, pcm):
    assert pcm_name(device, sound_cards(CARDS)) == pcm


@pytest.mark.parametrize("before", [None, "/etc/asound-test.conf"])
def test_the_configuration_comes_and_goes(monkeypatch, before):
    if before is None:
        monkeypatch.delenv("ALSA_CONFIG_PATH", raising=False)
    else:
        monkeypatch.setenv("ALSA_CONFIG_PATH", before)
    configuration = AlsaConfiguration()
    configuration.for_listing()
    [path] = os.environ["ALSA_CONFIG_PATH"].split(":")
    assert "type null" in Path(path).read_text()
    configuration.for_opening('odd "name\\')
    system, path = os.environ["ALSA_CONFIG_PATH"].split(":")
    assert system == (before or "/usr/share/alsa/alsa.conf")
    assert 'slave.pcm "odd \\"name\\\\"' in Path(path).read_text()
    with pytest.raises(PlaybackError, match="control character"):
        configuration.for_opening("two\nlines")
    configuration.withdraw()
    assert os.environ.get("ALSA_CONFIG_PATH") == before


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.EBUSY, "audio_busy"),
        (errno.EACCES, "audio_refused"),
        (errno.EPERM, "audio_refused"),
        (errno.ENOENT, "audio_missing"),
        (errno.ENODEV, "audio_missing"),
        (errno.ECONNREFUSED, "audio_refused"),
        (errno.EINVAL, "audio_refused"),
    ],
)
def test_each_errno_has_a_code_and_words(tmp_path, number, code):
    error = open_error("CARD=Device", number, os.strerror(number), dev_snd=tmp_path / "none")
    assert error.code == code
    assert "'CARD=Device'" in error.sentence
    assert error.cure


def test_a_user_who_may_not_use_any_card_is_told_so():
    """ALSA says "no such device" to a user outside the group audio."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:  # not below pytest's own, which is closed to others
        dev_snd = Path(folder)
        dev_snd.chmod(0o755)
        control = dev_snd / "controlC0"
        control.touch()
        control.chmod(0)

        def error() -> PlaybackError:
            if root:
                os.seteuid(65534)
            try:
                return open_error("CARD=Device", errno.ENODEV, "No such device", dev_snd)
            finally:
                if root:
                    os.seteuid(0)

        assert error().code == "audio_refused"
        assert "may not open" in error().sentence
        control.chmod(0o666)
        assert error().code == "audio_missing"
        dev_snd.chmod(0o700 if root else 0)
        assert error().code == "audio_refused"
        dev_snd.chmod(0o700)


def test_devices_are_described_under_stable_names():
    entries = [
        {"name": "bcm2835 Headphones: - (hw:0,0)", "maxOutputChannels": 8},
        {"name": "USB Audio Device: - (hw:10,0)", "maxOutputChannels": 2},
        {"name": "USB Audio Device: USB Audio #1 (hw:10,1)", "maxOutputChannels": 2},
        {"name": "sysdefault", "maxOutputChannels": 128},
        {"name": "my speaker", "maxOutputChannels": 2},
        {"name": "cosyedge", "maxOutputChannels": 2},
        {"name": "default", "maxOutputChannels": 128},
    ]
    assert describe(entries, sound_cards(CARDS)) == [
        Device("CARD=Headphones", "bcm2835 Headphones", 8, False),
        Device("CARD=Device", "USB Audio Device", 2, False),
        Device("CARD=Device,DEV=1", "USB Audio Device: USB Audio #1", 2, False),
        Device("sysdefault", "ALSA PCM", 128, False),
        Device("my speaker", "ALSA PCM", 2, False),
        Device("default", "ALSA PCM", 128, True),
    ]


def test_the_devices_of_this_machine_are_listed(monkeypatch, tmp_path, capfd):
    speaker = 'pcm."my speaker" {\n type null\n}\npcm.default {\n type null\n}\n'
    use_pcms(monkeypatch, tmp_path / "asound.conf", speaker, file_pcm("capture", tmp_path / "x.raw"))
    devices = list_devices()
    assert {device.name for device in devices} == {"my speaker", "capture", "unpaced", "default"}
    assert [device.name for device in devices if device.default] == ["default"]
    assert capfd.readouterr().err == ""


def test_a_broken_configuration_has_no_devices(monkeypatch, tmp_path):
    (tmp_path / "asound.conf").write_text("pcm.x {\n")
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(tmp_path / "asound.conf"))
    with pytest.raises(PlaybackError, match="configuration of ALSA") as caught:
        list_devices()
    assert caught.value.code == "audio_refused"


def test_a_name_is_resolved_anew_when_the_cards_are_others(monkeypatch, tmp_path):
    """After a boot, or a second USB loudspeaker, the same device has another number and another id."""
    use_pcms(monkeypatch, tmp_path / "asound.conf")
    listing = [CARDS]
    monkeypatch.setattr(portaudio, "cards_listing", lambda: listing[0])
    library = PortAudio("USB Audio Device")
    try:
        for cards, pcm in (
            (CARDS, "sysdefault:CARD=Device"),
            (CARDS.replace("10 [Device  ", " 0 [Device_1"), "sysdefault:CARD=Device_1"),
            ("", "USB Audio Device"),
            (CARDS, "sysdefault:CARD=Device"),
        ):
            listing[0] = cards
            library.prepare()
            _, ours = os.environ["ALSA_CONFIG_PATH"].split(":")
            assert f'slave.pcm "{pcm}"' in Path(ours).read_text()
    finally:
        library.shut()
