"""Is a syllable's melody right for its tone? Judged from the F0 of the sound itself.

A syllable's contour is five points of F0 over its rhyme, in the speaker's own range: semitones from the
median of that speaker's speech in that language, divided by their spread. Each tone has a template, a normal
distribution learnt from the teacher's corpus, whose mean leans on the tones before and behind, on the pitch
that stands next on either side, and on the place in the clause. A tone is right where its own template is the
nearest of all; one that has no voice is not. Syllables of the neutral tone have no template. The same measure
on the teacher's unseen speech says how far it can be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HOP = 300
SAMPLE_RATE = 24000
POINTS = 5
#: voiced frames without which a syllable has no contour
FEWEST_FRAMES = 3
#: the teacher's sound is so much earlier than its durations say, and so the student's
EARLY_FRAMES = 3
#: the share of a rhyme that still belongs to the glide from the syllable before
_ONSET_SHARE = 0.2
#: syllables with no more between their rhymes lean on each other
_NEAR_FRAMES = 20
_FEWEST_EXAMPLES = 30
TONES = {"zh": "→↗↓↘", "yue": "¹²³⁴⁵⁶"}
_VOWEL = "aeiouyæɑɐɒəɛɜɤɨɪɔøœɵʊʌɚAIOQSTWY"
_MANDARIN = re.compile(rf"([{_VOWEL}jwɥɹɻ]+)([→↗↓↘])((?:[nŋɻ](?![{_VOWEL}jwɥ]))?)")
_CANTONESE = re.compile(rf"((?:[{_VOWEL}][{_VOWEL}ː]*[jwmnŋptk]?|[mŋ]))([¹²³⁴⁵⁶])()")
_PATTERN = {"zh": _MANDARIN, "yue": _CANTONESE}

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Syllable:
    """Symbols ``first`` to ``after - 1`` of a phoneme string are the rhyme that carries ``tone``."""

    first: int
    after: int
    tone: str


def syllables(phonemes: str, lang: str) -> list[Syllable]:
    """The syllables that carry a tone (not the neutral one of Mandarin)."""
    return [Syllable(m.start(), m.end(), m[2]) for m in _PATTERN[lang].finditer(phonemes)]


def speaker_range(f0_hz: Sequence[NDArray[np.float32]]) -> tuple[float, float]:
    """Median in Hz and spread in semitones of all that a speaker said."""
    voiced = np.concatenate([hz[hz > 0] for hz in f0_hz])
    if not len(voiced):
        return 200.0, 1.0
    median = float(np.median(voiced))
    low, high = np.percentile(12 * np.log2(voiced / median), (10, 90))
    return median, max(0.5, float(high - low) / 2.56)


@dataclass(frozen=True)
class Contour:
    """One syllable as it sounded, and what it leans on.

    ``shape`` [5] is in the speaker's own range; ``around`` says what stands before and behind: the tones, the
    last and the next pitch, and where in the clause it is.
    """

    tone: str
    shape: Floats | None
    around: Floats


def contours(
    phonemes: str,
    durations: NDArray[np.int64],
    f0_hz: NDArray[np.float32],
    lang: str,
    span: tuple[float, float],
) -> list[Contour]:
    """The contour of each syllable, its shape None where it has no voice.

    ``durations`` [L] in frames have a boundary at either end; ``f0_hz`` [T] begins where they begin.
    """
    ends = np.cumsum(durations)
    starts = ends - durations
    spoken = syllables(phonemes, lang)
    times = [
        (max(0, int(starts[s.first + 1]) - EARLY_FRAMES), max(0, int(ends[s.after]) - EARLY_FRAMES))
        for s in spoken
    ]
    shapes = [_shape(f0_hz[first:after], span) for first, after in times]
    found = []
    for i, syllable in enumerate(spoken):
        near_before = i > 0 and times[i][0] - times[i - 1][1] <= _NEAR_FRAMES
        near_behind = i + 1 < len(spoken) and times[i + 1][0] - times[i][1] <= _NEAR_FRAMES
        before = shapes[i - 1] if near_before else None
        behind = shapes[i + 1] if near_behind else None
        around = np.concatenate(
            [
                _one_hot(spoken[i - 1].tone if near_before else None, lang),
                _one_hot(spoken[i + 1].tone if near_behind else None, lang),
                [0.0, 0.0] if before is None else [1.0, before[-1]],
                [0.0, 0.0] if behind is None else [1.0, behind[0]],
                [i / max(1, len(spoken) - 1), np.log(1.0 + times[i][1] - times[i][0])],
            ]
        )
        found.append(Contour(syllable.tone, shapes[i], around))
    return found


def _shape(piece: NDArray[np.float32], span: tuple[float, float]) -> Floats | None:
    """Points of the voiced part of a rhyme, without its onset where that leaves enough.

    The last syllable of a clause goes on in silence: what counts is how far its voice goes.
    """
    median, spread = span
    voiced = np.flatnonzero(piece > 0)
    if len(voiced) < FEWEST_FRAMES:
        return None
    late = voiced[voiced >= _ONSET_SHARE * (voiced[-1] + 1)]
    at = late if len(late) >= FEWEST_FRAMES else voiced
    semitones = 12 * np.log2(piece[at] / median) / spread
    shape: Floats = np.interp(np.linspace(at[0], at[-1], POINTS), at, _smooth(semitones))
    return shape


def _one_hot(tone: str | None, lang: str) -> list[float]:
    return [float(tone == other) for other in TONES[lang]]


def _smooth(values: Floats) -> Floats:
    """Median of three: one frame at an octave's distance is a fault of the tracker."""
    if len(values) < 3:
        return values
    padded = np.concatenate([values[:1], values, values[-1:]])
    smooth: Floats = np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)
    return smooth


