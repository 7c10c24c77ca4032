from __future__ import annotations

import itertools
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cosyedge.errors import TextError
from cosyedge.text.lexicon import write_lexicon
from cosyedge.text.normalise import en, zh
from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.spans import Lang
from cosyedge.text.symbols import SILENT, SYMBOLS, to_ids, to_phonemes

_MIXED = "Hello，今天天气不错！你好呀～今日はいい天気ですね。你好嗎？안녕하세요！"


def heard(clauses: list[Phonemes]) -> list[tuple[Lang, str]]:
    return [(span.lang, span.spoken) for clause in clauses for span in clause.spans]


def test_a_mixed_sentence_in_phonemes(reader: Reader) -> None:
    (clause,) = reader.read("今天是Monday，OK？")
    assert to_phonemes(clause.ids) == "ʨi→ntʰjɛ→n ʂɨ↘ mˈʌndˌA, ˌOkˈA?"
    assert [(span.lang, span.text, span.spoken, span.reading) for span in clause.spans] == [
        ("zh", "今天是", "今天是", "jin1 tian1 shi4"),
        ("en", "Monday，OK？", "monday, ok?", None),
    ]
    assert clause.pause_s == 0.25
    assert clause.unknown == ()


def test_the_sentence_that_must_always_work(reader: Reader) -> None:
    """Ten times running; what the bundle cannot speak is told, and Han characters are read as Mandarin."""
    first = list(reader.read(_MIXED))
    assert heard(first) == [
        ("en", "hello,"),
        ("zh", "今天天气不错！"),
        ("zh", "你好呀，"),
        ("zh", "今日 天気 。"),
        ("zh", "你好嗎？"),
    ]
    assert [clause.unknown for clause in first] == [(), (), tuple("はいですね"), tuple("안녕하세요")]
    for _ in range(9):
        assert list(reader.read(_MIXED)) == first


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("好", "xau↓."),  # what ends no sentence by itself is ended
        ("好。", "xau↓."),
        ("好？", "xau↓?"),
        ("Hello", "həlˈO."),
        ("Wait!", "wˈAt!"),
        ("A 座", "ˈA ʦwo↘."),
        ("好（hi）！", "xau↓ (hˈI)!"),
        ("P2P软件", "pˈi ɚ↘ pˈi ɻwa↓nʨjɛ↘n."),
    ],
)
def test_marks_and_joints(reader: Reader, text: str, phonemes: str) -> None:
    assert [to_phonemes(clause.ids) for clause in reader.read(text)] == [phonemes]


def test_a_clause_cut_for_its_length_has_no_full_stop(reader: Reader) -> None:
    clauses = list(reader.read("word " * 100))
    said = [to_phonemes(clause.ids) for clause in clauses]
    assert len(said) > 2
    assert not any(phonemes.endswith(".") for phonemes in said[:-1])
    assert said[-1].endswith(".")


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\n", "…!?", "🎉🎉", "。，、", "- \n* ", "<speak><break time='1s'/></speak>", "``` ```"],
)
def test_nothing_to_say(reader: Reader, text: str) -> None:
    assert list(reader.read(text)) == []
    assert list(reader.read(text, "en", "en")) == []


@pytest.mark.parametrize(
    ("text", "lang", "spans"),
    [
        ("100", "auto", [("zh", "一百")]),
        ("100", "en", [("en", "one hundred")]),
        ("It is 5. 100.", "auto", [("en", "it is five."), ("en", "one hundred.")]),
        ("1. Wash\n2. Dry", "auto", [("en", "one, wash"), ("en", "two, dry")]),
        ("12:30\nLunch is ready", "auto", [("en", "twelve thirty"), ("en", "lunch is ready")]),
        ("25°C\nLunch", "auto", [("en", "twenty five degrees celsius"), ("en", "lunch")]),
        ("5kg", "ja", [("zh", "五公斤")]),
        ("今天5&9", "ja", [("zh", "今天五和九")]),
        ("12:30\n开饭了", "auto", [("zh", "十二点三十分"), ("zh", "开饭了")]),
        ("Battery at 5%", "zh", [("en", "battery at five percent")]),
        ("electricity 电 5%", "zh", [("en", "electricity"), ("zh", "电 百分之五")]),
    ],
)
def test_numbers_are_read_in_the_language_around(
    reader: Reader, text: str, lang: Lang | Literal["auto"], spans: list[tuple[Lang, str]]
) -> None:
    assert heard(list(reader.read(text, lang))) == spans


