"""Text to clauses: pieces that are spoken in one breath of the models, with the pause behind each.

A clause is a sentence, or a line; only a sentence of more than :data:`LONGEST_S` is cut again, at a
comma or its like, else between words, never inside a number, between a number and its unit, or inside
a grapheme cluster. The work is linear in the length and the memory is one clause, so a text of any
length streams.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from cosyedge.text.readings import READING
from cosyedge.text.scripts import CJK, HAN, HANGUL, KANA

#: A clause is cut so that its estimated speech stays below this.
LONGEST_S: Final = 11.0
#: Only up to so many characters is it worth a look whether they are below it.
_MAYBE_SHORT: Final = 200
SENTENCE_PAUSE_S: Final = 0.25
CLAUSE_PAUSE_S: Final = 0.1
LONGEST_BREAK_S: Final = 10.0

#: A break that markup asked for is one private-use character: this plus its length in 10 ms.
_BREAK: Final = 0xF0000
_BREAKS: Final = f"{chr(_BREAK)}-{chr(_BREAK + round(LONGEST_BREAK_S * 100))}"
_CLOSERS: Final = "\"'”’»›）)］\\]｝}】」』》〉〕"

_MARK: Final = re.compile(
    rf"(?P<gap>[\n{_BREAKS}][\s{_BREAKS}]{{0,999}})"
    rf"|(?P<end>[.。．｡!！?？]+)[{_CLOSERS}]*"
    rf"|(?P<drawl>[~～〜]+)[{_CLOSERS}]*"
    rf"|(?P<comma>[,，、﹑､;；:：…⋯—–―]+)[{_CLOSERS}]*"
    r"|(?P<dash>(?<=\s)-+(?=\s\D))"
)
_CLAUSE, _SENTENCE, _GAP = range(3)

#: Never the last word of a sentence.
_BEFORE_A_NAME: Final = re.compile(
    r"dr|mrs?|ms|mx|prof|st|mt|ft|vs|cf|e\.g|i\.e|fig|gen|col|capt|cmdr|lt|sgt|rev|hon|sen|rep|gov|pres|approx"
    r"|ca|viz|al|nos|vol|pp"
)
#: May end a sentence: only before a capital letter does it.
_MAYBE_LAST: Final = re.compile(
    r"(?:[a-z]\.)+[a-z]|[ap]m|etc|inc|ltd|co|corp|jr|sr|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|min|max|temp|dept|est|hrs?|sec|ave|blvd|rd|no|ext|tel|avg|incl|esp"
)
#: The same behind a figure.
_UNIT: Final = re.compile(r"[0-9] ?(?:in|oz|lbs?|yd|tsp|tbsp|gal)$", re.IGNORECASE)
_LAST_WORD: Final = re.compile(r"[A-Za-z](?:[A-Za-z.]{0,11})$")
#: What is told apart by letters.
_LETTERED: Final = re.compile(
    r"\b(?:plan|gate|vitamin|building|room|section|zone|terminal|platform|line|type|class|grade|option|group"
    r"|block|wing|hall|level|part|point|unit|door|exit|track|bay|lane|channel|model|phase|area|row|side|ward"
    r"|step) [a-z]$",
    re.IGNORECASE,
)
_LIST_NUMBER: Final = re.compile(r"(?:^|\n)[^\S\n]{0,8}\d{1,3}$")
#: A wave dash behind these is a drawl that ends the sentence, elsewhere it may be a range.
_DRAWN: Final = re.compile(
    f"[呀啊吧呢哦啦嘛哟喔哈嗯哇耶咯喽嘞噢诶唉嗨喂好的了呐吗嗎喎囉㗎啫嘅{KANA}{HANGUL}A-Za-z]"
)
_IS_CJK: Final = re.compile(f"[{CJK}]")

#: What is never cut: a number with its signs, parts and unit; a Latin word; else one character.
_ATOM: Final = re.compile(
    rf"(?:[{READING}]+|"
    r"(?:[-+−±$€£¥￥#第~～]{0,2}\d(?:[.,:：/\-–—~～×· ]?\d){0,30}"
    rf"(?:[^\S\n]?(?:[%‰°℃℉µμΩ]{{0,2}}[A-Za-z]{{1,10}}(?:[/·][A-Za-z]{{1,4}})?[²³]?|[%‰°℃℉]|[ァ-ヺー]{{1,10}}|[{HAN}{HANGUL}]{{1,2}}))?"
    r"|[^\W\d_\u2e80-\uffff\U00010000-\U0010ffff](?:[\w'’.-]{0,62}[^\W\u2e80-\uffff\U00010000-\U0010ffff])?"
    r"|.))\s*",
    re.DOTALL,
)
#: A cluster of more characters is no letter.
_LONGEST_CLUSTER: Final = 40
_BREAK_MARKS: Final = re.compile(f"[{_BREAKS}]")
_COMMAS: Final = frozenset(",，、﹑､;；:：…⋯—–―.。!！?？" + _CLOSERS)
#: A leading or vowel jamo before a vowel or trailing one.
_JAMO: Final = re.compile("[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7ff][\u1160-\u11ff\ud7b0-\ud7ff]")
#: Good places to breathe in Chinese: behind a particle, before a conjunction.
_BREATH_BEHIND: Final = frozenset("的了着过吧吗呢啊呀嘛啦地得")
_BREATH_BEFORE: Final = frozenset("但而和与或并且因所如然就在把被对从向")


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of text on one line, and the silence behind it in seconds."""

    text: str
    pause_s: float


