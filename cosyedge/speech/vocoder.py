"""Frames to samples: WaveRNN-Lite, one run of its graph for each chunk of frames.

The recurrence is a loop inside the graph. What it remembers comes out as ``X_next`` for each input ``X``
and goes into the next run, so chunks join without a seam.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.errors import SpeechError
from cosyedge.speech import runtime
from cosyedge.speech.mel import FEATURES, HOP

_NEXT: Final = "_next"
_PER_CHUNK: Final = frozenset(("features", "noise"))


class VocoderState:
    """All that the vocoder remembers, by name. Two banks: a run reads one and writes the other."""

    def __init__(self, shapes: dict[str, tuple[int, ...]]) -> None:
        self._banks = tuple({n: np.zeros(s, np.float32) for n, s in shapes.items()} for _ in range(2))
        self._turn = 0

    @property
    def now(self) -> dict[str, NDArray[np.float32]]:
        return self._banks[self._turn]

    @property
    def next(self) -> dict[str, NDArray[np.float32]]:
        return self._banks[1 - self._turn]

    def advance(self) -> None:
        self._turn = 1 - self._turn

    def clear(self) -> None:
        """As at the start of an utterance: silence behind."""
        for array in self.now.values():
            array.fill(0)


class Vocoder:
    """The vocoder at ``path``, for chunks of at most ``largest_chunk`` frames.

    Attributes:
        context: frames that the features need beyond a chunk, on each side.
        steps: of the recurrence, a frame.
        block: samples a step.

    Raises:
        SpeechError: ``model_unreadable``.
    """

    def __init__(self, path: Path, largest_chunk: int) -> None:
        self._session = runtime.session(path)
        metadata = self._session.get_modelmeta().custom_metadata_map
        inputs = {i.name: tuple(i.shape) for i in self._session.get_inputs()}
        self._shapes = {name: shape for name, shape in inputs.items() if name not in _PER_CHUNK}
        given = {"samples", *(name + _NEXT for name in self._shapes)}
        try:
            self.context, self.steps, self.block = (int(metadata[k]) for k in ("context", "steps", "block"))
            fits = inputs.keys() >= _PER_CHUNK and given == {o.name for o in self._session.get_outputs()}
            static = all(isinstance(size, int) for shape in self._shapes.values() for size in shape)
            if not (fits and static and self.context >= 0 and self.steps * self.block == HOP):
                raise ValueError(f"it takes {', '.join(inputs)}")
        except (KeyError, ValueError) as error:
            raise SpeechError("model_unreadable", f"{path} is no vocoder of ours: {error}.") from error
        self._binding = self._session.io_binding()
        self._samples = np.empty(largest_chunk * HOP, np.float32)

    def new_state(self) -> VocoderState:
        return VocoderState(self._shapes)

    def step(
        self, features: NDArray[np.float32], noise: NDArray[np.float32], state: VocoderState
    ) -> NDArray[np.float32]:
        """Samples of the next F frames; ``state`` moves on.

        Args:
            features: float32 [F + 2 * context, 82]: mel and pitch, with the frames around the chunk.
            noise: float32 [F, steps, block]: normal numbers, scaled by the temperature.
            state: of :meth:`new_state`, or as the last step left it.

        Returns:
            float32 [F * 300], a view of a buffer that the next step writes again.

        Raises:
            SpeechError: ``synthesis_failed``; ``overloaded`` where memory ran out.
        """
        frames = features.shape[0] - 2 * self.context
        samples = self._samples[: frames * HOP]
        assert features.shape[1] == FEATURES
        assert noise.shape == (frames, self.steps, self.block)
        assert len(samples) == frames * HOP, "a chunk of more than largest_chunk frames"
        try:
            self._bind("features", features)
            self._bind("noise", noise)
            for name, array in state.now.items():
                self._bind(name, array)
            self._bind_output("samples", samples)
            for name, array in state.next.items():
                self._bind_output(name + _NEXT, array)
            self._session.run_with_iobinding(self._binding)
        except Exception as error:
            raise runtime.run_failed("vocoder", error) from error
        state.advance()
        return samples

    # Bound by address, so onnxruntime reads and writes our arrays and makes none of its own.
    def _bind(self, name: str, array: NDArray[Any]) -> None:
        self._binding.bind_input(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)

    def _bind_output(self, name: str, array: NDArray[Any]) -> None:
        self._binding.bind_output(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
