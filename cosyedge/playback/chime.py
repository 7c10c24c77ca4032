"""The sound before the words, so that nobody is startled: two of our own, or a WAV file.

Each is as loud as the voices are (:data:`cosyedge.playback.loudness.TARGET_LUFS`), or softer where its peak
would be above :data:`CEILING`: what is short and sharp startles at the loudness of a voice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from cosyedge.errors import PlaybackError
from cosyedge.playback.sink import SAMPLE_RATE, Samples
from cosyedge.playback.sound_file import sound_pieces

#: A chime of one's own is at most this long.
LONGEST_S: Final = 10.0
#: The highest peak of a chime.
CEILING: Final = 0.5
#: Silence between a chime and the first word.
_PAUSE_S: Final = 0.15

#: name → notes: (start in s, frequency in Hz, time in s to fall to 1/e, level). The levels are measured ones.
_CHIMES: Final = {
    "soft": ((0.0, 659.26, 0.22, 0.3115), (0.28, 523.25, 0.30, 0.3115)),
    "short": ((0.0, 880.0, 0.07, 0.5125),),
}
#: A struck bar: (multiple of the frequency, level, share of the decay time). The upper ones die first.
_PARTIALS: Final = ((1.0, 1.0, 1.0), (2.0, 0.20, 0.6), (3.93, 0.06, 0.25))
_ATTACK_S: Final = 0.008

CHIMES: Final = tuple(_CHIMES)


def make_chime(name: str) -> Samples:
    """One of :data:`CHIMES` as float32 at 24 kHz, silence before the first word included; KeyError otherwise.

    Each note is a sum of decaying sines, ``level * sum(a * sin(2 pi m f t) * exp(-t / (d * T)))``, with an
    attack of half a cosine.
    """
    notes = _CHIMES[name]
    end = max(start + 5 * decay for start, _, decay, _ in notes)  # 5 T: -43 dB
    sound = np.zeros(round((end + _PAUSE_S) * SAMPLE_RATE))
    for start, frequency, decay, level in notes:
        first = round(start * SAMPLE_RATE)
        time = np.arange(round(5 * decay * SAMPLE_RATE)) / SAMPLE_RATE
        note = sum(
            amount * np.sin(2 * np.pi * multiple * frequency * time) * np.exp(-time / (share * decay))
            for multiple, amount, share in _PARTIALS
        )
        note = level * np.asarray(note)
        attack = round(_ATTACK_S * SAMPLE_RATE)
        note[:attack] *= 0.5 - 0.5 * np.cos(np.pi * np.arange(attack) / attack)
        note *= np.minimum(1.0, (len(note) - np.arange(len(note))) / (0.02 * SAMPLE_RATE))
        sound[first : first + len(note)] += note
    return sound.astype(np.float32)


def load_chime(path: str | Path) -> Samples:
    """A WAV file of any rate and channels as float32 mono at 24 kHz, its loudness levelled.

    Raises ``chime_unreadable``.
    """
    from cosyedge.playback.loudness import TARGET_LUFS, gain_to, loudness  # numpy's FFT takes 0.4 MB

    try:
        pieces = list(sound_pieces(Path(path), LONGEST_S))
    except PlaybackError as error:
        sentence = error.sentence.replace("The sound", f"The chime {str(path)!r}", 1)
        raise PlaybackError("chime_unreadable", sentence) from error
    sound = np.concatenate((*pieces, np.zeros(round(_PAUSE_S * SAMPLE_RATE), np.float32)))
    factor = gain_to(TARGET_LUFS, loudness(sound), float(np.abs(sound).max()), CEILING)
    return sound * np.float32(factor)
