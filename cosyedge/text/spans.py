"""Which language each stretch of a text is read in.

A message has a base language: it decides Han characters, digits, units and symbols. A script that
belongs to another language is still read in that one, so an English word in a Mandarin message is
English. With ``auto`` the base is found phrase by phrase: kana near Han characters make Japanese,
Cantonese markers or traditional-only characters Cantonese, other Han characters Mandarin; where
scripts mix, the one with more words wins, and a tie goes to the voice's own language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from cosyedge.text.clauses import split_phrases, split_sentences
from cosyedge.text.readings import RUN, Alphabet, reading_of
from cosyedge.text.scripts import HAN, HANGUL, KANA, LATIN
from cosyedge.text.traditional import SIMPLIFIED_ONLY, TRADITIONAL_ONLY
from cosyedge.text.typed import TYPED

Lang = Literal["zh", "yue", "en", "ja", "ko"]

#: Characters and words that Cantonese writes and Mandarin does not.
_CANTONESE: Final = re.compile(
    "[嘅咗唔喺嗰啲冇佢哋嚟噉咁嘢嘞啩攞揾搵瞓諗谂乜嘥孭睇畀攰唞啱嗌㗎啫喎]"
    "|(?<![關关関聯联干體体])[係]|(?<!哈)喇(?![叭嘛])|屋企|而家|依家|點解|点解|邊度|边度|邊個|边个|聽日|听日|琴日|尋日|寻日|幾多"
)
_TRADITIONAL: Final = re.compile(f"[{TRADITIONAL_ONLY}]")
_SIMPLIFIED: Final = re.compile(f"[{SIMPLIFIED_ONLY}]")

_TOKEN: Final = re.compile(
    f"(?P<han>[{HAN}]+)"
    f"|(?P<kana>[{KANA}]+)"
    f"|(?P<hangul>[{HANGUL}]+)"
    r"|(?P<sum>(?:HK|US|NT|[ASC])[$＄](?= ?[0-9０-９])|(?:CN|JP)[¥￥](?= ?[0-9０-９]))"
    # Letters go on over an apostrophe, a hyphen or & (it's, Wi-Fi, Q&A), and over the stops of U.S.
    f"|(?P<latin>(?:[A-Za-z]\\.){{2,8}}|[{LATIN}]+(?:['’&‑-][{LATIN}]+)*)"
    r"|(?P<number>[0-9０-９]+|\^\(?[-+]?(?=[0-9])|(?<![^\s(（])[-−－–](?=[0-9０-９])|[$€£¥￥₩₹＄￡%％‰°℃℉+＋−±×÷=＝<>＜＞≤≥≠≈√∞#＃№µμΩ²³])"
    f"|(?P<reading>{RUN.pattern})"
    r"|(?P<foreign>[^\W\d_]+)"  # a script that none of the languages reads
    r"|(?P<between>.)",
    re.DOTALL,
)
#: Spelled letter by letter wherever they stand, so they say nothing about the language around them.
_ACRONYM: Final = re.compile(r"[A-Z](?:&?[A-Z]){0,4}|[a-z]|(?:[A-Za-z]\.){2,8}")
#: Latin letters behind a number may be a unit; whether they are is known to the normaliser of the
#: language around, which leaves alone what is none.
_MAYBE_UNIT: Final = re.compile(r"[A-Za-z]{1,5}")
#: With what of the code stands before; so many tokens at most.
_NAME_OF_CODE: Final = re.compile(rf"{TYPED}[A-Za-z0-9@#$%&*_.!-]*\Z")
_LONGEST_NAME: Final = 8
#: Units that are written alike in every language, so they say nothing about the one around them.
_UNITS: Final = re.compile(
    r"[kcmμµ]?m|[kmμµ]?g|t|m?l|[km]?wh?|[km]?v|m?ah?|[kmg]?hz|[hk]?pa|m?bar|dba?|[kmgt]?b|[kmg]?bps|pp[mb]"
    r"|l[xm]|h|m?s|min|rpm|ph|[cfk]|k?j|k?cal|n|[ap]m|[ap]\.m\.",
    re.IGNORECASE,
)
_OPENING: Final = frozenset("“‘«‹(（[［{｛【「『《〈〔¿¡")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text that is read by the rules of one language."""

    lang: Lang
    text: str


