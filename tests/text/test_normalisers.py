"""What holds for the normaliser of every language: any text becomes words, once, in linear time."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st


class Forms(NamedTuple):
    """What one language's written forms are made of.

    Attributes:
        alphabet: the characters of its figures, beside :data:`_FIGURES`.
        mixtures: texts that once went wrong.
        repeated: what is repeated to a long text, beside :data:`_REPEATED`.
    """

    alphabet: str
    mixtures: tuple[str, ...]
    repeated: tuple[str, ...]


#: In every language's alphabet, and repeated in every language.
_FIGURES: Final = "0123456789.,:-/~%°²³CFkmh¥$ +=<>PMV２½①Ⅷ"
_MIXTURES: Final = ("1-1-1.1.1:1:1/1/1,111,1", "±-5°C~-3%")
_REPEATED: Final = (
    "1", "1-", "1,", "1.", "1:", "1 ", "1/", "a1", "A", "A&", "-", "(", "~", "1~", "1h", "½", "¥1-", "$1-",
    "1€ ", "10:10-", "9am-", "12345678901 ", "1,234", "1-1:11", "1 x ",
)  # fmt: skip
_LANGUAGES: Final = {
    "zh": Forms(
        "元年月日点分个第至到零负、。",
        ("2个2个到2个",),
        ("第1", "电话1", "以1:", "2到", "2016年-2018年", "零下-", "1%到", "1元/", "1月1"),
    ),
    "yue": Forms(
        "蚊年月日號点點分個第至到零負、。",
        ("2個2個到2個",),
        ("第1", "電話1", "2到", "1點1", "2個", "2016年-2018年", "零下-", "1%到", "1蚊", "1月1", "1月1至"),
    ),
    "en": Forms(
        "AIaXx'# \u00a0tohsdn",
        ("$3TVs", "dBU.S.", "10:30-11:15 2000approx.", "A.A.a.A.", "5 A.M.2-1"),
        ("a.", "A ", "a_", "x1", "v1", "1st", "1'", "'", "5m/", "Mon-", "May 1-", "call 1", "1 to ", "$1M"),
    ),
    "ja": Forms(
        "円年月日時分個人本回第約から半A万千億番‹›（）、。",
        ("3万5千円~10万円",),
        ("第1", "電話1", "3月1", "1日", "1%から", "1円/", "1月1", "1万", "1分の", "日(月)", "‹あ›"),
    ),
    "ko": Forms(
        "₩년월일시분개번원만억째제에서",
        ("1시~1시~1",),
        ("제1", "₩1-", "전화1", "1시~", "1번", "영하-", "2016년-2018년", "1%에서", "1월1", "손님1분"),
    ),
}  # fmt: skip
_LONG: Final = 16_000

languages = pytest.mark.parametrize("lang", _LANGUAGES)


def normaliser(lang: str) -> Callable[[str], str]:
    found: Callable[[str], str] = import_module(f"cosyedge.text.normalise.{lang}").normalise
    return found


def assert_words_once(lang: str, text: str) -> None:
    normalise = normaliser(lang)
    spoken = normalise(text)
    assert not any(unicodedata.decimal(character, None) is not None for character in spoken)
    assert normalise(spoken) == spoken


@languages
@given(st.text(max_size=80))
@example("今天25°C, 3시 10분 $5.50の½")
def test_any_text_becomes_words_once(lang: str, text: str) -> None:
    assert_words_once(lang, text)


@languages
@settings(max_examples=150)
@given(st.data())
def test_any_mix_of_figures_and_signs_becomes_words_once(lang: str, data: st.DataObject) -> None:
    assert_words_once(lang, data.draw(st.text(alphabet=_FIGURES + _LANGUAGES[lang].alphabet, max_size=60)))


@pytest.mark.parametrize(
    ("lang", "text"), [(lang, text) for lang, of in _LANGUAGES.items() for text in (*_MIXTURES, *of.mixtures)]
)
def test_mixtures_that_once_went_wrong_become_words_once(lang: str, text: str) -> None:
    assert_words_once(lang, text)


@pytest.mark.parametrize(
    ("lang", "unit"), [(lang, unit) for lang, of in _LANGUAGES.items() for unit in (*_REPEATED, *of.repeated)]
)
def test_no_pattern_walks_back_over_a_long_text(lang: str, unit: str) -> None:
    """Work that grew with the square of the length would not end here."""
    spoken = normaliser(lang)(unit * (_LONG // len(unit)))
    assert not any(character.isdecimal() for character in spoken)
