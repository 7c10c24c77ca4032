"""The sound card as a sink: PyAudio in callback mode, behind a static ring.

The speech thread resamples into the ring and waits on it; PortAudio's thread empties it (:mod:`.feed`); the
thread ``audio-device`` opens, starts and closes the card and may hang without harm. The card stays open for
a while after an announcement, so that the next one needs no lead-in, and is then given back to other
programs.

Whether a device is still there is not asked but measured: the number of callbacks is compared with the
clock, for PortAudio ends its thread without a word when a device vanishes, and waits for ever when a sound
server stands still.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import Final

from cosyedge.errors import PlaybackError
from cosyedge.playback.chatter import alsa_words, captured_chatter
from cosyedge.playback.device_thread import DeviceThread
from cosyedge.playback.feed import Feed
from cosyedge.playback.portaudio import OpenCard, PortAudio
from cosyedge.playback.resample import Quantizer, Resampler
from cosyedge.playback.ring import Ring
from cosyedge.playback.sink import SAMPLE_RATE, Played, Samples, checked
from cosyedge.playback.volume import gain

log = logging.getLogger(__name__)

#: Tried in this order after what was asked for: what most cards run at, then what is left, then no
#: conversion.
RATES: Final = (48_000, 44_100, 24_000)
#: Stereo first: many cards know nothing else (asked for one channel, PortAudio plays on their left only).
CHANNELS: Final = (2, 1)

#: Input is converted in pieces of a tenth of a second, so that a long array costs no more memory than a
#: short one.
_BLOCK: Final = SAMPLE_RATE // 10
#: Give up on stopping and closing after this; the card is then left to the thread that hangs in it.
_CLOSE_S: Final = 3.0


class AlsaSink:
    """Plays through the ALSA device ``device`` (see :func:`cosyedge.playback.alsa_names.pcm_name`).

    ``rate`` and ``channels`` are tried first where they are given. ``ring_s`` is the sound that is kept
    ready, ``period`` the frames that the card asks for at a time. ``lead_in_s`` of silence goes before the
    first announcement after the card was opened; HDMI and Bluetooth need 1 to 1.5 s, most others less.
    ``start_s`` is gathered before the card is started at all: 0 starts it in ``begin``, so that the lead-in
    runs while the first words are made. The card is closed ``idle_close_s`` after the last sound, at once
    with 0, never with ``math.inf``. A card that takes nothing for ``stall_s`` is lost; opening is given up
    after ``open_timeout_s``.
    """

    def __init__(
        self,
        device: str = "default",
        *,
        rate: int | None = None,
        channels: int | None = None,
        ring_s: float = 2.0,
        period: int = 1024,
        lead_in_s: float = 0.2,
        start_s: float = 0.0,
        idle_close_s: float = 5.0,
        stall_s: float = 2.0,
        open_timeout_s: float = 10.0,
    ) -> None:
        self.device = device
        self._formats = _formats(rate, channels)
        self._ring_s = ring_s
        self._period = period
        self._lead_in_s = lead_in_s
        self._start_s = start_s
        self._idle_close_s = idle_close_s
        self._stall_s = stall_s
        self._open_timeout_s = open_timeout_s
        self._gain = 1.0

        self._portaudio = PortAudio(device)  # only ever used on the device thread
        self._thread = DeviceThread(self._close_if_idle, poll_s=min(max(idle_close_s / 4, 0.05), 1.0))
        self._quantizer = Quantizer(4 * _BLOCK)

        self._lock = threading.Lock()  # held for moments only; guards the next four
        self._card: OpenCard | None = None
        self._idle_since: float | None = None
        self._announcing = False
        self._closed = False
        self._underruns = 0  # of cards that were closed
        self._cut = threading.Event()

        # Of the running announcement; only the announcing thread uses them.
        self._resampler = Resampler(SAMPLE_RATE)
        self._started = False
        self._watch = _Watch(0, 0.0)
        self._before = (0, 0)  # frames and underruns of the card before it
        self._began = 0.0  # when the card began with it, monotonic
        self._warned = False

    @property
    def name(self) -> str:
        return f"alsa:{self.device}"

    @property
    def underruns(self) -> int:
        with self._lock:
            return self._underruns + (_underruns(self._card.feed) if self._card else 0)

    @property
    def is_open(self) -> bool:
        with self._lock:
            return self._card is not None

    def set_volume(self, level: float, mute: bool = False) -> None:
        with self._lock:
            self._gain = gain(level, mute)
            if self._card is not None:
                self._card.feed.target_gain = self._gain

    def cut(self) -> None:
        with self._lock:
            if not self._announcing:
                return
            self._cut.set()
            if self._card is not None:
                self._card.feed.cut_requested = True

    def begin(self) -> None:
        card = self._claim()
        if card is not None and not self._rearm(card):
            self._lose(card)
            card = None
        if card is None:
            card = self._open()
        feed = card.feed
        self._before = (feed.sound_frames, _underruns(feed))
        with self._lock:
            if not self._cut.is_set():
                feed.arm(math.ceil(self._start_s * card.rate / self._period))
        self._began = time.monotonic()
        if not self._started and self._start_s <= 0:
            self._start(card)

    def play(self, samples: Samples) -> None:
        checked(samples)
        for first in range(0, len(samples), _BLOCK):
            if self._cut.is_set():
                return
            self._push(self._resampler.push(samples[first : first + _BLOCK]))

    def drain(self) -> Played:
        card = self._the_card()
        feed = card.feed
        self._push(self._resampler.flush())
        feed.ring.end()
        feed.finishing = self._idle_close_s <= 0
        feed.ended = True
        if not self._started and not self._cut.is_set():
            self._start(card)
        if self._started:
            self._wait_until_heard(card)
        played = self._played(card)
        with self._lock:
            self._announcing = False
            self._idle_since = time.monotonic()
        if feed.finishing:
            self._release(card)
        return played

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._cut.set()
            card, self._card = self._card, None
            if card is not None:
                card.feed.cut_requested = True
        if card is not None:
            self._thread.post(lambda: self._portaudio.close(card))
        self._thread.post(self._portaudio.shut)
        self._thread.stop(_CLOSE_S)

    # Opening and closing.

    def _claim(self) -> OpenCard | None:
        """The card that is open, kept from being closed as idle; from here on a cut is for this
        announcement.
        """
        with self._lock:
            if self._closed:
                raise RuntimeError("the sink is closed")
            self._idle_since = None
            if self._announcing and self._card is not None:
                self._card.feed.cut_requested = True  # the announcement before was left undrained
            self._announcing = True
            self._cut.clear()
            return self._card

    def _rearm(self, card: OpenCard) -> bool:
        """Make a card that was used before ready for the next announcement; False when it is lost."""
        feed = card.feed
        try:
            while self._started and not feed.at_rest:
                self._check(card)
                time.sleep(self._period / card.rate / 2)
            # A card that has rested since may have vanished meanwhile: its callbacks must have gone on.
            self._check(card)
        except PlaybackError:
            return False
        feed.ring.reset()
        self._resampler.reset()
        return True

    def _open(self) -> OpenCard:
        def make_feed(rate: int, channels: int) -> Feed:
            pieces = max(4, math.ceil(self._ring_s * rate / self._period) + 1)
            return Feed(
                Ring(pieces, self._period, channels), rate, lead_in_s=self._lead_in_s, gain=self._gain
            )

        try:
            with captured_chatter() as lines:
                card = self._thread.call(
                    lambda: self._portaudio.open(self._formats, self._period, make_feed),
                    self._open_timeout_s,
                    undo=self._portaudio.close,
                )
        except PlaybackError as error:
            with self._lock:
                self._announcing = False
            words = alsa_words(lines)
            if error.code == "audio_refused" and words:
                raise PlaybackError(error.code, f"{error.sentence} ALSA says: {words}.") from error
            raise
        # Stopping the card drops what it holds: silence as long as that, and two periods more, go before it.
        card.feed.tail_pieces = math.ceil(card.latency_s * card.rate / self._period) + 2
        if card.rate != self._resampler.rate:
            self._resampler = Resampler(card.rate)
        self._resampler.reset()
        self._started = False
        with self._lock:
            card.feed.target_gain = self._gain
            self._card = card
        return card

    def _start(self, card: OpenCard) -> None:
        try:
            self._thread.call(lambda: self._portaudio.start(card), self._open_timeout_s)
        except PlaybackError:
            self._lose(card)
            raise
        self._started = True
        self._began = time.monotonic()
        self._watch = _Watch(card.feed.calls, self._began)

    def _lose(self, card: OpenCard) -> None:
        """Forget a card that vanished; it is closed when it lets itself be closed."""
        self._release(card)
        self._thread.post(self._portaudio.forget)  # what PortAudio knows of the machine is old now

    def _release(self, card: OpenCard) -> None:
        with self._lock:
            if self._card is card:
                self._card = None
                self._underruns += _underruns(card.feed)
        self._thread.post(lambda: self._portaudio.close(card))

    def _close_if_idle(self) -> None:
        """On the device thread: give the card back once nothing was said for a while."""
        with self._lock:
            card, since = self._card, self._idle_since
            if card is None or since is None or time.monotonic() - since < self._idle_close_s:
                return
            self._card = None
            self._underruns += _underruns(card.feed)
        self._portaudio.close(card)

    # Playing.

    def _the_card(self) -> OpenCard:
        with self._lock:
            card = self._card
            announcing = self._announcing
        if card is not None:
            return card
        if not announcing:
            raise RuntimeError("begin() comes first")
        raise PlaybackError("audio_lost", self._lost_words())

    def _push(self, samples: Samples) -> None:
        """Samples at the card's rate into the ring, waiting for room; returns early when the sound is cut."""
        if not len(samples):
            return
        card = self._the_card()
        pcm = self._quantizer(samples)
        done = card.feed.ring.write(pcm)
        while done < len(pcm) and not self._cut.is_set():
            if not self._started:
                self._start(card)  # the ring is full before as much as was wished is gathered
            self._check(card)
            self._cut.wait(self._period / card.rate)
            done += card.feed.ring.write(pcm[done:])

    def _wait_until_heard(self, card: OpenCard) -> None:
        """Until the last piece was handed out and has left the card, or the fade of a cut was handed out."""
        feed = card.feed
        nap = self._period / card.rate / 2
        while not (feed.at_rest or feed.completed):
            self._check(card)
            time.sleep(nap)
        if feed.finishing:
            while not feed.completed:
                self._check(card)
                time.sleep(nap)
            return  # the tail is as long as all that the card holds
        heard_at = time.monotonic() + feed.latency_s + self._period / card.rate
        while not self._cut.is_set() and (left := heard_at - time.monotonic()) > 0:
            self._check(card)
            self._cut.wait(min(left, 0.1))

    def _check(self, card: OpenCard) -> None:
        """Raise ``audio_lost`` when the callbacks have ended, or stood still for too long."""
        feed = card.feed
        if feed.completed:
            return
        if self._closed:
            raise PlaybackError("audio_lost", self._lost_words())
        if feed.failure is not None:
            log.error("the audio callback failed", exc_info=feed.failure)
            sentence = f"The audio callback failed ({feed.failure})."
        elif not self._present(card):
            if feed.completed:  # it ended well between the two questions
                return
            sentence = f"The sound card {self.device!r} vanished."
        elif self._watch.stalled_s(feed.calls) > self._stall_s:
            sentence = f"The sound card {self.device!r} has taken no sound for {self._stall_s:g} s."
        else:
            return
        self._lose(card)
        raise PlaybackError("audio_lost", sentence)

    def _lost_words(self) -> str:
        return "The sink was closed." if self._closed else f"The sound card {self.device!r} was lost."

    def _present(self, card: OpenCard) -> bool:
        with self._lock:  # nobody closes a card while it is in the field
            return self._card is card and (not self._started or card.is_active())

    def _played(self, card: OpenCard) -> Played:
        feed = card.feed
        frames_before, underruns_before = self._before
        frames = min(feed.sound_frames - frames_before, feed.ring.frames)
        audio_s, took_s = frames / card.rate, time.monotonic() - self._began
        if audio_s > 1.0 and took_s < 0.7 * audio_s and not self._warned:
            self._warned = True
            log.warning("%s took %.1f s of sound in %.1f s: is it a real card?", self.name, audio_s, took_s)
        return Played(frames, audio_s, _underruns(feed) - underruns_before)


class _Watch:
    """Callbacks against the clock: how long none has come."""

    def __init__(self, calls: int, now: float) -> None:
        self._calls = calls
        self._since = now

    def stalled_s(self, calls: int) -> float:
        now = time.monotonic()
        if calls != self._calls:
            self._calls, self._since = calls, now
        return now - self._since


def _underruns(feed: Feed) -> int:
    return feed.gaps + feed.card_underruns


def _formats(rate: int | None, channels: int | None) -> tuple[tuple[int, int], ...]:
    """Every (rate, channels) to try, what was asked for first."""
    rates = dict.fromkeys((rate, *RATES) if rate else RATES)
    counts = dict.fromkeys((channels, *CHANNELS) if channels else CHANNELS)
    return tuple((each, count) for each in rates for count in counts)
