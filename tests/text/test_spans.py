from __future__ import annotations

import re
import unicodedata
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cosyedge.text.scripts import CJK, LATIN
from cosyedge.text.spans import Lang, find_spans

Base = Lang | Literal["auto"]
_LANGS: tuple[Lang, ...] = ("zh", "yue", "en", "ja", "ko")


def spans(
    text: str, base: Base = "auto", voice: Lang = "zh", traditional: Literal["yue", "zh"] = "yue"
) -> list[tuple[str, str]]:
    found = find_spans(text, base, voice_lang=voice, default_lang="zh", traditional=traditional)
    return [(span.lang, span.text) for span in found]


def langs(text: str, base: Base = "auto", voice: Lang = "zh") -> list[str]:
    return [lang for lang, _ in spans(text, base, voice)]


def test_the_sentence_that_must_always_work() -> None:
    text = "Hello，今天天气不错！你好呀～今日はいい天気ですね。你好嗎？안녕하세요！"
    expected = [
        ("en", "Hello，"),
        ("zh", "今天天气不错！"),
        ("zh", "你好呀～"),
        ("ja", "今日はいい天気ですね。"),
        ("yue", "你好嗎？"),
        ("ko", "안녕하세요！"),
    ]
    for voice in _LANGS:
        for _ in range(10):
            assert spans(text, voice=voice) == expected


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("안녕하세요", "ko"),
        ("今日は晴れです", "ja"),
        ("東京タワー", "ja"),
        ("今日は、天気、良い", "ja"),  # a phrase of Han characters alone, beside kana
        ("ラーメン", "ja"),
        ("今天天气不错", "zh"),
        ("今日", "zh"),
        ("佢哋喺屋企食飯", "yue"),
        ("佢喺边度", "yue"),  # simplified characters, Cantonese words
        ("而家三點", "yue"),
        ("急救服务中心嘅医护人员", "yue"),
        ("今天天氣不錯", "yue"),
        ("你好嗎", "yue"),
        ("聽日，好天", "yue"),
        ("good morning", "en"),
        ("naïve café", "en"),
    ],
)
def test_auto_finds_the_language(text: str, lang: str) -> None:
    assert set(langs(text)) == {lang}


@pytest.mark.parametrize(
    ("text", "lang"), [("今天天氣不錯", "zh"), ("關係很好", "zh"), ("佢係邊個", "yue"), ("我唔知", "yue")]
)
def test_traditional_characters_are_what_the_house_says(text: str, lang: str) -> None:
    """Cantonese words make Cantonese either way; 係 is no such word in 關係."""
    assert [found for found, _ in spans(text, traditional="zh")] == [lang]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今天是Monday", [("zh", "今天是"), ("en", "Monday")]),
        ("请打开 GPS", [("zh", "请打开"), ("en", "GPS")]),
        ("買咗HK$1,200嘅嘢", [("yue", "買咗HK$1,200嘅嘢")]),
        ("P2P软件", [("zh", "P2P软件")]),  # letters on a number are one word with it
        ("湿度45%，PM2.5为12", [("zh", "湿度45%，PM2.5为12")]),
        ("时速60km/h", [("zh", "时速60km/h")]),
        ("时速 60 km/h", [("zh", "时速 60 km/h")]),
        ("喝 500ml 水", [("zh", "喝 500ml 水")]),
        ("现在25°C，外面 -5 °C", [("zh", "现在25°C，外面 -5 °C")]),
        ("25°C，500ml", [("zh", "25°C，500ml")]),
        ("今天是Monday $50", [("zh", "今天是"), ("en", "Monday"), ("zh", "$50")]),
        ("播放 Hotel California, Eagles", [("zh", "播放"), ("en", "Hotel California, Eagles")]),
        ("他说：“Hello World!”好", [("zh", "他说："), ("en", "“Hello World!”"), ("zh", "好")]),
        ('他说 "Hello" 好', [("zh", "他说"), ("en", '"Hello"'), ("zh", "好")]),
        ("(Test) 开始", [("en", "(Test)"), ("zh", "开始")]),
        ("Q&A 环节", [("en", "Q&A"), ("zh", "环节")]),
        ("The project is 90% complete.", [("en", "The project is 90% complete.")]),
        ("Battery at 5%, 2.5 kWh used.", [("en", "Battery at 5%, 2.5 kWh used.")]),
        ("会议3시에开始", [("zh", "会议"), ("ko", "3시에"), ("zh", "开始")]),  # a counter that touches
        ("3時です", [("ja", "3時です")]),
        ("GPS 켜 주세요", [("ko", "GPS 켜 주세요")]),  # an acronym in the manner of the language around
        ("GPSを使う", [("ja", "GPSを使う")]),
        ("Windowsを使う", [("en", "Windows"), ("ja", "を使う")]),
        ("Привет 你好", [("zh", "Привет 你好")]),  # no language of ours: left to be reported
    ],
)
def test_mixed_phrases(text: str, expected: list[tuple[str, str]]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    ("text", "voice", "expected"),
    [
        ("100", "en", ["en"]),
        ("100", "zh", ["zh"]),
        ("GPS", "ja", ["ja"]),
        ("GPS", "zh", ["en"]),
        ("打开 Bluetooth", "en", ["zh", "en"]),
        ("好 Monday 5", "zh", ["zh", "en", "zh"]),  # a tie goes to the voice
        ("好 Monday 5", "en", ["zh", "en"]),
    ],
)
def test_what_is_open_goes_to_the_voice(text: str, voice: Lang, expected: list[str]) -> None:
    assert langs(text, voice=voice) == expected