class _Phrase:
    """The words of a phrase, and what they tell about its language."""

    def __init__(self, text: str) -> None:
        self.tokens = [
            ("number" if match.lastgroup == "sum" else str(match.lastgroup), match.group())
            for match in _TOKEN.finditer(text)
        ]
        letters = dict.fromkeys(("han", "kana", "hangul", "latin"), 0)
        #: Whether something in it brings its reading along.
        self.readings = any(kind == "reading" for kind, _ in self.tokens)
        for i, (kind, token) in enumerate(self.tokens):
            if kind == "latin":
                letters[kind] += not (_ACRONYM.fullmatch(token) or _is_unit(self.tokens, i))
            elif kind in letters:
                letters[kind] += len(token)
        self.han, self.kana, self.hangul, self.words = letters.values()
        self.cantonese = bool(self.han) and bool(_CANTONESE.search(text))
        self.traditional = bool(self.han) and bool(_TRADITIONAL.search(text))
        self.simplified = bool(self.han) and bool(_SIMPLIFIED.search(text))


def has_words(text: str) -> bool:
    """Whether a word of ``text`` tells its language; numbers, units and acronyms don't."""
    phrase = _Phrase(text)
    return bool(phrase.han or phrase.kana or phrase.hangul or phrase.words or phrase.readings)


def find_spans(
    text: str,
    base: Lang | Literal["auto"],
    *,
    voice_lang: Lang,
    default_lang: Lang,
    traditional: Literal["yue", "zh"],
) -> list[Span]:
    """The spans of ``text`` in order; every character is in one, but for white space at their ends.

    Spans never reach over the end of a sentence. A phrase that has no word of any language (a number,
    an acronym) goes with the one before it, else with the one behind it, else with the voice.
    """
    sentences = [[_Phrase(phrase) for phrase in split_phrases(part)] for part in split_sentences(text)]
    bases: list[list[Lang | None]] = []
    hans: list[list[Lang]] = []
    for phrases in sentences:
        hans.append([_han_lang(phrase, phrases, base, traditional) for phrase in phrases])
        bases.append(
            [
                _base_of(phrase, phrases, han, base, voice_lang, default_lang)
                for phrase, han in zip(phrases, hans[-1], strict=True)
            ]
        )
    known = _filled([found for row in bases for found in row], voice_lang)
    spans: list[Span] = []
    for phrases, row in zip(sentences, hans, strict=True):
        spans += _merged(
            token
            for phrase, han in zip(phrases, row, strict=True)
            for token in _assigned(phrase, next(known), han)
        )
    return spans


def _han_lang(
    phrase: _Phrase,
    sentence: list[_Phrase],
    base: Lang | Literal["auto"],
    traditional: Literal["yue", "zh"],
) -> Lang:
    """The language of the Han characters of a phrase."""
    if base in ("zh", "yue", "ja"):
        return base
    if phrase.cantonese:
        return "yue"
    if phrase.simplified:
        return "zh"
    if phrase.kana or any(other.kana and not other.simplified for other in sentence):
        return "ja"
    if any(other.cantonese for other in sentence):
        return "yue"
    if phrase.traditional or any(other.traditional for other in sentence):
        return traditional
    return "zh"


def _base_of(
    phrase: _Phrase,
    sentence: list[_Phrase],
    han: Lang,
    base: Lang | Literal["auto"],
    voice_lang: Lang,
    default_lang: Lang,
) -> Lang | None:
    """The language of the numbers and symbols of a phrase, or None where it has no word."""
    weights: dict[Lang, int] = dict.fromkeys((han, "ja", "ko", "en"), 0)
    weights["ja"] += phrase.kana
    weights["ko"] += phrase.hangul
    weights["en"] += phrase.words
    weights[han] += phrase.han

    def rank(lang: Lang) -> tuple[int, bool, bool]:
        return weights[lang], lang == voice_lang, lang == default_lang

    heaviest = max(weights, key=rank)
    found = heaviest if weights[heaviest] else None
    if base == "auto":
        return found
    if found is None or weights.get(base):
        return base
    # A whole sentence in another language keeps its own numbers; a single foreign word does not.
    return base if found == "en" and sum(other.words for other in sentence) < 2 else found


