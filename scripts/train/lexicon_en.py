"""Compiles ``en.lexicon`` from misaki's American tables (Apache-2.0): ``lexicon_en.py OUT_DIR``.

A word's value is its phonemes, one symbol id a byte; a heteronym's other readings follow, each after a
zero byte and the letter of its tag (:mod:`cosyedge.text.phonemes.heteronyms`). Words that the
front end's own inflection rules get right from another word are left out. The letter-to-sound model is
trained here from the same table and stored in the same file.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import log
from pathlib import Path
from typing import Final

from cosyedge.text.lexicon import write_lexicon
from cosyedge.text.phonemes.en import inflected, stems
from cosyedge.text.phonemes.letter_to_sound import EDGE, WINDOWS, context_key
from cosyedge.text.symbols import SYMBOLS, to_ids

TITLE: Final = "English (US), from the tables of misaki 0.9.4, Apache-2.0, github.com/hexgrad/misaki"
TAGS: Final = {
    "VERB": "V",
    "NOUN": "N",
    "ADJ": "J",
    "ADV": "R",
    "VBD": "P",
    "DT": "D",
    "None": "F",
}
#: Names and words of the home that the tables lack.
EXTRA: Final = {
    "wifi": "wˈIfˌI",
    "wi-fi": "wˈIfˌI",
    "zigbee": "zˈɪɡbˌi",
    "iphone": "ˈIfˌOn",
    "ipad": "ˈIpˌæd",
    "youtube": "jˈutˌub",
    "spotify": "spˈɑTəfˌI",
    "ikea": "Ikˈiə",
    "mosquitto": "məskˈiTO",
    "cosyedge": "kˈOziˌɛʤ",
    "ethernet": "ˈiθəɹnˌɛt",
    "kilowatt-hour": "kˌɪləwˌɑt ˈWəɹ",
}

Table = dict[str, dict[str, str]]


def load_table(folder: Path, name: str) -> Table:
    """word in lower case → tag → phonemes."""
    raw: dict[str, str | dict[str, str | None]] = json.loads((folder / name).read_text(encoding="utf-8"))
    table: Table = {}
    # A key in lower case wins over a name, a name over an acronym.
    for key in sorted(raw, key=lambda k: (k != k.lower(), k == k.upper(), k)):
        value = raw[key]
        spoken = {"DEFAULT": value} if isinstance(value, str) else value
        said: dict[str, str] = {}
        for tag, phonemes in spoken.items():
            if phonemes and (tag == "DEFAULT" or tag in TAGS):
                said["" if tag == "DEFAULT" else TAGS[tag]] = phonemes.replace("ɾ", "T").replace("ʔ", "t")
        word = key if len(key) == 1 and key.isupper() else key.lower()
        if not all(c.isascii() and (c.isalpha() or c in "'-") for c in word) or "" not in said:
            continue
        said = {tag: p for tag, p in said.items() if tag == "" or p != said[""]}
        table.setdefault(word, said)
    return table


def derivable(word: str, said: dict[str, str], table: Table) -> bool:
    """Whether the front end's inflection rules say ``word`` just so without an entry of its own."""
    if len(said) > 1:
        return False
    for suffix, stem in stems(word):
        if stem in table:
            entry = table[stem]
            return len(entry) == 1 and inflected(entry[""], suffix) == said[""]
    return False


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


Pair = tuple[str, tuple[str, ...]]
LONGEST_CHUNK: Final = 3


def align(word: str, said: list[str], cost: dict[Pair, float]) -> list[tuple[str, ...]] | None:
    """The cheapest way to part the units among the letters (dynamic programming), or None."""
    n, m = len(word), len(said)
    best: list[list[float]] = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    back = [[0] * (m + 1) for _ in range(n + 1)]
    best[0][0] = 0.0
    for i in range(n):
        for j in range(m + 1):
            so_far = best[i][j]
            if so_far == float("inf"):
                continue
            for k in range(min(LONGEST_CHUNK, m - j) + 1):
                step = cost.get((word[i], tuple(said[j : j + k])), 12.0 + 3.0 * k)
                if so_far + step < best[i + 1][j + k]:
                    best[i + 1][j + k] = so_far + step
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


