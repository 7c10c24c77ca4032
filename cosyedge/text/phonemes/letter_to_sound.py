"""Unknown English words: each letter is read by the longest context that was seen in training.

The model is a decision list in the lexicon's own file. A key is :data:`MARK`, the letters to the left,
a bar, the letter itself and the letters to its right; its value is the chunk of symbol ids (none, one
or a few) that the letter says there. A longer context is stored only where it says something else than
the shorter ones, so the list stays small, and reading a word is a few look-ups a letter.
"""

from __future__ import annotations

from typing import Final

from cosyedge.text.lexicon import Lexicon

#: First character of every key of the model, and of no word.
MARK: Final = "\x01"
#: Stands for both ends of the word.
EDGE: Final = "#"
#: Letters to the left and right, longest context first.
WINDOWS: Final[tuple[tuple[int, int], ...]] = (
    (4, 4),
    (3, 4),
    (3, 3),
    (2, 3),
    (2, 2),
    (1, 2),
    (1, 1),
    (0, 1),
    (0, 0),
)


def context_key(padded: str, at: int, left: int, right: int) -> str:
    """Key of the letter at index ``at`` of a word that already has :data:`EDGE` at both ends."""
    return f"{MARK}{padded[max(0, at - left) : at]}|{padded[at : at + 1 + right]}"


def spell_out(lexicon: Lexicon, word: str) -> bytes:
    """Symbol ids of an unknown lower-case ``word`` of the letters a-z."""
    padded = f"{EDGE}{word}{EDGE}"
    ids = bytearray()
    for at in range(1, len(padded) - 1):
        for left, right in WINDOWS:
            chunk = lexicon.get(context_key(padded, at, left, right))
            if chunk is not None:
                ids += chunk
                break
    return bytes(ids)
