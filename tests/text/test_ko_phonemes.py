"""Korean as it sounds: the rules of the standard pronunciation, and their phonemes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.errors import TextError
from cosyedge.text.phonemes.ko import KoPhonemizer
from cosyedge.text.phonemes.ko_rules import compose, is_hangul, parse
from cosyedge.text.symbols import is_symbol
from tests.text.tables import rows

_HANGUL = st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)


@pytest.fixture(scope="module")
def ko(lexicon_dir: Path) -> KoPhonemizer:
    return KoPhonemizer(lexicon_dir / "ko.lexicon")


@pytest.mark.parametrize(("written", "sound", "article"), rows("ko_sounds.tsv"))
def test_examples_of_the_standard(ko: KoPhonemizer, written: str, sound: str, article: str) -> None:
    assert ko.pronounced(written) == sound, article


@pytest.mark.parametrize(
    ("written", "sound"),
    [
        # Nouns that look like a verb with its ending, and words that look like a compound.
        ("참고 신고 감지 남자 심지어 삼다수", "참고 신고 감지 남자 심지어 삼다수"),
        ("건물가격이 시대가 이유가 방문자가", "건물가겨기 시대가 이유가 방문자가"),
        ("닭도 삶도 여덟도", "닥또 삼도 여덜도"),
        ("알지 길게 드릴게요 될지", "알지 길게 드릴께요 될찌"),
        # Numbers before their counters.
        ("열 시 여덟 개 이십일 도", "열 씨 여덜 깨 이시빌 또"),
        ("삼점오 일곱 시", "삼쩌모 일곱 씨"),
        # Futures before their nouns; 할 of 역할 is none.
        ("할 경우 역할 분담", "할 꼉우 여칼 분담"),
        # The particle 의 and the nouns that end in it.
        ("회의의 회의 거의 나의", "회이에 회이 거이 나에"),
        ("못 읽고 못 해요", "몬 닐꼬 모 태요"),
        ("할 일이 있다, 할 일정, 옷 입고", "할 리리 읻따, 할 일쩡, 온 닙꼬"),
        ("밥을 줄 시간, 할 줄 알아", "바블 줄 시간, 할 쭐 아라"),
        ("볼륨을 높일까요", "볼류믈 노필까요"),
        ("온라인으로 다운로드", "온나이느로 다운노드"),
    ],
)
def test_what_depends_on_the_words(ko: KoPhonemizer, written: str, sound: str) -> None:
    assert ko.pronounced(written) == sound


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("안녕하세요, 세탁기가 끝났습니다.", "annjʌŋhasejo, setʰakkiɡa kɯnnatsɯmnida."),
        ("현관문이 열려 있습니다!", "hjʌnɡwanmuni jʌlljʌ itsɯmnida!"),
        ("쉬었다가 싫어", "ɕwiʌttaɡa ɕiɾʌ"),
        ("부부 바지 달다", "pubu paʥi talda"),
        ("코 토 포 초 꼬 또 뽀 쪼", "kʰo tʰo pʰo ʨʰo ko to po ʨo"),
        ("「안녕」 (네)", "“annjʌŋ” (ne)"),
    ],
)
def test_phonemes(ko: KoPhonemizer, text: str, phonemes: str) -> None:
    assert ko.phonemize(text).phonemes == phonemes


def test_the_reading_is_the_hangul_as_written(ko: KoPhonemizer) -> None:
    said = ko.phonemize("밥을, 먹는다 x☃ 국물")
    assert said.reading == "밥을 먹는다 국물"
    assert said.unknown == ("x", "☃")


def test_letters_that_are_not_composed_are_read_as_syllables(ko: KoPhonemizer) -> None:
    assert ko.phonemize("\u1112\u1161\u11ab\u1100\u116e\u11a8").reading == "한국"


@given(_HANGUL)
def test_a_syllable_is_its_letters(character: str) -> None:
    assert compose(parse(character)) == character


@given(st.lists(st.text(alphabet=_HANGUL, min_size=1, max_size=8), min_size=1, max_size=6))
def test_no_syllable_is_lost(ko: KoPhonemizer, words: list[str]) -> None:
    text = " ".join(words)
    sound = ko.pronounced(text)
    assert [len(word) for word in sound.split(" ")] == [len(word) for word in words]
    assert all(parse(c).coda in ("", *"ㄱㄴㄷㄹㅁㅂㅇ") for c in sound if c != " ")
    said = ko.phonemize(text)
    assert all(is_symbol(symbol) for symbol in said.phonemes)
    assert said.phonemes.count(" ") == len(words) - 1
    assert said.unknown == ()


@given(st.text(max_size=60))
def test_any_text_is_read_or_told(ko: KoPhonemizer, text: str) -> None:
    said = ko.phonemize(text)
    assert said.reading is not None
    assert all(is_symbol(symbol) for symbol in said.phonemes)
    assert not any(map(is_hangul, said.unknown))


@pytest.mark.parametrize("unit", ["갈", "일점", "갈 ", "남지"])
def test_work_is_linear_in_the_length(ko: KoPhonemizer, unit: str) -> None:
    """Work that grew with the square of the length would not end here."""
    said = ko.phonemize(unit * (24_000 // len(unit)))
    assert said.unknown == ()


def test_the_lexicon_is_that_of_the_table(lexicon_dir: Path, tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "train" / "lexicon_ko.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, timeout=60)
    assert (tmp_path / "ko.lexicon").read_bytes() == (lexicon_dir / "ko.lexicon").read_bytes()


@pytest.mark.parametrize(
    ("word", "respelled"), [("물가", "물까"), ("꽃잎", "꽃닢"), ("인기", "인끼"), ("맛있", "마싰")]
)
def test_words_that_no_rule_can_know(ko: KoPhonemizer, word: str, respelled: str) -> None:
    record = ko._lexicon.get(word)
    assert record is not None
    assert record[1:].decode() == respelled


def test_missing_lexicon_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(TextError) as caught:
        KoPhonemizer(tmp_path / "ko.lexicon")
    assert caught.value.code == "lexicon_unreadable"
