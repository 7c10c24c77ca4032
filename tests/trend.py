"""Whether a figure grows: a straight line through samples, and how far it can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

#: Samples of memory hang on those before them; means of so many pieces of a run hardly do.
PIECES: Final = 30
#: Student's t for 95 % on both sides, by degrees of freedom; above these, it is that of the last.
_T95: Final = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 8: 2.31, 10: 2.23, 15: 2.13, 20: 2.09, 28: 2.05}


def slope(times: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Growth of ``values`` per unit of ``times``, and the half width of its 95 % confidence interval.

    The line goes through the means of :data:`PIECES` pieces of equal length; with fewer than three samples
    nothing is known (0, inf).
    """
    if len(values) < 3:
        return 0.0, math.inf
    pieces = min(PIECES, len(values))
    x = np.array([np.mean(piece) for piece in np.array_split(np.asarray(times, float), pieces)])
    y = np.array([np.mean(piece) for piece in np.array_split(np.asarray(values, float), pieces)])
    away = x - x.mean()
    spread = float(away @ away)
    if spread == 0:
        return 0.0, math.inf
    growth = float(away @ (y - y.mean())) / spread
    left = y - y.mean() - growth * away
    freedom = pieces - 2
    error = math.sqrt(float(left @ left) / freedom / spread)
    t = next((value for most, value in sorted(_T95.items(), reverse=True) if most <= freedom), _T95[1])
    return growth, t * error
