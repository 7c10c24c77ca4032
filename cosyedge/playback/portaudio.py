"""PyAudio as we use it: find the card, open it in callback mode, close it.

Everything here may hang or take long: it runs on the thread ``audio-device``
(:mod:`cosyedge.playback.device_thread`).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from cosyedge.errors import PlaybackError
from cosyedge.playback.alsa_names import (
    ALIAS,
    AlsaConfiguration,
    cards_listing,
    pcm_name,
    sound_cards,
    why_not,
)
from cosyedge.playback.feed import Feed
from cosyedge.playback.sink_kind import SinkKind, opened_kind

log = logging.getLogger(__name__)

_INVALID_CHANNELS: Final = -9998
_INVALID_RATE: Final = -9997
_FORMAT_NOT_SUPPORTED: Final = -9994
_DEVICE_UNAVAILABLE: Final = -9985


@dataclass(eq=False, slots=True)
class OpenCard:
    """A card that is ours; ``stream`` is PyAudio's."""

    stream: Any
    feed: Feed
    rate: int
    channels: int
    latency_s: float
    kind: SinkKind
    started: bool = False

    def is_active(self) -> bool:
        """False once the callback's thread has ended: after the last tail, or because the device vanished."""
        try:
            return bool(self.stream.is_active())
        except OSError:
            return False


class PortAudio:
    """One instance of PyAudio for one device, made when it is first needed."""

    def __init__(self, device: str) -> None:
        self.device = device
        self._configuration: AlsaConfiguration | None = None
        self._instance: Any = None
        self._index = -1
        self._defined_for: str | None = None
        self._told = ""

    def open(
        self, formats: Iterable[tuple[int, int]], period: int, feed: Callable[[int, int], Feed]
    ) -> OpenCard:
        """Open the card in the first of ``formats`` (rate, channels) that it takes; it is not started yet.

        ``feed(rate, channels)`` makes the callback. Raises ``audio_missing``, ``audio_busy``,
        ``audio_refused``, ``audio_library``.
        """
        self.prepare()
        return self._open(formats, period, feed)

    def prepare(self) -> None:
        """See to an instance, and a configuration that fits the cards of this moment. Opens nothing."""
        if self._configuration is None:
            self._configuration = AlsaConfiguration()
        if self._instance is None:
            self._configuration.for_listing()
            self._instance = make_pyaudio()
            self._index = next(
                (int(info["index"]) for info in alsa_outputs(self._instance) if info["name"] == ALIAS), -1
            )
            if self._index < 0:
                self._instance.terminate()
                self._instance = None
                raise PlaybackError("audio_refused", "PortAudio was built without ALSA, or can't use it.")
        listing = cards_listing()
        if listing != self._defined_for:
            self._configuration.for_opening(pcm_name(self.device, sound_cards(listing)))
            self._defined_for = listing

    def _open(
        self,
        formats: Iterable[tuple[int, int]],
        period: int,
        make_feed: Callable[[int, int], Feed],
    ) -> OpenCard:
        import pyaudio

        tried: list[str] = []
        for rate, channels in formats:
            feed = make_feed(rate, channels)
            try:
                stream = self._instance.open(
                    rate=rate,
                    channels=channels,
                    format=pyaudio.paInt16,
                    output=True,
                    output_device_index=self._index,
                    frames_per_buffer=period,
                    stream_callback=feed,
                    start=False,
                )
            except OSError as error:
                tried.append(f"{rate} Hz {'stereo' if channels == 2 else 'mono'}")
                if error.errno in (_INVALID_RATE, _INVALID_CHANNELS, _FORMAT_NOT_SUPPORTED):
                    log.debug("the card does not take %s: %s", tried[-1], error)
                    continue
                if error.errno == _DEVICE_UNAVAILABLE:
                    raise PlaybackError("audio_busy", f"The sound card {self.device!r} is in use.") from error
                log.debug("the card can't be opened: %s", error)
                reason = why_not(self.device)
                if reason is not None:
                    try:
                        raise reason from error
                    finally:
                        del reason, feed  # else the error keeps this frame, and the ring in it
                continue
            kind = opened_kind(self.device)
            card = OpenCard(stream, feed, rate, channels, float(stream.get_output_latency()), kind)
            self._tell(card, period)
            return card
        raise PlaybackError(
            "audio_refused", f"The sound card {self.device!r} takes none of {', '.join(tried)}."
        )

    def start(self, card: OpenCard) -> None:
        """Let the callback run."""
        try:
            card.stream.start_stream()
        except OSError as error:
            raise PlaybackError(
                "audio_lost", f"The sound card {self.device!r} does not start: {error.strerror or error}."
            ) from error

    def close(self, card: OpenCard) -> None:
        """Stop and close; whatever the device says to that is of no interest any more."""
        try:
            card.stream.stop_stream()
        except OSError as error:
            log.debug("stopping the sound card: %s", error)
        try:
            card.stream.close()
        except OSError as error:
            log.debug("closing the sound card: %s", error)
        log.debug("sound card %s closed", self.device)

    def forget(self) -> None:
        """Let ALSA read its configuration anew before the next open: the machine is not what it was."""
        self._defined_for = None

    def shut(self) -> None:
        """Give everything back, the environment included."""
        if self._instance is not None:
            self._instance.terminate()
            self._instance = None
        if self._configuration is not None:
            self._configuration.withdraw()
            self._configuration = None
        self._defined_for = None

    def _tell(self, card: OpenCard, period: int) -> None:
        """Log what was negotiated: once, and again whenever it is something else."""
        words = (
            f"{self.device}: {card.rate} Hz, {card.channels} channels, periods of {period} frames, "
            f"latency {card.latency_s * 1000:.0f} ms, {card.kind}"
        )
        log.log(logging.DEBUG if words == self._told else logging.INFO, "%s", words)
        self._told = words


def make_pyaudio() -> Any:
    """A new ``PyAudio()``: it looks at every device that the ALSA configuration of this moment has."""
    # libjack, which PortAudio is linked to on Debian, would otherwise try to start a server of its own.
    os.environ.setdefault("JACK_NO_START_SERVER", "1")
    try:
        import pyaudio
    except ImportError as error:
        raise PlaybackError("audio_library", f"PyAudio can't be loaded ({error}).") from error
    try:
        return pyaudio.PyAudio()
    except OSError as error:
        raise PlaybackError(
            "audio_refused", f"The configuration of ALSA can't be used: {error.strerror or error}."
        ) from error


def alsa_outputs(instance: Any) -> list[dict[str, Any]]:
    """PortAudio's entries for what can be played to through ALSA. Their numbers have holes: use ``index``."""
    import pyaudio

    try:
        api = instance.get_host_api_info_by_type(pyaudio.paALSA)
    except OSError:
        return []
    entries = (
        instance.get_device_info_by_host_api_device_index(api["index"], number)
        for number in range(api["deviceCount"])
    )
    return [entry for entry in entries if entry["maxOutputChannels"] > 0]
