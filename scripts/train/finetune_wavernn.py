"""Fine-tune WaveRNN-Lite running free: it hears its own samples, as it will in the product.

    python scripts/train/finetune_wavernn.py --minutes 20
    python scripts/train/finetune_wavernn.py --minutes 10 --acoustic

Under teacher forcing the network never meets its own mistakes. Here it samples with reparameterised noise
after a few forced frames, and a multi-resolution spectral loss (Yamamoto et al., Parallel WaveGAN, 2020)
flows back through all steps, with a little likelihood to keep the noise honest. With ``--acoustic`` half
of the features are the acoustic student's own mel on the teacher's timing, so that the vocoder learns to
sharpen what the student blurs. Corpus and student may still be growing. Starts from the likelihood training
or from a bundle (``--from``); resumes from its checkpoint.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
import torch
from acoustic import AcousticModel
from checkpoint import Checkpoint, load_model
from dataset import Corpus, Utterance, mel_of
from features import N_MELS
from numpy.typing import NDArray
from shipped import load_vocoder
from torch import Tensor
from train_acoustic import AveragedModel, collate
from train_wavernn import INPUT_NOISE, cut
from wavernn import BLOCK, CONTEXT, HISTORY, STEPS, WaveRnnLite, emphasise, pitch_lag
from workspace import HOP

BATCH, FORCED, FREE = 16, 8, 24  # utterances; frames
PEAK_RATE, FINAL_SHARE, WARM_UP = 5e-4, 0.05, 20
LIKELIHOOD = 0.1
#: updates after which the corpus and the acoustic student, both still growing, are read again
LOOK_AGAIN = 300
#: noise is turned down when the product samples; train around that
TEMPERATURES = (1.0, 0.7, 0.7)
RESOLUTIONS = ((2048, 240), (1024, 120), (512, 60), (256, 30))
_WINDOWS = {size: torch.hann_window(size) for size, _ in RESOLUTIONS}


def spectral_loss(made: Tensor, true: Tensor) -> Tensor:
    """Mean over resolutions of the log-magnitude distance and the spectral convergence; [B, samples]."""
    total = torch.zeros(())
    for size, hop in RESOLUTIONS:
        a, b = (
            torch.stft(x, size, hop, size, _WINDOWS[size], return_complex=True).abs().clamp(min=1e-4)
            for x in (made, true)
        )
        total = total + (a.log() - b.log()).abs().mean() + (a - b).norm() / b.norm()
    return total / len(RESOLUTIONS)


@torch.no_grad()
def students_mel(model: AcousticModel, utterance: Utterance) -> NDArray[np.float16]:
    """[T, 80]: what the acoustic student makes of the teacher's durations, F0 and energy."""
    batch = collate([utterance])
    encoding, _ = model.encode(batch.ids, batch.languages, batch.voice, batch.symbol_mask)
    per_frame = encoding[:, batch.index[0]]
    mel = model.decode(per_frame, batch.position, batch.voice, batch.prosody, batch.frame_mask)
    made: NDArray[np.float16] = (mel[0] * 3 - 4).numpy().astype(np.float16)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument(
        "--acoustic", action="store_true", help="half of the features from the acoustic student"
    )
    parser.add_argument("--from", dest="bundle", type=Path, help="begin with the weights of this bundle")
    options = parser.parse_args()
    torch.set_num_threads(1)
    corpus = Corpus()
    model = WaveRnnLite()
    if options.bundle is not None:
        load_vocoder(model, options.bundle)
    else:
        load_model("wavernn_free" if options.acoustic else "wavernn_likelihood", model)
    student = AveragedModel().eval()
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE, betas=(0.8, 0.99))
    checkpoint = Checkpoint("wavernn_acoustic" if options.acoustic else "wavernn_free", model, optimizer)
    weights: list[float] = []
    students: dict[str, NDArray[np.float16]] = {}
    recent: list[tuple[float, float]] = []
    while checkpoint.minutes < options.minutes:
        if checkpoint.step % LOOK_AGAIN == 0 or not weights:
            corpus.grow()
            weights = [float(one.frames) for one in corpus.training]
            if options.acoustic:
                load_model("acoustic", student)
                students.clear()
        progress = checkpoint.minutes / options.minutes
        for group in optimizer.param_groups:
            group["lr"] = PEAK_RATE * min(1, (checkpoint.step + 1) / WARM_UP) * max(FINAL_SHARE, 1 - progress)
        pieces = []
        for i, one in enumerate(random.choices(corpus.training, weights, k=BATCH)):
            mel = mel_of(one)
            if options.acoustic and i % 2:
                if one.name not in students:
                    students[one.name] = students_mel(student.average, one)
                mel = students[one.name]
            pieces.append(cut(one, mel, FORCED + FREE))
        features = torch.tensor(np.stack([piece[0] for piece in pieces]))
        signal = emphasise(torch.tensor(np.stack([piece[1] for piece in pieces])))[:, 1:]
        spectral, likelihood = free_running_losses(model, features, signal)
        optimizer.zero_grad()
        (spectral + LIKELIHOOD * likelihood).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent.append((spectral.item(), likelihood.item()))
        checkpoint.advance()
        if checkpoint.step % 20 == 0:
            a, b = np.mean(recent[-20:], 0)
            print(
                f"{checkpoint.step} spectral {a:.4f}, {b:.4f} nats, {checkpoint.minutes:.1f} min", flush=True
            )
    checkpoint.save()


def free_running_losses(model: WaveRnnLite, features: Tensor, signal: Tensor) -> tuple[Tensor, Tensor]:
    """features [B, FORCED + FREE + 2 * CONTEXT, 82], signal [B, HISTORY + (FORCED + FREE) * 300]."""
    forced_end = HISTORY + FORCED * HOP
    with torch.no_grad():
        _, _, state = model.forced(features[:, : FORCED + 2 * CONTEXT], signal[:, :forced_end], 0.0)
    likelihood, controls, _ = model.forced(features, signal, INPUT_NOISE)
    lag = pitch_lag(features[:, CONTEXT + FORCED : -CONTEXT, N_MELS:])
    noise = torch.randn(len(signal), FREE, STEPS, BLOCK) * random.choice(TEMPERATURES)
    made, _ = model.free(controls.after(FORCED), lag, state, noise)
    context = signal[:, HISTORY:forced_end]
    return spectral_loss(torch.cat([context, made], 1), signal[:, HISTORY:]), likelihood


if __name__ == "__main__":
    main()
