"""The test voice in the repository is the one that its script makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import Bundle, load_bundle
from tests.data.make_test_voice import make_voice
from tests.speech.conftest import say


def test_the_script_makes_what_is_committed(test_bundle: Bundle, tmp_path: Path) -> None:
    make_voice(tmp_path)
    made = load_bundle(tmp_path)
    assert made.voices == test_bundle.voices
    assert [path.read_bytes() for path in made.lexicons] == [p.read_bytes() for p in test_bundle.lexicons]
    for voice in made.voices:
        new, committed = (say(Synthesizer(b), "həlˈO, ni↓xau↓.", voice) for b in (made, test_bundle))
        assert np.array_equal(new, committed)


def test_it_is_small(test_bundle: Bundle) -> None:
    assert test_bundle.size_bytes < 60_000
