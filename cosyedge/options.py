"""Every option of cosyedge, in one table.

The dataclasses below *are* the table: a field is an option, its section and its name are the key in the
file (``mqtt.host``) and the flag (``--mqtt-host``), its annotation is the type that is checked.
:data:`OPTIONS` has the same as rows, from which flags, validation, ``cosyedge config``,
config/cosyedge.yaml and the table of the README come.
"""

# ruff: noqa: RUF009 - a call of option() makes a field, not a value that instances would share

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from cosyedge.option_row import NAME, SITE, TOPIC, Option, option, rows_of
from cosyedge.text.language_tags import language_of


@dataclass(frozen=True, slots=True)
class Mqtt:
    host: str = option("localhost", "Name or address of the broker.")
    port: int = option(1883, "Port of the broker; 8883 is usual with TLS.", minimum=1, maximum=65535)
    node: str | None = option(
        None, "Name of this node in its topics `cosyedge/<node>/…`; null takes the host name.", pattern=NAME
    )
    groups: tuple[str, ...] = option(
        (), "Groups whose announcements (`cosyedge/group/<name>/say`) are spoken here too.", pattern=NAME
    )
    session_expiry_s: int = option(
        3600,
        "Seconds for which the broker keeps announcements while this node is away.",
        minimum=0,
        maximum=2**32 - 2,
    )
    protocol: Literal["5", "3.1.1"] = option("5", "MQTT version to speak with the broker.")
    keepalive_s: int = option(30, "Seconds between signs of life to the broker.", minimum=5, maximum=3600)
    username: str | None = option(None, "User name at the broker.")
    password: str | None = option(
        None, "Password at the broker; better in `mqtt.password_file` or a systemd credential.", secret=True
    )
    password_file: Path | None = option(None, "File whose first line is the password at the broker.")
    tls: bool = option(False, "Whether the connection is encrypted.")
    tls_ca: Path | None = option(None, "PEM file of the authority to trust; null trusts the system's.")
    tls_certificate: Path | None = option(
        None, "PEM file of this node's certificate, if the broker wants one."
    )
    tls_key: Path | None = option(None, "PEM file of the private key of that certificate.")


@dataclass(frozen=True, slots=True)
class HomeAssistant:
    discovery: bool = option(
        True, "Whether this node shows itself to Home Assistant, as a device with all its entities."
    )
    prefix: str = option("homeassistant", "Home Assistant's discovery prefix.", pattern=TOPIC)
    status_topic: str = option(
        "homeassistant/status", "Where Home Assistant says that it has started.", pattern=TOPIC
    )
    last_text: bool = option(
        False, "Whether what was said last is published for a sensor, which everybody at the broker can read."
    )


@dataclass(frozen=True, slots=True)
class Hermes:
    enabled: bool = option(
        False, "Whether Rhasspy's protocol Hermes is understood: text to speech and audio output of one site."
    )
    site: str = option("default", "The siteId whose messages are for this node.", pattern=SITE)


@dataclass(frozen=True, slots=True)
class Audio:
    output: Literal["alsa", "wav"] = option("alsa", "Where announcements go: a sound card, or WAV files.")
    device: str = option("default", "Sound card by name, as `cosyedge devices` lists it.")
    rate: int | None = option(
        None, "Sample rate to try first, in Hz; null tries the usual ones.", minimum=8000, maximum=384000
    )
    channels: int | None = option(
        None, "Channels to try first; null tries stereo, then mono.", minimum=1, maximum=8
    )
    lead_in_s: float | None = option(
        None,
        "Seconds of silence before the first sound of a card that was closed; null goes by its kind, "
        "by the five figures that follow.",
        minimum=0,
        maximum=5,
    )
    lead_in_analogue_s: float = option(
        0.2, "The same for an analogue output, such as a jack or an amplifier HAT.", minimum=0, maximum=5
    )
    lead_in_hdmi_s: float = option(
        1.5, "The same for HDMI and DisplayPort: screens are slow to wake.", minimum=0, maximum=5
    )
    lead_in_usb_s: float = option(0.6, "The same for USB.", minimum=0, maximum=5)
    lead_in_bluetooth_s: float = option(1.0, "The same for Bluetooth through BlueALSA.", minimum=0, maximum=5)
    lead_in_virtual_s: float = option(
        0.2,
        "The same where no card can be seen: a sound server hides whether it leads to HDMI or Bluetooth.",
        minimum=0,
        maximum=5,
    )
    keep_alive: bool = option(
        False,
        "Whether the card is kept open and plays silence between announcements: no lead-in, and no other "
        "program can have it.",
    )
    idle_close_s: float = option(
        5.0,
        "Seconds after which an idle card is left to other programs; a large number keeps it.",
        minimum=0,
        maximum=31536000,
    )
    ring_s: float = option(2.0, "Seconds of sound that are kept ready for the card.", minimum=0.2, maximum=30)
    period: int = option(
        1024, "Frames that the card takes at a time; more helps against gaps.", minimum=64, maximum=16384
    )
    volume: float = option(
        100.0, "Volume at the first start. What is set later is kept.", minimum=0, maximum=100
    )
    chime: str = option(
        "soft", "The node's own chime, for announcements that ask for one: soft, short, or a WAV file."
    )
    wav_path: Path | None = option(
        None,
        "With `audio.output: wav`: a folder, a file that grows, or a name with {n} for a number; "
        "null takes the folder `state.dir`.",
    )


