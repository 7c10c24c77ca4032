"""Weights averaged over the last updates: steadier than the weights of any of them, and what ships."""

from __future__ import annotations

import torch
from torch import nn


@torch.no_grad()
def move_average(average: nn.Module, learned: nn.Module, keep: float) -> None:
    """``average`` keeps this share of itself and takes the rest from ``learned``, which is of its kind."""
    for mine, theirs in zip(average.parameters(), learned.parameters(), strict=True):
        mine.lerp_(theirs, 1 - keep)
