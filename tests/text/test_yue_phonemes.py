"""Cantonese characters as phonemes and jyutping: words, polyphones, both ways of writing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.errors import TextError
from cosyedge.text.lexicon import Lexicon
from cosyedge.text.phonemes.yue import CHARACTER, LONGEST_WORD, READING, YuePhonemizer
from cosyedge.text.phonemes.yue_jyutping import CODES, decode, encode, ipa_of
from cosyedge.text.symbols import is_symbol
from tests.text.tables import cases, rows

READINGS = rows("yue_readings.tsv")
READINGS += [[*row[1:], "shared case"] for row in cases("polyphones.tsv") if row[0] == "yue"]
_HAN = re.compile("[〇\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")


@pytest.fixture(scope="module")
def yue(lexicon_dir: Path) -> YuePhonemizer:
    return YuePhonemizer(lexicon_dir / "yue.lexicon")


@pytest.mark.parametrize(("sentence", "word", "reading", "source"), READINGS)
def test_word_in_sentence_is_read(
    yue: YuePhonemizer, sentence: str, word: str, reading: str, source: str
) -> None:
    said = yue.phonemize(sentence)
    assert said.reading is not None
    syllables = said.reading.split(" ")
    characters = "".join(_HAN.findall(sentence))
    assert len(syllables) == len(characters)
    at = characters.index(word)
    assert " ".join(syllables[at : at + len(word)]) == reading, source


@pytest.mark.parametrize(
    ("syllable", "ipa"),
    [
        ("nei5", "nei⁵"), ("hou2", "hou²"), ("maa3", "maː³"), ("gam1", "kɐm¹"), ("jat6", "jɐt⁶"),
        ("tin1", "tʰin¹"), ("kei4", "kʰei⁴"), ("ging1", "kɪŋ¹"), ("sik6", "sɪk⁶"), ("zung1", "ʦʊŋ¹"),
        ("jyun4", "jyːn⁴"), ("ceot1", "ʦʰøt¹"), ("heoi3", "høy³"), ("hoeng1", "hœːŋ¹"), ("gwok3", "kwɔːk³"),
        ("kwaa1", "kʰwaː¹"), ("ngo5", "ŋɔː⁵"), ("m4", "m⁴"), ("ng5", "ŋ⁵"), ("deu6", "tɛːu⁶"),
        ("uk1", "ʊk¹"), ("wui6", "wui⁶"), ("caai1", "ʦʰaːi¹"), ("baau1", "paːu¹"), ("hng6", "hŋ⁶"),
    ],
)  # fmt: skip
def test_syllable_is_written_in_the_notation_of_the_voices(syllable: str, ipa: str) -> None:
    assert ipa_of(encode(syllable)) == ipa


def test_every_code_is_one_syllable_of_symbols() -> None:
    said: dict[str, set[str]] = {}
    for number in range(1, CODES):
        syllable = decode(number)
        assert encode(syllable) == number
        assert all(is_symbol(symbol) for symbol in ipa_of(number))
        said.setdefault(ipa_of(number), set()).add(syllable)
    assert all(len(syllables) == 1 for syllables in said.values())
    assert CODES <= READING


@pytest.mark.parametrize("syllable", ["", "1", "nei", "nei7", "xi1", "hello5", "nei55", "ü1", "ian1"])
def test_what_is_no_jyutping_has_no_code(syllable: str) -> None:
    assert encode(syllable) == 0


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("你好嗎？", "nei⁵ hou² maː³?"),
        ("今日天氣好好，洗衣機洗完嘢喇。", "kɐm¹jɐt⁶ tʰin¹hei³ hou²hou², sɐi²ji¹kei¹ sɐi²jyːn⁴ jɛː⁵ laː³."),
        ("「早晨」（你好）", "“ʦou²sɐn⁴” (nei⁵ hou²)"),
        ("唔該～～", "m⁴kɔːi¹,"),
    ],
)
def test_words_are_parted_and_marks_kept(yue: YuePhonemizer, text: str, phonemes: str) -> None:
    assert yue.phonemize(text).phonemes == phonemes


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        ("急救服务中心嘅医护人员", "急救服務中心嘅醫護人員"),
        ("头发发展，饼干干净", "頭髮發展，餅乾乾淨"),
        ("之后见皇后", "之後見皇后"),
        ("公里里面开门", "公里裏面開門"),
        ("电饭煲同洗衣机", "電飯煲同洗衣機"),
    ],
)
def test_simplified_writing_is_read_and_shown_as_traditional(
    yue: YuePhonemizer, simplified: str, traditional: str
) -> None:
    said = yue.phonemize(simplified)
    assert said.written == traditional
    assert said.unknown == ()
    assert said.reading == yue.phonemize(traditional).reading


def test_traditional_writing_is_left_as_it_is(yue: YuePhonemizer) -> None:
    said = yue.phonemize("皇后大道，公里，隻字不提，等吓揾糍粑")
    assert said.written is None
    assert said.reading is not None
    assert said.reading.split()[-5:] == ["dang2", "haa5", "wan2", "ci4", "baa1"]


def test_unreadable_character_costs_only_itself(yue: YuePhonemizer) -> None:
    said = yue.phonemize("你好\U0002fffd世界x☃")
    assert said.unknown == ("\U0002fffd", "x", "☃")
    assert said.reading == "nei5 hou2 sai3 gaai3"


class _CountingLexicon(Lexicon):
    looked_up = 0

    def get(self, key: str) -> bytes | None:
        self.looked_up += 1
        assert len(key) <= LONGEST_WORD
        return super().get(key)


@pytest.mark.parametrize("length", [100, 1000])
def test_work_is_linear_in_the_length(
    lexicon_dir: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr("cosyedge.text.phonemes.yue.Lexicon", _CountingLexicon)
    yue = YuePhonemizer(lexicon_dir / "yue.lexicon")
    yue.phonemize("發展中國家" * (length // 5))
    counting = yue._lexicon
    assert isinstance(counting, _CountingLexicon)
    assert counting.looked_up <= LONGEST_WORD * length


@given(st.text(alphabet=st.characters(min_codepoint=0x3000, max_codepoint=0x9FFF), max_size=60))
def test_any_text_is_read_or_told(yue: YuePhonemizer, text: str) -> None:
    said = yue.phonemize(text)
    assert said.reading is not None
    assert all(map(encode, said.reading.split()))
    lost = sum(_HAN.match(character) is not None for character in said.unknown)
    assert len(said.reading.split()) + lost == len(_HAN.findall(text))
    assert all(is_symbol(symbol) for symbol in said.phonemes)


@given(st.text(alphabet="好重後后发發髮干乾里裏只隻台面长長行中樂乐 ，。到嗎吗", max_size=40))
def test_no_character_is_lost_in_either_writing(yue: YuePhonemizer, text: str) -> None:
    said = yue.phonemize(text)
    assert said.reading is not None
    assert len(said.reading.split()) == len(_HAN.findall(text))
    assert said.unknown == ()
    assert said.written is None or len(said.written) == len(text)


def test_every_record_of_the_lexicon_can_be_read(yue: YuePhonemizer) -> None:
    """Each word has one syllable a character, each character a reading that is jyutping."""
    characters = words = 0
    for key, value in yue._lexicon.items():
        if key.startswith("#") or len(key) == 1:
            for reading, other, _ in CHARACTER.iter_unpack(value):
                assert (reading & READING) < CODES
                assert not (other and not reading)
                characters += reading > 0
        else:
            words += 1
            syllables = value[1 : 1 + 2 * len(key)]
            assert len(syllables) in (0, 2 * len(key))
            form = value[1 + 2 * len(key) :].decode()
            assert len(form) in (0, len(key))
    assert characters > 25_000
    assert words > 10_000


def test_missing_lexicon_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(TextError) as caught:
        YuePhonemizer(tmp_path / "yue.lexicon")
    assert caught.value.code == "lexicon_unreadable"