def test_a_number_alone_follows_the_voice(reader: Reader) -> None:
    assert heard(list(reader.read("25°C", voice_lang="en"))) == [("en", "twenty five degrees celsius")]
    assert heard(list(reader.read("25°C", voice_lang="zh"))) == [("zh", "二十五摄氏度")]
    assert heard(list(reader.read("25°C", voice_lang="ja"))) == [("zh", "二十五摄氏度")]


@pytest.mark.parametrize("text", ["안녕하세요", "カタカナです", "Привет, мир", "नमस्ते 3시", "안녕 25도"])
def test_text_without_a_word_that_can_be_spoken_is_an_error(reader: Reader, text: str) -> None:
    with pytest.raises(TextError) as caught:
        list(reader.read(text))
    assert caught.value.code == "language_unavailable"


def test_what_is_left_out_is_told_once_and_costs_only_itself(reader: Reader) -> None:
    first, second = reader.read("안녕。你好мир世界。안녕하세요！Next.")
    assert first.unknown == tuple("안녕하세요мир")
    assert first.spans[0].reading == "ni2 hao3 shi4 jie4"
    assert heard([second]) == [("en", "next.")]
    assert second.unknown == ()


def test_a_bundle_of_one_language(lexicon_dir: Path) -> None:
    reader = Reader(lexicon_dir, frozenset({"en"}))
    (clause,) = reader.read("Room 三 is 5 °C")
    assert heard([clause]) == [("en", "room"), ("en", "is five degrees celsius")]
    assert clause.unknown == ("三",)
    assert heard(list(reader.read("100"))) == [("en", "one hundred")]
    with pytest.raises(TextError, match="no voice of this bundle"):
        list(reader.read("你好 3 点"))
    reader = Reader(lexicon_dir, frozenset({"zh"}))
    (clause,) = reader.read("打开 GPS 吧")
    assert heard([clause]) == [("zh", "打开"), ("zh", "吧")]
    assert clause.unknown == ("G", "P", "S")


@pytest.mark.parametrize(
    ("text", "lang", "found"),
    [
        ("今天天气不错 OK", "auto", "zh"),
        ("The weather is fine today 好", "auto", "en"),
        ("今天天气不错", "en", "zh"),
        ("100", "auto", "zh"),
        ("100", "en", "en"),
        ("100", "yue", "zh"),
        ("", "auto", "zh"),
        ("今日は天気", "auto", "zh"),  # as far as it can be spoken
        ("# Title\n\n<b>The</b> https://example.org/今天天气不错", "auto", "en"),
    ],
)
def test_dominant_language(reader: Reader, text: str, lang: Lang | Literal["auto"], found: Lang) -> None:
    assert reader.dominant_language(text, lang) == found


def test_traditional_characters_by_setting(lexicon_dir: Path) -> None:
    reader = Reader(lexicon_dir, frozenset({"zh", "en"}), traditional_chinese="zh")
    assert heard(list(reader.read("今天天氣很好，25°C"))) == [("zh", "今天天氣很好，二十五摄氏度")]


def test_a_broken_or_missing_lexicon_says_so(tmp_path: Path) -> None:
    reader = Reader(tmp_path, frozenset({"zh", "en"}))
    with pytest.raises(TextError) as caught:
        list(reader.read("你好"))
    assert caught.value.code == "lexicon_unreadable"
    write_lexicon(tmp_path / "zh.lexicon", "empty", {})
    assert list(reader.read("hm"[:0])) == []
    (tmp_path / "en.lexicon").write_bytes(b"CELX" + bytes(40))
    with pytest.raises(TextError) as caught:
        list(reader.read("hello"))
    assert caught.value.code == "lexicon_unreadable"


