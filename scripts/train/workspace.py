"""Where the training keeps what is large or can be made again: ``build/train``, never in git."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKSPACE = Path(os.environ.get("COSYEDGE_TRAIN_DIR", ROOT / "build" / "train"))
CORPUS = WORKSPACE / "corpus"
CHECKPOINTS = WORKSPACE / "checkpoints"
LEXICONS = WORKSPACE / "lexicons"
VOICES = WORKSPACE / "kokoro-js" / "voices"

SAMPLE_RATE = 24000
HOP = 300
FRAME_S = HOP / SAMPLE_RATE