@dataclass(frozen=True, slots=True)
class Models:
    dir: Path | None = option(None, "Folder of the bundles; null looks in the usual places.")
    bundle: str = option("cosyedge-multi", "Name of the bundle, a folder in `models.dir`.")
    preload: bool = option(
        True,
        "Whether the models are loaded at the start; else the first announcement waits for them, and what is "
        "wrong with them shows only then.",
    )
    idle_unload_s: float | None = option(
        None,
        "Seconds without an announcement after which the models are unloaded; null keeps them.",
        minimum=1,
        maximum=31536000,
    )


@dataclass(frozen=True, slots=True)
class Speech:
    voice: str = option(
        "auto", "Voice at the first start; `auto` goes by the language. What is set later is kept."
    )
    lang: Literal["auto", "zh", "yue", "en", "ja", "ko"] = option(
        "auto",
        "Base language at the first start; `auto` finds it. What is set later is kept.",
        means=language_of,
    )
    speed: float = option(
        1.0, "Speed at the first start. What is set later is kept.", minimum=0.5, maximum=2.0
    )


@dataclass(frozen=True, slots=True)
class Text:
    default_lang: Literal["zh", "yue", "en", "ja", "ko"] = option(
        "zh", "Language of a text that doesn't tell, such as a bare number.", means=language_of
    )
    traditional_chinese: Literal["yue", "zh"] = option(
        "yue",
        "How characters that are only traditional are read: as Cantonese or as Mandarin.",
        means=language_of,
    )
    sentence_pause_s: float = option(
        0.25,
        "Seconds of silence between two sentences; between paragraphs twice that.",
        minimum=0.05,
        maximum=5,
    )


@dataclass(frozen=True, slots=True)
class Lexicon:
    user: Path | None = option(
        None,
        "File of your own readings: language, word and reading a line, parted by tabs; read again at SIGHUP.",
    )


@dataclass(frozen=True, slots=True)
class Cache:
    max_mb: int = option(
        8,
        "MB of finished speech that are kept, 3 MB a minute, so that what was said before starts at once; "
        "0 for none.",
        minimum=0,
        maximum=4096,
    )
    dir: Path | None = option(
        None,
        "Folder for it, best on a tmpfs; null takes the service's below /run, else the memory of the daemon.",
    )


@dataclass(frozen=True, slots=True)
class Limits:
    max_chars: int = option(1000, "Longest text of an announcement.", minimum=1, maximum=100000)
    max_sound_kb: int = option(
        2048, "Largest sound that is played, from `play` or Hermes, in kB.", minimum=1, maximum=65536
    )
    max_rate: float = option(
        50.0,
        "Messages a second that are taken on one topic, commands and sounds included; ten seconds' worth may "
        "come at once.",
        minimum=0.1,
        maximum=10000,
    )


@dataclass(frozen=True, slots=True)
class Queue:
    max_announcements: int = option(100, "How many announcements may wait.", minimum=1, maximum=10000)
    max_bytes: int = option(
        4 << 20,
        "How many bytes may wait; an announcement counts as its text, or its sound, and 1024 more.",
        minimum=4096,
        maximum=1 << 26,
    )
    resume: Literal["restart", "continue", "drop"] = option(
        "restart",
        "What becomes of an announcement that another interrupted: said again from its beginning, from the "
        "clause that was cut, or dropped.",
    )
    journal: Literal["state", "run", "off"] = option(
        "state", "What waiting announcements survive: a power cut (state), a crash (run), neither (off)."
    )


@dataclass(frozen=True, slots=True)
class State:
    dir: Path | None = option(
        None, "Folder of the journal and of what is kept; null takes the service's, else the user's."
    )


@dataclass(frozen=True, slots=True)
class Memory:
    limit_mb: int = option(420, "Memory budget in MB; over 90 % of it new work is refused.", minimum=192)


@dataclass(frozen=True, slots=True)
class Health:
    interval_s: float = option(60.0, "Seconds between two health messages.", minimum=1, maximum=86400)


@dataclass(frozen=True, slots=True)
class Log:
    level: Literal["debug", "info", "warning", "error"] = option(
        "info", "What is logged; the spoken text at debug alone."
    )


@dataclass(frozen=True, slots=True)
class Config:
    """Every option, by section, and where each value came from."""

    mqtt: Mqtt = field(default_factory=Mqtt)
    homeassistant: HomeAssistant = field(default_factory=HomeAssistant)
    hermes: Hermes = field(default_factory=Hermes)
    audio: Audio = field(default_factory=Audio)
    models: Models = field(default_factory=Models)
    speech: Speech = field(default_factory=Speech)
    text: Text = field(default_factory=Text)
    lexicon: Lexicon = field(default_factory=Lexicon)
    cache: Cache = field(default_factory=Cache)
    limits: Limits = field(default_factory=Limits)
    queue: Queue = field(default_factory=Queue)
    state: State = field(default_factory=State)
    memory: Memory = field(default_factory=Memory)
    health: Health = field(default_factory=Health)
    log: Log = field(default_factory=Log)
    origins: Mapping[str, str] = field(default_factory=dict)
    """key → where the value came from; keys that are not there have their default"""

    def value(self, key: str) -> Any:
        """The value of a key such as ``mqtt.host``."""
        section, name = key.split(".")
        return getattr(getattr(self, section), name)


#: Every option, in the order of the file.
OPTIONS: Final[tuple[Option, ...]] = tuple(rows_of(Config))
