"""The words of least cost, against all ways of parting a text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cosyedge.text.phonemes.best_words import best_words

WORDS = {"ab": b"\x05one", "bc": b"\x02two", "abc": b"\x09", "cd": b"\x08", "abcd": b"\x0b"}
COSTS = {"a": 4, "b": 4, "c": 4, "d": 4}


def ways(text: str, longest: int) -> Iterator[list[str]]:
    """Each way of parting ``text`` into words that are there."""
    if not text:
        yield []
    for end in range(1, min(len(text), longest) + 1):
        if end == 1 or text[:end] in WORDS:
            for rest in ways(text[end:], longest):
                yield [text[:end], *rest]


def cost(way: list[str]) -> int:
    return sum(COSTS[word] if len(word) == 1 else WORDS[word][0] for word in way)


def found(text: str, longest: int) -> list[str]:
    ends, records = best_words(text, [COSTS[c] for c in text], WORDS.get, longest)
    words, start = [], 0
    while start < len(text):
        words.append(text[start : ends[start]])
        assert records[start] == (WORDS[words[-1]] if len(words[-1]) > 1 else b"")
        start = ends[start]
    return words


@pytest.mark.parametrize("longest", [1, 2, 3, 4])
@pytest.mark.parametrize("text", ["", "a", "ab", "abc", "abcd", "bcdabcdcdab", "dcba"])
def test_no_other_way_costs_less(text: str, longest: int) -> None:
    words = found(text, longest)
    assert "".join(words) == text
    assert cost(words) == min(map(cost, ways(text, longest)))


def test_of_two_ways_that_cost_the_same_the_longer_word_is_taken() -> None:
    as_its_characters = {"ab": b"\x08"}
    ends, _ = best_words("ab", [4, 4], as_its_characters.get, 2)
    assert ends[0] == 2