def _filled(bases: list[Lang | None], voice_lang: Lang) -> Iterator[Lang]:
    last = next((base for base in bases if base), voice_lang)
    for base in bases:
        last = base or last
        yield last


def _assigned(phrase: _Phrase, base: Lang, han: Lang) -> Iterator[tuple[Lang | None, str]]:
    """Each token of a phrase with its language, None for punctuation and white space."""
    tokens = phrase.tokens
    for i, (kind, token) in enumerate(tokens):
        if kind in ("number", "foreign"):
            behind = tokens[i + 1][0] if i + 1 < len(tokens) and token.isdigit() else ""
            yield _SCRIPT_LANG.get(behind, han if behind == "han" else base), token
        elif kind == "latin":
            yield base if base != "en" and _follows_base(tokens, i, base) else "en", token
        elif kind == "between":
            yield None, token
        elif kind == "reading":
            yield _ALPHABET_LANG.get(reading_of(token).alphabet, base), token
        else:
            yield _SCRIPT_LANG.get(kind, han), token


_ALPHABET_LANG: Final[dict[Alphabet, Lang]] = {"pinyin": "zh", "jyutping": "yue", "kana": "ja"}
_SCRIPT_LANG: Final[dict[str, Lang]] = {"kana": "ja", "hangul": "ko"}


def _follows_base(tokens: list[tuple[str, str]], i: int, base: Lang) -> bool:
    """Whether Latin letters are read in the manner of the language around them: units, acronyms."""
    token = tokens[i][1]
    if _ACRONYM.fullmatch(token):
        # Letters with a number on them (PM10, P2P, A4) are one word with it.
        behind = i + 1 + (base in ("zh", "yue") and tokens[i + 1 : i + 2] == [("between", "·")])  # 京A·12345
        numbered = behind < len(tokens) and tokens[behind][0] == "number" and tokens[behind][1][0].isdigit()
        if numbered or base in ("ja", "ko"):
            return True
    if base in ("zh", "yue") and _is_typed(tokens, i):
        return True
    return bool(_MAYBE_UNIT.fullmatch(token)) and _is_behind_number(tokens, i)


def _is_typed(tokens: list[tuple[str, str]], i: int) -> bool:
    """Whether figures stand right behind the letters, and before them the name of a code: 密码是abc123."""
    if i + 1 >= len(tokens) or not tokens[i + 1][1][0].isdigit():
        return False
    return bool(_NAME_OF_CODE.search("".join(token for _, token in tokens[max(0, i - _LONGEST_NAME) : i])))


def _is_unit(tokens: list[tuple[str, str]], i: int) -> bool:
    return bool(_UNITS.fullmatch(tokens[i][1])) and _is_behind_number(tokens, i)


def _is_behind_number(tokens: list[tuple[str, str]], i: int) -> bool:
    """Whether a number stands before the token, as in 60 km and, over the stroke, 60 km/h."""
    back = i - 1
    if back > 0 and tokens[back][1] in ("/", "·") and tokens[back - 1][0] == "latin":
        back -= 2
    if back > 0 and tokens[back][1] == " ":
        back -= 1
    return back >= 0 and tokens[back][0] == "number" and tokens[back][1] not in "<>=＜＞＝≤≥≠#＃№"


def _merged(tokens: Iterator[tuple[Lang | None, str]]) -> Iterator[Span]:
    """Neighbouring tokens of one language as one span; marks go with the word that they touch."""
    lang: Lang | None = None
    text = held = ""
    for found, token in tokens:
        if found is None:
            opens = token in _OPENING or (token in "\"'" and (not text or text[-1].isspace()))
            if held or lang is None or opens:
                held += token
            else:
                text += token
        elif found == lang or lang is None:
            lang = found
            text, held = text + held + token, ""
        else:
            yield Span(lang, text.strip())
            lang, text, held = found, held + token, ""
    text = (text + held).strip()
    if text and lang:
        yield Span(lang, text)
