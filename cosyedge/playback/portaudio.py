"""PyAudio as we use it: find the card, open it in callback mode, close it. Everything here may hang or take
long, so all of it runs on the thread ``audio-device`` (:mod:`cosyedge.playback.device_thread`).
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

    def is_active(self) -> bool:
        """False once the callback's thread has ended: after the last tail, or because the device vanished."""
        try:
            return bool(self.stream.is_active())
        except OSError:
            return False


class PortAudio:
    """One instance of PyAudio, renewed whenever its picture of the machine may be old."""

    def __init__(self, device: str) -> None:
        self.device = device
        self._configuration: AlsaConfiguration | None = None
        self._instance: Any = None
        self._cards = ""
        self._told = ""

    def open(
        self, formats: Iterable[tuple[int, int]], period: int, feed: Callable[[int, int], Feed]
    ) -> OpenCard:
        """Open the card in the first of ``formats`` (rate, channels) that it takes; it is not started yet.

        ``feed(rate, channels)`` makes the callback. Raises ``audio_missing``, ``audio_busy``,
        ``audio_refused``.
        """
        fresh = self._renew_if_old()
        index = self._index()
        if index is None and not fresh:
            # The card was absent, or busy, when this instance looked.
            self.forget()
            self._renew_if_old()
            index = self._index()
        if index is None:
            error = why_not(self.device)
            self.forget()
            raise error
        try:
            return self._open(index, formats, period, feed)
        except PlaybackError:
            self.forget()
            raise

    def _open(
        self,
        index: int,
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
                    output_device_index=index,
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
                raise why_not(self.device) from error
            card = OpenCard(stream, feed, rate, channels, float(stream.get_output_latency()))
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
                "audio_lost", f"The sound card {self.device!r} does not start ({error})."
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
        """Drop the instance, and with it all that PortAudio and ALSA believe about the machine."""
        if self._instance is not None:
            instance, self._instance = self._instance, None
            instance.terminate()

    def shut(self) -> None:
        """Give everything back, the environment included."""
        self.forget()
        if self._configuration is not None:
            self._configuration.withdraw()
            self._configuration = None

    def _tell(self, card: OpenCard, period: int) -> None:
        """Log what was negotiated: once, and again whenever it is something else."""
        words = (
            f"{self.device}: {card.rate} Hz, {card.channels} channels, periods of {period} frames, "
            f"latency {card.latency_s * 1000:.0f} ms"
        )
        log.log(logging.DEBUG if words == self._told else logging.INFO, "%s", words)
        self._told = words

    def _renew_if_old(self) -> bool:
        """See to an instance that knows the present set of cards; whether it was made just now."""
        listing = cards_listing()
        if self._instance is not None and listing == self._cards:
            return False
        self.forget()
        if self._configuration is None:
            self._configuration = AlsaConfiguration()
        self._configuration.define(pcm_name(self.device, sound_cards(listing)))
        self._instance = make_pyaudio()
        self._cards = listing
        return True

    def _index(self) -> int | None:
        for info in alsa_outputs(self._instance):
            if info["name"] == ALIAS:
                return int(info["index"])
        return None


def make_pyaudio() -> Any:
    """A new ``PyAudio()``: it looks at every device of the machine, which takes a part of a second."""
    # libjack, which PortAudio is linked to on Debian, would otherwise try to start a server of its own.
    os.environ.setdefault("JACK_NO_START_SERVER", "1")
    try:
        import pyaudio
    except ImportError as error:
        raise PlaybackError("audio_library", f"PyAudio can't be loaded ({error}).") from error
    try:
        return pyaudio.PyAudio()
    except OSError as error:
        raise PlaybackError("audio_refused", f"The configuration of ALSA can't be used ({error}).") from error


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
