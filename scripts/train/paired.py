"""Differences between two systems that said the same sentences, with the uncertainty of so few of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLINGS = 4000


@dataclass(frozen=True)
class Difference:
    """System less reference, and the bounds between which 95 % of the resampled ones lie."""

    value: float
    low: float
    high: float

    def rounded(self, digits: int) -> list[float]:
        return [round(x, digits) for x in (self.value, self.low, self.high)]


def difference_of_rates(wrong: ArrayLike, reference: ArrayLike, units: ArrayLike) -> Difference:
    """Errors per sentence of both, and units per sentence → difference of the error rates in points."""
    delta = np.asarray(wrong, float) - np.asarray(reference, float)
    size = np.asarray(units, float)
    drawn = _drawn(len(delta))
    values = 100 * delta[drawn].sum(1) / size[drawn].sum(1)
    return _summary(100 * float(delta.sum() / size.sum()), values)


def difference_of_means(values: ArrayLike, reference: ArrayLike) -> Difference:
    """A figure per sentence of both → difference of the means."""
    delta = np.asarray(values, float) - np.asarray(reference, float)
    return _summary(float(delta.mean()), delta[_drawn(len(delta))].mean(1))


def _drawn(count: int) -> NDArray[np.int64]:
    return np.random.default_rng(count).integers(0, count, (RESAMPLINGS, count))


def _summary(value: float, resampled: NDArray[np.float64]) -> Difference:
    low, high = np.percentile(resampled, (2.5, 97.5))
    return Difference(value, float(low), float(high))
