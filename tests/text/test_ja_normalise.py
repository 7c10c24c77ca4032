"""Japanese figures, counters and signs to kana."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.text.normalise.ja import normalise
from cosyedge.text.normalise.ja_counters import COUNTERS, counted, how_many
from cosyedge.text.normalise.ja_numbers import DIGITS, cardinal, decimal, dialled, digits
from cosyedge.text.phonemes.ja_kana import to_hiragana

_UNITS = {"じゅう": 10, "ひゃく": 100, "びゃく": 100, "ぴゃく": 100, "せん": 1000, "ぜん": 1000}
_MYRIADS = {"まん": 10**4, "おく": 10**8, "ちょう": 10**12, "けい": 10**16}
_SPOKEN = re.compile("|".join([*_UNITS, *_MYRIADS, *DIGITS[1:], "いっ", "ろっ", "はっ", "じゅっ", "(.)"]))


def _value(kana: str) -> int:
    total = section = digit = 0
    for match in _SPOKEN.finditer(kana.replace(" ", "")):
        word = match[0].replace("じゅっ", "じゅう")
        assert match[1] is None, kana
        if word in _UNITS:
            section += max(digit, 1) * _UNITS[word]
            digit = 0
        elif word in _MYRIADS:
            total += (section + digit) * _MYRIADS[word]
            section = digit = 0
        else:
            digit = {"いっ": 1, "ろっ": 6, "はっ": 8}.get(word) or DIGITS.index(word)
    return total + section + digit


@given(st.integers(1, 10**20 - 1) | st.integers(1, 99_999))
def test_cardinal_is_understood(value: int) -> None:
    assert _value(cardinal(str(value))) == value


@pytest.mark.parametrize(
    ("figure", "kana"),
    [
        ("0", "ぜろ"),
        ("14", "じゅうよん"),
        ("300", "さんびゃく"),
        ("600", "ろっぴゃく"),
        ("800", "はっぴゃく"),
        ("3000", "さんぜん"),
        ("8000", "はっせん"),
        ("10000", "いちまん"),
        ("10000000", "いっせんまん"),
        ("1000000000000", "いっちょう"),
        ("0.5", "れいてんご"),
        ("1.5", "いってんご"),
        ("10.25", "じゅってんにご"),
    ],
)
def test_numbers(figure: str, kana: str) -> None:
    assert decimal(figure) == kana


def test_a_number_that_has_no_name_is_read_digit_by_digit() -> None:
    assert cardinal("1" * 21) == "いち" * 21


def test_dialled_digits_have_two_morae_and_groups_pause() -> None:
    assert dialled("052-315") == "ぜろごーにー さんいちごー"
    assert digits("052") == "ぜろごに"


@pytest.mark.parametrize(
    ("counter", "kana"),
    [
        ("本", "いっぽん にほん さんぼん よんほん ごほん ろっぽん ななほん はっぽん きゅうほん じゅっぽん"),
        ("分", "いっぷん にふん さんぷん よんぷん ごふん ろっぷん ななふん はっぷん きゅうふん じゅっぷん"),
        ("階", "いっかい にかい さんがい よんかい ごかい ろっかい ななかい はっかい きゅうかい じゅっかい"),
        ("冊", "いっさつ にさつ さんさつ よんさつ ごさつ ろくさつ ななさつ はっさつ きゅうさつ じゅっさつ"),
        ("頭", "いっとう にとう さんとう よんとう ごとう ろくとう ななとう はっとう きゅうとう じゅっとう"),
        ("時", "いちじ にじ さんじ よじ ごじ ろくじ しちじ はちじ くじ じゅうじ"),
        ("月", "いちがつ にがつ さんがつ しがつ ごがつ ろくがつ しちがつ はちがつ くがつ じゅうがつ"),
        ("日", "いちにち ふつか みっか よっか いつか むいか なのか ようか ここのか とおか"),
        ("人", "ひとり ふたり さんにん よにん ごにん ろくにん しちにん はちにん きゅうにん じゅうにん"),
        ("つ", "ひとつ ふたつ みっつ よっつ いつつ むっつ ななつ やっつ ここのつ とお"),
    ],
)
def test_counters_change_with_their_number(counter: str, kana: str) -> None:
    assert [counted(str(figure), counter) for figure in range(1, 11)] == kana.split()


@pytest.mark.parametrize(
    ("counter", "kana"),
    [("本", "なんぼん"), ("分", "なんぷん"), ("階", "なんがい"), ("人", "なんにん"), ("つ", "いくつ")],
)
def test_how_many(counter: str, kana: str) -> None:
    assert how_many(counter) == kana


@pytest.mark.parametrize("counter", sorted(COUNTERS))
def test_every_counter_says_kana_with_every_number(counter: str) -> None:
    for figure in ("0", "1", "3", "4", "6", "7", "8", "9", "10", "11", "20", "100", "1000", "10000", "2.5"):
        kana = counted(figure, counter)
        assert re.fullmatch("[ぁ-ゔー ]+", kana), (figure, counter, kana)
        assert kana == to_hiragana(kana)


@given(st.text(alphabet="あいうえおかんアカンー漢字開閉時間人本々、。「」", max_size=40))
def test_words_stay_as_they_are(text: str) -> None:
    assert normalise(text) == text
