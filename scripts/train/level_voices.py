"""Make all voices of a bundle equally loud: what each says in its own language is measured, and its gain set.

    python scripts/train/level_voices.py models/cosyedge-multi

The level is cosyedge.playback.loudness.TARGET_LUFS, by ITU-R BS.1770-4; the daemon applies gain_db as it is.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from cosyedge.playback.loudness import TARGET_LUFS, loudness
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import MANIFEST, Bundle, Voice, load_bundle
from cosyedge.text.reader import Reader

TEXTS = Path(__file__).parent / "evaluation"
SENTENCES = 16


def speech(bundle: Bundle, voice: Voice) -> NDArray[np.float32]:
    """What the voice says in its own language, as the daemon would play it."""
    lines = (TEXTS / f"{voice.native}.txt").read_text("utf-8").splitlines()
    reader, synthesizer = Reader(bundle.path, bundle.languages), Synthesizer(bundle)
    said = [
        samples.copy()
        for line in lines[:SENTENCES]
        for clause in reader.read(line, voice.native, voice.native)
        for samples in synthesizer.stream(clause, voice)
    ]
    return np.concatenate(said)


def level(folder: Path) -> None:
    """Measure, and write the gains into the manifest."""
    bundle = load_bundle(folder)
    gains = {}
    for voice in bundle.voices:
        measured = loudness(speech(bundle, voice))
        if measured is None:
            raise SystemExit(f"{voice.id} says nothing")
        gains[voice.id] = round(voice.gain_db + TARGET_LUFS - measured, 1)
        print(f"{voice.id}: {measured:.1f} LUFS at {voice.gain_db} dB, now {gains[voice.id]} dB")
    manifest = yaml.safe_load((folder / MANIFEST).read_text("utf-8"))
    for described in manifest["voices"]:
        described["gain_db"] = gains[described["id"]]
    text = yaml.safe_dump(manifest, allow_unicode=True, sort_keys=False, width=110)
    (folder / MANIFEST).write_text(text, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path, nargs="+")
    for folder in parser.parse_args().bundle:
        level(folder)


if __name__ == "__main__":
    main()
