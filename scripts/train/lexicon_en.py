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
import sys
from pathlib import Path
from typing import Final

import letters_en

from cosyedge.text.lexicon import write_lexicon
from cosyedge.text.phonemes.en import inflected, stems
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


def letter_words(table: Table) -> list[letters_en.Word]:
    """What the letter-to-sound model learns from."""
    return [
        (w, letters_en.units(said[""])) for w, said in sorted(table.items()) if w.isalpha() and len(w) > 2
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--evaluate", action="store_true", help="first report on held-out words")
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
    if arguments.evaluate:
        letters_en.evaluate(letter_words(gold))
    model = letters_en.train(letter_words(gold))
    print(f"letter-to-sound: {len(model)} entries")
    entries.update(model)
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "en.lexicon"
    write_lexicon(path, TITLE, entries)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB, {len(SYMBOLS)} symbols")


if __name__ == "__main__":
    main()
