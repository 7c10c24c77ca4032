from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cosyedge.text.clauses import (
    CLAUSE_PAUSE_S,
    LONGEST_BREAK_S,
    LONGEST_S,
    SENTENCE_PAUSE_S,
    break_mark,
    seconds_of,
    split_clauses,
    split_phrases,
    split_sentences,
)


def texts(text: str) -> list[str]:
    return [clause.text for clause in split_clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今天天气不错！你好呀。", ["今天天气不错！", "你好呀。"]),
        ("你好!今天", ["你好!", "今天"]),
        ("Done. Next one", ["Done.", "Next one"]),
        ("Come in. it rains", ["Come in.", "it rains"]),
        ("Really?! Yes...", ["Really?!", "Yes..."]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ('He said "go." Then left.', ['He said "go."', "Then left."]),
        ("done.请打开", ["done.", "请打开"]),
        ("你好呀～今日はいい天気", ["你好呀～", "今日はいい天気"]),
        ("周一～周五", ["周一～周五"]),
        ("3～5个", ["3～5个"]),
        ("one\ntwo", ["one", "two"]),
        ("  a \t b  ", ["a b"]),
    ],
)
def test_sentences_and_lines(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The score is 3.14 points",
        "1.5リットルの水",
        "It costs 3,123.20 or 5:35:36",
        "Dr. Smith asked whether it's 3:30 p.m. today.",
        "Mr. J. R. Tolkien, e.g. this, i.e. that vs. those",
        "Jan. 5 to Sept. 8",
        "No. 5 is alive",
        "Rain: 0.2 in. since midnight, 5 oz. of water",
        "version 1.2.3 of example.org",
        "see p. 5 of the approx. 30 pages",
        "U.S. 市场",
        "1. The project is done",
        "12. 打开空调",
        "x != y",
        "an .5 error",
    ],
)
def test_what_does_not_end_a_sentence(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use plan B. Then rest", ["Use plan B.", "Then rest"]),
        ("So do I. He too", ["So do I.", "He too"]),
        ("It is 5 p.m. The door", ["It is 5 p.m.", "The door"]),
        ("It is 3.14. Next", ["It is 3.14.", "Next"]),
        ("in 1995. Then", ["in 1995.", "Then"]),
        ("apples, etc. And", ["apples, etc.", "And"]),
    ],
)
def test_what_ends_one_all_the_same(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_pauses() -> None:
    text = f"One. Two\nthree\n\nfour{break_mark(0.7)}five.{break_mark(1)}{break_mark(0.5)}\nsix"
    assert [(clause.text, clause.pause_s) for clause in split_clauses(text)] == [
        ("One.", SENTENCE_PAUSE_S),
        ("Two", SENTENCE_PAUSE_S),
        ("three", 2 * SENTENCE_PAUSE_S),
        ("four", 0.7),
        ("five.", 1.5),
        ("six", SENTENCE_PAUSE_S),
    ]


@pytest.mark.parametrize(("asked", "given"), [(-1, 0.0), (0.123, 0.12), (99, LONGEST_BREAK_S)])
def test_a_break_is_bounded(asked: float, given: float) -> None:
    (first, _) = split_clauses(f"a{break_mark(asked)}b")
    assert first.pause_s == pytest.approx(given)


def test_breaks_and_lines_alone_are_nothing() -> None:
    for text in ("", "\n", " \n \n ", break_mark(1), f"\n{break_mark(3)}\n", "\t"):
        assert texts(text) == []


def test_a_long_sentence_is_cut_at_a_comma() -> None:
    text = (
        "当夜幕降临，星光点点，伴随着微风拂面，我在静谧中感受着时光的流转，思念如涟漪荡漾，梦境如画卷展开，"
        "我与自然融为一体，沉静在这片宁静的美丽之中，感受着生命的奇迹与温柔。"
    )
    found = list(split_clauses(text))
    assert "".join(clause.text for clause in found) == text
    assert len(found) == 2
    assert found[0].text.endswith("，")
    assert [clause.pause_s for clause in found] == [CLAUSE_PAUSE_S, SENTENCE_PAUSE_S]


def test_without_a_comma_it_is_cut_between_words() -> None:
    text = " ".join(f"word{i}" for i in range(100))
    found = list(split_clauses(text))
    assert " ".join(clause.text for clause in found) == text
    assert all(clause.pause_s == 0.0 for clause in found[:-1])


@pytest.mark.parametrize(
    "atom",
    [
        "3,123.20元",
        "$1,234.56",
        "60 km/h",
        "25.5 °C",
        "135-4567-8900",
        "5:35:36",
        "第100次",
        "2022年",
        "-5度",
        "m²",
        "e\u0301",
        "한",
        "が",
        "👩\u200d👩\u200d👧",
        "🇩🇪",
        "don't",
        "3.14",
        "12 percent",
        "1.5リットル",
        "10キログラム",
        "20時",
        "13개",
        "200 미터",
        "30號",
    ],
)
@pytest.mark.parametrize("filler", ["我们", "word ", "ま"])
def test_never_inside_a_number_a_unit_or_a_cluster(atom: str, filler: str) -> None:
    """Wherever the cut would fall, the atom stays whole."""
    atom = unicodedata.normalize("NFD", atom) if atom in ("한", "が") else atom
    for before in range(20, 80):
        found = texts(filler * before + " " + atom + " " + filler * 90)
        assert any(atom in text for text in found), (before, found)
        assert len(found) > 1


_ANY = st.text(
    st.one_of(st.characters(), st.sampled_from("。.!?，, \n12a我\u0301\u200d～…-" + break_mark(1))),
    max_size=300,
)


def _words(text: str) -> str:
    return "".join(char for char in text if not char.isspace() and not "\U000f0000" <= char <= "\U000f03e8")


@given(text=_ANY)
@example(text="\n" * 50 + "。" * 50)
@example(text="1" * 500)
@example(text="a\u0301" * 200)
@example(text="\u0301" * 500)
def test_nothing_is_lost_and_every_clause_is_bounded(text: str) -> None:
    found = list(split_clauses(text))
    assert _words("".join(clause.text for clause in found)) == _words(text)
    for clause in found:
        assert clause.text == " ".join(clause.text.split()) != ""
        assert seconds_of(clause.text) <= LONGEST_S * 1.5
        assert 0.0 <= clause.pause_s <= LONGEST_BREAK_S


@given(text=_ANY)
def test_sentences_and_phrases_join_to_the_text(text: str) -> None:
    assert "".join(split_sentences(text)) == text
    assert "".join(split_phrases(text)) == text


_HOSTILE = [
    *("a", "1", "我", " ", "\n", ".", "。", ",", "…", "!", "~", "-", "'", "\u0301", "\u200d", "\u1100"),
    *("a.", "1.", "1,", "a ", "- ", " -", '."', '!"', "a'", "~~ ", "1 1", "+1", "°C1", "我1", "。\n", "Dr. "),
    break_mark(0.1),
]


@pytest.mark.parametrize("unit", _HOSTILE, ids=ascii)
def test_a_long_text_of_anything_comes_in_short_clauses(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    assert all(0 < len(clause.text) <= 1000 for clause in split_clauses(text))