def plain(said: Iterable[str]) -> tuple[str, ...]:
    return tuple(unit.lstrip("ˈˌ") for unit in said)


def train_alignment(words: list[tuple[str, list[str]]], rounds: int = 4) -> dict[Pair, float]:
    """Hard EM. The first costs come from letters and units that stand at about the same place."""
    counts: Counter[Pair] = Counter()
    for word, said in words:
        for i, letter in enumerate(word):
            at = i * len(said) / len(word)
            for j in range(max(0, int(at) - 1), min(len(said), int(at) + 2)):
                counts[letter, (said[j].lstrip("ˈˌ"),)] += 1
        for letter in word:
            counts[letter, ()] += 1
    for _ in range(rounds):
        totals: Counter[str] = Counter()
        for (letter, _chunk), count in counts.items():
            totals[letter] += count
        cost = {pair: -log(count / totals[pair[0]]) for pair, count in counts.items()}
        counts = Counter()
        for word, said in words:
            chunks = align(word, list(plain(said)), cost)
            if chunks is not None:
                counts.update(zip(word, chunks, strict=True))
    return cost


def train_letters(words: list[tuple[str, list[str]]]) -> dict[str, bytes]:
    """The decision list of :mod:`cosyedge.text.phonemes.letter_to_sound`."""
    sample = random.Random(0).sample(words, min(len(words), 15000))
    cost = train_alignment(sample)
    seen: dict[str, Counter[bytes]] = defaultdict(Counter)
    for word, said in words:
        chunks = align(word, list(plain(said)), cost)
        if chunks is None:
            continue
        padded = f"{EDGE}{word}{EDGE}"
        at_unit = 0
        for i, chunk in enumerate(chunks):
            stressed_chunk = "".join(said[at_unit : at_unit + len(chunk)])
            at_unit += len(chunk)
            ids = bytes(to_ids(stressed_chunk))
            for left, right in WINDOWS:
                seen[context_key(padded, i + 1, left, right)][ids] += 1
    model: dict[str, bytes] = {}
    for left, right in reversed(WINDOWS):
        for key, counter in seen.items():
            head, tail = key[1:].split("|", 1)
            if (
                len(head) != left
                or len(tail) != right + 1
                and not (tail.endswith(EDGE) and len(tail) <= right + 1)
            ):
                if not (head.startswith(EDGE) and len(head) <= left):
                    continue
            if key in model:
                continue
            (ids, count), *_ = counter.most_common(1)
            if count < 2 and (left, right) != (0, 0):
                continue
            shorter = next(
                (
                    model[k]
                    for a, b in WINDOWS
                    if (k := f"{key[0]}{head[max(0, len(head) - a) :] if a else ''}|{tail[: b + 1]}") != key
                    and k in model
                    and a <= len(head)
                    and b <= len(tail) - 1
                ),
                None,
            )
            if shorter != ids:
                model[key] = ids
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    spec = importlib.util.find_spec("misaki")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("misaki is not installed: pip install 'cosyedge[train]'")
    folder = Path(spec.submodule_search_locations[0]) / "data"
    gold = load_table(folder, "us_gold.json")
    for word, phonemes in EXTRA.items():
        gold.setdefault(word, {"": phonemes})
    entries: dict[str, bytes] = {}
    for word, said in gold.items():
        if derivable(word, said, gold):
            continue
        value = bytes(to_ids(said[""]))
        for tag, phonemes in sorted(said.items()):
            if tag:
                value += b"\0" + tag.encode() + bytes(to_ids(phonemes))
        entries[word] = value
    print(f"{len(gold)} words, {len(entries)} kept")
    letters = [(w, units(s[""])) for w, s in sorted(gold.items()) if w.isalpha() and len(w) > 2]
    model = train_letters(letters)
    print(f"{len(model)} letter contexts, {sum(len(k) + len(v) + 9 for k, v in model.items()) / 1e6:.2f} MB")
    entries.update(model)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "en.lexicon"
    write_lexicon(path, TITLE, entries)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB, {len(SYMBOLS)} symbols")


if __name__ == "__main__":
    main()