def break_mark(seconds: float) -> str:
    """The private-use character that asks for a silence of ``seconds``, at most ten."""
    return chr(_BREAK + round(min(max(seconds, 0.0), LONGEST_BREAK_S) * 100))


def split_sentences(text: str) -> Iterator[str]:
    """Sentences and lines of ``text`` with their marks; joined, they are the text."""
    return _parts(text, _SENTENCE)


def split_phrases(sentence: str) -> Iterator[str]:
    """The parts of a sentence between commas and their like; joined, they are the sentence."""
    return _parts(sentence, _CLAUSE)


def _parts(text: str, least: int) -> Iterator[str]:
    start = 0
    for end, strength, _ in _marks(text):
        if strength >= least and end > start:
            yield text[start:end]
            start = end
    if start < len(text):
        yield text[start:]


def split_clauses(text: str, sentence_pause_s: float = SENTENCE_PAUSE_S) -> Iterator[Clause]:
    """Clauses of ``text``, one at a time; nothing but white space is lost between them.

    ``sentence_pause_s`` is between two sentences or lines; between paragraphs it is twice as long.
    """
    held: Clause | None = None  # until it is known how long a gap follows it
    start = 0
    for end, strength, pause_s in chain(
        _marks(text, sentence_pause_s), ((len(text), _SENTENCE, sentence_pause_s),)
    ):
        if strength == _CLAUSE:
            continue
        if strength == _GAP:
            held = held and Clause(held.text, pause_s)
        else:
            for clause in _fitted(text, start, end, pause_s):
                if held:
                    yield held
                held = clause
        start = end
    if held:
        yield held


def seconds_of(text: str) -> float:
    """About how long ``text`` takes to say, in seconds; made for cutting and weighing, not for timing."""
    return sum(map(_seconds, text))


def _marks(text: str, sentence_pause_s: float = SENTENCE_PAUSE_S) -> Iterator[tuple[int, int, float]]:
    """Every mark that parts something: where it ends, how strongly it parts, and its pause."""
    for match in _MARK.finditer(text):
        kind = match.lastgroup
        if kind == "gap":
            yield match.start(), _SENTENCE, sentence_pause_s
            yield match.end(), _GAP, _gap_s(match.group(), sentence_pause_s)
        elif kind == "end":
            if _ends_sentence(text, match.group("end"), match.start(), match.end()):
                yield match.end(), _SENTENCE, sentence_pause_s
        elif kind == "drawl":
            if _is_drawl(text, match.start(), match.end()):
                yield match.end(), _SENTENCE, sentence_pause_s
        elif not _inside_number(text, match.start(), match.end()):
            yield match.end(), _CLAUSE, CLAUSE_PAUSE_S


def _gap_s(gap: str, sentence_pause_s: float) -> float:
    """The silence of line ends and breaks: breaks add up and win over the lines around them."""
    breaks = "".join(gap.split())
    if breaks:
        return min(sum(ord(char) - _BREAK for char in breaks) / 100, LONGEST_BREAK_S)
    return 2 * sentence_pause_s if gap.count("\n") > 1 else sentence_pause_s


