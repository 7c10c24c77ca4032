from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cosyedge.text.clauses import Clause, split_clauses
from cosyedge.text.markup import plain_blocks
from cosyedge.text.rates import stretches


def plain_text(text: str) -> str:
    """What is left to be read, in one piece."""
    return "".join(part for part, _, _ in stretches("".join(plain_blocks(text)), [])).strip()


def clauses(text: str) -> list[tuple[str, float]]:
    return [(clause.text, clause.pause_s) for block in plain_blocks(text) for clause in split_clauses(block)]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Warning:** the door is open", "Warning: the door is open"),
        ("***very* important**, __really__ _so_", "very important, really so"),
        ("~~old~~ ==new== `code`", "old new code"),
        ("**✅ Done**", "Done"),
        ("# Laundry\n- done\n- fold it", "Laundry\ndone\nfold it"),
        ("- [x] washed\n- [ ] folded", "washed\nfolded"),
        ("1. first\n2) second", "1, first\n2, second"),
        ("• one\n▪ two", "one\ntwo"),
        ("> quoted\n> > twice", "quoted\ntwice"),
        ("Title\n=====\ntext\n---\nmore", "Title\n\ntext\n\nmore"),
        ("| room | °C |\n|------|---:|\n| bath | 21 |", "room, °C\nbath, 21"),
        ("[our page](https://example.org/a?b=c)", "our page"),
        ("[a](<b c> 'title') [d][ref] e[^1]", "a d e"),
        ("![a cat](cat.png) meows", "meows"),
        ("[text][1]\n\n[1]: https://example.org", "text"),
        ("before\n```yaml\nkey: value\n```\nafter", "before\n\nafter"),
        ("~~~\ncode\n~~~", ""),
        ("```\nnever closed", "never closed"),
        (r"2 \* 3 and \_this\_", "2 * 3 and _this_"),
    ],
)
def test_markdown(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("2 * 3 is 6", "2 * 3 is 6"),
        ("2*3*4 = 24", "2*3*4 = 24"),
        ("5 > 3, x < y", "5 > 3, x < y"),
        ("1 + 1 - 2 / 3 % 4", "1 + 1 - 2 / 3 % 4"),
        ("-5 °C", "-5 °C"),
        ("a == b", "a = b"),
        ("set snake_case on", "set snake case on"),
        ("sensor.living_room_2", "sensor dot living room 2"),
        ("__init__", "init"),
        ("#5 and C#", "#5 and C#"),
        ("$5 & more", "$5 & more"),
        ("3.14, v1.2.3, 10:05, 2002/01/28", "3.14, v1.2.3, 10:05, 2002/01/28"),
        ("e.g. a.m. U.S.", "e.g. a.m. U.S."),
        ("is on.Next", "is on. Next"),
        ("config.yaml", "config dot yaml"),
        ("周一～周五，3~5个", "周一～周五，3~5个"),
        ("你好～～", "你好～～"),
    ],
)
def test_arithmetic_and_names_survive(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("see https://example.org/a?b=c now", "see link now"),
        ("see <https://example.org/>.", "see link ."),
        ("www.example.org/x, please", "link , please"),
        ("请看 https://example.org/a。谢谢", "请看 链接 。谢谢"),
        ("请看https://example.org现在", "请看 链接 现在"),
        ("https://例え.jp/道 です", "リンク です"),
        ("여기 http://a.kr", "여기 링크"),
        ("mqtt://broker:1883 is down", "link is down"),
        ("write to a.b-c@example.org now", "write to a dot b dash c at example dot org now"),
        ("<mailto:info@example.org>", "info at example dot org"),
        ("@home", "@home"),
        ("https:// is a scheme", "https:// is a scheme"),
    ],
)
def test_links_and_addresses(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<speak>Hi <emphasis level='strong'>you</emphasis></speak>", "Hi you"),
        ("<prosody rate='slow' pitch=\"+2st\">slow</prosody>", "slow"),
        ("<speak xmlns:mstts='x'><mstts:express-as style='sad'>oh</mstts:express-as></speak>", "oh"),
        ("<?xml version='1.0'?><!DOCTYPE speak><speak>x</speak>", "x"),
        ("<say-as interpret-as='characters'>AB1</say-as>", "A B 1"),
        ("<say-as interpret-as='telephone'>110</say-as>", "1 1 0"),
        ("<say-as interpret-as='cardinal'>110</say-as>", "110"),
        ("<say-as interpret-as='cardinal'>2024</say-as>", "2,024"),
        ("<say-as interpret-as='ordinal'>22</say-as>", "22nd"),
        ("<say-as interpret-as='ordinal'>3</say-as>个", "第3个"),
        ("<say-as interpret-as='ordinal'>3</say-as> 번째", "제3 번째"),
        ("<say-as interpret-as='date' format='dmy'>1/2/2024</say-as>", "2024-02-01"),
        ("<say-as interpret-as='date' format='mdy'>1/2/24</say-as>", "1/2/24"),
        ("<sub alias='kilogram'>kg</sub>", "kilogram"),
        ("H<sub>2</sub>O, m<sup>2</sup>", "H2O, m²"),
        ("<phoneme alphabet='ipa' ph='☃'>word</phoneme>", "word"),
        ("<p>One</p><p>two</p>", "One\n\ntwo"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<b>bold</b> <a href='https://example.org'>page</a>", "bold page"),
        ("<ul><li>a</li><li>b</li></ul>", "a\n\nb"),
        ("a<!-- not\nthis -->b", "a b"),
        ("a<script>var x = '<b>';</script>b", "a b"),
        ("<![CDATA[a < b]]>", "a < b"),
        ("<prosody rate=slow pitch>odd</prosody>", "odd"),
        ("<speak>cut <break time=", "cut"),
        ("<a\n href='x'\n>over lines</a>", "over lines"),
        ("&lt;b&gt; &amp; 5&deg;C &#x4f60;&#22909; &hellip; &unknown; &", "<b> & 5°C 你好 … &unknown; &"),
        ("x<y and z>w", "x<y and z>w"),
        ("I <3 you", "I <3 you"),
    ],
)
def test_tags_and_entities(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@pytest.mark.parametrize(
    ("written", "pause_s"),
    [
        ('<break time="500ms"/>', 0.5),
        ("<break time='1.5s'/>", 1.5),
        ("<break time=2s>", 2.0),
        ("<break time='20s'/>", 10.0),
        ("<break/>", 0.4),
        ("<break strength='x-strong'/>", 1.0),
        ("<break time='soon'/>", 0.4),
        ("<break time='300ms'/><break time='300ms'/>", 0.6),
        ("<s>", 0.25),
        ("<p>", 0.5),
        ("\n", 0.25),
        ("\n\n", 0.5),
        ("\r\n\r\n", 0.5),
        ("\u2029\u2029", 0.5),
        ("\n---\n", 0.5),
        ("\n" * 20000, 0.5),
    ],
)
def test_breaks_and_lines_are_pauses(written: str, pause_s: float) -> None:
    first, second = clauses(f"<speak>Hi{written}there</speak>")
    assert first == ("Hi", pytest.approx(pause_s))
    assert second[0] == "there"


def test_no_break_is_no_cut() -> None:
    assert [text for text, _ in clauses("a<break strength='none'/>b<break time='0s'/>c")] == ["a b c"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("✅ Washing done 🎉", "Washing done"),
        ("👩\u200d👩\u200d👧 👍🏽 🇩🇪 1️⃣ ☎️ ©", "1"),
        ("┌──┐\n│ x │\n└──┘", "x"),
        ("★★★☆☆ good → better", "good , better"),
        ("ze\u200bro\ufeff wi\u00addth \u202eleft\u202c", "zero width left"),
        ("a\x00b\x07c\u00a0d\u3000e", "a b c d e"),
        ("lone \ud800 surrogate \ue000 private \U000f0032 use", "lone surrogate private use"),
        ("２０２４年，ＡＢＣ ３．５％", "2024年，ABC 3.5%"),
        ("ﾊﾝｶｸ ｶﾞｷﾞ", "ハンカク ガギ"),
        ("25℃ 5㎡ 3㎞ ㎥ ㎧", "25°C 5m² 3km m³ m/s"),
        ("①打开 ②关上 第③步 ⓿ ⑳", "1, 打开 2, 关上 第 3 步 0, 20"),
        ("½ 3½ ¼", "1/2 3 1/2 1/4"),
        ("𝐇𝐞𝐥𝐥𝐨 ﬁne Ⅳ", "Hello fine IV"),
        ("cafe\u0301 a\u0301\u0301\u0301\u0301\u0301\u0301", "café á\u0301\u0301"),
        ("m² ³ ！？：；～（）。", "m² ³ ！？：；～（）。"),
        ("٣٤ ३", "34 3"),
    ],
)
def test_characters(text: str, plain: str) -> None:
    assert plain_text(text) == plain


