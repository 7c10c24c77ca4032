"""Speaking costs the same memory the thousandth time as the tenth, and a chunk costs almost none."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from pathlib import Path

from cosyedge.speech.synthesizer import LARGEST_CHUNK, Synthesizer
from cosyedge.speech.voice import Bundle
from cosyedge.text.reader import Phonemes
from cosyedge.text.symbols import to_ids
from tests.speech.conftest import clause

SENTENCE = "həlˈO wˈɜɹld, ni↓xau↓ tʰjɛn→ʨʰi↘."
#: A chunk's features, noise and samples are 30 kB each: a copy of any of them would show.
MOST_BYTES_A_CHUNK = 8_000


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_nothing_grows_over_300_clauses(test_bundle: Bundle) -> None:
    synthesizer = Synthesizer(test_bundle)
    short = [Phonemes(to_ids(SENTENCE[i % 7 : 10 + i % 5]), (), 0.0, ()) for i in range(300)]

    def speak_all() -> None:
        for i, said in enumerate(short):
            for _ in synthesizer.stream(said, test_bundle.voices[i % 3], 1.2 + 0.1 * (i % 8)):
                pass

    speak_all()
    gc.collect()
    blocks, resident = sys.getallocatedblocks(), resident_bytes()
    speak_all()
    gc.collect()
    # Less than one object a clause, and 4 kB: a leak of one chunk a clause would be 5 MB.
    assert sys.getallocatedblocks() - blocks < 300
    assert resident_bytes() - resident < 1_200_000


def test_a_chunk_allocates_nothing_of_its_size(any_bundle: Bundle) -> None:
    synthesizer = Synthesizer(any_bundle, first_chunk=LARGEST_CHUNK)
    voice = any_bundle.voices[0]
    for _ in synthesizer.stream(clause(SENTENCE), voice):
        pass
    stream = synthesizer.stream(clause(SENTENCE), voice)
    assert len(next(stream)) == LARGEST_CHUNK * 300
    tracemalloc.start()
    try:
        for _ in range(2):
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            assert len(next(stream)) == LARGEST_CHUNK * 300
            _, peak = tracemalloc.get_traced_memory()
            assert peak - before < MOST_BYTES_A_CHUNK
    finally:
        tracemalloc.stop()


def test_unloading_gives_the_memory_back(test_bundle: Bundle) -> None:
    synthesizer = Synthesizer(test_bundle)

    def load_and_unload() -> int:
        synthesizer.warm_up()
        synthesizer.close()
        gc.collect()
        return resident_bytes()

    first = [load_and_unload() for _ in range(3)][-1]
    assert [load_and_unload() for _ in range(10)][-1] - first < 2_000_000
