"""Train the acoustic student on the teacher's mel, durations, F0 and energy.

    python scripts/train/train_acoustic.py --minutes 70

Resumes from its checkpoint, or begins with the weights of a bundle (``--from``); the schedule follows the
core-minutes spent, in all runs together. What is kept for export is the running average of the weights,
which a short training needs most.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from acoustic import AcousticModel, Prosody
from checkpoint import Checkpoint
from dataset import Corpus, Utterance, mel_of
from features import N_MELS
from running_average import move_average
from shipped import load_acoustic
from torch import Tensor, nn

BATCH_FRAMES = 4800
PEAK_RATE, FINAL_SHARE, WARM_UP = 1.5e-3, 0.02, 100
AVERAGE = 0.998
ENERGY_SCALE = 4.0


@dataclass(frozen=True)
class Batch:
    """Padded utterances: B of at most L symbols and T frames."""

    ids: Tensor  # [B, L]
    languages: Tensor  # [B, L]
    durations: Tensor  # [B, L] in frames
    symbol_mask: Tensor  # [B, L, 1]
    voice: Tensor  # [B]
    index: Tensor  # [B, T] the symbol of each frame
    position: Tensor  # [B, T, 3]
    prosody: Prosody  # [B, T] each
    mel: Tensor  # [B, T, 80] in the scale of training
    frame_mask: Tensor  # [B, T, 1]


def collate(utterances: list[Utterance]) -> Batch:
    size = len(utterances)
    symbols = max(len(one.ids) for one in utterances)
    frames = max(one.frames for one in utterances)
    ids, durations = np.zeros((size, symbols), np.int64), np.zeros((size, symbols), np.float32)
    languages = np.zeros((size, symbols), np.int64)
    symbol_mask, frame_mask = (
        np.zeros((size, symbols, 1), np.float32),
        np.zeros((size, frames, 1), np.float32),
    )
    index, position = np.zeros((size, frames), np.int64), np.zeros((size, frames, 3), np.float32)
    prosody, mel = np.zeros((size, frames, 3), np.float32), np.zeros((size, frames, N_MELS), np.float32)
    for row, one in enumerate(utterances):
        length, total = len(one.ids), one.frames
        ids[row, :length], durations[row, :length] = one.ids, one.durations
        languages[row, :length] = one.languages
        symbol_mask[row, :length], frame_mask[row, :total] = 1, 1
        of_frame = np.repeat(np.arange(length), one.durations)
        start = np.cumsum(one.durations) - one.durations
        long = one.durations[of_frame].astype(np.float32)
        done = (np.arange(total) - start[of_frame] + 0.5) / long
        index[row, :total] = of_frame
        position[row, :total] = np.stack([done, 1 - done, np.log(long) / 3], -1)
        prosody[row, :total, :2], prosody[row, :total, 2] = one.pitch, one.energy / ENERGY_SCALE
        mel[row, :total] = (mel_of(one).astype(np.float32) + 4) / 3
    voicing, log_f0, energy = torch.tensor(prosody).unbind(-1)
    return Batch(
        torch.tensor(ids),
        torch.tensor(languages),
        torch.tensor(durations),
        torch.tensor(symbol_mask),
        torch.tensor([one.voice for one in utterances]),
        torch.tensor(index),
        torch.tensor(position),
        Prosody(voicing, log_f0, energy),
        torch.tensor(mel),
        torch.tensor(frame_mask),
    )


def draw(utterances: list[Utterance]) -> list[Utterance]:
    """Utterances of about one length that together fill a batch; languages in about equal parts."""
    by_language: dict[str, list[Utterance]] = {}
    for one in utterances:
        by_language.setdefault(one.lang, []).append(one)
    weights = [math.sqrt(len(found)) for found in by_language.values()]
    languages = random.choices(list(by_language), weights, k=64)
    pool = sorted((random.choice(by_language[lang]) for lang in languages), key=lambda one: one.frames)
    start = random.randrange(len(pool))
    chosen = [pool[start]]
    for one in pool[start + 1 :]:
        if one.frames * (len(chosen) + 1) > BATCH_FRAMES:
            break
        chosen.append(one)
    return chosen


def losses(model: AcousticModel, batch: Batch) -> dict[str, Tensor]:
    """Each a mean over what is not padding."""
    encoding, log_frames = model.encode(batch.ids, batch.languages, batch.voice, batch.symbol_mask)
    wide = batch.index[..., None].expand(-1, -1, encoding.shape[-1])
    per_frame = torch.gather(encoding, 1, wide)
    mask, truth = batch.frame_mask[..., 0], batch.prosody
    voiced = mask * truth.voicing
    predicted = model.predict_prosody(
        per_frame + model.voice(batch.voice)[:, None], batch.position, batch.frame_mask
    )
    mel = model.decode(per_frame, batch.position, batch.voice, truth, batch.frame_mask)
    symbols = batch.symbol_mask[..., 0]
    log_truth = torch.log(batch.durations.clamp(min=1))
    voicing = functional.binary_cross_entropy_with_logits(predicted.voicing, truth.voicing, reduction="none")
    return {
        "mel": ((mel - batch.mel).abs() * batch.frame_mask).sum() / mask.sum() / N_MELS,
        "duration": ((log_frames - log_truth) ** 2 * symbols).sum() / symbols.sum(),
        "voicing": (voicing * mask).sum() / mask.sum(),
        "f0": ((predicted.log_f0 - truth.log_f0).abs() * voiced).sum() / voiced.sum(),
        "energy": ((predicted.energy - truth.energy).abs() * mask).sum() / mask.sum(),
    }


WEIGHTS = {"mel": 3.0, "duration": 1.0, "voicing": 0.5, "f0": 1.0, "energy": 1.0}


class AveragedModel(nn.Module):
    """A model beside the running average of its weights; both live in one checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.model, self.average = AcousticModel(), AcousticModel()
        self.average.requires_grad_(False)

    def update(self, step: int) -> None:
        move_average(self.average, self.model, min(AVERAGE, (1 + step) / (10 + step)))


