"""Whose timbre, whose prosody, how high and how fast: what makes one voice speak every language.

A style of the teacher has two halves, timbre and prosody. One of our voices speaks a foreign language with
its own timbre and the prosody of a donor at home in it; the donor's melody is moved to the height of our
voice, which otherwise would change with every language.

A timbre that never spoke a language says it clearer a part of the way to another one: a style between two
voices is smoother than either. The teacher knows no Korean: it is also said slower, and with a vowel respelt.

Cantonese is in no voice of the teacher either: it gets a melody made from its tones (Chao's numbers).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from teacher import Contour, Floats
from tones import EARLY_FRAMES

#: below this the teacher's F0 means unvoiced
VOICED_FROM_HZ = 40.0


@dataclass(frozen=True)
class Speaker:
    """A voice of the corpus: the teacher's name of its timbre and its median F0 at home."""

    timbre: str
    median_hz: float


#: Ours come first, in the order of the bundle; then donors, who teach the student a language and are not
#: shipped. Chosen by measurement, see LOG.md.
SPEAKERS = {
    "zhitian": Speaker("zm_yunxi", 147),
    "xiaoyan": Speaker("zf_xiaoxiao", 228),
    "en_us": Speaker("af_heart", 185),
    "ja_jp": Speaker("jf_alpha", 260),
    "donor_ja": Speaker("jf_nezumi", 222),
}
#: language → teacher's voice whose prosody is borrowed by whoever is not at home in it
DONORS = {"zh": "zf_xiaoxiao", "en": "af_heart", "ja": "jf_nezumi", "ko": "jf_nezumi", "yue": "jf_alpha"}
#: a man's prosody for a man's timbre, where the teacher has one
MALE_DONORS = {"zh": "zm_yunxi", "en": "am_michael", "ja": "jm_kumo", "ko": "jm_kumo"}
MALE = frozenset({"zhitian"})
HOME = {"zhitian": "zh", "xiaoyan": "zh", "en_us": "en", "ja_jp": "ja", "donor_ja": "ja"}
#: language → voice → what is mixed into its timbre there, and how much of that
BLENDS = {
    "zh": {"en_us": ("zf_xiaoxiao", 0.3), "ja_jp": ("zf_xiaoxiao", 0.3)},
    "ko": {
        "xiaoyan": ("jf_alpha", 0.3),
        "en_us": ("jf_alpha", 0.3),
        "zhitian": ("jm_kumo", 0.3),
        "ja_jp": ("jf_gongitsune", 0.3),
        "donor_ja": ("jf_gongitsune", 0.3),
    },
    "yue": {
        "zhitian": ("zm_yunyang", 0.3),
        "xiaoyan": ("jf_alpha", 0.3),
        "en_us": ("zf_xiaoxiao", 0.3),
        "ja_jp": ("zf_xiaoxiao", 0.3),
    },
}
#: language → how many times as fast as the teacher likes
PACE = {"ko": 0.88}
#: language → symbols of ours and those by which the teacher makes that sound
SPELLING = {"ko": {"ʌ": "ɔ"}}

#: Cantonese tone → its level at the start and at the end, 1 low to 5 high (Bauer and Benedict, 1997)
TONE_LEVELS = {"¹": (5, 5), "²": (2.5, 5), "³": (3.3, 3.3), "⁴": (1.9, 0.8), "⁵": (1.7, 3.2), "⁶": (2.3, 2.3)}
SEMITONES_PER_LEVEL = 2.6
#: the share of a syllable in which the melody still comes from the tone before
TONE_ONSET = 0.25


def donor(voice: str, lang: str) -> str:
    """The teacher's voice whose prosody ``voice`` has in ``lang``."""
    if HOME[voice] == lang:
        return SPEAKERS[voice].timbre
    return (MALE_DONORS if voice in MALE else {}).get(lang, DONORS[lang])


def timbre(voice: str, lang: str) -> dict[str, float]:
    """The teacher's voices, and their shares, whose timbre ``voice`` has in ``lang``."""
    own = SPEAKERS[voice].timbre
    other, share = BLENDS.get(lang, {}).get(voice, (own, 0.0))
    return {own: 1.0} if other == own else {own: 1.0 - share, other: share}


def moved_to(median_hz: float) -> Contour:
    """The melody as it is, its median at ``median_hz``."""

    def contour(durations: NDArray[np.int64], f0_hz: Floats) -> Floats:
        voiced = f0_hz > VOICED_FROM_HZ
        if not voiced.any():
            return f0_hz
        factor = median_hz / float(np.median(f0_hz[voiced]))
        return np.where(voiced, f0_hz * factor, f0_hz).astype(np.float32)

    return contour


def tone_contour(syllables: list[tuple[int, int, str]], median_hz: float) -> Contour:
    """A melody from tones. A syllable is (first symbol, symbol after its last, tone mark).

    Symbols are counted with the boundary at the start as 0.
    """

    def contour(durations: NDArray[np.int64], f0_hz: Floats) -> Floats:
        ends = np.cumsum(durations)
        starts = ends - durations
        voiced = f0_hz > VOICED_FROM_HZ
        level = np.full(len(f0_hz), np.nan)
        before = 3.0
        last_end = -1
        for first, after, tone in syllables:
            a, b = int(starts[first]), int(ends[after - 1])
            low, high = TONE_LEVELS[tone]
            if last_end != a:
                before = low
            # The last syllable of a clause goes on in silence: its tone ends with its voice.
            heard = np.flatnonzero(voiced[a:b])
            length = int(heard[-1]) + 1 if len(heard) else b - a
            x = np.clip((np.arange(b - a) + EARLY_FRAMES) / length, 0, 1)
            own = low + (high - low) * np.clip((x - TONE_ONSET) / (1 - TONE_ONSET), 0, 1)
            # Speech glides from one tone to the next: raised cosine over the onset.
            glide = 0.5 * (1 + np.cos(math.pi * np.clip(x / TONE_ONSET, 0, 1)))
            level[a:b] = own + (before - low) * glide
            before, last_end = high, b
        hertz = median_hz * 2 ** ((level - 3) * SEMITONES_PER_LEVEL / 12)
        shaped = (f0_hz > VOICED_FROM_HZ) & ~np.isnan(level)
        return np.where(shaped, hertz, f0_hz).astype(np.float32)

    return contour
