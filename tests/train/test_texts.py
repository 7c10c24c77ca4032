"""Announcements made from templates."""

from __future__ import annotations

import itertools
import re

import pytest
import texts
import unseen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("문[이/가] 열렸어요", "문이 열렸어요"),
        ("세탁기[이/가]", "세탁기가"),
        ("조명[과/와] TV[과/와]", "조명과 TV와"),
        ("[이/가]", "[이/가]"),
    ],
)
def test_korean_particles(text: str, said: str) -> None:
    assert texts.with_particles(text) == said


@pytest.mark.parametrize("lang", unseen.LANGUAGES)
def test_every_placeholder_is_filled(lang: str) -> None:
    made = [*texts.announcements(lang, 700), *texts.mixed_announcements(lang, 300)]
    assert len(set(made)) >= 990
    assert not [text for text in made if re.search(r"[{}\[\]]", text)]


def test_the_same_ones_every_time() -> None:
    assert list(texts.announcements("yue", 200)) == list(texts.announcements("yue", 200))
    assert list(texts.announcements("yue", 200)) == list(
        itertools.islice(texts.announcements("yue", 900), 200)
    )


@pytest.mark.parametrize("lang", ["zh", "yue", "ja", "ko"])
def test_mixed_ones_are_mixed(lang: str) -> None:
    for text in texts.mixed_announcements(lang, 200):
        assert re.search(r"[A-Za-z]", text)
        assert re.search(r"[぀-ヿ一-鿿가-힣]", text)


def test_korean_announcements_have_every_letter() -> None:
    said = "".join(texts.announcements("ko", 900))
    codes = [ord(character) - 0xAC00 for character in said if "가" <= character <= "힣"]
    assert {code // 588 for code in codes} == set(range(19))
    assert {code // 28 % 21 for code in codes} == set(range(21))
    finals = {code % 28 for code in codes}
    assert finals >= set(range(28)) - {
        2,
        3,
        5,
        12,
        13,
    }  # ㄲ ㄳ ㄵ ㄽ ㄿ are in few words, and sound as others do


def test_cantonese_talk_as_one_would_write_it() -> None:
    assert texts._written("跟住 後來 呢 我 唔 想 跑 𡃉 嚹 .") == "跟住後來呢我唔想跑㗎喇。"
    assert texts._written("噉 係噉 跑 , 誒 , 跑 唔 到 噉樣 囖 .") == "噉係噉跑，跑唔到噉樣囉。"
    assert texts._written("個 miss 係噉 嗌 我 .") is None
    assert texts._written("係 係 係 係 .") is None


def test_what_is_taken_first_is_no_more_often_held_out() -> None:
    taken = texts._mixed_up({str(number) for number in range(4000)})[:1000]
    assert 70 <= sum(map(texts.is_held_out, taken)) <= 135
