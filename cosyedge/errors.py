"""Errors are part of the product: a stable code, one clear sentence, and what to do.

::

    CosyError
    ├── ConfigError          the configuration file or a flag
    ├── AnnouncementError    a payload that can't become an announcement, or one that can't be taken
    ├── TextError            lexicons, and text that can't be read
    ├── SpeechError          the bundle, the models, synthesis
    ├── PlaybackError        the sound card, a WAV file
    ├── MqttError            the broker
    └── HostError            the machine: memory, systemd, the processor

The codes of :data:`CURES` are a contract: automations match on them, so none is ever renamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: code → what to do about it.
CURES: Final[Mapping[str, str]] = {
    # configuration
    "config_unreadable": "Check that the file exists, is readable and is YAML; see config/cosyedge.yaml.",
    "config_unknown_key": "Correct or remove the key; `cosyedge config` lists all of them.",
    "config_duplicate_key": "Keep one of the two.",
    "config_bad_value": "Give such a value; config/cosyedge.yaml and `--help` say what each one takes.",
    # files and streams of a command
    "file_unreadable": "Check that it is there and may be read.",
    "output_unwritable": "Check where standard output leads: a full disk, or nowhere.",
    # payloads
    "not_utf8": "Send the payload as UTF-8.",
    "bad_json": 'Send plain text, or one JSON object such as {"text": "Dinner is ready."}.',
    "unknown_key": "Correct or remove the key; the README lists the keys of a say object.",
    "bad_value": "Correct the value; the README lists what each key takes.",
    "missing_text": 'Add "text" to the object.',
    "template_not_rendered": "Render the template before it is published.",
    "payload_too_large": "Send less; nothing of this message was read.",
    "rate_limited": "Send fewer messages a second, or raise limits.max_rate.",
    "text_too_long": "Split the text, or raise limits.max_chars.",
    "unknown_voice": "Use one of the voices that `cosyedge voices` lists.",
    "unknown_lang": "Use one of auto, zh, yue, en, ja, ko.",
    "unknown_chime": "Use true, false, or the name of a chime that is installed.",
    # the queue
    "queue_full": "Wait until the queue is shorter, or raise queue.max_announcements.",
    "overloaded": "Raise memory.limit_mb, or send shorter texts.",
    "expired": "Raise ttl_s if a late announcement is still of use.",
    # text
    "lexicon_unreadable": "If it is that of lexicon.user, check the file; else install the bundle again.",
    "language_unavailable": "Install a bundle that speaks this language.",
    "text_unreadable": "Write it in other characters, or give them a reading in lexicon.user.",
    "lexicon_bad_line": "Mend that line: language, word and reading, parted by tabs.",
    # speech
    "bundle_missing": "Check models.dir and models.bundle, or install the bundle again.",
    "bundle_invalid": "Install the bundle again.",
    "bundle_hash_mismatch": "The file was changed or is damaged: install the bundle again.",
    "model_unreadable": "Install the bundle again, or a tested onnxruntime.",
    "synthesis_failed": "Report the text and the version: this is a defect.",
    "made_it_crash": "Report the text, the version and the log: this is a defect. Meanwhile reword it.",
    # playback
    "audio_missing": "Check the card with `cosyedge devices`, and audio.device.",
    "audio_busy": "Another program holds the card: close it, or play through a dmix device.",
    "audio_refused": "Check audio.device, and that the user is in the group audio.",
    "audio_lost": "The device vanished or stalled: check its cable and power; it is tried again.",
    "audio_stuck": "Only a new process gets it back: the service restarts, and says what it has not said.",
    "audio_library": "Install libportaudio2, and this program again.",
    "chime_unreadable": "Give a WAV file of at most 10 s, or use the chime soft or short.",
    "sound_unreadable": "Send a WAV file, best in 16-bit PCM.",
    "wav_unwritable": "Check that the folder exists and may be written.",
    # MQTT
    "mqtt_unreachable": "Check mqtt.host and mqtt.port, and that the broker runs; a node tries it again.",
    "mqtt_refused": "Check the user name, the password and the broker's access list.",
    "mqtt_taken_over": "A second client uses this client id: give each node its own mqtt.node.",
    "node_online": "Stop the node first; systemctl stop cosyedge does.",
    "mqtt_tls": "Check mqtt.tls: the CA, the certificate, the key and the broker's name.",
    # the machine
    "cpu_unsupported": "Use a 64-bit system on a Raspberry Pi 3 or later, or on an x86-64 of 2009 or later.",
    "libc_unsupported": "Use Debian 12, Raspberry Pi OS of 2023, or a later system with glibc.",
    "journal_unwritable": "Check that state.dir may be written and has room; speech goes on meanwhile.",
    "journal_damaged": "Check the disk, an SD card above all; this is said until the next start.",
    "journal_newer": "Install the newer version again, or remove the file that was kept aside.",
    "settings_unwritable": "Check that state.dir may be written and has room; settings hold until a restart.",
    "cache_unwritable": "Check that cache.dir may be written and has room; speech goes on without a cache.",
    "memory_limit": "Lower memory.limit_mb or give the service more memory.",
    "bench_missing": "Install it, or measure without; nothing else needs it.",
    "internal": "Report the log and the version: this is a defect.",
}


class CosyError(Exception):
    """The one base: ``code`` for machines, ``sentence`` for people, ``cure`` for whoever must act."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.cure = CURES[code]

    def __str__(self) -> str:
        stop = "" if self.sentence.endswith((".", "?", "!")) else "."
        return f"{self.sentence}{stop} {self.cure} [{self.code}]"


class ConfigError(CosyError):
    """The configuration file or a flag is wrong; the daemon does not start."""


class AnnouncementError(CosyError):
    """A payload can't become an announcement, or an announcement can't be taken."""


class TextError(CosyError):
    """A lexicon is broken, or a text can't be read."""


class SpeechError(CosyError):
    """The bundle or a model is broken, or synthesis failed."""


class PlaybackError(CosyError):
    """The sound card or the WAV file can't be used."""


class MqttError(CosyError):
    """The broker can't be used; it is tried again for ever."""


class HostError(CosyError):
    """The machine lacks what the daemon needs."""
