"""The last stage of WaveRNN-Lite: what it makes running free must also pass judges that learn with it.

    python scripts/train/sharpen_wavernn.py --minutes 40

Three small judges (discriminator.py) learn to tell made from true, and the vocoder learns what they see, as
in Pia et al., FARGAN's and LPCNet's successors (Valin, 2024), with the distance of spectra still in the lead.
Starts from the vocoder adapted to the acoustic student; resumes from its own checkpoint.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from checkpoint import Checkpoint, load_model
from discriminator import Judges
from finetune_wavernn import (
    BATCH,
    FORCED,
    FREE,
    LIKELIHOOD,
    LIKELIHOOD_EVERY,
    LOOK_AGAIN,
    WARM_UP,
    Pieces,
    energy_score,
    run_freely,
)
from running_average import move_average
from shipped import load_vocoder
from torch import nn
from train_wavernn import INPUT_NOISE
from wavernn import WaveRnnLite

RATE, JUDGES_RATE, FINAL_SHARE = 1.5e-4, 4e-4, 0.05
#: updates in which only the judges learn, so that what they say means something
ALONE = 40
FOOLED, LIKENESS = 0.1, 0.5
#: decay of the running average
AVERAGED = 0.995


class Contest(nn.Module):
    """The learner, its judges, and the running average of the learner, which ships: one checkpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.learner, self.vocoder = WaveRnnLite(), WaveRnnLite().requires_grad_(False)
        self.judges = Judges()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--from", dest="bundle", type=Path, help="begin with the weights of this bundle")
    options = parser.parse_args()
    torch.set_num_threads(1)
    contest = Contest()
    learner, judges = contest.learner, contest.judges
    optimizer = torch.optim.AdamW(
        [{"params": learner.parameters(), "lr": RATE}, {"params": judges.parameters(), "lr": JUDGES_RATE}],
        betas=(0.8, 0.99),
    )
    peaks = (RATE, JUDGES_RATE)
    checkpoint = Checkpoint("wavernn_sharp", contest, optimizer)
    if not checkpoint.resumed and options.bundle is not None:
        load_vocoder(learner, options.bundle)
    elif not checkpoint.resumed:
        load_model("wavernn_acoustic", learner)
    if not checkpoint.resumed:
        move_average(contest.vocoder, learner, 0.0)
    pieces = Pieces(students_mel=True)
    pieces.look_again()
    recent: list[tuple[float, ...]] = []
    while checkpoint.minutes < options.minutes:
        if checkpoint.step % LOOK_AGAIN == 0:
            pieces.look_again()
        share = max(FINAL_SHARE, 1 - checkpoint.minutes / options.minutes)
        for group, peak in zip(optimizer.param_groups, peaks, strict=True):
            group["lr"] = peak * min(1, (checkpoint.step + 1) / WARM_UP) * share
        optimizer.zero_grad()
        features, signal = pieces.draw(BATCH, FORCED + FREE)
        contested = checkpoint.step >= ALONE
        with torch.set_grad_enabled(contested):
            made, again, true = run_freely(learner, features, signal)
            score = energy_score(made, again, true)
        own, of_true = judges.own_loss(made, true)
        own.backward()
        fooled = likeness = torch.zeros(())
        if contested:
            judges.requires_grad_(False)
            fooled, likeness = judges.loss_of(made, of_true)
            loss = score + FOOLED * fooled + LIKENESS * likeness
            if checkpoint.step % LIKELIHOOD_EVERY == 0:
                loss = loss + LIKELIHOOD * learner.forced(features, signal, INPUT_NOISE)[0]
            loss.backward()
            judges.requires_grad_(True)
        torch.nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
        torch.nn.utils.clip_grad_norm_(judges.parameters(), 1.0)
        optimizer.step()
        move_average(contest.vocoder, learner, AVERAGED)
        recent.append((score.item(), own.item(), fooled.item(), likeness.item()))
        checkpoint.advance()
        if checkpoint.step % 20 == 0:
            a, b, c, d = np.mean(recent[-20:], 0)
            print(
                f"{checkpoint.step} score {a:.4f}, judges {b:.4f}, fooled {c:.4f}, likeness {d:.4f}, "
                f"{checkpoint.minutes:.1f} min",
                flush=True,
            )
    checkpoint.save()


if __name__ == "__main__":
    main()
