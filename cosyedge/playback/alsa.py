"""The sound card as a sink: PyAudio in callback mode, behind a static ring.

The announcing thread resamples into the ring and waits on it; PortAudio's thread ``audio`` empties it
(:mod:`cosyedge.playback.feed`); the thread ``audio-device`` opens, starts and closes the card and may hang
without harm (:mod:`cosyedge.playback.card`).
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Mapping
from typing import Final

from cosyedge.errors import PlaybackError
from cosyedge.playback.card import Card
from cosyedge.playback.feed import GATHER_S, Feed
from cosyedge.playback.portaudio import OpenCard
from cosyedge.playback.resample import Quantizer, Resampler
from cosyedge.playback.ring import Ring
from cosyedge.playback.sink import SAMPLE_RATE, Buffering, Played, Samples, checked
from cosyedge.playback.sink_kind import LEAD_IN_S, SinkKind
from cosyedge.playback.volume import gain

log = logging.getLogger(__name__)

#: Input is converted in pieces of a tenth of a second: a long array costs no more memory than a short one.
_BLOCK: Final = SAMPLE_RATE // 10


class AlsaSink:
    """Plays through the ALSA device ``device`` (see :func:`cosyedge.playback.alsa_names.pcm_name`).

    ``rate`` and ``channels`` are tried first where they are given. ``ring_s`` is the sound that is kept
    ready, ``period`` the frames that the card asks for at a time. ``lead_in_s`` of silence goes before the
    first announcement after the card was opened, and nothing before those that find it open; None goes by
    what the card turns out to be, and ``lead_ins`` has the figures. ``start_s`` is gathered before the card
    is started at all: 0 starts it in ``begin``, so that the lead-in runs while the first words are made.
    Sound begins when there is so much of it that a busy machine does not break the first word, or all. The
    card is closed ``idle_close_s`` after the last sound, at once with 0, never with ``math.inf``; nor is it
    with ``keep_alive``, and then it plays silence meanwhile. A card that takes nothing for ``stall_s`` is
    lost; opening is given up after ``open_timeout_s``.
    """

    def __init__(
        self,
        device: str = "default",
        *,
        rate: int | None = None,
        channels: int | None = None,
        ring_s: float = 2.0,
        period: int = 1024,
        lead_in_s: float | None = None,
        lead_ins: Mapping[SinkKind, float] = LEAD_IN_S,
        start_s: float = 0.0,
        idle_close_s: float = 5.0,
        keep_alive: bool = False,
        stall_s: float = 2.0,
        open_timeout_s: float = 10.0,
    ) -> None:
        self.device = device
        self.keep_alive = keep_alive
        self._ring_s = ring_s
        self._period = period
        self._lead_in_s = lead_in_s
        self._lead_ins = lead_ins
        self._start_s = start_s
        self._card = Card(
            device,
            self._make_feed,
            rate=rate,
            channels=channels,
            period=period,
            idle_close_s=math.inf if keep_alive else idle_close_s,
            stall_s=stall_s,
            open_timeout_s=open_timeout_s,
        )
        self._resampler = Resampler(SAMPLE_RATE)
        self._quantizer = Quantizer(4 * _BLOCK)
        # A cut is for the announcement that runs, or that is being begun: the lock parts it from the next.
        self._cut_lock = threading.Lock()
        self._announcing = False
        self._pausing = False
        self._cut = threading.Event()
        self._before = (0, 0)  # frames and underruns of the card before this announcement
        self._began = 0.0  # when the card could begin with it, monotonic
        self._warned = False

    @property
    def name(self) -> str:
        return f"alsa:{self.device}"

    @property
    def underruns(self) -> int:
        return self._card.underruns

    @property
    def is_open(self) -> bool:
        return self._card.open_card is not None

    @property
    def card(self) -> OpenCard:
        """The card that is open. Raises ``audio_lost`` or RuntimeError where none is."""
        return self._open_card()

    @property
    def buffering(self) -> Buffering:
        rate = self._resampler.rate  # of the last card; before the first, a guess that is good enough
        return Buffering(room_s=self._ring_s, kept_s=self._period / rate)

    def set_volume(self, level: float, mute: bool = False) -> None:
        self._card.set_gain(gain(level, mute))

    def cut(self) -> None:
        with self._cut_lock:
            if self._announcing:
                self._cut.set()
                self._silence()

    def begin(self) -> None:
        if self._card.is_shut:
            raise RuntimeError("the sink is closed")
        with self._cut_lock:
            if self._announcing:
                self._silence()  # the announcement before was left undrained
            self._announcing = True
            self._cut.clear()
        card = self._card.claim()
        if card is None or not self._rested(card):
            card = self._card.open()
            lead_in_s = self._lead_ins[card.kind] if self._lead_in_s is None else self._lead_in_s
            card.feed.lead_in(lead_in_s)
        if card.rate != self._resampler.rate:
            self._resampler = Resampler(card.rate)
        self._resampler.reset()
        self._pausing = False
        feed = card.feed
        feed.ring.reset()
        self._before = (feed.sound_frames, feed.underruns)
        with self._cut_lock:
            if not self._cut.is_set():
                gathered_s = max(self._start_s, GATHER_S)
                feed.arm(math.ceil(gathered_s * card.rate / self._period))
        self._began = time.monotonic()
        if self._start_s <= 0:
            self._start(card)

    def hold_until(self, moment: float) -> None:
        self._open_card().feed.hold_until(moment)

    def play(self, samples: Samples) -> None:
        checked(samples)
        for first in range(0, len(samples), _BLOCK):
            if self._cut.is_set():
                return
            self._push(self._resampler.push(samples[first : first + _BLOCK]))

    def expect_pause(self) -> None:
        card = self._card.open_card
        if card is not None:
            self._pausing = True
            card.feed.may_pause = True

    def drain(self) -> Played:
        card = self._open_card()
        feed = card.feed
        self._push(self._resampler.flush())
        feed.ring.end()
        feed.finishing = self._card.closes_at_once
        feed.ended = True
        if not self._cut.is_set():
            self._start(card)
        if card.started:
            self._wait_until_heard(card)
        played = self._played(card)
        with self._cut_lock:
            self._announcing = False
        self._card.rest(card)
        return played

    def close(self) -> None:
        with self._cut_lock:
            self._cut.set()
            self._silence()
        self._card.shut()

    def _make_feed(self, rate: int, channels: int) -> Feed:
        pieces = max(4, math.ceil(self._ring_s * rate / self._period) + 1)
        return Feed(Ring(pieces, self._period, channels), rate)

    def _silence(self) -> None:
        card = self._card.open_card
        if card is not None:
            card.feed.cut()

    def _open_card(self) -> OpenCard:
        card = self._card.open_card
        if card is not None:
            return card
        if self._card.is_shut:
            raise PlaybackError("audio_lost", "The sink was closed.")
        if self._announcing:
            raise PlaybackError("audio_lost", f"The sound card {self.device!r} was lost.")
        raise RuntimeError("begin() comes first")

    def _start(self, card: OpenCard) -> None:
        if not card.started:
            self._card.start(card)
            self._began = time.monotonic()

    def _rested(self, card: OpenCard) -> bool:
        """Wait until nothing of the announcement before is played any more; False when the card is lost."""
        try:
            while card.started and not card.feed.at_rest:
                time.sleep(self._period / card.rate / 2)
                self._card.check(card)
        except PlaybackError:
            return False
        return True

    def _push(self, samples: Samples) -> None:
        """Samples at the card's rate into the ring, waiting for room; returns early when the sound is cut."""
        if not len(samples):
            return
        card = self._open_card()
        pcm = self._quantizer(samples)
        done = card.feed.ring.write(pcm)
        if self._pausing and card.feed.ring.filled:
            # Not before there is something to play: the callback may come between any two lines.
            self._pausing = card.feed.may_pause = False
        while done < len(pcm) and not self._cut.is_set():
            self._start(card)  # the ring is full before as much as was wished is gathered
            self._card.check(card)
            self._cut.wait(self._period / card.rate)
            done += card.feed.ring.write(pcm[done:])

    def _wait_until_heard(self, card: OpenCard) -> None:
        """Until the last piece was handed out and has left the card, or the fade of a cut was handed out."""
        feed = card.feed
        nap = self._period / card.rate / 2
        # A card that is closed next plays a tail as long as all that it holds, and then says so.
        while not feed.completed and (feed.finishing or not feed.at_rest):
            self._card.check(card)
            time.sleep(nap)
        heard_at = time.monotonic() + feed.latency_s + self._period / card.rate
        while not feed.completed and not self._cut.is_set():
            left = heard_at - time.monotonic()
            if left <= 0:
                break
            self._card.check(card)
            self._cut.wait(min(left, 0.1))

    def _played(self, card: OpenCard) -> Played:
        feed = card.feed
        frames_before, underruns_before = self._before
        frames = min(feed.sound_frames - frames_before, feed.ring.frames)
        audio_s, took_s = frames / card.rate, time.monotonic() - self._began
        if audio_s > 1.0 and took_s < 0.7 * audio_s and not self._warned:
            self._warned = True
            log.warning("%s took %.1f s of sound in %.1f s: is it a real card?", self.name, audio_s, took_s)
        return Played(audio_s, feed.underruns - underruns_before)
