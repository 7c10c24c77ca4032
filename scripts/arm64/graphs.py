"""The two models of the default bundle, here and there.

    graphs.py reference FILE TEXT      what goes into them on this machine for a text, and what comes out
    graphs.py compare FILE             the same inputs on that machine; exit code 1 where the results differ

The noise is of whole numbers only, since the logarithms of two machines differ in their last bits.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosyedge.options import Config
from cosyedge.speech import runtime
from cosyedge.speech.mel import BANDS, FEATURES, SILENT_MEL
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.vocoder import Vocoder
from cosyedge.speech.voice import Bundle
from cosyedge.stages import make_reader, open_bundle

CHUNK = 16
CHUNKS = 2
#: Both machines do the same arithmetic; they differ in the last bits of sums and exponentials. Where such a
#: bit moves an activation over the edge between two steps of INT8, what comes out moves by a share of that
#: step: root of the mean square, and largest difference, of a logarithm (mel) and of 3 ln(f0) (pitch).
#: Weights that were changed in their last bits on one machine brought 0.029 and 0.24 (mel), 0.0044 and 0.038
#: (pitch) at the most; twice that is allowed, half a decibel in mel. No duration changed.
TOLERANCE = {"durations": (0.0, 0.0), "mel": (0.06, 0.5), "pitch": (0.01, 0.08)}
#: What the Loop feeds back to itself lets a last bit grow. So the first machine finds out how far, by
#: changing the last bits of the frames so many times; the other one may be this much further, no more.
LAST_BITS, LAST_BIT = 8, 1e-7
FURTHER_DB = 3.0

Arrays = dict[str, NDArray[Any]]


def reference(bundle: Bundle, text: str) -> Arrays:
    """``feed.…`` and the results of the acoustic model for the first clause; the vocoder's after it."""
    recorded: Arrays = {}
    run = runtime.ort.InferenceSession.run

    def record(session: Any, names: Any, feeds: Arrays, options: Any = None) -> Any:
        results = run(session, names, feeds, options)
        recorded.update({f"feed.{name}": array for name, array in feeds.items()})
        recorded.update(zip(names, results, strict=True))
        return results

    runtime.ort.InferenceSession.run = record
    config = Config()
    voice = bundle.voices[0]
    clause = next(iter(make_reader(config, bundle).read(text, "auto", voice.native)))
    next(iter(Synthesizer(bundle).stream(clause, voice)))
    recorded["samples"] = vocode(bundle, recorded)
    recorded["last_bit_db"] = np.array(min(_after_a_last_bit(bundle, recorded, i) for i in range(LAST_BITS)))
    return recorded


def _after_a_last_bit(bundle: Bundle, frames: Arrays, seed: int) -> float:
    """How far below the sound the difference is that comes of frames with other last bits, in decibels."""
    bits = np.random.default_rng(seed).standard_normal(frames["mel"].shape)
    mel = (frames["mel"] * (1 + LAST_BIT * bits)).astype(np.float32)
    return below_db(vocode(bundle, frames | {"mel": mel}), frames["samples"])


def below_db(samples: NDArray[np.float32], true: NDArray[np.float32]) -> float:
    power = np.square(true, dtype=np.float64).mean()
    return float(10 * np.log10(power / np.square(samples - true, dtype=np.float64).mean()))


def vocode(bundle: Bundle, frames: Arrays) -> NDArray[np.float32]:
    """Samples of the first chunks of ``frames``: one run of the Loop each, the state handed on."""
    vocoder = Vocoder(bundle.vocoder, CHUNK)
    state = vocoder.new_state()
    around = np.zeros((vocoder.context, FEATURES), np.float32)
    around[:, :BANDS] = SILENT_MEL
    columns = np.hstack((frames["mel"][0], frames["pitch"][0]))[: CHUNK * CHUNKS + vocoder.context]
    padded = np.vstack((around, columns, around))
    count = min(CHUNKS, (len(padded) - 2 * vocoder.context) // CHUNK)
    noise = np.random.default_rng(0).integers(-99, 100, (CHUNK * count, vocoder.steps, vocoder.block))
    samples = []
    for start in range(0, CHUNK * count, CHUNK):
        features = np.ascontiguousarray(padded[start : start + CHUNK + 2 * vocoder.context])
        chunk = np.ascontiguousarray(noise[start : start + CHUNK], np.float32) * np.float32(2**-8)
        samples.append(vocoder.step(features, chunk, state).copy())
    return np.concatenate(samples)


def compare(bundle: Bundle, there: Arrays) -> bool:
    """Whether this machine comes to the same results."""
    feeds = {name[5:]: array for name, array in there.items() if name.startswith("feed.")}
    names = [name for name in ("durations", "mel", "pitch") if name in there]
    session = runtime.session(bundle.acoustic, arena=True)
    here = dict(zip(names, session.run(names, feeds), strict=True))
    here["samples"] = vocode(bundle, there)
    good = True
    for name in (*TOLERANCE, "samples"):
        ours, theirs = here[name].astype(np.float64), there[name].astype(np.float64)
        if ours.shape != theirs.shape:
            print(f"{name}: {ours.shape} values, {theirs.shape} expected")
            good = False
            continue
        difference = np.abs(ours - theirs)
        rms, largest = float(np.sqrt((difference**2).mean())), float(difference.max())
        how = f"differs by {rms:.3g}, {largest:.3g} at the most" if largest else "bit-equal"
        if name in TOLERANCE:
            good = good and rms <= TOLERANCE[name][0] and largest <= TOLERANCE[name][1]
        elif largest:
            first = int(np.flatnonzero(difference > 1e-4)[:1].sum())
            below, last_bit = below_db(ours, theirs), float(there["last_bit_db"])
            how += (
                f", {below:.1f} dB below the sound ({last_bit:.1f} after a last bit); 1e-4 at sample {first}"
            )
            good = good and below >= last_bit - FURTHER_DB
        print(f"{name}: {ours.size} values, {how}")
    return good


def main() -> int:
    begin = time.process_time()
    bundle = open_bundle(Config())
    what, file = sys.argv[1], Path(sys.argv[2])
    good = True
    if what == "reference":
        np.savez(file, **reference(bundle, sys.argv[3]))
    else:
        with np.load(file) as arrays:
            good = compare(bundle, dict(arrays))
    print(f"{bundle.name} {bundle.version}, {time.process_time() - begin:.1f} s of processor time")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
