"""Judges of the last stage of the vocoder: is this spectrogram speech, or made?

Three small convolutional networks, each on log magnitudes at its own resolution, as in Jang et al., UnivNet
(2021), and least squares (Mao et al., 2017) for what they answer. They run in bfloat16, which is twice as
fast and judges as well. None of this ships.
"""

from __future__ import annotations

import itertools

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

#: window and hop, in samples
RESOLUTIONS = ((2048, 240), (1024, 120), (512, 60))
CHANNELS = (16, 24, 32, 32)
#: by judge and layer
Seen = list[list[Tensor]]
_FLOOR = 1e-4
#: log magnitudes of speech in the pre-emphasised domain lie about here
_MEAN, _SPREAD = -3.0, 2.5


class SpectrogramJudge(nn.Module):
    """[B, samples] → its answers [B, 1, time, frequency] and what every layer saw on the way."""

    def __init__(self, size: int, hop: int) -> None:
        super().__init__()
        self.size, self.hop = size, hop
        self.register_buffer("window", torch.hann_window(size), persistent=False)
        #: where in frequency a bin lies: a convolution cannot know
        self.register_buffer("height", torch.linspace(-1, 1, size // 2 + 1), persistent=False)
        self.layers = nn.ModuleList(
            nn.Conv2d(b, c, (3, 5), stride=2, padding=(1, 2)) for b, c in itertools.pairwise((2, *CHANNELS))
        )
        self.answer = nn.Conv2d(CHANNELS[-1], 1, 3, padding=1)

    def forward(self, audio: Tensor) -> tuple[Tensor, list[Tensor]]:
        spectrum = torch.stft(audio, self.size, self.hop, self.size, self.window, return_complex=True).abs()
        level = ((spectrum.clamp(min=_FLOOR).log() - _MEAN) / _SPREAD).transpose(1, 2)[:, None]
        x = torch.cat([level, self.height.expand_as(level)], 1)
        seen = []
        with torch.autocast("cpu", torch.bfloat16):
            for layer in self.layers:
                x = functional.leaky_relu(layer(x), 0.1)
                seen.append(x)
            return self.answer(x).float(), seen


class Judges(nn.Module):
    """One judge for each resolution."""

    def __init__(self) -> None:
        super().__init__()
        self.judges = nn.ModuleList(SpectrogramJudge(*resolution) for resolution in RESOLUTIONS)

    def own_loss(self, made: Tensor, true: Tensor) -> tuple[Tensor, Seen]:
        """What the judges learn from, true is 1 and made is 0, and what they saw in ``true``."""
        total, seen = made.new_zeros(()), []
        for judge in self.judges:
            answers, layers = judge(torch.cat([made.detach(), true]))
            of_made, of_true = answers.chunk(2)
            total = total + (of_made**2).mean() + ((1 - of_true) ** 2).mean()
            seen.append([layer.detach().chunk(2)[1] for layer in layers])
        return total / len(self.judges), seen

    def loss_of(self, made: Tensor, seen: Seen) -> tuple[Tensor, Tensor]:
        """How far ``made`` is from being taken for true, and from looking alike in every layer.

        ``seen`` is what :meth:`own_loss` saw in the true sound, before the judges learned from it. The
        distance in a layer is in units of what that layer makes of true sound (Larsen et al., 2016).
        """
        fooled, likeness = made.new_zeros(()), made.new_zeros(())
        for judge, of_true in zip(self.judges, seen, strict=True):
            answers, of_made = judge(made)
            fooled = fooled + ((1 - answers) ** 2).mean()
            for a, b in zip(of_made, of_true, strict=True):
                likeness = likeness + (a - b).abs().float().mean() / b.abs().float().mean()
        layers = len(self.judges) * len(CHANNELS)
        return fooled / len(self.judges), likeness / layers