_PIECES = (
    *(
        "word",
        "你好",
        "12",
        "3.5",
        "\n",
        "\n\n",
        " ",
        "**",
        "*",
        "_",
        "`",
        "```",
        "\n```\n",
        "~~",
        "==",
        "#",
        "# ",
    ),
    *(
        "- ",
        "> ",
        "|",
        " | ",
        "|--|",
        "[",
        "]",
        "](",
        "(",
        ")",
        "![",
        "http://a.b/c",
        "www.a",
        "a@b.c",
        "\\",
        "\\*",
    ),
    *(
        "<",
        ">",
        "<b>",
        "</b>",
        "<speak>",
        "<break time='1s'/>",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "&",
        "&lt;",
    ),
    *("&#x1f600;", "🎉", "\u200d", "\u0301", "\U000f0010", "é", "㎡", "½", "→", "～", "，", "。"),
)
_MARKED = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=5)), max_size=60).map("".join)


@given(text=_MARKED)
@example(text="<" * 100)
@example(text="[" * 100 + "](" * 100)
def test_anything_becomes_plain_text(text: str) -> None:
    plain = plain_text(text)
    assert "".join(plain_blocks(text)).strip() == plain
    assert len(plain) <= 8 * len(text) + 8
    for hidden in ("\u200d", "\ufeff", "🎉", "\x00", "\t", "\r", "\ue000"):
        assert hidden not in plain
    assert not any("\ud800" <= char <= "\udfff" for char in plain)
    for clause in split_clauses(plain):
        assert isinstance(clause, Clause)


