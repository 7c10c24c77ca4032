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
from cosyedge.text.phonemes.en import EnPhonemizer
from cosyedge.text.phonemes.en_forms import compound, entry_of, inflected, stems

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
    "zigbee": "zˈɪɡbˌi",
    "iphone": "ˈIfˌOn",
    "ipad": "ˈIpˌæd",
    "youtube": "jˈutˌub",
    "spotify": "spˈɑTəfˌI",
    "ikea": "Ikˈiə",
    "sonos": "sˈOnˌOs",
    "roomba": "ɹˈumbə",
    "roborock": "ɹˈObOɹˌɑk",
    "xiaomi": "ʃˈWmi",
    "huawei": "wˈɑwˌA",
    "aqara": "əkˈɑɹə",
    "tuya": "tˈujə",
    "philips": "fˈɪləps",
    "nuki": "nˈuki",
    "tasmota": "tæzmˈOTə",
    "kubernetes": "kˌubəɹnˈɛTiz",
    "wikipedia": "wˌɪkipˈidiə",
    "mosquitto": "məskˈiTO",
    "cosyedge": "kˈOziˌɛʤ",
    "ctrl": "kəntɹˈOl",
    "closest": "klˈOsɪst",
    "epson": "ˈɛpsᵊn",
    "e-mail": "ˈimˌAl",
    "miz": "mɪz",
    "missus": "mˈɪsᵻz",
    "airpods": "ˈɛɹpˌɑdz",
    "esphome": "ˌiˌɛspˈihˌOm",
    "nguyen": "wˈɪn",
}

#: Places and a month whose name is more likely in an announcement than the word in lower case.
NAMES_FIRST: Final = frozenset(
    ("august", "ankara", "canton", "reno", "shanghai", "tangier", "trier", "hidalgo", "alameda", "louvre")
)
#: Readings that the front end's rules would choose too often.
LEFT_OUT: Final = {"minute": "J"}

#: Long words of announcements: read right by their letters, too, but a look-up is much faster.
_FREQUENT_WORDS: Final = """
accessories activated activity according afternoon announcement apartment appliance appointment
approaching assistant attention automatic automatically available basement bathrooms batteries because
beginning birthday brightness breakfast building calculated calendar celebration celsius charging
chocolate christmas cleaning collection completed completely condition conditioner conference connected
connection considerably consumption continue controller currently customer dangerous december decreased
delivered delivery detected detector different difficult direction disabled disconnected discovered
dishwasher distance documents downstairs electric electrical electricity elevator emergency enabled
entertainment entrance environment especially everybody everything excellent expected expensive
experience fahrenheit february festival finished firmware forecast forgotten freezing generally
generation gentlemen grandfather grandmother hardware hospital household humidifier humidity immediately
important impossible including increased information installed instructions interesting interior internet
kilometers kilowatt language laundry leaving libraries lightning location lowered machinery maintenance
medication meeting messages microphone microwave midnight minutes moisture monitoring motionless movement
multimedia necessary neighborhood notification notifications november obviously operating opposite
otherwise overnight package particularly passengers pedestrian percentage performance personal possible
possibly powerful practice precipitation preparation president pressure previous probably problem
processing production program protection quickly radiator receiver recently recommended refrigerator
registered remaining reminder repeated replacement responsible restaurant saturday scheduled secretary
security september services sometimes speaker starting stopped strawberry successfully suddenly surprise
surveillance telephone television temperature temperatures temporary themselves thermostat thousand
thursday together tomorrow traffic transport triggered understand unfortunately unknown unlocked unusual
upstairs vacation vegetables ventilation visitors volunteers wednesday weather welcome whatever wonderful
yesterday yourself
"""
FREQUENT: Final = frozenset(_FREQUENT_WORDS.split())
MOST_ROUNDS: Final = 8
#: Letters of the shortest word that is left out because it is read right without an entry.
SHORTEST_SPARE: Final = 9

Table = dict[str, dict[str, str]]


