"""Cantonese text as words: figures, signs and units, in both ways of writing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.text.normalise.yue import normalise
from cosyedge.text.normalise.yue_numbers import cardinal, code
from cosyedge.text.phonemes.yue import YuePhonemizer
from tests.text.tables import cases, heard, rows

CASES = [row[1:4] for row in rows("yue.tsv")]
CASES += [row[1:4] for row in cases("readings.tsv") if row[0] == "yue"]


@pytest.fixture(scope="module")
def yue(lexicon_dir: Path) -> YuePhonemizer:
    return YuePhonemizer(lexicon_dir / "yue.lexicon")


@pytest.mark.parametrize(("text", "answers", "kind"), CASES, ids=[f"{row[2]}: {row[0]}" for row in CASES])
def test_case_is_spoken_as_expected(yue: YuePhonemizer, text: str, answers: str, kind: str) -> None:
    words = normalise(text)
    said = yue.phonemize(words)
    spoken = said.written or words
    assert heard(spoken) in [heard(answer) for answer in answers.split("|")], kind
    assert normalise(words) == words


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        # 兩 counts, 二 numbers.
        ("2樓有2間房", "二樓有兩間房"),
        ("第2次打2次", "第二次打兩次"),
        ("2月2號2點2分", "二月二號兩點二分"),
        ("2024年嘅2年", "二零二四年嘅兩年"),
        ("2014年來", "二千零一十四年來"),
        # A sum loses the last nought of its cents, a measure keeps its digits.
        ("$5.00同$5.50", "五蚊同五點五蚊"),
        ("5.50米", "五點五零米"),
        ("-3~5°C", "攝氏零下三到五度"),
        # Minutes without any are one nought.
        ("8:00:30", "八點零分三十秒"),
        ("打999啦", "打九九九啦"),
        ("打999次", "打九百九十九次"),
    ],
)
def test_counts_and_measures(text: str, spoken: str) -> None:
    assert normalise(text) == spoken


def test_code_pauses_between_groups() -> None:
    assert code("91234567") == code("9123-4567") == "九一二三，四五六七"


_PLACES = {"十": 10, "百": 100, "千": 1000}


def _value(spoken: str) -> int:
    """The number that a listener would write down: the inverse of :func:`cardinal`."""
    total = section = figure = 0
    for character in spoken.replace("兩", "二"):
        if character in _PLACES:
            section += (figure or 1) * _PLACES[character]
            figure = 0
        elif character == "億":  # 萬億: what was said in 萬 so far is multiplied as well
            total = (total + section + figure) * 10**8
            section = figure = 0
        elif character == "萬":
            total += (section + figure) * 10**4
            section = figure = 0
        else:
            figure = "零一二三四五六七八九".index(character)
    return total + section + figure


@given(st.integers(0, 10**16 - 1) | st.integers(0, 99_999))
def test_cardinal_is_understood(value: int) -> None:
    assert _value(cardinal(str(value))) == value
