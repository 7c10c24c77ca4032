"""English text as words: figures, units, abbreviations, acronyms, identifiers."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cosyedge.text.normalise.en import normalise
from cosyedge.text.normalise.en_numbers import cardinal, ordinal, quantity, year
from tests.text.tables import cases, heard

SHARED = [row[1:] for row in cases("readings.tsv") if row[0] == "en"]
OWN = cases("en_spoken.tsv")


@pytest.mark.parametrize(("text", "answers", "why"), SHARED, ids=[row[0] for row in SHARED])
def test_shared_case_is_spoken_as_expected(text: str, answers: str, why: str) -> None:
    spoken = normalise(text)
    assert heard(spoken) in [heard(answer) for answer in answers.split("|")], why
    assert normalise(spoken) == spoken


@pytest.mark.parametrize(("kind", "text", "expected"), OWN, ids=[f"{row[0]}: {row[1]}" for row in OWN])
def test_case_is_spoken_to_the_letter(kind: str, text: str, expected: str) -> None:
    assert normalise(text) == expected, kind
    assert normalise(expected) == expected


@pytest.mark.parametrize(
    ("number", "spoken", "place"),
    [
        (0, "zero", "zeroth"),
        (12, "twelve", "twelfth"),
        (21, "twenty one", "twenty first"),
        (80, "eighty", "eightieth"),
        (110, "one hundred ten", "one hundred tenth"),
        (1001, "one thousand one", "one thousand first"),
        (2_000_003, "two million three", "two million third"),
        (10**12, "one trillion", "one trillionth"),
    ],
)
def test_numbers_and_their_places(number: int, spoken: str, place: str) -> None:
    assert cardinal(number) == spoken
    assert ordinal(number) == place


_VALUES = {cardinal(n): n for n in (*range(20), *range(20, 100, 10))}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def _value(spoken: str) -> int:
    """The number that a listener would write down: the inverse of :func:`cardinal`."""
    total = section = 0
    for word in spoken.split():
        if word == "hundred":
            section *= 100
        elif word in _SCALES:
            total += section * _SCALES[word]
            section = 0
        else:
            section += _VALUES[word]
    return total + section


@given(st.integers(0, 10**15 - 1))
def test_a_listener_understands_every_cardinal(number: int) -> None:
    assert _value(cardinal(number)) == number


@given(st.integers(10**15, 10**30))
def test_a_longer_number_is_read_digit_by_digit(number: int) -> None:
    assert [_VALUES[word] for word in cardinal(number).split()] == [int(c) for c in str(number)]


@given(st.integers(1000, 9999))
def test_a_listener_understands_every_year(number: int) -> None:
    said = year(str(number))
    if "thousand" in said:
        assert _value(said) == number
    elif said.endswith(" hundred"):
        assert _VALUES[said.split()[-2]] + sum(_VALUES[w] for w in said.split()[:-2]) == number // 100
    else:
        ones = [w for w in said.split() if w != "oh"]
        assert sum(_VALUES[w] for w in ones) == number // 100 + number % 100


@given(st.decimals(0, 10**8, places=2))
def test_decimals_keep_their_digits(number: object) -> None:
    whole, _, part = str(number).partition(".")
    head, _, tail = quantity(str(number)).partition(" point ")
    assert _value(head) == int(whole)
    assert [_VALUES[word] for word in tail.split()] == [int(c) for c in part]


#: Pieces that rules look for, to be put together at random.
_PIECES = sorted({piece for _, text, _ in OWN for piece in text.split()})
_TEXTS = st.lists(
    st.one_of(
        st.sampled_from(_PIECES),
        st.text(max_size=4),
        st.text(alphabet="0123456789AIaVXx.,:/-'$%°# \u00a0", max_size=8),
        st.sampled_from(["A", "I", " ", "-", "–", "...", "²", "٣", "½", "\n", "é", "中", "🎉"]),
    ),
    max_size=6,
).flatmap(lambda pieces: st.sampled_from((" ", "")).map(lambda joint: joint.join(pieces)))


@given(_TEXTS)
@example("$3TVs")
@example("dBU.S.")
@example("10:30-11:15 2000approx.")
@example("A.A.a.A.")
def test_any_text_is_spoken_and_spoken_text_stays_as_it_is(text: str) -> None:
    spoken = normalise(text)
    assert normalise(spoken) == spoken
    assert not re.search(r"[0-9]", spoken), "a figure is left that no phonemizer reads"
    assert not re.search(r"[A-Z][A-Z]|[A-Z][a-z]|[a-z][A-Z]", spoken), "a capital is a letter of its own"
    assert spoken == spoken.strip()
