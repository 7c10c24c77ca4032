"""The spectral contract between the acoustic model and the vocoder.

Both models carry it in their metadata, the bundle says it once more, and all three have to agree: a
vocoder that was trained on another mel makes noise out of good frames, and nothing else would notice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SAMPLE_RATE: Final = 24_000  # Hz, of every sample in this program until the sound card's own rate
HOP: Final = 300  # samples a frame: 12.5 ms
BANDS: Final = 80
#: Columns of the vocoder's features: the mel, voicing (0 or 1) and pitch, 3 ln(f0 / 200 Hz).
FEATURES: Final = BANDS + 2
#: What stands outside an utterance: ln of a faint level, unvoiced, and no pitch.
SILENT_MEL: Final = -4.0


@dataclass(frozen=True, slots=True)
class MelContract:
    """How a frame is computed from samples: the log of a mel-weighted magnitude spectrum.

    Attributes:
        sample_rate: Hz.
        hop: samples from frame to frame.
        n_fft: points of the transform.
        win: samples of the Hann window.
        bands: number of mel bands (Slaney's scale and area normalisation, as librosa's default).
        fmin: lower edge of the lowest band, Hz.
        fmax: upper edge of the highest band, Hz.
        log: base of the logarithm, ``e``.
        floor: magnitudes are raised to it before the logarithm.
    """

    sample_rate: int = SAMPLE_RATE
    hop: int = HOP
    n_fft: int = 1024
    win: int = 1024
    bands: int = BANDS
    fmin: float = 0.0
    fmax: float = 12_000.0
    log: str = "e"
    floor: float = 1e-5

    @property
    def text(self) -> str:
        """One line, the same for equal contracts: the value of ``mel`` in a model's metadata."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return " ".join(f"{name}={_plain(value)}" for name, value in sorted(values.items()))


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


#: The contract of every bundle of format 1.
MEL: Final = MelContract()
