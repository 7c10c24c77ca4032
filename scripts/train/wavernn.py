"""WaveRNN-Lite: one GRU step makes a block of N samples, by linear prediction that the network learned.

Everything is in the pre-emphasised domain, x[t] - 0.85 x[t-1]. Once per frame a small convolutional net
turns mel and pitch into

* M [K + S, N]: predicts the block from the last K samples and from a segment of S samples that lies one
  pitch period back,
* L [N, N]: unit lower triangular, mixes the excitation within the block,
* a gain g of the excitation, and scales that bring what the GRU sees near 1.

Once per block the GRU sees those samples and the last excitation, and gives mean μ and log-scale of the
next: u = μ + σ · noise, x = M · past + g · L · u. This is LPC synthesis inside a WaveRNN (Valin and
Skoglund, LPCNet, 2019; Kalchbrenner et al., WaveRNN, 2018). Because |det L| = 1 the likelihood of x
is exact: training is one parallel pass under teacher forcing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as functional
from features import N_MELS
from torch import Tensor, nn
from workspace import HOP, SAMPLE_RATE

BLOCK = 25  # N, samples per step
STEPS = HOP // BLOCK  # steps per frame
PAST = 36  # K, samples of immediate past
SEGMENT = BLOCK + 4  # S, samples one pitch period back
HISTORY = 512  # samples remembered, the longest lag plus a margin
CONTEXT = 4  # frames of context on each side of a frame
EMPHASIS = 0.85
HIDDEN, CHANNELS, RANK, HEAD = 384, 128, 64, 96
LOCAL = PAST + SEGMENT + BLOCK  # what the GRU sees of the samples at each step
LIMIT = 1.5
LOG_SCALE = (-6.0, 4.0)  # bounds of what the head says of the noise


def emphasise(audio: Tensor) -> Tensor:
    """[B, samples] → the pre-emphasised domain."""
    return torch.cat([audio[:, :1], audio[:, 1:] - EMPHASIS * audio[:, :-1]], 1)


def pitch_lag(pitch: Tensor) -> Tensor:
    """[..., 2] → the samples from a block back to the segment one period ago, at least a block away."""
    f0_hz = torch.where(pitch[..., 0] > 0.5, 200 * torch.exp(pitch[..., 1] / 3), torch.tensor(100.0))
    return torch.clamp((SAMPLE_RATE / f0_hz).round().long(), BLOCK + 3, HISTORY - 4)


@dataclass(frozen=True)
class Controls:
    """What holds for a whole frame; every tensor is [B, F, ...]."""

    conditioning: Tensor  # [B, F, CHANNELS]
    predictor: Tensor  # [B, F, K + S, N]
    mixing: Tensor  # [B, F, N, N], unit lower triangular
    gain: Tensor  # [B, F, 1]
    scale: Tensor  # [B, F, LOCAL]

    def after(self, frames: int) -> Controls:
        """The same without the first ``frames`` frames."""
        return Controls(
            self.conditioning[:, frames:],
            self.predictor[:, frames:],
            self.mixing[:, frames:],
            self.gain[:, frames:],
            self.scale[:, frames:],
        )


@dataclass(frozen=True)
class VocoderState:
    """All that is remembered from block to block."""

    hidden: Tensor  # [B, HIDDEN]
    excitation: Tensor  # [B, N], in units of the gain of its own frame
    history: Tensor  # [B, HISTORY], the last samples


class WaveRnnLite(nn.Module):
    """The whole vocoder. Mel and pitch in, samples of the pre-emphasised domain out."""

    lower: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(N_MELS + 2, CHANNELS, 5)
        self.conv2 = nn.Conv1d(CHANNELS, CHANNELS, 3)
        self.conv3 = nn.Conv1d(CHANNELS, CHANNELS, 3)
        self.predictor_rank = nn.Linear(CHANNELS, RANK)
        self.predictor = nn.Linear(RANK, (PAST + SEGMENT) * BLOCK)
        self.mixing = nn.Linear(CHANNELS, BLOCK * (BLOCK - 1) // 2)
        self.levels = nn.Linear(CHANNELS, 3)  # log gain, log scale of samples, log scale of excitation
        self.gru = nn.GRU(CHANNELS + LOCAL + STEPS, HIDDEN, batch_first=True)
        self.head_frame = nn.Linear(CHANNELS, HEAD)
        self.head_step = nn.Linear(HIDDEN + LOCAL, HEAD, bias=False)
        self.head_out = nn.Linear(HEAD, 2 * BLOCK)
        for layer in (self.predictor, self.mixing, self.head_out, self.levels):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        with torch.no_grad():
            self.levels.bias.copy_(torch.tensor([-3.0, 2.0, 1.0]))
        self.register_buffer("lower", torch.tril_indices(BLOCK, BLOCK, -1), persistent=False)

    def controls(self, features: Tensor) -> Controls:
        """features [B, F + 2 * CONTEXT, 82] (mel, pitch) → controls of F frames."""
        mel, pitch = features[..., :N_MELS], features[..., N_MELS:]
        x = torch.cat([(mel + 4) / 3, pitch], -1).transpose(1, 2)
        x = functional.leaky_relu(self.conv1(x), 0.1)
        x = x[..., 1:-1] + functional.leaky_relu(self.conv2(x), 0.1)
        x = (x[..., 1:-1] + functional.leaky_relu(self.conv3(x), 0.1)).transpose(1, 2)
        batch, frames, _ = x.shape
        predictor = self.predictor(self.predictor_rank(x)).view(batch, frames, PAST + SEGMENT, BLOCK) * 0.1
        mixing = torch.zeros(batch, frames, BLOCK, BLOCK)
        mixing[..., self.lower[0], self.lower[1]] = self.mixing(x) * 0.1
        levels = self.levels(x).clamp(-9.0, 9.0).exp()
        of_samples = levels[..., 1:2].expand(-1, -1, PAST + SEGMENT)
        of_excitation = levels[..., 2:3].expand(-1, -1, BLOCK)
        scale = torch.cat([of_samples, of_excitation], -1)
        return Controls(x, predictor, mixing + torch.eye(BLOCK), levels[..., :1], scale)

    def forced(self, features: Tensor, signal: Tensor, noise: float) -> tuple[Tensor, Controls, VocoderState]:
        """Negative log-likelihood, in nats a sample, of pre-emphasised ``signal`` [B, HISTORY + F * 300].

        ``noise``: how much of its own level is added to what the network sees of the past, so that it
        learns to live with its own mistakes. Also returns what is needed to run on freely.
        """
        controls = self.controls(features)
        batch, frames, _ = controls.gain.shape
        steps = frames * STEPS
        level = functional.avg_pool1d((signal**2)[:, None], 301, 1, 150).sqrt()[:, 0]
        seen = signal + (noise * torch.rand(batch, 1) * level + 1e-4) * torch.randn_like(signal)
        recent = seen[:, HISTORY - PAST :].unfold(1, PAST, BLOCK)[:, :steps]
        lag = pitch_lag(features[:, CONTEXT:-CONTEXT, N_MELS:]).repeat_interleave(STEPS, 1)
        start = HISTORY + torch.arange(steps)[None] * BLOCK - lag - 2
        index = (start[..., None] + torch.arange(SEGMENT)).view(batch, -1)
        past = torch.cat([recent, torch.gather(seen, 1, index).view(batch, steps, SEGMENT)], -1)

        target = (signal + 1e-4 * torch.randn_like(signal))[:, HISTORY:].view(batch, frames, STEPS, BLOCK)
        predicted = past.view(batch, frames, STEPS, -1) @ controls.predictor
        excitation = torch.linalg.solve_triangular(
            controls.mixing[:, :, None], (target - predicted)[..., None], upper=False, unitriangular=True
        ).view(batch, steps, BLOCK)
        gain = controls.gain.repeat_interleave(STEPS, 1)
        excitation = excitation / gain
        last = functional.pad(excitation, (0, 0, 1, 0))[:, :steps]
        local = local_input(past, last, controls.scale.repeat_interleave(STEPS, 1))
        phase = torch.eye(STEPS).repeat(frames, 1)[None].expand(batch, -1, -1)
        conditioning = controls.conditioning.repeat_interleave(STEPS, 1)
        hidden, final = self.gru(torch.cat([conditioning, local, phase], -1))
        mean, log_scale = self.head(hidden, local, self.head_frame(conditioning))
        z = (excitation - mean) * torch.exp(-log_scale)
        loss = (0.5 * z**2 + log_scale + torch.log(gain)).mean() + 0.5 * math.log(2 * math.pi)
        state = VocoderState(final[0], excitation[:, -1], signal[:, -HISTORY:])
        return loss, controls, state

    def free(
        self, controls: Controls, lag: Tensor, state: VocoderState, noise: Tensor
    ) -> tuple[Tensor, VocoderState]:
        """Run on its own samples: noise [B, F, STEPS, N] → [B, F * 300], with gradients."""
        weight = self.gru.weight_ih_l0
        from_frame = controls.conditioning @ weight[:, :CHANNELS].t() + self.gru.bias_ih_l0
        from_local = weight[:, CHANNELS : CHANNELS + LOCAL].t()
        from_phase = weight[:, CHANNELS + LOCAL :].t()
        head_frame = self.head_frame(controls.conditioning)
        hidden, excitation, history = state.hidden, state.excitation, state.history
        recurrent, bias = self.gru.weight_hh_l0.t(), self.gru.bias_hh_l0
        blocks = []
        for f in range(controls.gain.shape[1]):
            gain = controls.gain[:, f]
            index = (HISTORY - lag[:, f] - 2)[:, None] + torch.arange(SEGMENT)
            for s in range(STEPS):
                past = torch.cat([history[:, -PAST:], torch.gather(history, 1, index)], 1)
                local = local_input(past, excitation, controls.scale[:, f])
                gates = from_frame[:, f] + from_phase[s] + local @ from_local
                hidden = _gru_step(gates, torch.addmm(bias, hidden, recurrent), hidden)
                mean, log_scale = self.head(hidden, local, head_frame[:, f])
                excitation = mean + torch.exp(log_scale) * noise[:, f, s]
                block = (past[:, None] @ controls.predictor[:, f])[:, 0]
                block = block + (controls.mixing[:, f] @ (gain * excitation)[..., None])[..., 0]
                block = block.clamp(-LIMIT, LIMIT)
                history = torch.cat([history[:, BLOCK:], block], 1)
                blocks.append(block)
        return torch.cat(blocks, 1), VocoderState(hidden, excitation, history)

    def head(self, hidden: Tensor, local: Tensor, frame: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log-scale of the excitation, in units of the gain."""
        x = functional.relu(self.head_step(torch.cat([hidden, local], -1)) + frame)
        mean, log_scale = self.head_out(x).chunk(2, -1)
        return mean, log_scale.clamp(*LOG_SCALE)


def local_input(past: Tensor, excitation: Tensor, scale: Tensor) -> Tensor:
    """What the GRU sees of the samples: brought near 1, then softly bounded, x / (1 + |x|)."""
    return functional.softsign(torch.cat([past, excitation], -1) * scale)


def _gru_step(gates: Tensor, recurrent: Tensor, hidden: Tensor) -> Tensor:
    """One step of torch's GRU from its input part and its recurrent part, both [B, 3 * HIDDEN]."""
    reset, update = torch.sigmoid(gates[:, : 2 * HIDDEN] + recurrent[:, : 2 * HIDDEN]).chunk(2, 1)
    new = torch.tanh(gates[:, 2 * HIDDEN :] + reset * recurrent[:, 2 * HIDDEN :])
    return new + update * (hidden - new)
