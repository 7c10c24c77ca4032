"""Whether what an ALSA file PCM was given is what a WAV file holds, sample for sample: heard.py RAW WAV."""

from __future__ import annotations

import sys
import wave

import numpy as np


def main() -> None:
    raw, wav = sys.argv[1:]
    with wave.open(wav, "rb") as opened:
        wanted = np.frombuffer(opened.readframes(opened.getnframes()), np.int16)
    played = np.fromfile(raw, np.int16).reshape(-1, 2)  # stereo is asked for first
    # That PCM takes samples faster than they are made: silence comes in between, and is left out of both.
    if not np.array_equal(played[:, 0], played[:, 1]):
        sys.exit("the two channels differ")
    heard, wanted = played[played[:, 0] != 0, 0], wanted[wanted != 0]
    if not np.array_equal(heard, wanted):
        sys.exit(f"{len(heard)} samples were played, {len(wanted)} made, and they are not the same")
    print(f"{len(wanted)} samples that are not silent were played, all equal to those of the file")


if __name__ == "__main__":
    main()
