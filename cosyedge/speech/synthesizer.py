"""Phonemes of a clause to samples, chunk by chunk, on the thread that asks for them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cosyedge.errors import SpeechError
from cosyedge.speech import runtime
from cosyedge.speech.acoustic import FASTEST, SLOWEST, AcousticModel, Frames
from cosyedge.speech.limiter import Limiter
from cosyedge.speech.mel import BANDS, FEATURES, HOP, SAMPLE_RATE, SILENT_MEL
from cosyedge.speech.noise import Noise, key_of
from cosyedge.speech.temperature import Temperature
from cosyedge.speech.vocoder import Vocoder
from cosyedge.speech.voice import Bundle, Voice
from cosyedge.text.reader import Phonemes
from cosyedge.text.symbols import to_ids

#: Frames of the first chunk: 50 ms of sound, so that it is heard soon.
FIRST_CHUNK: Final = 4
#: Frames of the longest chunk: 200 ms. Each chunk may be twice the one before.
LARGEST_CHUNK: Final = 16
#: What :meth:`Synthesizer.warm_up` says: as long as the longest clause of the text front end.
WARM_UP_S: Final = 12.0
_WARM_UP_PHONEMES: Final = "ni↓ xau↓, həlˈO wˈɜɹld. "


class Synthesizer:
    """Speaks clauses with the voices of one bundle. Used by one thread at a time.

    The models are loaded by :meth:`load` or the first :meth:`stream`, and unloaded by :meth:`close`; the
    next stream loads them again.

    Args:
        bundle: what :func:`cosyedge.speech.voice.load_bundle` gave.
        seed: another seed gives other noise, which sounds the same.
        first_chunk, largest_chunk: frames of 12.5 ms. The samples do not depend on them.
        on_load: called each time that the models have been loaded.
    """

    def __init__(
        self,
        bundle: Bundle,
        *,
        seed: int = 0,
        first_chunk: int = FIRST_CHUNK,
        largest_chunk: int = LARGEST_CHUNK,
        on_load: Callable[[], object] = lambda: None,
    ) -> None:
        if not 0 < first_chunk <= largest_chunk:
            raise ValueError("the first chunk is 1 frame or more and no longer than the largest")
        self.bundle = bundle
        self._seed = seed
        self._first_chunk = first_chunk
        self._largest_chunk = largest_chunk
        self._on_load = on_load
        self._models: _Models | None = None
        #: Of the clause that is being streamed, those that later chunks will bring.
        self.samples_left = 0

    @property
    def largest_chunk(self) -> int:
        """Samples of the longest chunk."""
        return self._largest_chunk * HOP

    @property
    def is_loaded(self) -> bool:
        return self._models is not None

    def load(self) -> None:
        """Load both models, if they are not.

        Raises:
            SpeechError: ``model_unreadable``, naming the file; ``overloaded`` where memory ran out.
        """
        if self._models is None:
            self._models = _Models(self.bundle, self._largest_chunk)
            runtime.release_memory()  # what making the sessions took
            self._on_load()

    def close(self) -> None:
        """Unload the models and give their memory back. A stream that is under way must be closed first."""
        self._models = None
        runtime.release_memory()

    def stream(
        self, clause: Phonemes, voice: Voice, speed: float = 1.0
    ) -> Generator[NDArray[np.float32], None, None]:
        """The samples of ``clause``, float32 in (-1, 1) at 24 kHz, chunk by chunk: 300 for each frame.

        Each chunk is a view of a buffer that the next one overwrites; whoever stops early closes the
        generator. The same clause, voice, speed and seed give the same samples on one machine, whatever
        was spoken before. The clause's pause is not part of them.

        Raises:
            SpeechError: ``synthesis_failed``; ``overloaded``; ``model_unreadable`` where it has to load.
        """
        self.load()
        assert self._models is not None
        models = self._models
        try:
            if clause.rate != 1.0:
                speed = min(max(speed * clause.rate, SLOWEST), FASTEST)
            frames = models.acoustic.frames(clause.ids, voice.index, speed, clause.languages)
            key = key_of(*clause.ids, voice.id, self._seed)
            yield from self._samples(models, frames, voice.gain_db, key)
        finally:
            runtime.release_memory()  # what the acoustic model took

    def warm_up(self) -> None:
        """Load, and speak a clause as long as any, so that everything is in memory that ever will be."""
        self.load()
        assert self._models is not None
        voice = self.bundle.voices[0]
        once = to_ids(_WARM_UP_PHONEMES)
        frames = self._models.acoustic.frames(once, voice.index)
        times = round(WARM_UP_S * SAMPLE_RATE / (len(frames.mel) * HOP)) or 1
        for _ in self.stream(Phonemes(once * times, (), 0.0, ()), voice):
            pass

    def _samples(
        self, models: _Models, frames: Frames, gain_db: float, key: int
    ) -> Generator[NDArray[np.float32], None, None]:
        total = len(frames.mel)
        models.state.clear()
        start, size = 0, self._first_chunk
        while start < total:
            stop = min(start + size, total)
            samples = models.vocode(frames, start, stop, key)
            if not models.limiter.apply(samples, gain_db):
                raise SpeechError("synthesis_failed", "The vocoder gave samples that are no numbers.")
            self.samples_left = (total - stop) * HOP
            yield samples
            start, size = stop, min(2 * size, self._largest_chunk)


class _Models:
    """Both models, loaded, and the buffers for one chunk."""

    def __init__(self, bundle: Bundle, largest_chunk: int) -> None:
        self.acoustic = AcousticModel(bundle.acoustic)
        self.vocoder = Vocoder(bundle.vocoder, largest_chunk)
        self.state = self.vocoder.new_state()
        self.limiter = Limiter(largest_chunk * HOP)
        self._noise = Noise(largest_chunk, HOP)
        self._noise_buffer = np.empty((largest_chunk, self.vocoder.steps, self.vocoder.block), np.float32)
        # As large as the noise: a product that has to broadcast makes a copy.
        self._scale = np.empty_like(self._noise_buffer)
        self._features = np.empty((largest_chunk + 2 * self.vocoder.context, FEATURES), np.float32)
        self._temperature = Temperature(
            largest_chunk, of_hiss=bundle.temperature_unvoiced, of_voice=bundle.temperature_voiced
        )

    def vocode(self, frames: Frames, start: int, stop: int, key: int) -> NDArray[np.float32]:
        """The samples of the frames from ``start`` to ``stop``."""
        count, context = stop - start, self.vocoder.context
        features = self._features[: count + 2 * context]
        # Around the utterance there is silence; around the chunk, its neighbours.
        low, high = max(0, start - context), min(len(frames.mel), stop + context)
        offset = low - (start - context)
        inside = slice(offset, offset + high - low)
        features[:, :BANDS] = SILENT_MEL
        features[:, BANDS:] = 0
        features[inside, :BANDS] = frames.mel[low:high]
        features[inside, BANDS:] = frames.pitch[low:high]

        noise, scale = self._noise_buffer[:count], self._scale[:count]
        self._noise.fill(noise, key, start)
        scale[:] = self._temperature.of(frames.mel[start:stop])[:, None, None]
        np.multiply(noise, scale, out=noise)
        return self.vocoder.step(features, noise, self.state)