@torch.no_grad()
def validate(model: AcousticModel, utterances: list[Utterance]) -> str:
    total: dict[str, float] = {}
    model.eval()
    for start in range(0, len(utterances), 8):
        for name, value in losses(model, collate(utterances[start : start + 8])).items():
            total[name] = total.get(name, 0) + value.item() / math.ceil(len(utterances) / 8)
    return " ".join(f"{name} {value:.4f}" for name, value in total.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--from", dest="bundle", type=Path, help="begin with the weights of this bundle")
    options = parser.parse_args()
    torch.set_num_threads(1)
    corpus = Corpus()
    both = AveragedModel()
    model = both.model
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters", flush=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE, betas=(0.9, 0.98), weight_decay=1e-3)
    checkpoint = Checkpoint("acoustic", both, optimizer)
    if options.bundle is not None and not checkpoint.resumed:
        load_acoustic(model, options.bundle)
        both.average.load_state_dict(model.state_dict())
    recent: list[dict[str, float]] = []
    while checkpoint.minutes < options.minutes:
        if checkpoint.step % 200 == 0 or not corpus.training:
            corpus.grow()
        progress = checkpoint.minutes / options.minutes
        decay = FINAL_SHARE + (1 - FINAL_SHARE) * 0.5 * (1 + math.cos(math.pi * progress))
        for group in optimizer.param_groups:
            group["lr"] = PEAK_RATE * min(1, (checkpoint.step + 1) / WARM_UP) * decay
        batch = collate(draw(corpus.training))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            parts = losses(model, batch)
        loss = torch.stack([WEIGHTS[name] * value.float() for name, value in parts.items()]).sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        both.update(checkpoint.step)
        recent.append({name: value.item() for name, value in parts.items()})
        checkpoint.advance()
        if checkpoint.step % 100 == 0:
            means = " ".join(f"{name} {np.mean([r[name] for r in recent[-100:]]):.4f}" for name in WEIGHTS)
            print(
                f"{checkpoint.step} {means} | {checkpoint.minutes:.1f} min, corpus {corpus.minutes:.0f} min",
                flush=True,
            )
        if checkpoint.step % 500 == 0:
            print(f"{checkpoint.step} held out: {validate(both.average, corpus.held_out[:64])}", flush=True)
    checkpoint.save()


if __name__ == "__main__":
    main()