def test_languages_load_at_first_use(lexicon_dir: Path) -> None:
    """A house that only speaks English never pays for Mandarin."""
    program = (
        "import sys; from pathlib import Path; from cosyedge.text.reader import Reader\n"
        "reader = Reader(Path(sys.argv[1]), frozenset({'zh', 'en'}))\n"
        "named = lambda: {n for n in sys.modules if n.startswith(('cosyedge.text.phonemes.', 'html'))}\n"
        "assert not named(), named()\n"
        "assert list(reader.read('hello'))\n"
        "assert 'cosyedge.text.phonemes.en' in named() and 'cosyedge.text.phonemes.zh' not in named()\n"
        "assert not {'numpy', 'onnxruntime'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(lexicon_dir)], check=True, timeout=60)


_TEXT = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("今天氣嘅ですラ안녕Hello 12.5%°C/km$-–~～,，.。!？ \n\"'“”()&@#*_`<>|[]あ́ー½㎡🎉"),
    ),
    max_size=120,
)


@settings(max_examples=150)
@given(
    text=_TEXT,
    lang=st.sampled_from(("auto", "zh", "yue", "en", "ja", "ko")),
    voice=st.sampled_from(("zh", "en", "ja")),
)
@example(text="\u3099", lang="auto", voice="zh")
def test_any_text_is_read_or_refused(
    reader: Reader, text: str, lang: Lang | Literal["auto"], voice: Lang
) -> None:
    clauses: list[Phonemes] = []
    try:
        clauses.extend(reader.read(text, lang, voice))
    except TextError as error:
        if error.code not in ("language_unavailable", "text_unreadable"):
            raise
        return
    assert clauses == list(reader.read(text, lang, voice))
    for clause in clauses:
        assert not SILENT.issuperset(to_phonemes(clause.ids))
        assert all(0 < i < len(SYMBOLS) for i in clause.ids)
        assert 0.0 <= clause.pause_s <= 10.0
        assert len(set(clause.unknown)) == len(clause.unknown)
        assert len(clause.ids) < 1500
        for span in clause.spans:
            assert span.lang in ("zh", "en")
            assert to_ids(span.phonemes)
            assert (span.reading is None) == (span.lang == "en")


_WORDS = st.lists(
    st.sampled_from(
        ("你好", "重庆", "今天", "hello", "kitchen", "water", "三百", "twenty", "，", ". ", "\n", "**", "！")
    ),
    min_size=1,
    max_size=40,
)


@given(words=_WORDS)
def test_no_word_is_lost(reader: Reader, words: list[str]) -> None:
    """Every word is heard, in order, whatever stands around it."""
    text = " ".join(words)
    said = " ".join(span.spoken for clause in reader.read(text) for span in clause.spans)
    kept = "".join(char for char in said if char.isalpha())
    assert kept == "".join(char for word in words for char in word if char.isalpha())


@given(text=_TEXT)
def test_what_is_spoken_is_not_normalised_again(text: str) -> None:
    for normalise in (zh.normalise, en.normalise):
        once = normalise(text)
        assert normalise(once) == once


def test_a_megabyte_streams(reader: Reader) -> None:
    """Memory is that of a few clauses, not of the text, which takes two megabytes itself."""
    lines = ("客厅温度25.5°C，湿度60%。", "The **washing machine** is done! ", "P2P软件\n\n", "3,123.20元")
    text = "".join(itertools.islice(itertools.cycle(lines), 63_000))
    assert len(text) > 1_000_000
    list(reader.read(text[:2000]))
    tracemalloc.start()
    try:
        clauses = sum(1 for _ in itertools.islice(reader.read(text), 150))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert clauses == 150
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("unit", "length"),
    [
        *((unit, 200) for unit in ("a", "é", "a.", "<a ")),
        *((unit, 1000) for unit in ("1", "我", " ", "\n", "1,", "**", "한 ok ", "½", "。", "我a", "1:")),
    ],
    ids=ascii,
)
def test_work_grows_with_the_length_alone(reader: Reader, unit: str, length: int) -> None:
    """Calls of functions, the measure of work here, no more than double when the text does."""

    def calls(length: int) -> int:
        count = 0

        def counted(frame: object, event: str, arg: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(counted)
        try:
            for _ in reader.read(unit * (length // len(unit))):
                pass
        finally:
            sys.setprofile(None)
        return count

    calls(length)  # loads, compiles, remembers the word
    assert calls(2 * length) <= 2.5 * calls(length - 2 * len(unit)) + 2000
