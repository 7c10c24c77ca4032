"""What a dash was found to mean, written so that later rows need not ask again.

Both are private-use characters that folding takes out of every text, so they are nobody's but ours.
"""

from __future__ import annotations

from typing import Final

#: Between the two ends of a range, and before a negative figure.
TO: Final = "\ue0f0"
NEGATIVE: Final = "\ue0f1"
