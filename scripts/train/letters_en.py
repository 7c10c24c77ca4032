"""Trains the English letter-to-sound model (:mod:`cosyedge.text.phonemes.letter_to_sound`).

1. Letters and phonemes are aligned by hard EM: a letter says up to three units (a unit is a symbol with its
   stress mark).
2. For each letter, a multinomial logistic regression over sparse features, with an L1 penalty that leaves
   few weights, fitted by accelerated proximal gradient (FISTA) with a step for each feature.
3. Weights are rounded to a byte.

``lexicon_en.py --evaluate`` holds out one word in twenty and reports what of them is read right.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log
from typing import Any, Final

import numpy as np
import scipy.sparse

from cosyedge.text.phonemes.letter_to_sound import (
    MARK,
    NO_RHYTHM,
    QUANTUM,
    features,
    padded,
    vowel_groups_before,
    with_chunk,
)
from cosyedge.text.symbols import to_ids

#: A word and its units.
Word = tuple[str, list[str]]
Pair = tuple[str, tuple[str, ...]]
LONGEST_CHUNK: Final = 3
ALIGNED_ON: Final = 15000
#: Chunks and features seen less often are left out.
RAREST_CHUNK: Final = 3
RAREST_FEATURE: Final = 4
L1: Final = 2.2
ROUNDS: Final = 60
#: A step longer than the safe bound (features overlap less than it fears), found by trial.
BOLDNESS: Final = 4.0


def units(phonemes: str) -> list[str]:
    """Symbols, a stress mark together with what it stands before."""
    found: list[str] = []
    mark = ""
    for symbol in phonemes:
        if symbol in "ˈˌ":
            mark = symbol
        else:
            found.append(mark + symbol)
            mark = ""
    return found


def plain(said: Iterable[str]) -> list[str]:
    return [unit.lstrip("ˈˌ") for unit in said]


def align(word: str, said: Sequence[str], cost: dict[Pair, float]) -> list[tuple[str, ...]] | None:
    """The cheapest way to part the units among the letters (dynamic programming), or None."""
    n, m = len(word), len(said)
    best = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    back = [[0] * (m + 1) for _ in range(n + 1)]
    best[0][0] = 0.0
    for i in range(n):
        for j in range(m + 1):
            if best[i][j] == float("inf"):
                continue
            for k in range(min(LONGEST_CHUNK, m - j) + 1):
                total = best[i][j] + cost.get((word[i], tuple(said[j : j + k])), 12.0 + 3.0 * k)
                if total < best[i + 1][j + k]:
                    best[i + 1][j + k] = total
                    back[i + 1][j + k] = k
    if best[n][m] == float("inf"):
        return None
    chunks: list[tuple[str, ...]] = []
    j = m
    for i in range(n, 0, -1):
        k = back[i][j]
        chunks.append(tuple(said[j - k : j]))
        j -= k
    return chunks[::-1]


def alignment_costs(words: list[Word], rounds: int = 4) -> dict[Pair, float]:
    """Hard EM. The first costs come from letters and units that stand at about the same place."""
    counts: Counter[Pair] = Counter()
    for word, said in words:
        for i, letter in enumerate(word):
            at = int(i * len(said) / len(word))
            for unit in plain(said[max(0, at - 1) : at + 2]):
                counts[letter, (unit,)] += 1
            counts[letter, ()] += 1
    cost: dict[Pair, float] = {}
    for _ in range(rounds):
        totals: Counter[str] = Counter()
        for (letter, _chunk), count in counts.items():
            totals[letter] += count
        cost = {pair: -log(count / totals[pair[0]]) for pair, count in counts.items()}
        counts = Counter()
        for word, said in words:
            chunks = align(word, plain(said), cost)
            if chunks is not None:
                counts.update(zip(word, chunks, strict=True))
    return cost


def chunked(words: list[Word]) -> list[tuple[str, list[str]]]:
    """Each word with the chunk that each of its letters says, stress marks included."""
    sample = random.Random(0).sample(words, min(ALIGNED_ON, len(words)))
    cost = alignment_costs(sample)
    found: list[tuple[str, list[str]]] = []
    for word, said in words:
        parts = align(word, plain(said), cost)
        if parts is None:
            continue
        chunks: list[str] = []
        at = 0
        for part in parts:
            chunks.append("".join(said[at : at + len(part)]))
            at += len(part)
        found.append((word, chunks))
    return found


def fit(examples: list[tuple[list[str], int]], classes: int) -> dict[str, list[tuple[int, int]]]:
    """Feature → (class, weight in quanta), of one letter."""
    counts = Counter(name for names, _ in examples for name in names)
    index = {name: i for i, name in enumerate(n for n, count in counts.items() if count >= RAREST_FEATURE)}
    columns: list[int] = []
    starts = [0]
    for names, _ in examples:
        columns += [index[name] for name in names if name in index]
        starts.append(len(columns))
    shape = (len(examples), len(index))
    x: Any = scipy.sparse.csr_matrix((np.ones(len(columns), np.float32), columns, starts), shape=shape)
    transposed = x.T.tocsr()
    truth = np.array([label for _, label in examples])
    rows = np.arange(len(examples))
    often = np.asarray(x.sum(0), np.float32).reshape(-1, 1)
    step = BOLDNESS / (0.5 * often * len(examples[0][0]))
    weights = ahead = np.zeros((len(index), classes), np.float32)
    momentum = 1.0
    for _ in range(ROUNDS):
        scores = x @ ahead
        chance = np.exp(scores - scores.max(1, keepdims=True))
        chance /= chance.sum(1, keepdims=True)
        chance[rows, truth] -= 1
        moved = ahead - step * (transposed @ chance)
        moved = np.sign(moved) * np.maximum(np.abs(moved) - step * L1, 0)
        following = (1 + (1 + 4 * momentum * momentum) ** 0.5) / 2
        ahead = moved + (momentum - 1) / following * (moved - weights)
        weights, momentum = moved, following
    quanta = np.clip(np.rint(weights * QUANTUM), -127, 127).astype(int)
    return {
        name: [(int(c), int(quanta[i, c])) for c in np.nonzero(quanta[i])[0]]
        for name, i in index.items()
        if quanta[i].any()
    }


def train(words: list[Word]) -> dict[str, bytes]:
    """The entries of the lexicon that are the model."""
    data = chunked(words)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, chunks in data:
        for letter, chunk in zip(word, chunks, strict=True):
            counts[letter][chunk] += 1
    classes = {
        letter: {c: i for i, c in enumerate(chunk for chunk, n in counter.most_common() if n >= RAREST_CHUNK)}
        for letter, counter in sorted(counts.items())
    }
    examples: dict[str, list[tuple[list[str], int]]] = defaultdict(list)
    for word, chunks in data:
        if any(chunk not in classes[letter] for letter, chunk in zip(word, chunks, strict=True)):
            continue
        text, groups = padded(word), vowel_groups_before(word)
        after, second, rhythm = "", "", NO_RHYTHM
        for at in range(len(word) - 1, -1, -1):
            names = features(text, at, after, second, rhythm, groups[at])
            examples[word[at]].append((names, classes[word[at]][chunks[at]]))
            after, second = chunks[at], after
            rhythm = with_chunk(rhythm, chunks[at])
    model: dict[str, bytes] = {}
    for letter, known in classes.items():
        entry = b""
        for chunk in known:
            entry += bytes((len(chunk), *to_ids(chunk)))
        model[MARK + letter] = entry
        if len(known) > 1:
            for name, weights in fit(examples.pop(letter), len(known)).items():
                model[name] = b"".join(bytes((c, weight & 255)) for c, weight in weights)
    return model


def distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Levenshtein's, in units."""
    row = list(range(len(other) + 1))
    for i, unit in enumerate(one):
        following = [i + 1]
        for j, against in enumerate(other):
            following.append(min(row[j] + (unit != against), row[j + 1] + 1, following[j] + 1))
        row = following
    return row[-1]


def evaluate(words: list[Word]) -> None:
    """Trains on nineteen words in twenty and prints what of the others is read right."""
    import tempfile
    from pathlib import Path

    from cosyedge.text.lexicon import Lexicon, write_lexicon
    from cosyedge.text.phonemes.letter_to_sound import LetterToSound

    shuffled = list(words)
    random.Random(1).shuffle(shuffled)
    held, rest = shuffled[: len(words) // 20], shuffled[len(words) // 20 :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "letters.lexicon"
        write_lexicon(path, "letters", train(rest))
        reader = LetterToSound(Lexicon(path))
        words_right = plain_right = errors = plain_errors = total = 0
        for word, said in held:
            read = units(reader.read(word))
            words_right += read == said
            plain_right += plain(read) == plain(said)
            errors += distance(read, said)
            plain_errors += distance(plain(read), plain(said))
            total += len(said)
        print(
            f"held out {len(held)} words: {words_right / len(held):.1%} of words right "
            f"({plain_right / len(held):.1%} without stress), phoneme errors {errors / total:.1%} "
            f"({plain_errors / total:.1%}), {path.stat().st_size / 1e6:.2f} MB"
        )
