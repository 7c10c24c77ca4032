"""Phonemes to frames: mel, pitch and durations of one clause in one run of the acoustic model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.errors import SpeechError
from cosyedge.speech import runtime
from cosyedge.speech.mel import BANDS
from cosyedge.text.symbols import BOUNDARY, SYMBOLS

#: Far above any clause of the text front end (about 12 s); bounds the memory of one run.
MOST_SYMBOLS: Final = 1000
#: A minute. A model that makes more of a clause is out of its mind.
MOST_FRAMES: Final = 4800
SLOWEST, FASTEST = 0.5, 2.0


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of 12.5 ms, T of them, for L symbols, the two boundaries included.

    Attributes:
        mel: float32 [T, 80], as :class:`cosyedge.speech.mel.MelContract` says.
        pitch: float32 [T, 2]: voicing (0 or 1) and 3 ln(f0 / 200 Hz).
        durations: int64 [L], frames of each symbol; their sum is T.
    """

    mel: NDArray[np.float32]
    pitch: NDArray[np.float32]
    durations: NDArray[np.int64]


class AcousticModel:
    """The model at ``path``.

    Raises:
        SpeechError: ``model_unreadable``.
    """

    def __init__(self, path: Path) -> None:
        self._session = runtime.session(path, arena=True)
        self._options = runtime.shrinking()
        takes, gives = (
            {one.name for one in ends} for ends in (self._session.get_inputs(), self._session.get_outputs())
        )
        # A voice of one language has nothing to be told.
        self._is_told_languages = "languages" in takes
        if takes - {"languages"} != {"phonemes", "voice", "speed"} or gives != {"mel", "pitch", "durations"}:
            raise SpeechError(
                "model_unreadable", f"{path} is no acoustic model: it takes {takes} and gives {gives}."
            )

    def frames(
        self, ids: Sequence[int], voice_index: int, speed: float = 1.0, languages: Sequence[int] = ()
    ) -> Frames:
        """Frames of the symbols ``ids`` (without boundaries), spoken ``speed`` times as fast as natural.

        ``languages`` are one for each symbol, as :class:`cosyedge.text.reader.Phonemes` has them, or none:
        then all count as the first.

        Raises:
            SpeechError: ``synthesis_failed`` for ids or a speed out of range and for frames that can't be;
                ``overloaded`` where memory ran out.
        """
        _check(ids, speed, languages)
        feeds = {
            "phonemes": np.array([(BOUNDARY, *ids, BOUNDARY)], np.int64),
            "voice": np.array([voice_index], np.int64),
            "speed": np.array([speed], np.float32),
        }
        if self._is_told_languages:
            told = (languages[0], *languages, languages[-1]) if languages else (0,) * (len(ids) + 2)
            feeds["languages"] = np.array([told], np.int64)
        try:
            mel, pitch, durations = self._session.run(("mel", "pitch", "durations"), feeds, self._options)
        except Exception as error:
            raise runtime.run_failed("acoustic model", error) from error
        count = mel.shape[1]
        if not (
            mel.shape == (1, count, BANDS)
            and pitch.shape == (1, count, 2)
            and durations.shape == (1, len(ids) + 2)
            and durations.sum() == count
            and 0 < count <= MOST_FRAMES
        ):
            raise SpeechError(
                "synthesis_failed", f"The acoustic model gave {count} frames that do not fit together."
            )
        if not (np.isfinite(mel).all() and np.isfinite(pitch).all()):
            raise SpeechError("synthesis_failed", "The acoustic model gave frames that are no numbers.")
        return Frames(mel[0], pitch[0], durations[0])


def _check(ids: Sequence[int], speed: float, languages: Sequence[int]) -> None:
    if not 0 < len(ids) <= MOST_SYMBOLS:
        raise SpeechError("synthesis_failed", f"A clause has 1 to {MOST_SYMBOLS} symbols, not {len(ids)}.")
    for i in ids:
        if not BOUNDARY < i < len(SYMBOLS):
            raise SpeechError("synthesis_failed", f"There is no symbol with the id {i}.")
    if languages and len(languages) != len(ids):
        raise SpeechError("synthesis_failed", f"{len(ids)} symbols have {len(languages)} languages.")
    if not SLOWEST <= speed <= FASTEST:
        raise SpeechError("synthesis_failed", f"Speed is {SLOWEST} to {FASTEST}, not {speed:g}.")