def load_table(folder: Path, name: str) -> Table:
    """word in lower case → tag → phonemes."""
    raw: dict[str, str | dict[str, str | None]] = json.loads((folder / name).read_text(encoding="utf-8"))
    table: Table = {}
    # A key in lower case wins over a name, a name over an acronym.
    for key in sorted(raw, key=_precedence):
        value = raw[key]
        spoken = {"DEFAULT": value} if isinstance(value, str) else value
        said: dict[str, str] = {}
        for tag, phonemes in spoken.items():
            if phonemes and (tag == "DEFAULT" or tag in TAGS):
                said["" if tag == "DEFAULT" else TAGS[tag]] = phonemes.replace("ɾ", "T").replace("ʔ", "t")
        word = key if len(key) == 1 and key.isupper() else key.lower()
        if not all(c.isascii() and (c.isalpha() or c in "'-") for c in word) or "" not in said:
            continue
        said = {tag: p for tag, p in said.items() if not tag or (p != said[""] and tag != LEFT_OUT.get(word))}
        table.setdefault(word, said)
    return table


def _precedence(key: str) -> tuple[bool, bool, str]:
    """Among keys that differ in case alone the first stays: lower case, then names, then acronyms."""
    lower = key == key.lower()
    if key.lower() in NAMES_FIRST:
        lower = not lower
    return not lower, key == key.upper(), key


def inflection_of(word: str, table: Table) -> str | None:
    """What the front end's rules for -s, -ed and -ing make of ``word``, or None where they don't apply."""
    for suffix, stem in stems(word):
        if stem in table:
            entry = table[stem]
            return inflected(entry[""], suffix) if len(entry) == 1 else None
    return None


def derivable(table: Table) -> set[str]:
    """Words that the front end says just so without an entry of their own.

    Compounds are tried only once the inflected forms are gone, on what is left: their parts must stay.
    """
    gone = {w for w, said in table.items() if len(said) == 1 and inflection_of(w, table) == said[""]}
    left = {w: entry_of(said) for w, said in table.items() if w not in gone}
    parts: set[str] = set()
    for word in sorted(left, key=lambda w: (-len(w), w)):
        if word in parts or len(table[word]) > 1 or not word.isalpha() or list(stems(word)):
            continue
        used: list[str] = []
        entry = left.pop(word)

        def find(part: str, used: list[str] = used) -> bytes | None:
            found = left.get(part)
            if found is not None:
                used.append(part)
            return found

        if compound(word, find) == table[word][""]:
            gone.add(word)
            parts.update(used)
        else:
            left[word] = entry
    return gone


def read_right(reader: EnPhonemizer, table: Table) -> set[str]:
    """Long words of one reading that the letters alone give: nothing is lost without them.

    Short words stay, since they are the stems and parts of others, and the frequent ones.
    """
    return {
        word
        for word, said in table.items()
        if len(word) >= SHORTEST_SPARE
        and len(said) == 1
        and word.isalpha()
        and word not in FREQUENT
        and word not in EXTRA
        if reader.read_letters(word) == said[""]
    }


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
    if arguments.evaluate:
        letters_en.evaluate(letter_words(gold))
    letters = letters_en.train(letter_words(gold))
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "en.lexicon"
    write_lexicon(path, TITLE, letters)
    spare = derivable(gold) | read_right(EnPhonemizer(path), gold)
    # Leaving one word out can spoil another that leans on it: those are put back.
    for _ in range(MOST_ROUNDS):
        kept = {word: entry_of(said) for word, said in gold.items() if word not in spare}
        write_lexicon(path, TITLE, {**kept, **letters})
        reader = EnPhonemizer(path)
        spoiled = {word for word in spare if reader.read_word(word) != gold[word][""]}
        print(
            f"{len(gold)} words, {len(kept)} kept, {len(spoiled)} spoiled, {len(letters)} entries of letters"
        )
        if not spoiled:
            break
        spare -= spoiled
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
