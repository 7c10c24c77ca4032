"""Whether what an ALSA file PCM was given is the WAV file, sample for sample: heard.py RAW WAV."""

from __future__ import annotations

import sys
import wave

import numpy as np


def main() -> None:
    raw, wav = sys.argv[1:]
    with wave.open(wav, "rb") as opened:
        wanted = np.frombuffer(opened.readframes(opened.getnframes()), np.int16)
    played = np.fromfile(raw, np.int16).reshape(-1, 2)  # stereo is asked for first
    loud = np.flatnonzero(wanted)
    wanted = wanted[loud[0] : loud[-1] + 1]
    first = int(np.flatnonzero(played.any(axis=1))[0])
    heard = played[first : first + len(wanted)]
    rest = played[first + len(wanted) :]
    if len(heard) < len(wanted):
        sys.exit(f"{len(wanted) - len(heard)} of {len(wanted)} samples were not played")
    difference = np.abs(heard.astype(np.int32) - wanted[:, np.newaxis]).max()
    if difference > 1 or rest.any():  # the two ways round to 16 bit on their own
        sys.exit(f"what was played differs by {difference}, or goes on: {rest.any()}")
    print(f"{len(wanted)} of {len(wanted)} samples were played, largest difference {difference}")


if __name__ == "__main__":
    main()