class Templates:
    """The melody of each tone: how its mean depends on what is around, and the covariance of the rest."""

    def __init__(self, examples: Iterable[Contour]) -> None:
        by_tone: dict[str, list[Contour]] = {}
        for example in examples:
            if example.shape is not None:
                by_tone.setdefault(example.tone, []).append(example)
        self.counts = {tone: len(rows) for tone, rows in sorted(by_tone.items())}
        self._tones = sorted(tone for tone, rows in by_tone.items() if len(rows) >= _FEWEST_EXAMPLES)
        self._models = [_fitted(by_tone[tone]) for tone in self._tones]

    def is_right(self, contour: Contour) -> bool:
        """Whether its own tone is the likeliest; a syllable without voice is not right."""
        return contour.shape is not None and self.nearest(contour) == contour.tone

    def nearest(self, contour: Contour) -> str:
        """The tone whose template the contour is likeliest under."""
        if contour.shape is None:
            raise ValueError("a syllable without voice has no contour")
        likelihoods = []
        given = np.append(contour.around, 1.0)
        for weights, precision, half_log in self._models:
            rest = contour.shape - given @ weights
            likelihoods.append(half_log - 0.5 * float(rest @ precision @ rest))
        return self._tones[int(np.argmax(likelihoods))]


def _fitted(rows: list[Contour]) -> tuple[Floats, Floats, float]:
    """Ridge weights [A + 1, 5], inverse covariance of what they leave, half its log-determinant.

    The three hundredths that fit worst, faults of the tracker, are left out.
    """
    given = np.stack([np.append(row.around, 1.0) for row in rows])
    shape = np.stack([row.shape for row in rows if row.shape is not None])
    kept = np.arange(len(rows))
    for _ in range(3):
        x, y = given[kept], shape[kept]
        weights = np.linalg.solve(x.T @ x + 2.0 * np.eye(x.shape[1]), x.T @ y)
        rest = shape - given @ weights
        spread = np.cov(rest[kept], rowvar=False) + 0.02 * np.eye(POINTS)
        precision = np.linalg.inv(spread).astype(np.float64)
        distance = np.einsum("ij,jk,ik->i", rest, precision, rest)
        kept = np.flatnonzero(distance <= np.percentile(distance, 97))
    return weights, precision, 0.5 * float(np.linalg.slogdet(precision)[1])
