"""The acoustic student: phonemes → durations, pitch and mel in one network.

Non-autoregressive in the manner of FastSpeech 2 (Ren et al., 2021), on the teacher's own durations, F0
and energy. Given those, the teacher's mel is nearly determined, so a plain L1 loss does not blur. Blocks
are a depthwise convolution and two pointwise linear layers: almost all the work is in ``MatMul``, which
dynamic INT8 makes faster on every processor, where quantised convolutions are slower on most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as functional
from dataset import VOICES
from features import N_MELS
from torch import Tensor, nn

from cosyedge.text.languages import LANGUAGES
from cosyedge.text.symbols import SYMBOLS

ENCODER, DECODER, HEADS = 256, 256, 4
#: in every block, and before the heads that predict durations and prosody: half an hour of speech is soon
#: learned by heart
DROPOUT, PREDICTOR_DROPOUT = 0.1, 0.3
#: the shortest a symbol may last: the teacher never gives less than one unit of 600 samples
SHORTEST_FRAMES = 1


class Block(nn.Module):
    """Depthwise convolution over time, then a pointwise feed-forward layer, with a residual."""

    def __init__(self, width: int, kernel: int, expansion: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm = nn.LayerNorm(width)
        self.expand = nn.Linear(width, expansion * width)
        self.contract = nn.Linear(expansion * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.depthwise((x * mask).transpose(1, 2)).transpose(1, 2)
        # Dropped before the layer grows wide: the draws cost a sixth of a training step after it.
        y = functional.dropout(self.norm(y), DROPOUT, self.training)
        return x + self.scale * self.contract(functional.gelu(self.expand(y), approximate="tanh"))


class Attention(nn.Module):
    """Self-attention over the whole clause; the convolutions around it know where things stand."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = x.shape
        split = self.query_key_value(self.norm(x)).view(batch, length, 3, HEADS, width // HEADS)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        weights = query @ key.transpose(-1, -2) / math.sqrt(width // HEADS)
        weights = weights.masked_fill(mask[:, None, None, :, 0] < 0.5, -1e4).softmax(-1)
        return x + self.out((weights @ value).transpose(1, 2).reshape(batch, length, width))


@dataclass(frozen=True)
class Prosody:
    """Per frame [B, T]: voicing as a logit in prediction and 0/1 in truth, 3 · ln(f0 / 200 Hz), energy."""

    voicing: Tensor
    log_f0: Tensor
    energy: Tensor

    def as_input(self) -> Tensor:
        """[B, T, 3]; expects voicing as 0/1. Where there is no voice there is no F0."""
        return torch.stack([self.voicing, self.log_f0 * self.voicing, self.energy], -1)


class AcousticModel(nn.Module):
    """All tensors batch first; ``mask`` is 1 where there is a symbol or frame and 0 in padding."""

    def __init__(self) -> None:
        super().__init__()
        self.symbol = nn.Embedding(len(SYMBOLS), ENCODER)
        self.language = nn.Embedding(len(LANGUAGES), ENCODER)
        self.voice = nn.Embedding(len(VOICES), ENCODER)
        self.voice_in_decoder = nn.Embedding(len(VOICES), DECODER)
        self.encoder = nn.ModuleList(
            [
                Block(ENCODER, 5, 3),
                Block(ENCODER, 5, 3),
                Attention(ENCODER),
                Block(ENCODER, 5, 3),
                Attention(ENCODER),
                Block(ENCODER, 5, 3),
            ]
        )
        self.duration = nn.ModuleList([Block(ENCODER, 5, 2), Block(ENCODER, 5, 2)])
        self.duration_out = nn.Linear(ENCODER, 1)
        self.position = nn.Linear(3, ENCODER)
        self.prosody = nn.ModuleList([Block(ENCODER, 9, 2) for _ in range(3)])
        self.prosody_out = nn.Linear(ENCODER, 3)
        self.to_decoder = nn.Linear(ENCODER + 3, DECODER)
        self.prosody_in = nn.Linear(3, DECODER)
        self.decoder = nn.ModuleList([Block(DECODER, 7, 3) for _ in range(6)])
        self.mel = nn.Linear(DECODER, N_MELS)

    def encode(self, ids: Tensor, languages: Tensor, voice: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """ids and languages [B, L], voice [B], mask [B, L, 1] → encoding [B, L, D], log of frames [B, L]."""
        x = self.symbol(ids) + self.language(languages) + self.voice(voice)[:, None]
        for layer in self.encoder:
            x = layer(x, mask)
        y = functional.dropout(x, PREDICTOR_DROPOUT, self.training)
        for layer in self.duration:
            y = layer(y, mask)
        return x, self.duration_out(y)[..., 0]

    def predict_prosody(self, encoding: Tensor, position: Tensor, mask: Tensor) -> Prosody:
        """encoding per frame [B, T, D], position [B, T, 3] → prosody with voicing as a logit."""
        x = functional.dropout(encoding, PREDICTOR_DROPOUT, self.training) + self.position(position)
        for layer in self.prosody:
            x = layer(x, mask)
        voicing, log_f0, energy = self.prosody_out(x).unbind(-1)
        return Prosody(voicing * 4, log_f0, energy)

    def decode(
        self, encoding: Tensor, position: Tensor, voice: Tensor, prosody: Prosody, mask: Tensor
    ) -> Tensor:
        """→ mel [B, T, 80], in the scale of training: (ln mel + 4) / 3."""
        x = self.to_decoder(torch.cat([encoding, position], -1)) + self.prosody_in(prosody.as_input())
        x = x + self.voice_in_decoder(voice)[:, None]
        for layer in self.decoder:
            x = layer(x, mask)
        return self.mel(x)


def spread(encoding: Tensor, durations: Tensor) -> tuple[Tensor, Tensor]:
    """The length regulator, for one utterance: encoding [1, L, D], durations [1, L] in frames.

    → encoding per frame [1, T, D] and where each frame stands in its symbol [1, T, 3]: how far from its
    start, how far from its end (0 to 1), and the log of its length.
    """
    ends = torch.cumsum(durations, 1)
    frames = torch.arange(ends[0, -1])
    index = (frames[:, None] >= ends[0][None]).sum(1)
    start = (ends - durations)[0][index]
    length = durations[0][index]
    done = (frames - start + 0.5) / length
    position = torch.stack([done, 1 - done, torch.log(length.float()) / 3], -1)
    return encoding[:, index], position[None].float()


class Export(nn.Module):
    """The graph of the bundle: phonemes, languages [1, L], voice, speed [1] → mel, pitch, durations."""

    def __init__(self, model: AcousticModel) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, phonemes: Tensor, languages: Tensor, voice: Tensor, speed: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        every_symbol = torch.ones_like(phonemes)[..., None].float()
        encoding, log_frames = self.model.encode(phonemes, languages, voice, every_symbol)
        durations = torch.clamp(torch.round(torch.exp(log_frames) / speed), min=SHORTEST_FRAMES).long()
        per_frame, position = spread(encoding, durations)
        every_frame = torch.ones_like(position[..., :1])
        predicted = self.model.predict_prosody(
            per_frame + self.model.voice(voice)[:, None], position, every_frame
        )
        voicing = (predicted.voicing > 0).float()
        prosody = Prosody(voicing, predicted.log_f0, predicted.energy)
        mel = self.model.decode(per_frame, position, voice, prosody, every_frame) * 3 - 4
        return mel, torch.stack([voicing, predicted.log_f0 * voicing], -1), durations
