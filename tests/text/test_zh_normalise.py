"""Mandarin text as words: figures, signs and units."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.text.normalise.zh import normalise
from cosyedge.text.normalise.zh_numbers import cardinal, code, digits, number
from tests.text.tables import cases, heard

CASES = [row[1:] for row in cases("readings.tsv") + cases("zh_spoken.tsv") if row[0] == "zh"]


@pytest.mark.parametrize(("text", "answers", "why"), CASES, ids=[f"{row[2]}: {row[0]}" for row in CASES])
def test_case_is_spoken_as_expected(text: str, answers: str, why: str) -> None:
    spoken = normalise(text)
    assert heard(spoken) in [heard(answer) for answer in answers.split("|")], why
    assert normalise(spoken) == spoken


@pytest.mark.parametrize(
    ("figure", "spoken"),
    [
        ("0", "零"),
        ("10", "十"),
        ("110", "一百一十"),
        ("1010", "一千零一十"),
        ("20000", "两万"),
        ("22222", "两万二千二百二十二"),
        ("100010000", "一亿零一万"),
        ("1000000000000", "一万亿"),
        ("4411600009486", "四万四千一百一十六亿零九千四百八十六"),
        ("12345678901234567", "一二三四五六七八九零一二三四五六七"),
    ],
)
def test_cardinal(figure: str, spoken: str) -> None:
    assert cardinal(figure) == spoken


_PLACES = {"十": 10, "百": 100, "千": 1000}
_GROUPS = {"万": 10**4, "亿": 10**8}


def _value(spoken: str) -> int:
    """The number that a listener would write down: the inverse of :func:`cardinal`."""
    total = section = figure = 0
    for character in spoken.replace("两", "二"):
        if character in _PLACES:
            section += (figure or 1) * _PLACES[character]
            figure = 0
        elif character in _GROUPS:
            if character == "亿":  # 万亿: what was said in 万 so far is multiplied as well
                total = (total + section + figure) * 10**8
            else:
                total += (section + figure) * 10**4
            section = figure = 0
        else:
            figure = "零一二三四五六七八九".index(character)
    return total + section + figure


@given(st.integers(0, 10**16 - 1) | st.integers(0, 99_999))
def test_cardinal_is_understood(value: int) -> None:
    assert _value(cardinal(str(value))) == value


@given(st.from_regex(r"[0-9]{1,20}", fullmatch=True), st.from_regex(r"[0-9]{1,20}", fullmatch=True))
def test_decimals_are_digits(whole: str, decimals: str) -> None:
    assert number(f"{whole}.{decimals}") == f"{cardinal(whole)}点{digits(decimals)}"


def test_code_says_yao_and_pauses_between_groups() -> None:
    assert code("135-4567-8110") == "幺三五，四五六七，八幺幺零"


@pytest.mark.parametrize(
    ("text", "spoken"),
    [("5²", "五的平方"), ("3³", "三的立方"), ("5m²和3m³", "五平方米和三立方米")],
)
def test_a_power_is_a_word_and_that_of_a_unit_stays_with_it(text: str, spoken: str) -> None:
    assert normalise(text) == spoken


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=40))
def test_characters_stay_as_they_are(text: str) -> None:
    assert normalise(text) == text
