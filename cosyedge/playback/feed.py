"""What the sound card is handed, period by period: the callback of PortAudio's thread.

The callback takes no lock and makes no object of ours: it hands out tuples and views that were made once,
and computes into buffers that were made once (the gain, the 20 ms fade), all of one shape and one type of
number, because numpy allocates for a step that also converts or broadcasts. No exception leaves it: PyAudio
would throw it into the main thread. Every field has one writer; which side that is stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.playback.ring import Ring
from cosyedge.playback.sink import FADE_S
from cosyedge.playback.thread_name import set_thread_name

Handed = tuple[NDArray[np.int16], int]

# PortAudio's values (paContinue, paComplete, paAbort, paOutputUnderflow).
CONTINUE: Final = 0
COMPLETE: Final = 1
ABORT: Final = 2
OUTPUT_UNDERFLOW: Final = 4

#: This much is gathered before sound begins, unless it is all: for so long whoever makes it may be kept from
#: running before there is a gap. After one as well: a longer one is better than a rattle of short ones.
GATHER_S: Final = 0.1
#: The card's clock may differ from ours by so much in a period, which is far more than any crystal's error.
_DRIFT_S: Final = 0.001


class Feed:
    """The callback for one open card: int16 pieces from ``ring``, at ``rate`` frames a second.

    It can begin with a lead-in, for amplifiers and screens that swallow what comes first. After that it
    rests (silence) unless an announcement is armed and there is something to play.

    A gap is silence that nobody asked for while an announcement sounds. There are two kinds: the ring ran
    dry, or the callback came when all that it had handed out before was over. The second is measured by the
    clock, for not every driver notices or tells. What a callback hands out that returns too late is lost:
    PortAudio finds the card dry when it writes it, and drops it. It is handed out again then.
    """

    def __init__(self, ring: Ring, rate: int, *, gain: float = 1.0) -> None:
        period, channels = ring.period, ring.channels
        self.ring = ring
        self.rate = rate
        self._lead_in = 0  # periods of silence that are left of it
        self._regather = max(1, min(math.ceil(GATHER_S * rate / period), ring.pieces // 2))

        # Written by the announcing side.
        self.target_gain = gain
        self._cuts = 0  # so far
        self._cut = 0  # the number of the cut that is wanted, 0 for none
        self.ended = True  # nothing more will be written: an empty ring is no gap
        self.may_pause = False  # more will be written, and may take its time: an empty ring is no gap either
        self.finishing = False  # stop the card once the tail was played
        self._not_before = -math.inf  # when the first sound is to be heard, monotonic
        self.tail_pieces = 4  # silence after the last sound, so that stopping the card loses none of it

        # Written by the callback.
        self.calls = 0  # the pulse that is compared with the clock
        self.sound_frames = 0  # handed out so far, lead-in and rests not counted
        self.gaps = 0  # the ring ran dry in the middle of an announcement
        self.card_underruns = 0  # the card ran dry: the callback came too late
        self._dry_at = math.inf  # when all that was handed out will have been played, monotonic
        self._unsaid = False  # the call before came after that: if PortAudio says so, it does with the next
        self._empty_at = math.inf  # the same before this call, as the card itself said it at this call
        self._returned_at = -math.inf  # when the call before returned
        self._latency_s = 0.0  # from this moment to the air, as the card says
        self.latency_s = 0.0  # the same with the last piece of sound
        self.silent_calls = 0  # since the last sound
        self._cut_made = 0  # the number of the last cut that was made and handed out
        self.completed = False
        self.failure: BaseException | None = None

        # Both sides, but never at once: `arm` is called while the callback rests.
        self._holding = True
        self._hold = 1
        self._sounding = False

        self._named = False
        self._gain = gain
        self._fading = 0  # the number of the cut whose fade is in the fade's pieces
        self._faded = 0  # of these were handed out
        silence = np.zeros((period, channels), np.int16)
        self._silence: Handed = (silence, CONTINUE)
        self._complete: Handed = (silence, COMPLETE)
        self._abort: Handed = (silence, ABORT)
        self._last = self._silence
        self._pieces: tuple[Handed, ...] = tuple((view, CONTINUE) for view in ring.views)
        self._scaled: Handed = (np.zeros((period, channels), np.int16), CONTINUE)
        self._period_s = period / rate
        self._product = np.zeros((period, channels), np.float32)
        self._factor = np.ones((), np.float32)
        self._slope = np.zeros((period, channels), np.float32)
        self._rise = _wide(np.arange(1, period + 1, dtype=np.float32) / period, channels)
        # The fade: half a cosine over 20 ms, in as many pieces as that takes, then silence.
        self._fade_frames = max(1, round(FADE_S * rate))
        count = math.ceil(self._fade_frames / period)
        ramp = np.zeros(count * period, np.float32)
        ramp[: self._fade_frames] = 0.5 + 0.5 * np.cos(
            np.pi * np.arange(self._fade_frames) / self._fade_frames
        )
        self._fade_ramps = tuple(_wide(part, channels) for part in ramp.reshape(count, period))
        self._fade_pieces: tuple[Handed, ...] = tuple(
            (np.zeros((period, channels), np.int16), CONTINUE) for _ in range(count)
        )

    # The announcing side.

    def lead_in(self, seconds: float) -> None:
        """The silence before the first sound. Only before the card is started."""
        self._lead_in = math.ceil(seconds * self.rate / self.ring.period)

    def arm(self, hold_pieces: int) -> None:
        """Begin an announcement: sound starts once ``hold_pieces`` wait, or nothing more comes."""
        # The order matters, for the callback may come between any two lines: it must neither count a gap nor
        # end the hold.
        self._sounding = False
        self.finishing = False
        self.completed = False
        self.may_pause = False
        self._not_before = -math.inf
        self._cut = 0
        self.ended = False
        self._hold = max(1, min(hold_pieces, self.ring.pieces - 1))
        self._holding = True

    def hold_until(self, moment: float) -> None:
        """The first sound is to leave the card at ``moment`` (monotonic): it will within half a period, as
        far as the card knows its latency. After :meth:`arm`, before anything is written."""
        self._not_before = moment

    def cut(self) -> None:
        """Fade out from the next period on, and be silent until the next :meth:`arm`."""
        if not self._cut:
            # A number, not a flag: the callback may still be busy with the one before.
            self._cuts += 1
            self._cut = self._cuts

    @property
    def underruns(self) -> int:
        """Gaps of both kinds."""
        return self.gaps + self.card_underruns

    @property
    def at_rest(self) -> bool:
        """Whether everything that was written has been handed out (or cut), and a silent piece after it."""
        done = self._cut_made == self._cut if self._cut else self.ring.filled == 0
        return done and self.silent_calls > 0

    # The callback.

    def __call__(self, _input: object, frames: int, time_info: Mapping[str, float], status: int) -> Handed:
        try:
            if frames != self.ring.period:
                raise ValueError(f"the card asked for {frames} frames, not for {self.ring.period}")
            if not self._look_at_clock(time_info, bool(status & OUTPUT_UNDERFLOW)):
                self._last = self._next()
            self._returned_at = monotonic()
            return self._last
        except BaseException as failure:
            self.failure = failure
            return self._abort

    def _look_at_clock(self, time_info: Mapping[str, float], said: bool) -> bool:
        """Whether what was handed out last is lost. ``said``: PortAudio says that the card ran dry."""
        now = monotonic()
        self.calls += 1
        is_lost = said and self._came_too_late(now)
        late = now > self._dry_at
        if (late or (said and not self._unsaid)) and self._sounding and not self.silent_calls:
            self.card_underruns += 1
        latency = time_info["output_buffer_dac_time"] - time_info["current_time"]
        if 0.0 < latency < 10.0:  # some drivers report nonsense before they run
            self._latency_s = latency
            dry_at = now + latency + self._period_s
            if not late and not said:
                # This call may have waited, for another thread of Python's, since the card told its latency.
                dry_at = min(dry_at, self._dry_at + self._period_s + _DRIFT_S)
            self._dry_at = dry_at
        else:  # what holds no sound, as a file does, can't run dry
            self._dry_at = math.inf
        self._unsaid = late and not said
        if said or not 0.0 <= latency < 10.0:
            self._empty_at = math.inf  # a card that ran dry begins anew, and takes what it is given
        else:
            # The card told its latency before this call waited for another thread of Python's.
            waited = now - time_info["current_time"]
            self._empty_at = now + latency - (waited if 0.0 <= waited < 10.0 else 0.0)
        return is_lost

    def _came_too_late(self, now: float) -> bool:
        """Whether the card, which ran dry, did so before it got what the call before handed out. It did if
        that call returned when all before was over, and also if it ran dry sooner than that could be played.
        """
        if self._empty_at == math.inf:
            return False
        return self._returned_at > self._empty_at + _DRIFT_S or now < self._returned_at + self._period_s / 2

    def _next(self) -> Handed:
        if not self._named:
            self._named = True
            set_thread_name("audio")
        cut = self._cut
        if cut:
            return self._fade_out(cut)
        if self._lead_in:
            self._lead_in -= 1
            return self._rest()
        waiting = self.ring.give_back()
        if self._holding:
            if monotonic() + self._latency_s + self._period_s / 2 < self._not_before:
                return self._rest()
            # `ended` is read first: what was written before it was set is then seen as well.
            if self.ended or waiting >= self._hold:
                self._holding = False
                waiting = self.ring.filled
            else:
                return self._rest()
        if not waiting:
            return self._rest()
        self.silent_calls = 0  # before the ring looks empty: see `at_rest`
        slot = self.ring.take()
        self._sounding = True
        self.sound_frames += self.ring.period
        self.latency_s = self._latency_s
        return self._at_gain(slot)

    def _rest(self) -> Handed:
        """Silence: before the first sound, in a gap, and after the last."""
        self.silent_calls += 1
        self._gain = self.target_gain  # nobody hears a jump in silence
        if self.ended:
            if self.finishing and self.silent_calls >= self.tail_pieces and self.ring.filled == 0:
                self.completed = True
                return self._complete
        elif self._sounding and not self._holding:
            if not self.may_pause:
                self.gaps += 1
            self._holding = True
            self._hold = self._regather
        return self._silence

    def _at_gain(self, slot: int) -> Handed:
        piece = self._pieces[slot]
        target = self.target_gain
        if self._gain == target and target == 1.0:
            return piece  # untouched, bit for bit
        np.copyto(self._product, piece[0])
        if self._gain == target:
            self._factor.fill(target)
            np.multiply(self._product, self._factor, out=self._product)
        else:
            self._slide(target)
            np.multiply(self._product, self._slope, out=self._product)
        self._round_into(self._scaled[0])
        return self._scaled

    def _round_into(self, piece: NDArray[np.int16]) -> None:
        np.rint(self._product, out=self._product)
        np.copyto(piece, self._product, casting="unsafe")

    def _slide(self, target: float) -> None:
        """A straight line from the present gain to ``target``, one period long."""
        self._factor.fill(target - self._gain)
        np.multiply(self._rise, self._factor, out=self._slope)
        self._factor.fill(self._gain)
        np.add(self._slope, self._factor, out=self._slope)
        self._gain = target

    def _fade_out(self, cut: int) -> Handed:
        if self._fading != cut:
            self._make_fade()
            self._fading = cut
            self._faded = 0
        if self._sounding and self._faded < len(self._fade_pieces):
            piece = self._fade_pieces[self._faded]
            self._faded += 1
            self.silent_calls = 0
            return piece
        self.silent_calls += 1
        self._gain = self.target_gain
        self._cut_made = cut
        if self.finishing and self.silent_calls >= self.tail_pieces:
            self.completed = True
            return self._complete
        return self._silence

    def _make_fade(self) -> None:
        """Take what would have been played next, fade it into the fade's own pieces, drop the rest."""
        ring = self.ring
        waiting = ring.give_back()
        if not waiting or self._holding:
            self._sounding = False  # silence already: there is nothing to fade
        if self._sounding:
            self._factor.fill(self._gain)
            for index, ramp in enumerate(self._fade_ramps):
                faded = self._fade_pieces[index][0]
                if waiting <= 0:
                    faded.fill(0)
                    continue
                piece = ring.views[ring.take()]
                np.multiply(ramp, self._factor, out=self._slope)
                np.copyto(self._product, piece)
                np.multiply(self._product, self._slope, out=self._product)
                self._round_into(faded)
                waiting = ring.give_back()
            self.sound_frames += self._fade_frames
        ring.discard()


def _wide(line: NDArray[np.floating], channels: int) -> NDArray[np.float32]:
    """``line`` for every channel: [frames, channels]."""
    return np.repeat(line[:, np.newaxis], channels, axis=1).astype(np.float32)
