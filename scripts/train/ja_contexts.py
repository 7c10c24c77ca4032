"""Contexts of words that join alike, made one: weighted k-means over the rows and columns of the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: So many contexts are left.
CONTEXTS: Final = 256
_ROUNDS: Final = 30


def cluster(
    matrix: NDArray[Any], weights: NDArray[Any], pinned: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """The class of each context (-1: unused), and the matrix of the classes.

    Args:
        matrix: cost of context [before, behind].
        weights: how often each context is met, 0 where never.
        pinned: contexts that are used in any case.
    """
    weights = weights.copy()
    weights[list(pinned)] = np.maximum(weights[list(pinned)], weights.max())
    used = np.flatnonzero(weights)
    order = used[np.argsort(-weights[used], kind="stable")]
    share = np.sqrt(np.sqrt(weights[used] / weights.sum()))
    rows = matrix[np.ix_(used, used)] * share[None, :]
    columns = (matrix[np.ix_(used, used)] * share[:, None]).T
    points = np.concatenate([rows, columns], axis=1).astype(np.float32)
    mass = np.sqrt(weights[used])
    position = {int(context): i for i, context in enumerate(used)}
    centres = points[[position[int(context)] for context in order[:CONTEXTS]]]
    nearest = np.zeros(len(used), dtype=np.int64)
    for _ in range(_ROUNDS):
        distance = (centres**2).sum(1)[None, :] - 2 * points @ centres.T
        found = distance.argmin(1)
        if (found == nearest).all():
            break
        nearest = found
        for k in range(len(centres)):
            inside = nearest == k
            if inside.any():
                centres[k] = np.average(points[inside], axis=0, weights=mass[inside])
    classes = np.full(len(weights), -1, dtype=np.int64)
    classes[used] = nearest
    merged = _merged(matrix[np.ix_(used, used)].astype(float), nearest, mass, len(centres))
    return classes, np.round(merged).astype(np.int16)


def _merged(costs: NDArray[Any], nearest: NDArray[Any], mass: NDArray[Any], count: int) -> NDArray[Any]:
    """The weighted mean of the costs of every pair of classes."""
    belongs = np.zeros((count, len(nearest)))
    belongs[nearest, np.arange(len(nearest))] = mass
    belongs /= np.maximum(belongs.sum(1, keepdims=True), 1e-12)
    return np.asarray(belongs @ costs @ belongs.T)
