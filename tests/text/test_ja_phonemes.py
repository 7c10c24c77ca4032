"""Japanese text to phonemes: segmentation, readings by their neighbours, spaces, marks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.text.phonemes.ja import JaPhonemizer
from cosyedge.text.phonemes.ja_readings import figure_of
from cosyedge.text.symbols import is_symbol


@pytest.fixture(scope="module")
def ja(lexicon_dir: Path) -> JaPhonemizer:
    return JaPhonemizer(lexicon_dir / "ja.lexicon")


# What the teacher of the voices was given for the same text.
@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("今日はいい天気ですね。", "kʲoː βa ii teŋkʲi desɨ ne."),
        ("洗濯が終わりました。", "sentakɯ ɡa oβaɾʲi maɕita."),
        ("行こうと言った。", "ikoː to iʔta."),
        ("お風呂が沸きました。", "oɸɯɾo ɡa βakʲi maɕita."),
        ("学校に通う。経営の通り大きい。", "ɡaʔkoː ɲi kajoɯ. keːeː no toːɾʲi oːkʲii."),
        ("東京へ行きます", "toːkʲoː e ikʲimasɨ"),
        ("「こんにちは」", "“koɲɲiʨiβa”"),
        ("何を食べたい？", "naɲi o tabe tai?"),
        ("ウィンドウをすべて隠す", "βindoː o sɨbete kakɯsɨ"),
    ],
)
def test_phonemes(ja: JaPhonemizer, text: str, phonemes: str) -> None:
    assert ja.phonemize(text).phonemes == phonemes


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("今日はいい天気ですね", "きょうわいいてんきですね"),
        ("駅へ友達を迎えに行く", "えきえともだちおむかえにいく"),
        ("ドアが開いています", "どあがあいています"),
        ("窓を開いています", "まどおひらいています"),
        ("ドアが‹じゅうごふんかん›開いています", "どあがじゅうごふんかんあいています"),
        ("窓が‹じゅっぷん›以上開いたままです", "まどがじゅっぷんいじょうあいたままです"),
        ("ファイルが‹さんぷんかん›開いています", "ふぁいるがさんぷんかんひらいています"),
        (
            "人気のない部屋と人気のない商品と人気の店",
            "ひとけのないへやとにんきのないしょうひんとにんきのみせ",
        ),
        ("市場で魚を買う", "いちばでさかなおかう"),
        ("市場へ行くと株式市場へ行く", "いちばえいくとかぶしきしじょうえいく"),
        ("市場価格", "しじょうかかく"),
        ("何ですか", "なんですか"),
        ("何をしますか", "なにおしますか"),
        ("何時に", "なんじに"),
        ("何本", "なんぼん"),
        ("三百本と六百円", "さんびゃっぽんとろっぴゃくえん"),
        ("十月一日", "じゅうがつついたち"),
        ("一日に三回", "いちにちにさんかい"),
        ("二〇二四年", "にせんにじゅうよねん"),
        ("十分な量を十分後に", "じゅうぶんなりょうおじゅっぷんごに"),
        ("上手な人が三人", "じょうずなひとがさんにん"),
        ("何千人と数十本", "なんぜんにんとすうじゅっぽん"),
        ("二三日と四五回", "にさんにちとしごかい"),
        ("五月二三日", "ごがつにじゅうさんにち"),
        ("三角形と四国と二つ", "さんかっけいとしこくとふたつ"),
        ("右クリックを行った", "みぎくりっくおおこなった"),
        ("ファイルが開きます", "ふぁいるがひらきます"),
        ("八百", "はっぴゃく"),
        ("万一、八百屋で八百円", "まんいちやおやではっぴゃくえん"),
        ("長押しする", "ながおしする"),
        ("人々", "ひとびと"),
        ("鰯と鯖", "いわしとさば"),
        ("ニャオレポックス", "にゃおれぽっくす"),
        ("‹さんぼん›の傘", "さんぼんのかさ"),
        ("続く言葉", "つづくことば"),
    ],
)
def test_readings(ja: JaPhonemizer, text: str, reading: str) -> None:
    said = ja.phonemize(text)
    assert said.reading == reading
    assert said.unknown == ()


def test_what_is_read_already_keeps_its_words_and_its_kana(ja: JaPhonemizer) -> None:
    """は, へ and を in it are no particles, and ユー in it is long."""
    assert ja.phonemize("‹はへを じゅう›").phonemes == "haheo ʥɨː"


def test_an_unreadable_character_costs_itself(ja: JaPhonemizer) -> None:
    said = ja.phonemize("電気☂を\ue000消す")
    assert said.unknown == ("☂", "\ue000")
    assert said.reading == "でんきおけす"


def test_marks_are_those_of_all_languages(ja: JaPhonemizer) -> None:
    assert ja.phonemize("はい、そう！？（え）…").phonemes == "hai, soː!? (e)…"


@pytest.mark.parametrize(
    ("written", "figure"),
    [
        ("三百五", "305"),
        ("千二十", "1020"),
        ("二〇二四", "2024"),
        ("一億三千万", "130000000"),
        ("十", "10"),
        ("何", None),
    ],
)
def test_numbers_in_han_characters(written: str, figure: str | None) -> None:
    assert figure_of(written) == figure


@given(
    st.text(max_size=40)
    | st.text(alphabet="あんっーゃアンッャ漢字一二十百何人日々、。「」‹› 1a", max_size=40)
)
def test_any_text_is_symbols(ja: JaPhonemizer, text: str) -> None:
    said = ja.phonemize(text)
    assert all(map(is_symbol, said.phonemes))
    assert said.reading is not None


@given(st.text(alphabet="あいうかきんさくらアンカ本人日時東京開閉電気水火", min_size=1, max_size=30))
def test_nothing_readable_is_lost(ja: JaPhonemizer, text: str) -> None:
    said = ja.phonemize(text)
    assert said.unknown == ()
    assert len(said.reading or "") >= len(text)


def test_the_work_grows_with_the_length(ja: JaPhonemizer) -> None:
    """Work that grew with the square of the length would not end here."""
    for unit in ("あ", "ア", "国", "一", "ー", "々", "、", "‹あ", "開いて"):
        ja.phonemize(unit * (6_000 // len(unit)))
