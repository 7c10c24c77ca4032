"""Korean text as words: figures, signs and units."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.text.normalise.ko import normalise
from cosyedge.text.normalise.ko_numbers import cardinal, code, digits, native
from tests.text.tables import cases, heard, rows

CASES = [row[1:4] for row in rows("ko.tsv")]
CASES += [row[1:4] for row in cases("readings.tsv") if row[0] == "ko"]


@pytest.mark.parametrize(("text", "answers", "kind"), CASES, ids=[f"{row[2]}: {row[0]}" for row in CASES])
def test_case_is_spoken_as_expected(text: str, answers: str, kind: str) -> None:
    spoken = normalise(text)
    assert heard(spoken) in [heard(answer) for answer in answers.split("|")], kind
    assert normalise(spoken) == spoken


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        # What a number counts decides its kind, also where two counters begin alike.
        ("3번 출구, 3번 울림", "삼 번 출구, 세 번 울림"),
        ("2개월에 2개", "이 개월에 두 개"),
        ("3분 후 손님 3분", "삼 분 후 손님 세 분"),
        ("1시간에 1시", "한 시간에 한 시"),
        ("20시간과 21시간", "스무 시간과 이십일 시간"),
        # The words of a unit stand around its figure, and are not said twice.
        ("시속 60km/h", "시속 육십 킬로미터"),
        ("영하 -5°C", "영하 섭씨 오 도"),
        ("1만", "만"),
        ("11만", "십일만"),
        ("1억", "일억"),
    ],
)
def test_counters_and_units(text: str, spoken: str) -> None:
    assert normalise(text) == spoken


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("ㄱ자 선반", "기역자 선반"),
        ("ㅋㅋㅋ", "크크크"),
        ("ㅠㅠ", "유유"),
        ("ㅘ와 ㅣ", "와와 이"),
        ("ㅀ", "리을히읗"),
    ],
)
def test_letters_outside_syllables(text: str, spoken: str) -> None:
    assert normalise(text) == spoken


def test_particles_follow_at_once_and_words_keep_their_distance() -> None:
    assert normalise("온도25°C를 기온은30도로") == "온도 섭씨 이십오 도를 기온은 삼십 도로"


_PLACES = {"십": 10, "백": 100, "천": 1000}
_GROUPS = {"만": 10**4, "억": 10**8, "조": 10**12}


def _value(spoken: str) -> int:
    """The number that a listener would write down: the inverse of :func:`cardinal`."""
    total = section = figure = 0
    for character in spoken.replace(" ", ""):
        if character in _PLACES:
            section += (figure or 1) * _PLACES[character]
            figure = 0
        elif character in _GROUPS:
            total += (section + figure or 1) * _GROUPS[character]
            section = figure = 0
        else:
            figure = "영일이삼사오육칠팔구".index(character)
    return total + section + figure


@given(st.integers(0, 10**16 - 1) | st.integers(0, 99_999))
def test_cardinal_is_understood(value: int) -> None:
    assert _value(cardinal(str(value))) == value


def test_every_native_number_is_its_own() -> None:
    said = [native(str(value)) for value in range(1, 100)]
    assert len(set(said)) == 99
    assert said[:4] == ["한", "두", "세", "네"]
    assert (said[9], said[19], said[20], said[98]) == ("열", "스무", "스물한", "아흔아홉")
    assert native("100") == "백"
    assert native("0") == "영"


def test_codes_say_gong_and_decimals_yeong() -> None:
    assert code("010-2050") == "공일공, 이공오공"
    assert digits("2050") == "이영오영"
    assert cardinal("1" * 17) == "일" * 17


@given(st.text(alphabet=st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), max_size=40))
def test_hangul_stays_as_it_is(text: str) -> None:
    assert normalise(text) == text