def test_numbers_go_with_the_phrase_before_them_else_behind() -> None:
    assert spans("It is late: 23:15. 好的。", voice="ko") == [
        ("en", "It is late: 23:15."),
        ("zh", "好的。"),
    ]
    assert spans("23:15. It is late.", voice="ko") == [("en", "23:15."), ("en", "It is late.")]


@pytest.mark.parametrize(
    ("text", "base", "expected"),
    [
        ("今天25°C", "zh", [("zh", "今天25°C")]),
        ("今天25°C", "yue", [("yue", "今天25°C")]),
        ("三百", "ja", [("ja", "三百")]),
        ("你好嗎", "zh", [("zh", "你好嗎")]),
        ("Monday 5", "zh", [("en", "Monday"), ("zh", "5")]),  # the base decides a number
        ("Battery at 5%, 2.5 kWh used.", "zh", [("en", "Battery at 5%, 2.5 kWh used.")]),  # a whole sentence
        ("25度", "en", [("zh", "25度")]),
        ("Room 5 你好", "en", [("en", "Room 5"), ("zh", "你好")]),
        ("2025년", "zh", [("ko", "2025년")]),
        ("5kg", "ja", [("ja", "5kg")]),
        ("1.5リットルの水。", "ja", [("ja", "1.5リットルの水。")]),
    ],
)
def test_an_explicit_base(text: str, base: Base, expected: list[tuple[str, str]]) -> None:
    assert spans(text, base) == expected


def test_nothing_in_nothing_out() -> None:
    for text in ("", " ", "…", "!?", "。", "(“”)"):
        assert spans(text) == []


_MIXED = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("今天氣気係嘅ですラ안녕Hello 12.5%°C/km$-–~～,，.。!？ \n\"'“”()&@#あ́ー"),
    ),
    max_size=80,
)


@given(text=_MIXED, base=st.sampled_from(("auto", *_LANGS)), voice=st.sampled_from(_LANGS))
@example(text="A-‑'a", base="auto", voice="zh")
def test_every_word_is_in_exactly_one_span(text: str, base: Base, voice: Lang) -> None:
    found = find_spans(text, base, voice_lang=voice, default_lang="en", traditional="yue")
    words = [char for char in text if char.isalnum() or unicodedata.category(char) in ("Sc", "Sm")]
    spoken = [
        char
        for span in found
        for char in span.text
        if char.isalnum() or unicodedata.category(char) in ("Sc", "Sm")
    ]
    if re.search(rf"[{CJK}{LATIN}\d]", text):
        assert spoken == words
    for span in found:
        assert span.text == span.text.strip() != ""
        assert span.lang in _LANGS


@given(text=_MIXED, voice=st.sampled_from(_LANGS))
def test_scripts_that_have_one_language_keep_it(text: str, voice: Lang) -> None:
    for span in find_spans(text, "auto", voice_lang=voice, default_lang="zh", traditional="yue"):
        if re.search("[\uac00-\ud7a3]", span.text):
            assert span.lang == "ko"
        if re.search("[ぁ-んァ-ヶ]", span.text):
            assert span.lang == "ja"
