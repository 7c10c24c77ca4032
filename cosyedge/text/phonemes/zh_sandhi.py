"""How Mandarin tones change beside their neighbours.

The rules follow Y. R. Chao, *A Grammar of Spoken Chinese*, 1968, §1.3, and Duanmu 2007, ch. 11: the
third tone rises before another third tone, first inside a word and then across words where one of them
is a single syllable; 一 and 不 take their tone from the syllable behind them; particles are neutral.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: One-character words that 得 follows when it means "must" (děi).
_BEFORE_MUST: Final = frozenset("我你您他她它谁就还也都总又可便才们")
_DIGITS: Final = frozenset("〇零一二三四五六七八九幺两")
_POWERS: Final = frozenset("十百千万亿")
#: Behind 一 these count an order, not a quantity: 一月, 一号, 一楼.
_ORDINAL_NOUNS: Final = ("月", "号", "日", "楼", "级", "等奖", "年级", "班", "中", "档")


@dataclass(slots=True)
class Word:
    """A word and one pinyin syllable, with its tone number, for each of its characters."""

    text: str
    syllables: list[str]


def change_tones(words: list[Word]) -> None:
    """Change the readings of a run of words, without punctuation between them, to what is said."""
    _read_particles(words)
    _change_yi_and_bu(words)
    _raise_third_tones(words)


def _read_particles(words: list[Word]) -> None:
    for i, word in enumerate(words):
        before = words[i - 1] if i else None
        after = words[i + 1] if i + 1 < len(words) else None
        if word.text == "地":
            if before and after and len(before.text) > 1:
                word.syllables[0] = "de5"
        elif word.text == "得":
            if not before or before.text[-1] in _BEFORE_MUST:
                word.syllables[0] = "dei3"
            else:
                word.syllables[0] = "de5"
        elif word.text == "儿" and before and after is None and len(before.text) == 1:
            word.syllables[0] = "er5"


def _change_yi_and_bu(words: list[Word]) -> None:
    text = "".join(word.text for word in words)
    places = [(word, i) for word in words for i in range(len(word.text))]
    tones = [word.syllables[i][-1] for word, i in places]
    for at, character in enumerate(text):
        if character not in "一不":
            continue
        word, i = places[at]
        before = text[at - 1] if at else ""
        following = tones[at + 1] if at + 1 < len(text) else ""
        between = bool(before) and at + 1 < len(text) and before == text[at + 1] and before not in _DIGITS
        if character == "不":
            if word.syllables[i] != "bu4":
                continue
            if between:
                word.syllables[i] = "bu5"
            elif following == "4":
                word.syllables[i] = "bu2"
        elif word.syllables[i] == "yi1":
            if between:
                word.syllables[i] = "yi5"
            elif following and not _is_plain_one(text, at, word, i):
                word.syllables[i] = "yi2" if following in "45" else "yi4"
    # 个 and other measure words that are neutral were fourth tones before: 一 rises before them as well.


def _is_plain_one(text: str, at: int, word: Word, i: int) -> bool:
    """Whether the 一 at ``at`` keeps its first tone: in numbers, orders, and at the end of a word."""
    before = text[at - 1] if at else ""
    after = text[at + 1]
    if i and i == len(word.text) - 1:
        return True
    if after in _DIGITS:
        return True
    if before in _DIGITS and after not in _POWERS:
        return True
    if before in {"第", "十", "初", "幺", "周", "期"}:
        return True
    if before in {"月", "年"} and after in {"日", "号", "月"}:
        return True
    return text.startswith(_ORDINAL_NOUNS, at + 1)


def _raise_third_tones(words: list[Word]) -> None:
    for word in words:
        for start, end in _feet(word):
            _raise_within(word.syllables, start, end)
        for i in range(1, len(word.syllables)):
            if _is_third(word.syllables[i - 1]) and _is_third(word.syllables[i]):
                word.syllables[i - 1] = word.syllables[i - 1][:-1] + "2"
    for left, right in zip(words, words[1:], strict=False):
        near = len(left.syllables) == 1 or len(right.syllables) == 1
        if near and _is_third(left.syllables[-1]) and _is_third(right.syllables[0]):
            left.syllables[-1] = left.syllables[-1][:-1] + "2"


def _feet(word: Word) -> list[tuple[int, int]]:
    """Where the parts of a word begin and end: two by two, an odd syllable at the end."""
    length = len(word.syllables)
    return [(start, min(start + 2, length)) for start in range(0, length, 2)]


def _raise_within(syllables: list[str], start: int, end: int) -> None:
    if end - start == 2 and _is_third(syllables[start]) and _is_third(syllables[start + 1]):
        syllables[start] = syllables[start][:-1] + "2"


def _is_third(syllable: str) -> bool:
    return syllable.endswith("3")
