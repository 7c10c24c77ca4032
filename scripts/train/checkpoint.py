"""A training that can be stopped at any moment and goes on where it was."""

from __future__ import annotations

import time

import torch
from torch import nn
from workspace import CHECKPOINTS

EVERY = 100
_VOCODER = "vocoder."


class Checkpoint:
    """Model, optimizer, step and core-minutes spent, in ``build/train/checkpoints/<name>.pt``."""

    def __init__(self, name: str, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        self._path = CHECKPOINTS / f"{name}.pt"
        self._model, self._optimizer = model, optimizer
        self.step = 0
        self._before = 0.0
        self.resumed = self._path.exists()
        if self.resumed:
            saved = torch.load(self._path, weights_only=True)
            model.load_state_dict(saved["model"])
            optimizer.load_state_dict(saved["optimizer"])
            self.step, self._before = saved["step"], saved["minutes"]
            print(f"resumed {name} at step {self.step}, {self._before:.1f} min", flush=True)
        self._started = time.process_time()

    @property
    def minutes(self) -> float:
        """Core-minutes of training in all runs together: load on the machine does not shorten it."""
        return self._before + (time.process_time() - self._started) / 60

    def advance(self) -> None:
        self.step += 1
        if self.step % EVERY == 0:
            self.save()

    def save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self._path.with_suffix(".part")
        state = {
            "model": self._model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "step": self.step,
            "minutes": self.minutes,
        }
        torch.save(state, unfinished)
        unfinished.rename(self._path)


def load_model(name: str, model: nn.Module) -> None:
    """The weights of a finished training into ``model``, which may be one of several that were trained.

    A training of several modules keeps each under its own name; ``model`` is then the ``vocoder`` of them.
    """
    state = torch.load(CHECKPOINTS / f"{name}.pt", weights_only=True)["model"]
    mine = {key.removeprefix(_VOCODER): value for key, value in state.items() if key.startswith(_VOCODER)}
    model.load_state_dict(mine or state)
