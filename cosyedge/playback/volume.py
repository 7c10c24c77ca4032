"""How loud: a level from 0 to 1 as people set it, and the gain that it stands for."""

from __future__ import annotations


def gain(level: float, mute: bool = False) -> float:
    """The factor for samples at a volume ``level`` in 0..1 (clamped); exactly 1.0 at 1, and 0.0 when muted.

    Loudness grows roughly with the cube root of amplitude, so equal steps of ``level`` sound like equal steps
    when the gain is its cube: half way is -18 dB. (The curve is that of PulseAudio's software volume.)
    """
    if mute:
        return 0.0
    level = min(max(level, 0.0), 1.0)
    return level * level * level
