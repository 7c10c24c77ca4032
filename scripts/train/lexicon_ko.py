"""Compile ``ko.lexicon``: Korean words respelled so that the rules of pronunciation read them right.

Usage::

    python scripts/train/lexicon_ko.py FOLDER

The source is ``ko_words.tsv`` beside this script, whose head says how it is written.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cosyedge.text.lexicon import write_lexicon
from cosyedge.text.phonemes.ko_rules import compose, is_hangul, parse
from cosyedge.text.phonemes.ko_words import ANYWHERE, AT_START, LONGEST_WORD

HERE: Final = Path(__file__).parent
#: What a mark before a syllable makes of its onset.
_CHANGED: Final = {"*": dict(zip("ㄱㄷㅂㅅㅈ", "ㄲㄸㅃㅆㅉ", strict=True)), "+": {"ㅇ": "ㄴ"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    entries = dict(read_words(HERE / "ko_words.tsv"))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ko.lexicon"
    write_lexicon(path, "Korean. cosyedge (Apache-2.0)", entries)
    print(f"{path}: {len(entries)} entries, {path.stat().st_size / 1e6:.2f} MB")


def read_words(path: Path) -> Iterator[tuple[str, bytes]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, _, words = line.partition("\t")
            for notation in words.split(" "):
                word, respelled = read_notation(notation)
                if not all(map(is_hangul, word + respelled)) or not 1 < len(word) <= LONGEST_WORD:
                    raise ValueError(f"{path}: {notation!r} under {kind!r} is no word of hangul")
                place = AT_START if notation.startswith("^") else ANYWHERE
                yield word, place + respelled.encode()


def read_notation(notation: str) -> tuple[str, str]:
    """A word and how it is respelled: ``물*가`` is 물가 and 물까, ``꽃+잎`` is 꽃잎 and 꽃닢."""
    written, _, respelled = notation.removeprefix("^").partition("=")
    word = written.replace("*", "").replace("+", "")
    return word, spell_out(respelled or written)


def spell_out(notation: str) -> str:
    spelled = ""
    mark = ""
    for character in notation:
        if character in "*+":
            mark = character
            continue
        if mark:
            syllable = parse(character)
            if syllable.onset not in _CHANGED[mark]:
                raise ValueError(f"{notation!r}: the onset of {character!r} can't change")
            syllable.onset = _CHANGED[mark][syllable.onset]
            character = compose(syllable)
            mark = ""
        spelled += character
    return spelled


if __name__ == "__main__":
    main()
