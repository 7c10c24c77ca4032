"""A feed, and a call of it as PortAudio calls it."""

from __future__ import annotations

import numpy as np

from cosyedge.playback.feed import Feed
from cosyedge.playback.ring import Ring

PERIOD = 256
NOW = {"input_buffer_adc_time": 0.0, "current_time": 10.0, "output_buffer_dac_time": 10.05}


def make(pieces=16, channels=2, lead_in_s=0.0, gain=1.0, rate=48_000, period=PERIOD) -> Feed:
    feed = Feed(Ring(pieces, period, channels), rate, gain=gain)
    feed.lead_in(lead_in_s)
    return feed


def ask(feed: Feed, status: int = 0) -> tuple[np.ndarray, int]:
    piece, verdict = feed(None, feed.ring.period, NOW, status)
    return piece.copy(), verdict


def tone(frames: int) -> np.ndarray:
    return (10_000 * np.sin(np.arange(1, frames + 1) / 5)).astype(np.int16)
