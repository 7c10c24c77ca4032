"""The sound card: opened when it is needed, given back when nothing is said, noticed when it is gone.

Whether a device is still there is not asked but measured: the number of callbacks is compared with the clock,
for PortAudio ends its thread without a word when a device vanishes, and waits for ever when a sound server
stands still.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from typing import Final

from cosyedge.errors import PlaybackError
from cosyedge.playback.chatter import alsa_words, captured_chatter
from cosyedge.playback.device_thread import DeviceThread
from cosyedge.playback.feed import Feed
from cosyedge.playback.portaudio import OpenCard, PortAudio
from cosyedge.playback.stuck import Circles
from cosyedge.playback.watch import Watch

log = logging.getLogger(__name__)

#: Tried in this order after what was asked for: what most cards run at, then what is left, then no
#: conversion.
RATES: Final = (48_000, 44_100, 24_000)
#: Stereo first: many cards know nothing else (asked for one channel, some play on their left only).
CHANNELS: Final = (2, 1)

#: Give up on stopping and closing after this; the card is then left to the thread that hangs in it.
_CLOSE_S: Final = 3.0


class Card:
    """One device, for one announcing thread; the properties, :meth:`set_gain` and :meth:`shut` are for any.

    ``make_feed(rate, channels)`` makes the callback for a card that is being opened. The rest is explained at
    :class:`cosyedge.playback.alsa.AlsaSink`.
    """

    def __init__(
        self,
        device: str,
        make_feed: Callable[[int, int], Feed],
        *,
        rate: int | None,
        channels: int | None,
        period: int,
        idle_close_s: float,
        stall_s: float,
        open_timeout_s: float,
    ) -> None:
        self.device = device
        self.closes_at_once = idle_close_s <= 0
        self._make_feed = make_feed
        self._formats = formats(rate, channels)
        self._period = period
        self._idle_close_s = idle_close_s
        self._stall_s = stall_s
        self._open_timeout_s = open_timeout_s
        self._portaudio = PortAudio(device)  # only ever used on the device thread
        self._thread = DeviceThread(self._close_if_idle, self._idle_in)
        self._watch = Watch(0)
        self._circles = Circles("audio")

        self._lock = threading.Lock()  # held for moments only; guards what follows
        self._open: OpenCard | None = None
        self._idle_since: float | None = None
        self._shut = False
        self._underruns = 0  # of cards that were closed
        self._gain = 1.0

    @property
    def open_card(self) -> OpenCard | None:
        """The card while it is open."""
        with self._lock:
            return self._open

    @property
    def is_shut(self) -> bool:
        """Whether :meth:`shut` was called."""
        with self._lock:
            return self._shut

    @property
    def underruns(self) -> int:
        """Gaps of every card so far."""
        with self._lock:
            return self._underruns + (self._open.feed.underruns if self._open else 0)

    def set_gain(self, gain: float) -> None:
        """The factor for all that is played, from the next period on and for cards opened later."""
        with self._lock:
            self._gain = gain
            if self._open is not None:
                self._open.feed.target_gain = gain

    def claim(self) -> OpenCard | None:
        """The card if it is open, from now on kept from being closed as idle. None also if it vanished."""
        with self._lock:
            self._idle_since = None
            card = self._open
        if card is None:
            return None
        if card.started and self._watch.stood_still(card.feed.calls):
            self._lose(card)
            return None
        try:
            self.check(card)
        except PlaybackError:
            return None
        return card

    def open(self) -> OpenCard:
        """Open the card; it is not started yet. Raises ``audio_*``."""
        try:
            with captured_chatter() as lines:
                card = self._thread.call(
                    lambda: self._portaudio.open(self._formats, self._period, self._make_feed),
                    self._open_timeout_s,
                    undo=self._portaudio.close,
                )
        except PlaybackError as error:
            if error.code == "audio_lost" and self._circles.seen():
                sentence = f"The sound library does not let go of the sound card {self.device!r}."
                raise PlaybackError("audio_stuck", sentence) from error
            words = alsa_words(lines)
            if error.code == "audio_refused" and words:
                raise PlaybackError(error.code, f"{error.sentence} ALSA says: {words}.") from error
            raise
        self._circles.reset()
        # Stopping the card drops what it holds: silence as long as that, and two periods more, go before it.
        card.feed.tail_pieces = math.ceil(card.latency_s * card.rate / self._period) + 2
        with self._lock:
            if self._shut:  # meanwhile; the device thread closes the card with all else
                raise PlaybackError("audio_lost", "The sink was closed.")
            card.feed.target_gain = self._gain
            self._open = card
        return card

    def start(self, card: OpenCard) -> None:
        """Let the callback run, if it does not yet."""
        if card.started:
            return
        try:
            self._thread.call(lambda: self._portaudio.start(card), self._open_timeout_s)
        except PlaybackError:
            self._lose(card)
            raise
        card.started = True
        self._watch = Watch(card.feed.calls)

    def check(self, card: OpenCard) -> None:
        """Raise ``audio_lost`` when the callbacks have ended before their time, or stood still too long."""
        feed = card.feed
        if not card.started or feed.completed:
            return
        if feed.failure is not None:
            log.error("the audio callback failed", exc_info=feed.failure)
            sentence = f"The audio callback failed ({feed.failure})."
        elif not self._is_active(card):
            if feed.completed:  # it ended well between the two questions
                return
            sentence = "The sink was closed." if self.is_shut else f"The sound card {self.device!r} vanished."
        elif self._watch.stalled_s(feed.calls) > self._stall_s:
            sentence = f"The sound card {self.device!r} has taken no sound for {self._stall_s:g} s."
        else:
            return
        self._lose(card)
        raise PlaybackError("audio_lost", sentence)

    def rest(self, card: OpenCard) -> None:
        """Nothing is to be played for now: the card is closed after a while, or at once."""
        if self.closes_at_once:
            self._release(card)
            return
        with self._lock:
            self._idle_since = time.monotonic()
        self._thread.post(lambda: None)  # so that it looks at the clock anew

    def shut(self) -> None:
        """Close for good, within some seconds even if the device hangs."""
        with self._lock:
            if self._shut:
                return
            self._shut = True
            card = self._open
        if card is not None:
            self._release(card)
        self._thread.post(self._portaudio.shut)
        self._thread.stop(_CLOSE_S)

    def _is_active(self, card: OpenCard) -> bool:
        with self._lock:  # nobody closes a card that is in the field
            return self._open is card and card.is_active()

    def _lose(self, card: OpenCard) -> None:
        """Let go of a card that is gone; it is closed when it lets itself be closed."""
        self._release(card)
        self._thread.post(self._portaudio.forget)  # what ALSA knows of the machine is old now

    def _release(self, card: OpenCard) -> None:
        with self._lock:
            if self._open is not card:
                return  # it is being closed already
            self._open = None
            self._underruns += card.feed.underruns
        self._thread.post(lambda: self._portaudio.close(card))

    def _idle_in(self) -> float | None:
        """Seconds until the card is to be given back."""
        with self._lock:
            if self._open is None or self._idle_since is None or self._idle_close_s == math.inf:
                return None
            return max(0.0, self._idle_since + self._idle_close_s - time.monotonic())

    def _close_if_idle(self) -> None:
        with self._lock:
            card, since = self._open, self._idle_since
            if card is None or since is None or time.monotonic() - since < self._idle_close_s:
                return  # an announcement has claimed it
            self._open = None
            self._underruns += card.feed.underruns
        self._portaudio.close(card)


def formats(rate: int | None, channels: int | None) -> tuple[tuple[int, int], ...]:
    """Every (rate, channels) to try, what was asked for first."""
    rates = dict.fromkeys((rate, *RATES) if rate else RATES)
    counts = dict.fromkeys((channels, *CHANNELS) if channels else CHANNELS)
    return tuple((each, count) for each in rates for count in counts)
