"""How near one reading of a clause is to another: durations symbol by symbol, F0 frame by frame.

Both have the same symbols. F0 is compared after each symbol of the one was stretched to the other's length,
so that a difference of pace is not counted twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosyedge.text.symbols import SILENT

FRAME_MS = 12.5


@dataclass(frozen=True)
class Likeness:
    """Sums over a clause, to be added up over many.

    Attributes:
        frames, frames_reference: of all symbols but the boundaries and the last, which only ends the sound.
        symbol_ms, symbols: sum of absolute differences of those that sound, and how many there are.
        squared_semitones, voiced: over frames that both say with a voice.
        unlike_voicing, compared: frames of which only one has a voice, of all compared.
    """

    frames: int = 0
    frames_reference: int = 0
    symbol_ms: float = 0.0
    symbols: int = 0
    squared_semitones: float = 0.0
    voiced: int = 0
    unlike_voicing: int = 0
    compared: int = 0

    def __add__(self, other: Likeness) -> Likeness:
        return Likeness(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def figures(self) -> dict[str, float]:
        """Figures of a report: percent, milliseconds, semitones, percent."""
        return {
            "length_percent": round(100 * (self.frames / max(1, self.frames_reference) - 1), 2),
            "symbol_ms": round(self.symbol_ms / max(1, self.symbols), 2),
            "f0_semitones": round(float(np.sqrt(self.squared_semitones / max(1, self.voiced))), 3),
            "voicing_percent": round(100 * self.unlike_voicing / max(1, self.compared), 2),
        }


def likeness(
    phonemes: str,
    durations: NDArray[np.int64],
    f0_hz: NDArray[np.float32],
    reference_durations: NDArray[np.int64],
    reference_f0_hz: NDArray[np.float32],
) -> Likeness:
    """``durations`` [L] have a boundary at either end, ``f0_hz`` [T] begins where they begin."""
    inner = slice(1, -2)
    sounding = np.array([symbol not in SILENT for symbol in phonemes], bool)[:-1]
    apart = np.abs(durations[inner] - reference_durations[inner])[sounding] * FRAME_MS
    stretched = _stretched(reference_f0_hz, reference_durations, durations)
    own = f0_hz[: len(stretched)]
    stretched = stretched[: len(own)]
    both = (own > 0) & (stretched > 0)
    semitones = 12 * np.log2(own[both] / stretched[both])
    return Likeness(
        int(durations[inner].sum()),
        int(reference_durations[inner].sum()),
        float(apart.sum()),
        int(sounding.sum()),
        float((semitones**2).sum()),
        int(both.sum()),
        int(((own > 0) != (stretched > 0)).sum()),
        len(own),
    )


def _stretched(
    values: NDArray[np.float32], durations: NDArray[np.int64], wanted: NDArray[np.int64]
) -> NDArray[np.float32]:
    """``values`` as they would be if each symbol lasted as long as ``wanted``."""
    at: list[NDArray[np.float64]] = []
    start = 0
    for own, other in zip(durations, wanted, strict=True):
        at.append(start + (np.arange(other) + 0.5) * (own / max(1, other)))
        start += int(own)
    index = np.minimum(np.concatenate(at).astype(np.int64), len(values) - 1)
    stretched: NDArray[np.float32] = values[index]
    return stretched
