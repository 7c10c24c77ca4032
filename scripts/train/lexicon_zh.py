"""Compile ``zh.lexicon``: words for segmentation, their readings, and a reading for every character.

Usage::

    python scripts/train/lexicon_zh.py FOLDER

Sources, all MIT: the frequencies of jieba's dictionary, the phrase and character readings of pypinyin.
``zh_words.tsv`` beside this script adds and corrects: neutral tones, words whose reading the sources
have wrong, and short phrases that settle a character of several readings.

A record's value is one byte of cost (:data:`COST_PER_NAT` × -ln of the word's probability), then the
reading in ASCII pinyin, which a word of several characters carries only where it is not that of its
characters one by one, then for a traditional character ``=`` and its simplified form.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import jieba
import pypinyin
from pypinyin.constants import PHRASES_DICT, PINYIN_DICT

from cosyedge.text.lexicon import write_lexicon
from cosyedge.text.phonemes.zh import COST_PER_NAT, LONGEST_WORD, RARE_COST, is_han
from cosyedge.text.phonemes.zh_pinyin import ipa_of

#: Rarer words of plain reading are left out; their parts are in the lexicon and sound the same.
RAREST = 12
#: Frequency that jieba does not give: a phrase that pypinyin alone knows.
PHRASE_FREQUENCY = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    corrections = dict(read_corrections(Path(__file__).with_name("zh_words.tsv")))
    frequencies = dict(read_frequencies())
    total = sum(frequencies.values())

    characters = character_readings()
    characters.update({word: reading for word, reading in corrections.items() if len(word) == 1})
    entries: dict[str, bytes] = {
        character: value(frequencies.get(character, 0), total, reading)
        for character, reading in characters.items()
    }
    phrases = {word for word in PHRASES_DICT if 1 < len(word) <= LONGEST_WORD and is_han(word)}
    for word in frequencies.keys() | phrases | corrections.keys():
        if len(word) == 1 or not all(character in characters for character in word):
            continue
        plain = " ".join(characters[character] for character in word)
        reading = corrections.get(word) or word_reading(word, corrections)
        frequency = frequencies.get(word, PHRASE_FREQUENCY)
        if word not in corrections and reading == plain and frequency < RAREST:
            continue
        entries[word] = value(frequency, total, "" if reading == plain else reading)

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "zh.lexicon"
    write_lexicon(path, title(), entries)
    print(f"{path}: {len(entries)} entries, {path.stat().st_size / 1e6:.2f} MB")


def title() -> str:
    versions = {name: metadata.version(name) for name in ("jieba", "pypinyin")}
    return f"Mandarin. jieba {versions['jieba']} (MIT), pypinyin {versions['pypinyin']} (MIT), cosyedge (Apache-2.0)"


def value(frequency: int, total: int, reading: str) -> bytes:
    cost = round(COST_PER_NAT * (math.log(total) - math.log(frequency))) if frequency else RARE_COST
    return bytes([min(cost, RARE_COST)]) + reading.encode("ascii")


def read_frequencies() -> Iterator[tuple[str, int]]:
    """Words of Han characters that the run-time may look up, with jieba's counts."""
    with Path(jieba.__file__).with_name("dict.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, count, _ = line.split(" ")
            if len(word) <= LONGEST_WORD and is_han(word):
                yield word, int(count)


def read_corrections(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            word, reading = line.split("\t")
            if word and len(word) != len(reading.split()):
                raise ValueError(f"{path}: {line!r} has not one syllable a character")
            yield word, reading


def character_readings() -> dict[str, str]:
    """The first reading of each character that can be said in Mandarin."""
    readings: dict[str, str] = {}
    for code, marked in PINYIN_DICT.items():
        for candidate in marked.split(","):
            syllable = numbered(candidate)
            if syllable:
                readings[chr(code)] = syllable
                break
    return readings


def numbered(marked: str) -> str:
    """``zhōng`` → ``zhong1``, ``lǜ`` → ``lv4``; empty where the syllable is none of ours."""
    syllable = pypinyin.contrib.tone_convert.to_tone3(marked, neutral_tone_with_five=True, v_to_u=False)
    syllable = syllable.replace("ü", "v")
    return syllable if ipa_of(syllable) is not None else ""


def word_reading(word: str, corrections: dict[str, str]) -> str:
    """pypinyin's reading with our corrections at its end; 一 and 不 as they are before any sandhi."""
    syllables = [
        numbered(marked) for (marked,) in pypinyin.pinyin(word, style=pypinyin.Style.TONE, heteronym=False)
    ]
    for length in (3, 2):
        tail = corrections.get(word[-length:])
        if tail and length < len(word):
            syllables[-length:] = tail.split()
            break
    for i, character in enumerate(word):
        if character == "一":
            syllables[i] = "yi1"
        elif character == "不" and not syllables[i].endswith("5"):
            syllables[i] = "bu4"
    return " ".join(syllables)


if __name__ == "__main__":
    main()
