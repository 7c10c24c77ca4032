"""Train WaveRNN-Lite by likelihood on true features: one parallel pass under teacher forcing.

    python scripts/train/train_wavernn.py --minutes 35

Resumes from its checkpoint. The schedule follows the core-minutes spent, in all runs together.
"""

from __future__ import annotations

import argparse
import math
import random

import numpy as np
import torch
from checkpoint import Checkpoint
from dataset import Corpus, Utterance, mel_of
from features import LOG_FLOOR, N_MELS, SILENT_MEL
from numpy.typing import NDArray
from torch import Tensor
from wavernn import CONTEXT, HISTORY, WaveRnnLite, emphasise
from workspace import HOP

BATCH, FRAMES = 24, 32
PEAK_RATE, FINAL_SHARE, WARM_UP = 2.5e-3, 0.02, 50
INPUT_NOISE = 0.05


def cut(
    utterance: Utterance, mel: NDArray[np.float16], frames: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """A random piece: features [frames + 2 * CONTEXT, 82] and audio [HISTORY + 1 + frames * 300].

    Beyond both ends stands what the vocoder sees there in the product: silence. Level varies at random.
    """
    start = random.randrange(-2, max(1, utterance.frames - frames + 3))
    features = np.zeros((frames + 2 * CONTEXT, N_MELS + 2), np.float32)
    features[:, :N_MELS] = SILENT_MEL
    low, high = max(0, start - CONTEXT), min(utterance.frames, start + frames + CONTEXT)
    level = random.uniform(0.4, 1.1)
    where = slice(low - start + CONTEXT, high - start + CONTEXT)
    features[where, :N_MELS] = np.maximum(
        mel[low:high].astype(np.float32) + math.log(level), math.log(LOG_FLOOR)
    )
    features[where, N_MELS:] = utterance.pitch[low:high]
    audio = np.zeros(HISTORY + 1 + frames * HOP, np.float32)
    first = start * HOP - HISTORY - 1
    low, high = max(0, first), min(len(utterance.audio), first + len(audio))
    audio[low - first : high - first] = utterance.audio[low:high] * (level / 32768)
    return features, audio


def batch(utterances: list[Utterance], weights: list[float], size: int, frames: int) -> tuple[Tensor, Tensor]:
    """features [size, frames + 2 * CONTEXT, 82], pre-emphasised signal [size, HISTORY + frames * 300]."""
    pieces = [cut(one, mel_of(one), frames) for one in random.choices(utterances, weights, k=size)]
    features = torch.tensor(np.stack([piece[0] for piece in pieces]))
    return features, emphasise(torch.tensor(np.stack([piece[1] for piece in pieces])))[:, 1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    corpus = Corpus()
    model = WaveRnnLite()
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.3f} M parameters", flush=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE, betas=(0.9, 0.99), weight_decay=1e-3)
    checkpoint = Checkpoint("wavernn_likelihood", model, optimizer)
    recent: list[float] = []
    while checkpoint.minutes < options.minutes:
        if checkpoint.step % 200 == 0 or not corpus.training:
            corpus.grow()
            weights = [float(one.frames) for one in corpus.training]
        progress = checkpoint.minutes / options.minutes
        decay = FINAL_SHARE + (1 - FINAL_SHARE) * 0.5 * (1 + math.cos(math.pi * progress))
        for group in optimizer.param_groups:
            group["lr"] = PEAK_RATE * min(1, (checkpoint.step + 1) / WARM_UP) * decay
        features, signal = batch(corpus.training, weights, BATCH, FRAMES)
        loss, _, _ = model.forced(features, signal, INPUT_NOISE)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent.append(loss.item())
        checkpoint.advance()
        if checkpoint.step % 50 == 0:
            print(
                f"{checkpoint.step} {np.mean(recent[-50:]):.4f} nats, {checkpoint.minutes:.1f} min, "
                f"corpus {corpus.minutes:.0f} min",
                flush=True,
            )
    checkpoint.save()


if __name__ == "__main__":
    main()
