"""Kana to IPA, held against the strings that the voices were trained on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.text.ipa import symbols_of_kana
from cosyedge.text.phonemes.ja_codes import LONG, Coded, letters_of, read, said, sounds_of
from cosyedge.text.phonemes.ja_kana import ipa_of, to_hiragana
from cosyedge.text.phonemes.ja_words import sounds_of_reading
from cosyedge.text.symbols import is_symbol

_KANA = [chr(code) for code in (*range(0x3041, 0x3095), 0x30FC)]
_READ = [kana for kana in _KANA if kana != "を"]


@pytest.mark.parametrize(
    ("kana", "ipa"),
    [
        ("きょー", "kʲoː"),
        ("がっこー", "ɡaʔkoː"),
        ("てんき", "teŋkʲi"),
        ("せんたく", "sentakɯ"),
        ("さんぽ", "sampo"),
        ("こんにちわ", "koɲɲiʨiβa"),
        ("でんわ", "deɴβa"),
        ("ほん", "hoɴ"),
        ("ぎゅーにゅー", "ɡʲɨːɲɨː"),
        ("つづく", "ʦɨzɨkɯ"),
        ("ふぁいる", "ɸaiɾɯ"),
        ("てぃっしゅ", "tʲiʔɕɨ"),
        ("ゔぁいおりん", "vaioɾʲiɴ"),
        ("うぃんどー", "βindoː"),
        ("じゃぐち", "ʥaɡɯʨi"),
        ("ひゃく", "çakɯ"),
        ("いっ", "iʔ"),
        ("あぁ", "a"),
        ("っょ", ""),
        ("へゃ", "hja"),
    ],
)
def test_ipa(kana: str, ipa: str) -> None:
    assert ipa_of(kana) == ipa


@given(st.text(alphabet=_KANA, max_size=12))
def test_every_kana_says_symbols(kana: str) -> None:
    assert all(map(is_symbol, ipa_of(kana)))


@pytest.mark.parametrize("kana", _KANA)
def test_only_small_kana_are_silent_alone(kana: str) -> None:
    assert (ipa_of(kana) == "") == (kana in "ぁぃぅぇぉゃゅょ")


def test_katakana_are_hiragana() -> None:
    assert to_hiragana("キョウハヴァーヶヷ漢a") == "きょうはゔぁーゖヷ漢a"


@pytest.mark.parametrize(
    ("reading", "sound"),
    [
        ("きょう", "きょー"),
        ("せんせい", "せんせー"),
        ("ふつう", "ふつー"),
        ("とおか", "とーか"),
        ("じゅうごおく", "じゅーごおく"),
        ("にじゅう", "にじゅー"),
        ("いえ", "いえ"),
        ("ほんお", "ほんお"),
        ("めーとる", "めーとる"),
    ],
)
def test_long_vowels_of_a_reading(reading: str, sound: str) -> None:
    sounds = sounds_of_reading(reading)
    assert read(sounds) == reading
    assert said(sounds) == sound


def test_a_reading_of_the_users_own_has_long_vowels() -> None:
    assert symbols_of_kana("トウキョウ えき") == ("toːkʲoː ekʲi", "とうきょうえき")


@given(st.text(alphabet=[*_KANA, "漢", "字", "々", "ア", "ヶ"], max_size=12))
def test_letters_are_places_in_the_text(text: str) -> None:
    coded = Coded(text)
    assert coded.letters == letters_of(text)
    for i in range(len(text)):
        assert coded.letters[coded.places[i] : coded.places[i + 1]] == letters_of(text[i])
        assert coded.index[coded.places[i]] == i


@given(st.text(alphabet=_READ, max_size=12))
def test_sounds_are_read_as_they_are_written(kana: str) -> None:
    sounds = sounds_of(kana)
    assert sounds is not None
    assert read(sounds) == said(sounds) == kana
    assert not set(sounds) & set(LONG.values())


def test_what_is_no_kana_has_no_sounds_and_what_is_no_letter_no_spelling() -> None:
    assert sounds_of("漢") is None
    assert letters_of("a") == letters_of("𠮟") == letters_of("、") == b""
