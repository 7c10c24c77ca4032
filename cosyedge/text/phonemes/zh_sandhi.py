"""How Mandarin tones change beside their neighbours.

The rules follow Y. R. Chao, *A Grammar of Spoken Chinese*, 1968, §1.3, and Duanmu 2007, ch. 11: the
third tone rises before another third tone, first inside a word and then across words where one of them
is a single syllable; 一 and 不 take their tone from the syllable behind them; particles are neutral.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

#: One-character words that 得 follows when it means "must" (děi).
_BEFORE_MUST: Final = frozenset("我你您他她它谁就还也都总又可便才们")
#: Last characters of words that 为 follows when it means "for" (wèi): subjects, auxiliaries, nothing.
_BEFORE_FOR: Final = frozenset(["", *"专特以能会在请是要想只并也都来去而再先我你您他她它们须"])
#: Behind 地 these make one noun with it, which the lexicon may lack: 地库, 地灯, 地砖.
_ON_THE_GROUND: Final = frozenset("库灯砖")
_DIGITS: Final = frozenset("〇零一二三四五六七八九幺两")
#: Before 只 these make it the measure word of animals and vessels (zhī).
_COUNTERS: Final = _DIGITS | frozenset("十百千万亿几这那哪每半多")
#: What one gets, behind 得: a mark, a vote, a prize, an illness.
_GOTTEN: Final = re.compile(
    "了|过|第[一二三四五六七八九十]|[零一二三四五六七八九十百千两几满高低]+多?(?:分(?!钟|之)|票|枚|奖|等奖|金|银|铜)"
    "|奖|冠军|亚军|季军|金牌|银牌|铜牌|[^，。去来看治]{0,3}(?:病|癌|炎|感冒)"
)
#: What a 场 of chǎng is of, near behind it, and one of cháng.
_SHOW: Final = re.compile(
    "^[^，。]{0,6}?(?:赛|电影|戏|演出|演讲|表演|考试|会议|音乐会|演唱会|晚会|发布会|聚会|舞会|婚礼|球|直播|讲座|展览|辩论)"
)
_BEFALLS: Final = re.compile(
    "^[^，。]{0,4}?(?:雨|雪|风|雾|霜|冰雹|病|疫|火|灾|难|祸|梦|战|仗|哭|笑|闹|架|官司|误会|虚惊|空|革命|运动)"
)
_POWERS: Final = frozenset("十百千万亿")
#: Behind 一 these count an order, not a quantity: 一月, 一号, 一楼.
_ORDINAL_NOUNS: Final = ("月", "号", "日", "楼", "级", "等奖", "年级", "班", "中", "档")
#: Before 一 these make it an order (第一, 周一) or the end of a word (统一).
_BEFORE_FIRST: Final = frozenset("第初幺周期统唯逐单专")
#: First characters of words like 并不是, in which 不 negates what is behind it and is not neutral.
_ADVERBS_OF_NOT: Final = frozenset("绝决并从毫也都就还更若要如再永岂可好")


@dataclass(slots=True)
class Word:
    """A word and one pinyin syllable, with its tone number, for each of its characters."""

    text: str
    syllables: list[str]


def change_tones(words: list[Word]) -> None:
    """Change the readings of a run of words, without punctuation between them, to what is said."""
    _read_particles(words)
    _read_occasions(words)
    _change_yi_and_bu(words)
    for word in words:
        _raise_third_tones_of_word(word)
    for foot in _feet(words):
        for left, right in pairwise(foot):
            _raise_before(left, right)
    for left, right in pairwise(words):
        if len(right.syllables) == 1:
            _raise_before(left, right)


def _raise_before(left: Word, right: Word) -> None:
    if left.syllables[-1].endswith("3") and right.syllables[0].endswith("3"):
        left.syllables[-1] = left.syllables[-1][:-1] + "2"


def _read_particles(words: list[Word]) -> None:
    for i, word in enumerate(words):
        if len(word.text) > 1:
            continue
        before = words[i - 1].text if i else ""
        followed = i + 1 < len(words)
        if word.text == "地" and len(before) > 1 and followed and words[i + 1].text[0] not in _ON_THE_GROUND:
            word.syllables[0] = "de5"
        elif word.text == "得":
            word.syllables[0] = _reading_of_de(before, "".join(w.text for w in words[i + 1 : i + 7]))
        elif word.text == "为" and followed and before[-1:] in _BEFORE_FOR:
            word.syllables[0] = "wei4"
        elif word.text in "着著" and len(before) == 1:
            word.syllables[0] = "zhe5"
        elif word.text == "儿" and len(before) == 1:
            word.syllables[0] = "er5"
        elif word.text == "只" and before and before[-1] in _COUNTERS:
            word.syllables[0] = "zhi1"


def _reading_of_de(before: str, after: str) -> str:
    """得: a particle behind a verb, "to get" before what one gets, "must" behind who must."""
    if before and before[-1] not in _BEFORE_MUST and not (len(before) > 1 and _GOTTEN.match(after)):
        return "de5"
    return "de2" if _GOTTEN.match(after) else "dei3"


def _read_occasions(words: list[Word]) -> None:
    """一场: a match, a show and a meeting are chǎng, the weather and whatever befalls one cháng."""
    for i, word in enumerate(words):
        if word.text[-1] != "场" or (word.text[:-1] and word.text[-2] not in _COUNTERS):
            continue
        before = word.text[-2] if len(word.text) > 1 else words[i - 1].text[-1] if i else ""
        if before not in _COUNTERS:
            continue
        after = "".join(w.text for w in words[i + 1 : i + 7])
        if _SHOW.search(after):
            word.syllables[-1] = "chang3"
        elif _BEFALLS.search(after):
            word.syllables[-1] = "chang2"


def _change_yi_and_bu(words: list[Word]) -> None:
    text = "".join(word.text for word in words)
    tones = [syllable[-1] for word in words for syllable in word.syllables]
    at = -1
    for word in words:
        for i, syllable in enumerate(word.syllables):
            at += 1
            if at + 1 == len(text) or syllable not in ("yi1", "bu4"):
                continue
            after = text[at + 1]
            doubled = at > 0 and text[at - 1] == after and after not in _DIGITS
            if word.text[i] == "不":
                if doubled or (i == 1 and len(word.text) == 3 and word.text[0] not in _ADVERBS_OF_NOT):
                    word.syllables[i] = "bu5"
                elif tones[at + 1] == "4":
                    word.syllables[i] = "bu2"
            elif word.text[i] == "一":
                if doubled:
                    word.syllables[i] = "yi5"
                elif not _is_plain_one(text, at, ends_word=0 < i == len(word.text) - 1):
                    # A neutral syllable behind 一 is 个 or the like, whose full tone falls.
                    word.syllables[i] = "yi2" if tones[at + 1] in "45" else "yi4"


def _is_plain_one(text: str, at: int, *, ends_word: bool) -> bool:
    """Whether the 一 at ``at`` keeps its first tone: in numbers, in orders, and at the end of a word."""
    before = text[at - 1] if at else ""
    after = text[at + 1]
    return (
        ends_word
        or after in _DIGITS
        or (before in _DIGITS and after not in _POWERS)
        or (before in _POWERS and (after == "十" or before == "十"))
        or before in _BEFORE_FIRST
        or (before in "月年" and after in "日号月")
        or after in "和或与比加减乘"
        or (after in "点到至" and at + 2 < len(text) and text[at + 2] in _DIGITS)
        or text.startswith(_ORDINAL_NOUNS, at + 1)
    )


def _raise_third_tones_of_word(word: Word) -> None:
    """Two by two from the left, then between the pairs: 总统府, 理想·主义."""
    for first in (0, 1):
        for i in range(first, len(word.syllables) - 1, 2):
            if word.syllables[i].endswith("3") and word.syllables[i + 1].endswith("3"):
                word.syllables[i] = word.syllables[i][:-1] + "2"


def _feet(words: list[Word]) -> Iterator[list[Word]]:
    """Words that are said in one breath: a single syllable leans on the next word, or else on the last.

    A neutral single syllable leans on the word before it.
    """
    foot: list[Word] = []
    for i, word in enumerate(words):
        single = len(word.syllables) == 1
        if foot and single and (word.syllables[0].endswith("5") or i + 1 == len(words)):
            foot.append(word)
            continue
        if len(foot) == 1 and len(foot[0].syllables) == 1:
            foot.append(word)
            continue
        if foot:
            yield foot
        foot = [word]
    if foot:
        yield foot