@given(words=st.lists(st.sampled_from(("word", "你好", "12", "3.5", "Wi-Fi", "5 °C", "10:05")), min_size=1))
def test_plain_words_stay_as_they_are(words: list[str]) -> None:
    text = " ".join(words)
    assert plain_text(text) == text


@given(
    words=st.lists(st.sampled_from(("word", "你好", "twelve", "三")), min_size=1, max_size=12),
    marks=st.lists(
        st.sampled_from(("**{}**", "*{}*", "_{}_", "~~{}~~", "`{}`", "<b>{}</b>", "[{}](x)", "🎉 {}", "{}")),
        min_size=12,
        max_size=12,
    ),
)
def test_marked_words_lose_their_marks_alone(words: list[str], marks: list[str]) -> None:
    text = " ".join(mark.format(word) for word, mark in zip(words, marks, strict=False))
    assert plain_text(text) == " ".join(words)


_HOSTILE = [
    *(
        "a",
        " ",
        "\n",
        "*",
        "_",
        "`",
        "```",
        "```\n",
        "~~~\n",
        "<",
        ">",
        "<a",
        "<a ",
        "<a b=",
        "<!--",
        "<script",
        "&",
    ),
    *(
        "[",
        "]",
        "![",
        "[a]",
        "[a](",
        "[a](b",
        "(",
        "|",
        " | ",
        "# ",
        "> ",
        "- ",
        "\\",
        "a@",
        "a@b.",
        "http://",
        "www.",
    ),
    *(
        "<a>",
        "</p>",
        "<say-as>",
        "<sub x='",
        "&lt;",
        "&#",
        "\u0301",
        "\u0315\u0300",
        "½",
        "ｶﾞ",
        "🎉",
        "\U000f0010",
    ),
    *("==", "~~", "a.b", "a.B", "1. ", "\r", "\u2028", " \n", "<b\n", "```a\n", "\n```", "[a]: b\n", "---\n"),
]


@pytest.mark.parametrize("unit", _HOSTILE, ids=ascii)
def test_hostile_text_streams(unit: str) -> None:
    """A long text of anything comes in blocks of bounded length, and in a time that a test can wait for."""
    text = unit * (40_000 // len(unit))
    for block in plain_blocks(text):
        assert len(block) <= 40_000
        assert len(block.strip()) > 0
