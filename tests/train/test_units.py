"""What is counted as an error, where no dictionary is needed for it."""

from __future__ import annotations

import pytest
from units import as_written, errors, units


@pytest.mark.parametrize(
    ("said", "heard", "wrong"),
    [
        ("abc", "abc", 0),
        ("abc", "abd", 1),
        ("abc", "ac", 1),
        ("abc", "abbc", 1),
        ("abc", "", 3),
        ("", "ab", 2),
    ],
)
def test_errors(said: str, heard: str, wrong: int) -> None:
    assert errors(list(said), list(heard)) == wrong


def test_english_words() -> None:
    assert units("It's twenty-one degrees.", "en") == units("It's 21 degrees", "en")
    assert units("The back-gate, please!", "en") == ["the", "back", "gate", "please"]


def test_korean_as_it_sounds() -> None:
    assert units("물이 끓었어요.", "ko") == units("무리 끄러써요", "ko")
    assert units("개가 왜 오지?", "ko") == units("게가 웨 오지", "ko")
    assert units("삼만 원", "ko") == units("3만 원", "ko")
    assert errors(units("먼지가", "ko"), units("몬지가", "ko")) == 1


def test_cantonese_as_mandarin_writes_it() -> None:
    assert as_written("佢哋喺邊度呀？") == "他們在哪裡"
    assert as_written("今日好凍，唔好唔記得帶遮。") == as_written("今天好冷不要忘記帶遮")
    assert as_written("呢個係咩") != as_written("呢個唔係")
