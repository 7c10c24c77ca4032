"""WaveRNN-Lite running on its own samples, with gradients through every step, three times as fast.

Autograd of 288 steps records some 10,000 small operations and adds to each weight's gradient once a step.
Here the steps back are written out: what they need is kept in a few large buffers, and the gradient of each
weight is one product over all steps at the end. :func:`free_run` equals :meth:`WaveRnnLite.free`
(``tests/train/test_free_run.py`` compares both, values and gradients).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from wavernn import (
    BLOCK,
    HISTORY,
    LIMIT,
    LOG_SCALE,
    PAST,
    SEGMENT,
    STEPS,
    Controls,
    VocoderState,
    WaveRnnLite,
)

TAPS = PAST + SEGMENT


def free_run(
    model: WaveRnnLite, controls: Controls, lag: Tensor, state: VocoderState, noise: Tensor
) -> Tensor:
    """noise [B, F, STEPS, N] → samples [B, F * 300]; ``state`` gets no gradient."""
    channels, hidden = model.head_frame.in_features, model.gru.hidden_size
    weight = model.gru.weight_ih_l0.t()
    head = model.head_step.weight.t()
    local_end = channels + TAPS + BLOCK
    from_frame = torch.cat(
        [
            controls.conditioning @ weight[:channels] + model.gru.bias_ih_l0,
            model.head_frame(controls.conditioning),
        ],
        -1,
    )
    out: Tensor = _FreeRun.apply(
        from_frame,
        weight[local_end:],
        torch.cat([weight[channels:local_end], head[hidden:]], 1),
        model.gru.weight_hh_l0.t(),
        model.gru.bias_hh_l0,
        head[:hidden],
        model.head_out.weight.t(),
        model.head_out.bias,
        torch.cat([controls.predictor, controls.gain[..., None] * controls.mixing.transpose(2, 3)], 2),
        controls.scale,
        lag,
        noise,
        state.hidden,
        state.excitation,
        state.history,
    )
    return out


class _FreeRun(torch.autograd.Function):
    """Sizes: H hidden, E head, L = TAPS + BLOCK what the network sees of samples, T = F * STEPS."""

    @staticmethod
    def forward(
        ctx: Any,
        from_frame: Tensor,  # [B, F, 3H + E]
        from_phase: Tensor,  # [STEPS, 3H]
        from_local: Tensor,  # [L, 3H + E]
        recurrent: Tensor,  # [H, 3H]
        bias: Tensor,  # [3H]
        head: Tensor,  # [H, E]
        out: Tensor,  # [E, 2N]
        out_bias: Tensor,  # [2N]
        synthesis: Tensor,  # [B, F, L, N]: from the past and from the excitation to the block
        scale: Tensor,  # [B, F, L]
        lag: Tensor,  # [B, F]
        noise: Tensor,  # [B, F, STEPS, N]
        hidden: Tensor,  # [B, H]
        excitation: Tensor,  # [B, N]
        history: Tensor,  # [B, HISTORY]
    ) -> Tensor:
        batch, frames = lag.shape
        steps, h, e = frames * STEPS, recurrent.shape[0], head.shape[1]
        new = from_frame.new_empty
        signal = torch.cat([history, new(batch, steps * BLOCK)], 1)
        seen = new(steps + 1, batch, TAPS + BLOCK)  # past and last excitation, before scaling
        local = new(steps, batch, TAPS + BLOCK)
        gates = new(steps, batch, 3 * h)  # reset, update, candidate, after their nonlinearities
        candidate = new(steps, batch, h)  # recurrent part of the candidate
        hiddens = new(steps + 1, batch, h)
        heads = new(steps, batch, e)
        spread = new(steps, batch, BLOCK)  # d excitation / d log-scale
        moved = new(steps, batch, TAPS + BLOCK)  # past and new excitation
        within = new(steps, batch, 2 * BLOCK)
        hiddens[0], seen[0, :, TAPS:] = hidden, excitation
        start = (HISTORY - lag - 2)[..., None] + torch.arange(SEGMENT)
        synthesis_of = synthesis.transpose(0, 1).contiguous()
        frame_part = from_frame.transpose(0, 1).contiguous()
        noise_of = noise.permute(1, 2, 0, 3).reshape(steps, batch, BLOCK)
        scale_of = scale.transpose(0, 1).contiguous()
        total = new(batch, 3 * h + e)
        from_hidden = new(batch, 3 * h)
        for t in range(steps):
            f, s = divmod(t, STEPS)
            at = HISTORY + t * BLOCK
            see = seen[t]
            see[:, :PAST] = signal[:, at - PAST : at]
            see[:, PAST:TAPS] = signal.gather(1, start[:, f] + t * BLOCK)
            a = see * scale_of[f]
            loc = torch.div(a, a.abs().add_(1), out=local[t])
            torch.addmm(frame_part[f], loc, from_local, out=total)
            gate = total[:, : 3 * h].add_(from_phase[s])
            torch.addmm(bias, hiddens[t], recurrent, out=from_hidden)
            rz = torch.sigmoid(gate[:, : 2 * h].add_(from_hidden[:, : 2 * h]))
            gates[t, :, : 2 * h] = rz
            candidate[t] = from_hidden[:, 2 * h :]
            n = gate[:, 2 * h :].addcmul_(rz[:, :h], from_hidden[:, 2 * h :]).tanh_()
            gates[t, :, 2 * h :] = n
            torch.lerp(n, hiddens[t], rz[:, h:], out=hiddens[t + 1])
            x = torch.addmm(total[:, 3 * h :], hiddens[t + 1], head, out=heads[t]).relu_()
            o = torch.addmm(out_bias, x, out, out=within[t])
            std = o[:, BLOCK:].clamp(*LOG_SCALE).exp_()
            torch.mul(std, noise_of[t], out=spread[t])
            excited = torch.add(o[:, :BLOCK], spread[t])
            move = moved[t]
            move[:, :TAPS] = see[:, :TAPS]
            move[:, TAPS:] = excited
            seen[t + 1, :, TAPS:] = excited
            block = torch.bmm(move[:, None], synthesis_of[f])[:, 0]
            signal[:, at : at + BLOCK] = block.clamp_(-LIMIT, LIMIT)
        ctx.save_for_backward(
            from_local, recurrent, head, out, synthesis_of, scale_of, start, signal, seen, local, gates,
            candidate, hiddens, heads, spread, moved, within,
        )  # fmt: skip
        return signal[:, HISTORY:].clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (
            from_local, recurrent, head, out, synthesis_of, scale_of, start, signal, seen, local, gates,
            candidate, hiddens, heads, spread, moved, within,
        ) = ctx.saved_tensors  # fmt: skip
        steps, batch, h = candidate.shape
        e, frames = head.shape[1], steps // STEPS
        new = grad.new_empty
        of_signal = torch.cat([grad.new_zeros(batch, HISTORY), grad], 1)
        of_gates = new(steps, batch, 3 * h + e)
        of_recurrent = new(steps, batch, 3 * h)
        of_out = new(steps, batch, 2 * BLOCK)
        of_block = new(steps, batch, BLOCK)
        of_local = new(steps, batch, TAPS + BLOCK)
        inside = (signal[:, HISTORY:].abs() < LIMIT).view(batch, steps, BLOCK).transpose(0, 1).to(grad.dtype)
        limited = ((within[..., BLOCK:] > LOG_SCALE[0]) & (within[..., BLOCK:] < LOG_SCALE[1])).to(grad.dtype)
        spread = spread * limited
        slope = (1 - local.abs()).square_()
        r, z, n = gates.split(h, 2)
        slope_rz = gates[..., : 2 * h] * (1 - gates[..., : 2 * h])
        slope_n = 1 - n * n
        active = (heads > 0).to(grad.dtype)
        synthesis_t = synthesis_of.transpose(2, 3)
        from_local_t, recurrent_t, head_t, out_t = from_local.t(), recurrent.t(), head.t(), out.t()
        of_hidden = grad.new_zeros(batch, h)
        of_excitation = grad.new_zeros(batch, BLOCK)
        for t in range(steps - 1, -1, -1):
            f = t // STEPS
            at = HISTORY + t * BLOCK
            d_block = torch.mul(of_signal[:, at : at + BLOCK], inside[t], out=of_block[t])
            d_move = torch.bmm(d_block[:, None], synthesis_t[f])[:, 0]
            d_out = of_out[t]
            d_excited = torch.add(d_move[:, TAPS:], of_excitation, out=d_out[:, :BLOCK])
            torch.mul(d_excited, spread[t], out=d_out[:, BLOCK:])
            d_gates = of_gates[t]
            d_head = torch.mul(torch.mm(d_out, out_t), active[t], out=d_gates[:, 3 * h :])
            of_hidden.addmm_(d_head, head_t)
            of_n = torch.mul(of_hidden - of_hidden * z[t], slope_n[t], out=d_gates[:, 2 * h : 3 * h])
            d_rec = of_recurrent[t]
            d_rz = d_gates[:, : 2 * h]
            torch.mul(of_n, candidate[t], out=d_rz[:, :h])
            torch.mul(of_hidden, hiddens[t] - n[t], out=d_rz[:, h:])
            d_rz.mul_(slope_rz[t])
            d_rec[:, : 2 * h] = d_rz
            torch.mul(of_n, r[t], out=d_rec[:, 2 * h :])
            of_hidden.mul_(z[t]).addmm_(d_rec, recurrent_t)
            d_local = torch.mm(d_gates, from_local_t, out=of_local[t]).mul_(slope[t])
            d_seen = d_local * scale_of[f]
            of_excitation = d_seen[:, TAPS:]
            d_past = d_move[:, :TAPS].add_(d_seen[:, :TAPS])
            of_signal[:, at - PAST : at] += d_past[:, :PAST]
            of_signal.scatter_add_(1, start[:, f] + t * BLOCK, d_past[:, PAST:])
        by_frame = of_gates.view(frames, STEPS, batch, -1)
        flat = of_gates.view(steps * batch, -1)
        blocks = of_block.view(frames, STEPS, batch, BLOCK).permute(0, 2, 1, 3)
        moves = moved.view(frames, STEPS, batch, -1).permute(0, 2, 3, 1)
        of_scale = (of_local * seen[:-1]).view(frames, STEPS, batch, -1).sum(1)
        return (
            by_frame.sum(1).transpose(0, 1),
            by_frame[..., : 3 * h].sum((0, 2)),
            local.view(steps * batch, -1).t() @ flat,
            hiddens[:-1].reshape(steps * batch, h).t() @ of_recurrent.view(steps * batch, -1),
            of_recurrent.sum((0, 1)),
            hiddens[1:].reshape(steps * batch, h).t() @ flat[:, 3 * h :],
            heads.view(steps * batch, e).t() @ of_out.view(steps * batch, -1),
            of_out.sum((0, 1)),
            (moves @ blocks).transpose(0, 1),
            of_scale.transpose(0, 1),
            *(None,) * 5,
        )