def _ends_sentence(text: str, mark: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if any(char in "。｡？！" for char in mark):
        return True
    if any(char in "!?" for char in mark):
        return after != "="
    if not after or _IS_CJK.match(before):
        return True
    if before.isspace():  # as in " .5"; a stray full stop parts nothing
        return False
    if len(mark) > 1:
        return not after.isdigit()
    if not after.isspace() and not _IS_CJK.match(after):
        return False
    if before.isdigit():
        return not _LIST_NUMBER.search(text, max(0, start - 12), start)
    return not _is_abbreviation(text, start, end)


def _is_abbreviation(text: str, start: int, end: int) -> bool:
    """Whether the full stop at ``start`` belongs to the word before it and ends nothing."""
    found = _LAST_WORD.search(text, max(0, start - 12), start)
    if not found:
        return False
    word = found.group().lower()
    goes_on = not text[end : end + 8].lstrip()[:1].isupper()
    if len(word) == 1 and found.group() != "I":  # p. 5, or an initial, unless it is plan B or gate C
        capital = found.group().isupper()
        return goes_on != capital and not (capital and _LETTERED.search(text, max(0, start - 16), start))
    if _BEFORE_A_NAME.fullmatch(word):
        return True
    maybe_last = _MAYBE_LAST.fullmatch(word) or _UNIT.search(text, max(0, start - 12), start)
    return bool(maybe_last) and goes_on


def _is_drawl(text: str, start: int, end: int) -> bool:
    after = text[end : end + 1]
    if _inside_number(text, start, end) or not _DRAWN.match(text, start - 1 if start else 0):
        return False
    return not after.isdigit()


def _inside_number(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isdigit() and text[end : end + 1].isdigit()


def _fitted(text: str, start: int, end: int, pause_s: float) -> Iterator[Clause]:
    """The sentence from ``start`` to ``end`` in one or more clauses of bounded length."""
    if end - start <= _MAYBE_SHORT and seconds_of(text[start:end]) <= LONGEST_S:
        yield from _clause(text, start, end, pause_s)
        return
    places: list[_Place] = []
    begun_s = at_s = 0.0
    joined = 0
    for atom in _ATOM.finditer(text, start, end):
        at = atom.start()
        joined = joined + 1 if at > start and joined < _LONGEST_CLUSTER and _joins(text, at) else 0
        if at > start and not joined:
            places.append(_Place(at, at_s, _merit_of_cut(text, at)))
        at_s += seconds_of(atom.group())
        if at_s - begun_s > LONGEST_S and places:
            early_s = begun_s + LONGEST_S / 3
            place = max(places, key=lambda place: (place.at_s > early_s, place.merit, place.at))
            yield from _clause(text, start, place.at, CLAUSE_PAUSE_S if place.merit == _COMMA else 0.0)
            start, begun_s = place.at, place.at_s
            places = [later for later in places if later.at > start]
    yield from _clause(text, start, end, pause_s)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a sentence may be cut: the index, the seconds before it, and how good a cut it is."""

    at: int
    at_s: float
    merit: int


_ANYWHERE, _WORD, _COMMA = range(3)


def _merit_of_cut(text: str, at: int) -> int:
    before, after = text[at - 1], text[at]
    if before in _COMMAS or (before.isspace() and text[at - 2] in _COMMAS):
        return _COMMA
    if before.isspace() or before in _BREATH_BEHIND or after in _BREATH_BEFORE:
        return _WORD
    return _ANYWHERE


def _joins(text: str, at: int) -> bool:
    """Whether the characters around ``at`` belong to one grapheme cluster."""
    after = text[at]
    if after < "\u0300":
        return False
    before = text[at - 1]
    return (
        unicodedata.category(after) in ("Mn", "Mc", "Me", "Sk")
        or after in "\u200d\u200c"
        or before == "\u200d"
        or bool(_JAMO.match(text, at - 1))
        or ("\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff")
    )


def _clause(text: str, start: int, end: int, pause_s: float) -> Iterator[Clause]:
    line = " ".join(_BREAK_MARKS.sub(" ", text[start:end]).split())
    if line:
        yield Clause(line, pause_s)


def _seconds(char: str) -> float:
    if char <= "\u024f":
        if char.islower():
            return 0.07
        if char.isupper():
            return 0.2
        return (
            0.45 if char.isdigit() else 0.4 if char in "%$€£¥°+=<>#@&*/" else 0.0 if char.isspace() else 0.05
        )
    if _IS_CJK.match(char):
        return 0.13 if "\u3040" <= char <= "\u30ff" else 0.21
    return 0.4 if char.isnumeric() else 0.1 if char.isalpha() else 0.05
