"""What holds for any text at all, in all five languages."""

from __future__ import annotations

import sys
from typing import Final, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cosyedge.errors import TextError
from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.spans import Lang
from cosyedge.text.symbols import SYMBOLS

LANGUAGES: Final[tuple[Lang, ...]] = ("zh", "yue", "en", "ja", "ko")
#: Whole sentences, so that each is read for itself; they end with their own mark.
_SENTENCES: Final = (
    "今天25°C，得了100分。",
    "而家3點45分，係邊度呀？",
    "The read-out is 3.5 kWh!",
    "今日は1.5リットルの水です。",
    "안녕하세요, 3시 10분입니다.",
    "第2次，拨打110！",
    "Dr. Smith's P2P.\n",
)
_TEXT: Final = st.lists(
    st.one_of(
        st.characters(),
        st.sampled_from(_SENTENCES),
        st.sampled_from("今気氣嘅です라안녕aA1 2.5%°C/$-～，。!？ \n'（）&<>[]́ー½²🎉"),
    ),
    max_size=12,
).map("".join)


def spoken(clauses: list[Phonemes]) -> list[tuple[Lang, str, str]]:
    return [(span.lang, span.spoken, span.phonemes) for clause in clauses for span in clause.spans]


@settings(max_examples=80)
@given(text=_TEXT, lang=st.sampled_from(("auto", *LANGUAGES)))
def test_any_text_is_read_or_refused(polyglot: Reader, text: str, lang: Lang | Literal["auto"]) -> None:
    try:
        clauses = list(polyglot.read(text, lang))
    except TextError as error:
        if error.code not in ("language_unavailable", "text_unreadable"):
            raise
        return
    assert clauses == list(polyglot.read(text, lang))
    for clause in clauses:
        assert all(0 < i < len(SYMBOLS) for i in clause.ids)
        assert len(clause.languages) == len(clause.ids)


@settings(max_examples=40)
@given(sentences=st.lists(st.sampled_from(_SENTENCES), min_size=1, max_size=6))
def test_nothing_is_lost_between_sentences(polyglot: Reader, sentences: list[str]) -> None:
    """A text is said as its sentences are, one by one, and every one of them makes a sound."""
    alone = [spoken(list(polyglot.read(sentence))) for sentence in sentences]
    assert all(alone)
    assert spoken(list(polyglot.read(" ".join(sentences)))) == [span for spans in alone for span in spans]


@pytest.mark.parametrize(
    ("lang", "unit"),
    [
        *(
            (lang, unit)
            for lang in ("yue", "ja", "ko")
            for unit in ("1", "1-", "1:", "1,", "今天1", "5kg", "$1")
        ),
        ("yue", "嘅"),
        ("ja", "あ"),
        ("ja", "漢字です"),
        ("ja", "カー"),
        ("ko", "값"),
        ("ko", "한 개 "),
    ],
)
def test_work_grows_with_the_length_alone(polyglot: Reader, lang: Lang, unit: str) -> None:
    """Calls of functions, the measure of work here, no more than double when the text does."""

    def calls(length: int) -> int:
        count = 0

        def counted(frame: object, event: str, arg: object) -> None:
            nonlocal count
            count += 1

        text = unit * (length // len(unit))
        sys.setprofile(counted)
        try:
            for _ in polyglot.read(text, lang):
                pass
        finally:
            sys.setprofile(None)
        return count

    calls(300)  # loads, compiles
    assert calls(800) <= 2.5 * calls(400) + 2000
