"""Sound → what the two students share: log-mel frames and pitch. The contract of ``bundle.yaml``.

Mel: n_fft 1024, Hann window 1024, hop 300, 80 bands of 0 to 12000 Hz, natural logarithm floored at 1e-5.
Frame t is centred on sample 300 t + 150, so T · 300 samples give exactly T frames.
Pitch: voicing (0 or 1) and 3 · ln(f0 / 200 Hz), 0 where unvoiced.
"""

from __future__ import annotations

import librosa
import numpy as np
import torch
import torch.nn.functional as functional
from numpy.typing import NDArray
from torch import Tensor
from workspace import HOP, SAMPLE_RATE

N_FFT, N_MELS, F_MAX, LOG_FLOOR = 1024, 80, 12000, 1e-5
#: mel of silence outside the utterance, as the vocoder's context frames have it
SILENT_MEL = -4.0
#: below this the teacher's F0 means unvoiced
VOICED_FROM_HZ = 20.0

_FILTERS = torch.tensor(
    librosa.filters.mel(sr=SAMPLE_RATE, n_fft=N_FFT, n_mels=N_MELS, fmin=0, fmax=F_MAX)
).float()
_WINDOW = torch.hann_window(N_FFT)


def log_mel(audio: Tensor) -> Tensor:
    """[B, T * 300] samples → [B, T, 80]."""
    edge = (N_FFT - HOP) // 2
    padded = functional.pad(audio[:, None], (edge, edge), mode="reflect")[:, 0]
    spectrum = torch.stft(padded, N_FFT, HOP, N_FFT, _WINDOW, center=False, return_complex=True).abs()
    return torch.log(torch.clamp(_FILTERS @ spectrum, min=LOG_FLOOR)).transpose(1, 2)


def pitch_features(f0_hz: NDArray[np.float32]) -> NDArray[np.float32]:
    """[T] Hz → [T, 2]."""
    voiced = f0_hz > VOICED_FROM_HZ
    log_f0 = 3 * np.log(np.maximum(f0_hz, VOICED_FROM_HZ) / 200)
    return np.stack([voiced, np.where(voiced, log_f0, 0)], -1).astype(np.float32)
