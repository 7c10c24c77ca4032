"""Readings that come with the text: the user's lexicon, phonemes in brackets, SSML phoneme and sub."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.errors import TextError
from cosyedge.text.ipa import numbered_pinyin, symbols_of_ipa
from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.readings import RUN, Alphabet, carried, reading_of
from cosyedge.text.user_lexicon import UserLexicon


def said(clauses: list[Phonemes]) -> list[tuple[str, str, str]]:
    return [(span.lang, span.spoken, span.phonemes) for clause in clauses for span in clause.spans]


def lexicon(tmp_path: Path, *lines: str) -> UserLexicon:
    file = tmp_path / "words.tsv"
    file.write_text("# words of this house\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return UserLexicon(file)


@pytest.mark.parametrize("alphabet", ["symbols", "ipa", "pinyin", "jyutping", "kana"])
@given(written=st.text(st.characters(max_codepoint=0xFFFD, exclude_categories=["Cs"]), max_size=60))
def test_a_reading_comes_back_as_it_was_sent(alphabet: Alphabet, written: str) -> None:
    run = carried(alphabet, "nˈɛt", written)
    assert RUN.fullmatch(run)
    back = reading_of(run)
    assert (back.alphabet, back.sounds, back.written) == (alphabet, "nˈɛt", written or "nˈɛt")


def test_a_text_cannot_bring_the_characters_of_a_reading(reader: Reader) -> None:
    assert said(list(reader.read(f"a{carried('symbols', 'nˈɛt', 'x')} door"))) == said(
        list(reader.read("a door"))
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Say [[nˈɛt ˈæp]] now",
            [("en", "say", "sˈA"), ("en", "nˈɛt ˈæp", "nˈɛt ˈæp"), ("en", "now", "nˈW")],
        ),
        ("[[Kitchen]] light", [("en", "kitchen light", "kˈɪʧᵊn lˈIt")]),  # a link of a wiki
        (
            "the <phoneme alphabet='ipa' ph='təˈmeɪtoʊ'>tomato</phoneme>",
            [("en", "the", "ðə"), ("en", "tomato", "təmˈAtO")],
        ),
        (
            "<phoneme alphabet='x-pinyin' ph='chóng qìng'>重庆</phoneme>路",
            [("zh", "重庆", "ꭧʰʊ↗ŋʨʰi↘ŋ"), ("zh", "路", "lu↘")],
        ),
        ("<phoneme alphabet='x-kana' ph='シノノメ'>東雲</phoneme>", [("ja", "しののめ", "ɕinonome")]),
        ("<phoneme alphabet='x-jyutping' ph='waan1 zai2'>灣仔</phoneme>", [("yue", "灣仔", "waːn¹ʦɐi²")]),
        ("<phoneme alphabet='x-pinyin' ph='zzz1'>重庆</phoneme>", [("zh", "重庆", "ꭧʰʊ↗ŋʨʰi↘ŋ")]),
        ("the <sub alias='World Wide Web'>WWW</sub>", [("en", "the world wide web", "ðə wˈɜɹld wˈId wˈɛb")]),
    ],
)
def test_inline_readings(reader: Reader, text: str, expected: list[tuple[str, str, str]]) -> None:
    clauses = list(reader.read(text))
    assert [(lang, spoken, re.sub(r"[ .]+$", "", p)) for lang, spoken, p in said(clauses)][
        -len(expected) :
    ] == expected
    assert not any(clause.unknown for clause in clauses)


def test_words_of_the_user_win_in_any_case_and_only_as_words(tmp_path: Path, lexicon_dir: Path) -> None:
    words = lexicon(tmp_path, "zh\t重庆路\tchong2 qing4 lu4", "en\tNetApp\t[[nˈɛtˌæp]]", "en\tNguyen\twin")
    reader = Reader(lexicon_dir, frozenset(("zh", "en")), user_lexicon=words)
    (clause,) = reader.read("NETAPP, netapps and Nguyen")
    assert (clause.spans[0].spoken, clause.spans[0].phonemes) == ("netapp", "nˈɛtˌæp,")
    assert clause.spans[1].spoken == "netapps and win"
    (clause,) = reader.read("去重庆路，不去重庆。")
    assert [span.reading for span in clause.spans] == ["qu4", "chong2 qing4 lu4", "bu2 qu4 chong2 qing4"]
    reader.use(None)
    assert "win" not in [span.spoken for clause in reader.read("Nguyen") for span in clause.spans]


def test_the_language_of_a_line_may_be_a_tag(tmp_path: Path) -> None:
    words = lexicon(tmp_path, "ko-KR\t네탑\t네타프", "zh-HK\t灣仔\t彎仔")
    assert (words.applied("ko", "네탑"), words.applied("yue", "灣仔")) == ("네타프", "彎仔")


def test_the_longest_word_wins_and_a_reading_in_the_text_is_kept(tmp_path: Path) -> None:
    words = lexicon(tmp_path, "ko\t네탑\t네타프", "ko\t네탑스\t네타프스", "ko\t가\t나")
    assert words.applied("ko", "네탑스 네탑") == "네타프스 네타프"
    kept = carried("symbols", "nˈɛt", "가")
    assert words.applied("ko", f"{kept}가") == f"{kept}나"
    assert words.applied("zh", "네탑") == "네탑"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("zh\t重庆", "2 fields"),
        ("xx\ta\tb", "'xx' is none of"),
        ("auto\ta\tb", "'auto' is none of"),
        ("zh\t重庆\tzzz9", "is not pinyin"),
        ("yue\t灣仔\twaan1 q9", "is not jyutping"),
        ("ja\t東雲\tshinonome", "is not kana"),
        ("en\tNetApp\t[[☃]]", "nor [[phonemes]]"),
        ("en\t" + "a" * 61 + "\tb", "too long"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, what: str) -> None:
    with pytest.raises(TextError) as caught:
        lexicon(tmp_path, "en\tGood\tgood", line)
    assert caught.value.code == "lexicon_bad_line"
    assert f"{tmp_path / 'words.tsv'}:4: " in caught.value.sentence
    assert what in caught.value.sentence


def test_a_missing_lexicon_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TextError) as caught:
        UserLexicon(tmp_path / "none.tsv")
    assert caught.value.code == "lexicon_unreadable"


@given(st.text(max_size=80))
def test_any_text_keeps_what_is_no_word_of_the_lexicon(text: str) -> None:
    words = UserLexicon.__new__(UserLexicon)
    words._words, words._longest, words._first = {"en": {"q": "Q"}}, {"en": 1}, {"en": frozenset("q")}
    if "q" not in text.lower():
        assert words.applied("en", text) == text


@pytest.mark.parametrize(
    ("ipa", "symbols"),
    [
        ("həˈloʊ", "həlˈO"),
        ("ˈtʃɜːtʃ", "ʧˈɜːʧ"),
        ("ˈɹɛɡjəˌleɪtɚ", "ɹˈɛɡjəlˌAtəɹ"),
        ("ni˨˩˦ xau˨˩˦", "ni↓ xau↓"),
        ("ma˥˥ ma˧˥ ma˥˩", "ma→ ma↗ ma↘"),
    ],
)
def test_common_ipa(ipa: str, symbols: str) -> None:
    assert symbols_of_ipa(ipa) == symbols


@pytest.mark.parametrize(
    ("pinyin", "numbered"),
    [
        ("chóng qìng", "chong2 qing4"),
        ("chong2qing4", "chong2 qing4"),
        ("nǚ ér", "nv3 er2"),
        ("lü4 ma", "lv4 ma5"),
    ],
)
def test_pinyin_in_both_ways_of_writing(pinyin: str, numbered: str) -> None:
    assert numbered_pinyin(pinyin) == numbered


@pytest.mark.parametrize(
    ("text", "paces"),
    [
        ("It is <prosody rate='slow'>very</prosody> cold.", [(1.0, 0.0), (0.8, 0.0), (1.0, 0.25)]),
        ("<prosody rate='150%'>All of it.</prosody>", [(1.5, 0.25)]),
        (
            "<prosody rate='2'>a <prosody rate='50%'>door</prosody></prosody> now",
            [(2.0, 0.0), (1.0, 0.0), (1.0, 0.25)],
        ),
        ("<prosody rate='+20%'>One.\n\nTwo.</prosody> Three.", [(1.2, 0.5), (1.2, 0.25), (1.0, 0.25)]),
        ("<prosody rate='wild'>word</prosody></prosody> end", [(1.0, 0.0), (1.0, 0.25)]),
    ],
)
def test_the_rate_of_a_stretch(reader: Reader, text: str, paces: list[tuple[float, float]]) -> None:
    clauses = list(reader.read(text))
    assert [(round(clause.rate, 3), clause.pause_s) for clause in clauses] == paces
    assert not any(clause.unknown for clause in clauses)
