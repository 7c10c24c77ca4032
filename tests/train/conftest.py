"""The scripts that make and measure the voice, as far as they need nothing but what the daemon needs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "train"))
