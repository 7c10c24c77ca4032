"""Unknown English words, letter by letter: a log-linear model read from the lexicon's own file.

Each letter says a chunk of phonemes (none, one or a few, a stress mark with its vowel). Letters are read
from the last to the first, because what ends an English word decides its stress. The chunk's score is the
sum of the weights of :func:`features`: the letters around, the chunks already chosen to the right, and
where the stresses stand so far. A small beam keeps the best readings.

In the lexicon, keys begin with :data:`MARK`. ``MARK + letter``: the chunks that the letter can say, each as
one byte of length and its symbol ids. Any other key is a feature; its value is pairs of bytes, the index of
a chunk and a signed weight in units of 1 / :data:`QUANTUM`. Trained by ``scripts/train/letters_en.py``.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, log
from typing import Final

from cosyedge.text.lexicon import Lexicon
from cosyedge.text.symbols import SYMBOLS

#: First character of every key of the model, and of no word.
MARK: Final = "\x01"
#: Weights are whole numbers of this fraction, so that one byte holds them.
QUANTUM: Final = 20
#: Stands for what lies beyond both ends of the word.
EDGE: Final = "#"
_REACH: Final = 4
_BEAM: Final = 4
_NUCLEI: Final = frozenset("AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻᵊ")
#: Letters to the left and to the right of the one that is read.
_WINDOWS: Final = (
    *((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (2, 2), (3, 0)),
    *((0, 3), (3, 1), (1, 3), (3, 2), (2, 3), (3, 3), (4, 1), (1, 4), (0, 4), (4, 0)),
)

#: Syllables to the right (at most four), whether the main and whether a secondary stress are placed.
Rhythm = tuple[int, bool, bool]
NO_RHYTHM: Final[Rhythm] = (0, False, False)


def padded(word: str) -> str:
    return f"{EDGE * _REACH}{word}{EDGE * _REACH}"


def vowel_groups_before(word: str) -> list[int]:
    """For each letter, how many runs of vowel letters stand to its left (at most three)."""
    counts: list[int] = []
    count, in_group = 0, False
    for letter in word:
        counts.append(min(count, 3))
        is_vowel = letter in "aeiouy"
        count += is_vowel and not in_group
        in_group = is_vowel
    return counts


def features(text: str, at: int, after: str, second: str, rhythm: Rhythm, groups: int) -> list[str]:
    """Names of all that tells what letter ``at`` of the word says; arguments as below."""
    return features_around(text, at) + features_behind(text, at, after, second, rhythm, groups)


def features_around(text: str, at: int) -> list[str]:
    """Those that the letters alone give: the same for every reading of what is to the right.

    Args:
        text: the word as :func:`padded`.
        at: index of the letter in the word itself.
    """
    i = at + _REACH
    return [f"{MARK}{text[i - left : i]}|{text[i : i + 1 + right]}" for left, right in _WINDOWS]


def features_behind(text: str, at: int, after: str, second: str, rhythm: Rhythm, groups: int) -> list[str]:
    """Those that depend on what is already read.

    Args:
        after: chunk of the next letter to the right; ``second``: that of the one behind it.
        rhythm: stresses to the right.
        groups: runs of vowel letters to the left.
    """
    i = at + _REACH
    letter, around, before, behind = text[i], text[i - 1 : i + 2], text[i - 1 : i + 1], text[i : i + 3]
    syllables, primary, secondary = rhythm
    stress = f"{syllables}{primary:d}{secondary:d}"
    return [
        f"{MARK}1{letter}{after}",
        f"{MARK}2{letter}{after},{second}",
        f"{MARK}3{around}{after}",
        f"{MARK}4{before}{after},{second}",
        f"{MARK}5{letter}{stress}",
        f"{MARK}6{letter}{stress}{groups}",
        f"{MARK}7{around}{stress}",
        f"{MARK}8{around}{stress}{groups}",
        f"{MARK}9{behind}{stress}{groups}",
        f"{MARK}0{text[i - 2 : i + 1]}{stress}{groups}",
    ]


def with_chunk(rhythm: Rhythm, chunk: str) -> Rhythm:
    """``rhythm`` once ``chunk`` has been put to the left of it."""
    syllables, primary, secondary = rhythm
    for symbol in chunk:
        syllables += symbol in _NUCLEI
        primary |= symbol == "ˈ"
        secondary |= symbol == "ˌ"
    return min(syllables, 4), primary, secondary


class LetterToSound:
    """Reads words that no lexicon has."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._chunks = {letter: _chunks(lexicon, letter) for letter in "abcdefghijklmnopqrstuvwxyz"}
        #: A long word takes two milliseconds, and a house says the same ones again.
        self.read = lru_cache(maxsize=256)(self._read)

    def _read(self, word: str) -> str:
        """Phonemes of a lower-case ``word``; letters outside a-z are passed over."""
        word = "".join(letter for letter in word if letter in self._chunks)
        text = padded(word)
        groups = vowel_groups_before(word)
        # Each reading: log probability, chunk to the right, the one behind it, rhythm, phonemes.
        beam: list[tuple[float, str, str, Rhythm, str]] = [(0.0, "", "", NO_RHYTHM, "")]
        for at in range(len(word) - 1, -1, -1):
            chunks = self._chunks[word[at]]
            around = self._scores([0] * len(chunks), features_around(text, at))
            longer: list[tuple[float, str, str, Rhythm, str]] = []
            for total, after, second, rhythm, said in beam:
                behind = features_behind(text, at, after, second, rhythm, groups[at])
                scores = self._scores(around.copy(), behind)
                norm = total - _log_sum(scores)
                best = sorted(range(len(chunks)), key=scores.__getitem__, reverse=True)[:_BEAM]
                longer += [
                    (
                        norm + scores[i] / QUANTUM,
                        chunks[i],
                        after,
                        with_chunk(rhythm, chunks[i]),
                        chunks[i] + said,
                    )
                    for i in best
                ]
            longer.sort(key=lambda reading: -reading[0])
            beam = longer[:_BEAM]
        return beam[0][4]

    def _scores(self, scores: list[int], names: list[str]) -> list[int]:
        """``scores`` of the chunks with the weights of some features added."""
        if len(scores) > 1:
            for name in names:
                weights = self._lexicon.get(name)
                if weights is not None:
                    for i in range(0, len(weights), 2):
                        weight = weights[i + 1]
                        scores[weights[i]] += weight - 256 if weight > 127 else weight
        return scores


def _log_sum(scores: list[int]) -> float:
    top = max(scores)
    return top / QUANTUM + log(sum(exp((score - top) / QUANTUM) for score in scores))


def _chunks(lexicon: Lexicon, letter: str) -> tuple[str, ...]:
    entry = lexicon.get(MARK + letter) or b"\0"
    chunks: list[str] = []
    at = 0
    while at < len(entry):
        end = at + 1 + entry[at]
        chunks.append("".join(SYMBOLS[i] for i in entry[at + 1 : end]))
        at = end
    return tuple(chunks)
