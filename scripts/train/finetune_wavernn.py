"""Fine-tune WaveRNN-Lite running free: it hears its own samples, as it will in the product.

    python scripts/train/finetune_wavernn.py --minutes 20
    python scripts/train/finetune_wavernn.py --minutes 10 --acoustic

Under teacher forcing the network never meets its own mistakes. Here it samples with reparameterised noise
after a few forced frames, and a spectral distance at several resolutions (Yamamoto et al., Parallel WaveGAN,
2020) between what is true and two samples flows back through all steps, with a little likelihood. With
``--acoustic`` half of the features are the acoustic student's own mel on the teacher's timing, so that the
vocoder learns to sharpen what the student blurs. Corpus and student may still be growing. Starts from the
likelihood training or from a bundle (``--from``); resumes from its checkpoint.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
import torch
from checkpoint import Checkpoint, load_model
from dataset import Corpus, Utterance, mel_of
from features import N_MELS
from free_run import free_run
from numpy.typing import NDArray
from shipped import load_vocoder
from torch import Tensor
from train_acoustic import AveragedModel, collate
from train_wavernn import INPUT_NOISE, cut
from wavernn import BLOCK, CONTEXT, HISTORY, STEPS, VocoderState, WaveRnnLite, emphasise, pitch_lag
from workspace import CHECKPOINTS, HOP, WORKSPACE

BATCH, FORCED, FREE = 16, 8, 24  # utterances, each made twice; frames
PEAK_RATE, FINAL_SHARE, WARM_UP = 3e-4, 0.05, 20
#: how much samples are asked to differ; 1 as much as true ones
APART = 0.6
#: the likelihood's weight, and every how many updates it is asked at all: a forced pass costs half of one
LIKELIHOOD, LIKELIHOOD_EVERY = 0.4, 4
#: updates after which the corpus and the acoustic student, both still growing, are read again
LOOK_AGAIN = 1500
STUDENT_MEL, STUDENT_AGES_S = WORKSPACE / "student_mel", 3600
RESOLUTIONS = ((2048, 240), (1024, 120), (512, 60), (256, 30))
_WINDOWS = {size: torch.hann_window(size) for size, _ in RESOLUTIONS}


def energy_score(made: Tensor, again: Tensor, true: Tensor) -> Tensor:
    """How far two samples of the model are from what is true, less what they rightly differ by.

    [B, samples] each; ``made`` and ``again`` have the same features and other noise. A distance alone is
    least for the same middling sound every time: hiss became a pattern that came back with every frame, a
    buzz of 80 Hz. The generalised energy distance (Gritsenko et al., A spectral energy distance for parallel
    speech synthesis, 2020) is least where samples differ as true ones do; with ``APART`` below 1 they
    differ a little less, which is the quieter between the harmonics.
    """
    total = torch.zeros(())
    for size, hop in RESOLUTIONS:
        a, b, x = (
            torch.stft(each, size, hop, size, _WINDOWS[size], return_complex=True).abs().clamp(min=1e-4)
            for each in (made, again, true)
        )
        log_a, log_b, log_x, level = a.log(), b.log(), x.log(), x.norm()
        to_true = (log_a - log_x).abs().mean() + (log_b - log_x).abs().mean()
        to_true = to_true + ((a - x).norm() + (b - x).norm()) / level
        apart = (log_a - log_b).abs().mean() + (a - b).norm() / level
        total = total + (to_true - APART * apart) / 2
    return total / len(RESOLUTIONS)


class Pieces:
    """Random pieces of the corpus, which may still be growing; half of them with the student's own mel.

    What the student makes of an utterance is kept in files: this stage and the next ones share it, and it is
    made again only for a student that has learned for ``STUDENT_AGES_S`` since.
    """

    def __init__(self, students_mel: bool) -> None:
        self._corpus = Corpus()
        self._student = AveragedModel().eval() if students_mel else None
        self._students: dict[str, NDArray[np.float16]] = {}
        self._made_after = 0.0
        self._weights: list[float] = []

    def look_again(self) -> None:
        """Take what the corpus has by now, and the acoustic student as it is by now."""
        self._corpus.grow()
        self._weights = [float(one.frames) for one in self._corpus.training]
        if self._student is not None:
            STUDENT_MEL.mkdir(exist_ok=True)
            load_model("acoustic", self._student)
            self._made_after = (CHECKPOINTS / "acoustic.pt").stat().st_mtime - STUDENT_AGES_S
            self._students.clear()

    def draw(self, size: int, frames: int) -> tuple[Tensor, Tensor]:
        """features [size, frames + 2 * CONTEXT, 82], pre-emphasised signal [size, HISTORY + frames * 300]."""
        pieces = []
        for i, one in enumerate(random.choices(self._corpus.training, self._weights, k=size)):
            mel = self._by_student(one) if self._student is not None and i % 2 else mel_of(one)
            pieces.append(cut(one, mel, frames))
        features = torch.tensor(np.stack([piece[0] for piece in pieces]))
        return features, emphasise(torch.tensor(np.stack([piece[1] for piece in pieces])))[:, 1:]

    def _by_student(self, utterance: Utterance) -> NDArray[np.float16]:
        """[T, 80]: what the acoustic student makes of the teacher's durations, F0 and energy."""
        if utterance.name not in self._students:
            self._students[utterance.name] = self._kept_or_made(utterance)
        return self._students[utterance.name]

    def _kept_or_made(self, utterance: Utterance) -> NDArray[np.float16]:
        file = STUDENT_MEL / f"{utterance.name}.npy"
        if file.exists() and file.stat().st_mtime > self._made_after:
            kept: NDArray[np.float16] = np.load(file)
            return kept
        assert self._student is not None
        model = self._student.average
        batch = collate([utterance])
        with torch.no_grad():
            encoding, _ = model.encode(batch.ids, batch.languages, batch.voice, batch.symbol_mask)
            per_frame = encoding[:, batch.index[0]]
            mel = model.decode(per_frame, batch.position, batch.voice, batch.prosody, batch.frame_mask)
        made: NDArray[np.float16] = (mel[0] * 3 - 4).numpy().astype(np.float16)
        np.save(file, made)
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
    model = WaveRnnLite()
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE, betas=(0.8, 0.99))
    checkpoint = Checkpoint("wavernn_acoustic" if options.acoustic else "wavernn_free", model, optimizer)
    if not checkpoint.resumed and options.bundle is not None:
        load_vocoder(model, options.bundle)
    elif not checkpoint.resumed:
        load_model("wavernn_free" if options.acoustic else "wavernn_likelihood", model)
    pieces = Pieces(options.acoustic)
    pieces.look_again()
    recent: list[float] = []
    nats: list[float] = []
    while checkpoint.minutes < options.minutes:
        if checkpoint.step % LOOK_AGAIN == 0:
            pieces.look_again()
        progress = checkpoint.minutes / options.minutes
        for group in optimizer.param_groups:
            group["lr"] = PEAK_RATE * min(1, (checkpoint.step + 1) / WARM_UP) * max(FINAL_SHARE, 1 - progress)
        features, signal = pieces.draw(BATCH, FORCED + FREE)
        made, again, true = run_freely(model, features, signal)
        spectral = energy_score(made, again, true)
        loss = spectral
        if checkpoint.step % LIKELIHOOD_EVERY == 0:
            likelihood, _, _ = model.forced(features, signal, INPUT_NOISE)
            loss = loss + LIKELIHOOD * likelihood
            nats.append(likelihood.item())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent.append(spectral.item())
        checkpoint.advance()
        if checkpoint.step % 20 == 0:
            print(
                f"{checkpoint.step} score {np.mean(recent[-20:]):.4f}, {np.mean(nats[-5:]):.4f} nats, "
                f"{checkpoint.minutes:.1f} min",
                flush=True,
            )
    checkpoint.save()


def run_freely(model: WaveRnnLite, features: Tensor, signal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What the model makes after FORCED true frames, the same with other noise, and what is true.

    features [B, FORCED + FREE + 2 * CONTEXT, 82], signal [B, HISTORY + (FORCED + FREE) * 300] → each
    [B, (FORCED + FREE) * 300], the true frames before.
    """
    forced_end = HISTORY + FORCED * HOP
    twice = torch.cat([features, features])
    with torch.no_grad():
        _, _, state = model.forced(features[:, : FORCED + 2 * CONTEXT], signal[:, :forced_end], 0.0)
        state = VocoderState(*(torch.cat([each, each]) for each in vars(state).values()))
    controls = model.controls(twice[:, FORCED:])
    lag = pitch_lag(twice[:, CONTEXT + FORCED : -CONTEXT, N_MELS:])
    noise = torch.randn(len(twice), FREE, STEPS, BLOCK)
    made, again = free_run(model, controls, lag, state, noise).chunk(2)
    before = signal[:, HISTORY:forced_end]
    return torch.cat([before, made], 1), torch.cat([before, again], 1), signal[:, HISTORY:]


if __name__ == "__main__":
    main()
