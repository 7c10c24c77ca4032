"""What ``cosyedge devices --test`` does: a sound on the configured card, and how that went."""

from __future__ import annotations

import time
from dataclasses import dataclass

from cosyedge.playback.alsa import AlsaSink
from cosyedge.playback.alsa_names import pcm_name, sound_cards
from cosyedge.playback.sink import SAMPLE_RATE, Samples
from cosyedge.playback.sink_kind import SinkKind

#: A card that is done in less than this part of the time that the sound has does not play it.
_TOO_FAST = 0.7


@dataclass(frozen=True, slots=True)
class Trial:
    """One sound on one card."""

    device: str
    """As ``audio.device`` has it."""
    pcm: str
    """The ALSA PCM that it was opened as."""
    kind: SinkKind
    rate: int
    channels: int
    latency_ms: float
    """What the card holds, as it says."""
    audio_s: float
    """Length of the sound that was heard, of that which was given."""
    whole: bool
    took_s: float
    """From opening the card until the last sample was heard, on the wall."""
    underruns: int

    def in_words(self) -> str:
        channels = {1: "mono", 2: "stereo"}.get(self.channels, f"{self.channels} channels")
        lines = [
            f"opened {self.device!r} as the ALSA PCM {self.pcm!r}: {self.kind}, {self.rate} Hz, {channels}, "
            f"latency {self.latency_ms:.0f} ms",
            f"played a chime of {self.audio_s:.2f} s "
            f"{'to its end' if self.whole else 'but not to its end'} in {self.took_s:.2f} s, "
            f"with {self.underruns or 'no'} gap{'s' * (self.underruns != 1)}",
        ]
        if self.took_s < _TOO_FAST * self.audio_s:
            lines.append("that is faster than sound: this is no sound card, or its configuration is wrong")
        else:
            lines.append("if you did not hear it: is this the right card, is it turned up, is the cable in?")
        return "\n".join(lines)


def try_device(sink: AlsaSink, sound: Samples) -> Trial:
    """Plays ``sound`` (float32, mono, 24 kHz) on ``sink`` and closes it.

    Raises:
        PlaybackError: ``audio_*``.
    """
    try:
        began = time.monotonic()
        sink.begin()
        card = sink.card
        sink.play(sound)
        played = sink.drain()
        took_s = time.monotonic() - began
    finally:
        sink.close()
    return Trial(
        device=sink.device,
        pcm=pcm_name(sink.device, sound_cards()),
        kind=card.kind,
        rate=card.rate,
        channels=card.channels,
        latency_ms=round(1000 * card.latency_s, 1),
        audio_s=round(played.audio_s, 3),
        whole=played.audio_s > len(sound) / SAMPLE_RATE - 0.002,
        took_s=round(took_s, 3),
        underruns=played.underruns,
    )
