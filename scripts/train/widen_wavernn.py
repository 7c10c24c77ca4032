"""A narrower WaveRNN-Lite inside a wider one that makes the very same sound: where a wider training begins.

    python scripts/train/widen_wavernn.py build/train/checkpoints/wavernn_acoustic.pt

Chen et al., Net2Net (2016), in its simplest form: new units hear everything and nothing listens to them
yet, so that the sound is what it was and the gradient still reaches them. The checkpoint is rewritten with
the width of ``wavernn.HIDDEN``, its schedule begins anew.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from finetune_wavernn import PEAK_RATE
from torch import Tensor
from wavernn import HIDDEN, WaveRnnLite


def widened(narrow: dict[str, Tensor]) -> WaveRnnLite:
    """Raises ValueError if the weights are not those of a narrower vocoder."""
    old = narrow["gru.weight_hh_l0"].shape[1]
    if old >= HIDDEN:
        raise ValueError(f"already {old} units wide, {HIDDEN} are asked for")
    model = WaveRnnLite()
    state = model.state_dict()
    for name, before in narrow.items():
        after = state[name].clone()
        if name == "head_step.weight":  # [HEAD, units and samples]
            after[:, :old], after[:, old:HIDDEN], after[:, HIDDEN:] = before[:, :old], 0, before[:, old:]
        elif name.startswith("gru."):  # [reset, update and candidate of each unit, ...]
            by_gate = after.view(3, HIDDEN, *after.shape[1:])
            kept = before.view(3, old, *before.shape[1:])
            if name == "gru.weight_hh_l0":
                by_gate[:, :old, :old], by_gate[:, :old, old:] = kept, 0
            else:
                by_gate[:, :old] = kept
        else:
            after = before
        state[name] = after
    model.load_state_dict(state)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    options = parser.parse_args()
    torch.manual_seed(1)
    model = widened(torch.load(options.checkpoint, weights_only=True)["model"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE, betas=(0.8, 0.99))
    begun = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 0, "minutes": 0.0}
    torch.save(begun, options.checkpoint)


if __name__ == "__main__":
    main()
