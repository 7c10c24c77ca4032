"""The stages as the configuration wants them: bundle, reader, synthesizer, sink, and the folders they use.

The daemon and the commands that speak build them here, so that what is tried by hand is what runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cosyedge import __version__
from cosyedge.errors import ConfigError, HostError, SpeechError
from cosyedge.options import Config

if TYPE_CHECKING:
    from cosyedge.announcements.phrase_cache import PhraseCache
    from cosyedge.announcements.say_object import Limits
    from cosyedge.announcements.settings import SettingsStore
    from cosyedge.playback.alsa import AlsaSink
    from cosyedge.playback.sink import Samples, Sink
    from cosyedge.speech.synthesizer import Synthesizer
    from cosyedge.speech.voice import Bundle
    from cosyedge.text.reader import Reader
    from cosyedge.text.user_lexicon import UserLexicon

#: Where a bundle is looked for when ``models.dir`` is null: beside the source, in the virtual environment,
#: then where packages put it.
MODEL_FOLDERS: Final = (
    Path(__file__).resolve().parent.parent / "models",
    Path(sys.prefix) / "share" / "cosyedge" / "models",
    Path("/usr/local/share/cosyedge/models"),
    Path("/usr/share/cosyedge/models"),
    Path("/opt/cosyedge/models"),
)
_MAKING_S: Final = 2.5


def bundle_folder(config: Config) -> Path:
    """The folder of the configured bundle.

    Raises:
        SpeechError: ``bundle_missing``, with the places that were looked at.
    """
    folders = MODEL_FOLDERS if config.models.dir is None else (config.models.dir,)
    for folder in folders:
        if (folder / config.models.bundle).is_dir():
            return folder / config.models.bundle
    places = ", ".join(str(folder) for folder in folders)
    raise SpeechError("bundle_missing", f"There is no bundle {config.models.bundle!r} in {places}.")


def open_bundle(config: Config) -> Bundle:
    """The configured bundle, every file of it checked.

    Raises:
        SpeechError: ``bundle_missing``, ``bundle_invalid``, ``bundle_hash_mismatch``.
    """
    from cosyedge.speech.voice import load_bundle

    return load_bundle(bundle_folder(config))


def make_reader(config: Config, bundle: Bundle) -> Reader:
    """Reads text in the languages of a bundle; each is loaded when it is met."""
    from cosyedge.text.reader import Reader

    return Reader(
        bundle.path,
        bundle.languages,
        default_lang=config.text.default_lang,
        traditional_chinese=config.text.traditional_chinese,
        sentence_pause_s=config.text.sentence_pause_s,
        user_lexicon=load_user_lexicon(config),
    )


def load_user_lexicon(config: Config) -> UserLexicon | None:
    """The user's own readings, if there are any.

    Raises:
        TextError: ``lexicon_unreadable``, ``lexicon_bad_line``.
    """
    if config.lexicon.user is None:
        return None
    from cosyedge.text.user_lexicon import UserLexicon

    return UserLexicon(config.lexicon.user)


def make_synthesizer(bundle: Bundle) -> Synthesizer:
    """Speaks with the voices of a bundle; the models are loaded when it first speaks or is warmed up.

    Pages of libraries that only loading needed are let go.
    """
    from cosyedge.host.pages import release_library_pages
    from cosyedge.speech.synthesizer import Synthesizer

    return Synthesizer(bundle, on_load=release_library_pages)


def warm_up(reader: Reader, synthesizer: Synthesizer) -> None:
    """Load all that a daemon that speaks has loaded: both models, and the lexicons of the common languages.

    Raises:
        CosyError: a model or a lexicon can't be loaded.
    """
    from cosyedge.announcements.own_words import TEST_SENTENCES

    synthesizer.warm_up()
    for _ in reader.read(TEST_SENTENCES["auto"]):
        pass


def make_limits(config: Config, bundle: Bundle) -> Limits:
    """What a payload may ask for, here."""
    from cosyedge.announcements.say_object import Limits
    from cosyedge.playback.chime import CHIMES

    voices = frozenset({"auto", *(voice.id for voice in bundle.voices)})
    if config.speech.voice not in voices:
        where = config.origins.get("speech.voice", "speech.voice")
        names = ", ".join(sorted(voices))
        raise ConfigError("config_bad_value", f"{where}: speech.voice must be one of {names}.")
    return Limits(config.limits.max_chars, voices, frozenset(CHIMES))


def make_sink(config: Config) -> Sink:
    """Where announcements go; nothing is opened yet."""
    audio = config.audio
    if audio.output == "wav":
        from cosyedge.playback.wav import WavSink

        if audio.wav_path is not None:
            return WavSink(audio.wav_path)
        folder = state_folder(config)
        with suppress(OSError):  # the sink's begin() says what is wrong, and tries again
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return WavSink(folder / "announcement-{n}.wav")
    return make_card(config)


def make_card(config: Config) -> AlsaSink:
    """The sound card ``audio.device``, whether or not announcements go there; it is not opened yet."""
    from cosyedge.playback.alsa import AlsaSink

    audio = config.audio
    return AlsaSink(
        audio.device,
        rate=audio.rate,
        channels=audio.channels,
        ring_s=audio.ring_s,
        period=audio.period,
        lead_in_s=audio.lead_in_s,
        lead_ins={
            "analogue": audio.lead_in_analogue_s,
            "hdmi": audio.lead_in_hdmi_s,
            "usb": audio.lead_in_usb_s,
            "bluetooth": audio.lead_in_bluetooth_s,
            "virtual": audio.lead_in_virtual_s,
        },
        idle_close_s=audio.idle_close_s,
        keep_alive=audio.keep_alive,
    )


def ahead_s(config: Config) -> float:
    """How long before its ``at`` an announcement is taken up: what a card takes to be opened and to wake, and
    the first clause to be made, on a machine that is slow at both."""
    audio = config.audio
    if audio.output == "wav" or audio.keep_alive:
        return _MAKING_S
    if audio.lead_in_s is not None:
        return _MAKING_S + audio.lead_in_s
    kinds = (
        audio.lead_in_analogue_s, audio.lead_in_hdmi_s, audio.lead_in_usb_s, audio.lead_in_bluetooth_s,
        audio.lead_in_virtual_s,
    )  # fmt: skip
    return _MAKING_S + max(kinds)


def make_settings(
    config: Config, limits: Limits, on_trouble: Callable[[HostError | None], None]
) -> SettingsStore:
    """What is set by command and kept; until then it is as configured."""
    from cosyedge.announcements.settings import Settings, SettingsStore

    defaults = Settings(
        volume=config.audio.volume / 100,
        voice=config.speech.voice,
        lang=config.speech.lang,
        speed=config.speech.speed,
    )
    return SettingsStore(state_folder(config), defaults=defaults, limits=limits, on_trouble=on_trouble)


def make_cache(
    config: Config, bundle: Bundle, on_trouble: Callable[[HostError | None], None]
) -> PhraseCache | None:
    """Where finished speech is kept; None where it is not."""
    from cosyedge.announcements.phrase_cache import MemoryStore, PhraseCache, Store
    from cosyedge.announcements.phrase_folder import FolderStore

    if not config.cache.max_mb:
        return None
    folder = cache_folder(config)
    store: Store = MemoryStore() if folder is None else FolderStore(folder)
    fingerprint = cache_fingerprint(config, bundle)
    return PhraseCache(config.cache.max_mb << 20, store, fingerprint=fingerprint, on_trouble=on_trouble)


def cache_fingerprint(config: Config, bundle: Bundle) -> str:
    """Of all that finished speech depends on, besides voice, text and speed."""
    import hashlib

    from cosyedge.speech.voice import MANIFEST

    text = config.text
    # The manifest has the hashes of models and lexicons, and the loudness of the voices.
    parts = (bundle.path / MANIFEST).read_bytes(), __version__, text.default_lang, text.traditional_chinese
    readings = b""
    if config.lexicon.user is not None:
        with suppress(OSError):  # who reads it for its words says what is wrong
            readings = config.lexicon.user.read_bytes()
    return hashlib.sha256(repr((*parts, text.sentence_pause_s, readings)).encode()).hexdigest()


def make_chimes(config: Config) -> Callable[[str | bool], Samples]:
    """Name of a chime, or True for the node's own → samples; each is made once.

    Raises:
        ConfigError: ``audio.chime`` is neither the name of a chime nor a file that can be used.
    """
    from functools import lru_cache

    from cosyedge.errors import PlaybackError
    from cosyedge.playback.chime import CHIMES, load_chime, make_chime

    own = config.audio.chime
    try:
        own_samples = make_chime(own) if own in CHIMES else load_chime(own)
    except PlaybackError as error:
        where = config.origins.get("audio.chime", "audio.chime")
        raise ConfigError("config_bad_value", f"{where}: {error.sentence}") from error
    by_name = lru_cache(maxsize=len(CHIMES))(make_chime)
    return lambda name: own_samples if name is True or name == own else by_name(str(name))


def state_folder(config: Config, environment: Mapping[str, str] = os.environ) -> Path:
    """What survives a power cut: as configured, systemd's StateDirectory, else the user's."""
    if config.state.dir is not None:
        return config.state.dir
    if folder := environment.get("STATE_DIRECTORY"):
        return Path(folder.split(":")[0])
    return Path(environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "cosyedge"


def cache_folder(config: Config, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where finished speech is kept: as configured, else in systemd's RuntimeDirectory, a tmpfs."""
    if config.cache.dir is not None:
        return config.cache.dir
    folder = environment.get("RUNTIME_DIRECTORY")
    return Path(folder.split(":")[0]) / "phrases" if folder else None


def journal_folder(config: Config, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where waiting announcements are kept: with the state, in memory (RuntimeDirectory), or nowhere."""
    if config.queue.journal == "off":
        return None
    if config.queue.journal == "state":
        return state_folder(config, environment)
    if folder := environment.get("RUNTIME_DIRECTORY"):
        return Path(folder.split(":")[0])
    return Path(environment.get("XDG_RUNTIME_DIR") or "/run") / "cosyedge"


def attempts_folder(config: Config, environment: Mapping[str, str] = os.environ) -> Path:
    """Where it stands what is being made: in memory (RuntimeDirectory) if it can, else with the state."""
    if folder := environment.get("RUNTIME_DIRECTORY"):
        return Path(folder.split(":")[0])
    return state_folder(config, environment)
