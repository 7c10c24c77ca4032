"""Mandarin words as phonemes and pinyin: segmentation, polyphones, tones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.errors import TextError
from cosyedge.text.lexicon import Lexicon, write_lexicon
from cosyedge.text.phonemes.zh import LONGEST_WORD, ZhPhonemizer, is_han
from cosyedge.text.phonemes.zh_pinyin import ipa_of
from cosyedge.text.phonemes.zh_sandhi import Word, change_tones
from cosyedge.text.symbols import is_symbol
from tests.text.tables import cases

POLYPHONES = [
    (sentence, word, reading.partition(" (")[0])
    for lang, sentence, word, reading in cases("polyphones.tsv")
    if lang == "zh"
]
READINGS = POLYPHONES + [(row[0], row[1], row[2]) for row in cases("zh_readings.tsv")]


@pytest.fixture(scope="module")
def zh(lexicon_dir: Path) -> ZhPhonemizer:
    return ZhPhonemizer(lexicon_dir / "zh.lexicon")


@pytest.mark.parametrize(("sentence", "word", "reading"), READINGS)
def test_word_in_sentence_is_read(zh: ZhPhonemizer, sentence: str, word: str, reading: str) -> None:
    said = zh.phonemize(sentence)
    assert said.reading is not None
    characters = "".join(filter(is_han, sentence))
    syllables = said.reading.split(" ")
    assert len(syllables) == len(characters)
    at = characters.index(word)
    assert " ".join(syllables[at : at + len(word)]) == reading


@pytest.mark.parametrize(("base", "ipa"), cases("zh_pinyin.tsv"))
def test_syllable_is_written_in_the_notation_of_the_voices(base: str, ipa: str) -> None:
    for tone, arrow in zip("12345", ("→", "↗", "↓", "↘", ""), strict=True):
        assert ipa_of(base + tone) == ipa.replace("0", arrow)


@pytest.mark.parametrize("syllable", ["", "1", "zhong", "zhong6", "vv1", "bx1", "hello5", "zh1", "ü1"])
def test_what_is_no_pinyin_has_no_sound(syllable: str) -> None:
    assert ipa_of(syllable) is None


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("你好，世界！", "ni↗xau↓, ʂɨ↘ʨje↘!"),
        ("今天天气不错。", "ʨi→ntʰjɛ→n tʰjɛ→nʨʰi↘ pu↗ʦʰwo↘."),
        ("小孩儿在玩儿", "ɕjau↓xai↗ɚ ʦai↘ wa↗nɚ"),
        ("「你好」（世界）", "“ni↗xau↓” (ʂɨ↘ʨje↘)"),
        ("你好……世界——好？", "ni↗xau↓… ʂɨ↘ʨje↘— xau↓?"),
        ("  你好 ， 世界  ", "ni↗xau↓, ʂɨ↘ʨje↘"),
        ("你好～～～", "ni↗xau↓,"),
    ],
)
def test_words_are_parted_and_marks_kept(zh: ZhPhonemizer, text: str, phonemes: str) -> None:
    assert zh.phonemize(text).phonemes == phonemes


def test_traditional_characters_are_segmented_and_read(zh: ZhPhonemizer) -> None:
    assert zh.phonemize("銀行行長說電話響了").reading == zh.phonemize("银行行长说电话响了").reading


def test_unreadable_character_costs_only_itself(zh: ZhPhonemizer) -> None:
    said = zh.phonemize("你好\U0002fffd世界x☃")
    assert said.unknown == ("\U0002fffd", "x", "☃")
    assert said.reading == "ni2 hao3 shi4 jie4"


@pytest.mark.parametrize("text", ["", " ", "，。！", "“”"])
def test_nothing_to_say(zh: ZhPhonemizer, text: str) -> None:
    said = zh.phonemize(text)
    assert said.reading == ""
    assert said.unknown == ()
    assert all(is_symbol(symbol) for symbol in said.phonemes)


@pytest.mark.parametrize(
    ("words", "spoken"),
    [
        ("我wo3 很hen3 好hao3", "wo2 hen2 hao3"),
        ("我wo3 想xiang3 买mai3 水果shui3,guo3", "wo2 xiang2 mai3 shui2 guo3"),
        ("请qing3 你ni3 打开da3,kai1", "qing2 ni3 da3 kai1"),
        ("领导ling3,dao3 指出zhi3,chu1", "ling2 dao3 zhi3 chu1"),
        ("好hao3 的de5 你ni3", "hao3 de5 ni3"),
        ("不bu4 去qu4", "bu2 qu4"),
        ("不bu4 来lai2", "bu4 lai2"),
        ("去qu4 不bu4 去qu4", "qu4 bu5 qu4"),
        ("一yi1 天tian1", "yi4 tian1"),
        ("一yi1 个ge5", "yi2 ge5"),
        ("万一wan4,yi1 来lai2", "wan4 yi1 lai2"),
        ("一yi1", "yi1"),
    ],
)
def test_tones_change_beside_their_neighbours(words: str, spoken: str) -> None:
    parsed = []
    for written in words.split(" "):
        text = "".join(filter(is_han, written))
        parsed.append(Word(text, written.removeprefix(text).split(",")))
    change_tones(parsed)
    assert " ".join(syllable for word in parsed for syllable in word.syllables) == spoken


def test_most_probable_words_win_over_the_longest(tmp_path: Path) -> None:
    """研究 · 生命, not 研究生 · 命; a tie goes to the longer word."""
    entries = {character: bytes([90]) + b"a1" for character in "研究生命起源"}
    entries |= {"研究": bytes([80]), "研究生": bytes([120]), "生命": bytes([70]), "起源": bytes([180])}
    write_lexicon(tmp_path / "zh.lexicon", "test", entries)
    zh = ZhPhonemizer(tmp_path / "zh.lexicon")
    assert zh.phonemize("研究生命起源").phonemes == "a→a→ a→a→ a→a→"


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
    monkeypatch.setattr("cosyedge.text.phonemes.zh.Lexicon", _CountingLexicon)
    zh = ZhPhonemizer(lexicon_dir / "zh.lexicon")
    said = zh.phonemize("今天天气不错"[: length % 6 or 6] + "发展中国家" * (length // 5))
    counting = zh._lexicon
    assert isinstance(counting, _CountingLexicon)
    assert said.reading is not None
    assert counting.looked_up <= LONGEST_WORD * len(said.reading.split(" "))


@given(
    st.text(
        alphabet=st.sampled_from("一不个了的地得着儿子我你好很想买水果看门长行为三点，。！？“”（ 銀無☃x"),
        max_size=60,
    )
)
def test_any_mix_of_common_characters_is_read(zh: ZhPhonemizer, text: str) -> None:
    said = zh.phonemize(text)
    assert said.reading is not None
    assert len(said.reading.split()) == sum(map(is_han, text))
    assert said.unknown == tuple(character for character in text if character in "☃x")
    assert all(is_symbol(symbol) for symbol in said.phonemes)
    assert "  " not in said.phonemes


@given(st.text(alphabet=st.characters(min_codepoint=0x3000, max_codepoint=0x9FFF), max_size=60))
def test_any_text_is_read_or_told(zh: ZhPhonemizer, text: str) -> None:
    said = zh.phonemize(text)
    assert said.reading is not None
    assert all(ipa_of(syllable) for syllable in said.reading.split())
    assert len(said.reading.split()) + sum(map(is_han, said.unknown)) == sum(map(is_han, text))
    assert all(is_symbol(symbol) for symbol in said.phonemes)


def test_missing_lexicon_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(TextError) as caught:
        ZhPhonemizer(tmp_path / "zh.lexicon")
    assert caught.value.code == "lexicon_unreadable"
