"""Korean words whose sound depends on how they are built: respelled so that the rules read them right.

물가 is a compound whose second part is tense, so it becomes 물까; 꽃잎 takes in an ㄴ and becomes 꽃닢.
The words are in the lexicon; the stems of verbs in ㄴ and ㅁ, a closed list, are here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

#: Syllables of the longest word in the lexicon; bounds the work for each syllable.
LONGEST_WORD: Final = 6
#: The first byte of a value: the word stands at the start of a written word only, or anywhere.
AT_START: Final = b"^"
ANYWHERE: Final = b"*"

#: Article 24: endings are tense behind stems in ㄴ and ㅁ (남고, 신다). Nouns of that spelling (참고, 신고,
#: 감지) and causatives (남기다) are not among them.
_STEM_AND_ENDING: Final = re.compile(
    "((?:남|넘|담|심|숨|삼|뿜|다듬|더듬|쓰다듬|머금|서슴|껴안|끌어안|떠안)"
    "(?=다(?![른르수])|고(?![등초])|게(?!임)|던|거나|도록|더[라니군]|자마자)"
    "|(?:남|넘|담|다듬|더듬|쓰다듬|머금|서슴|껴안|끌어안)(?=지(?![가어]))"
    "|(?:남|넘|담|숨|심)(?=기$)"
    "|(?:참|감|검|신)(?=[다게던]|거나|도록|더[라니]|지 ?[않말못]))(.)"
)
#: Behind these numbers a counter is tense: native ones in ㄹ before any, Sino-Korean ones in ㄹ before
#: ㄷ, ㅅ and ㅈ (article 26).
_NATIVE_IN_L: Final = re.compile("(?:[가-힣]{2,3})?(?:열|여덟)")
_NATIVE_COUNTER: Final = re.compile(
    "시|개|번|살|장|대|집|가지|그루|그릇|병|달|권|군데|자루|자리|줄|분|사람|송이|벌|잔|조각|배|방울|바퀴|상자|봉지|"
    "곡|곳|단|마디"
)
_SINO_IN_L: Final = re.compile("[영공일이삼사오육칠팔구십백천만억조]*[일칠팔]")
_SINO_COUNTER: Final = re.compile("[도단세주점장동등조절석시승대]|자리|제곱")
#: Futures before a noun, which is tense behind them (article 27): 할 경우, 열릴 시간; not nouns in -할.
_FUTURE: Final = re.compile(".*(?:(?<![역분])할|될|[있없않었았했겠렸졌]을)")
#: The point of a decimal is tense: 삼점오.
_DECIMAL: Final = re.compile("(?<=[영일이삼사오육칠팔구십백천만억조])점(?=[영일이삼사오육칠팔구])")
#: Words that end in 의 as nouns do: the 의 of any other word that ends in it is the particle.
_NOUNS_IN_UI: Final = re.compile(
    ".*(?:주의|회의|동의|문의|합의|논의|정의|강의|결의|협의|심의|토의|항의|편의|유의)"
    "|[건호거의예상하본고진성열적경명창이발제질악선임수광함모내탈착대신불도사조번한양숙평]의|무성의|이의제의"
)
_TENSE: Final = dict(zip("다고게더던도자거지기", "따꼬께떠떤또짜꺼찌끼", strict=True))


def respell(word: str, get: Callable[[str], bytes | None]) -> str:
    """``word``, all hangul, with what the lexicon and the verb stems know of it spelled out."""
    verb = _STEM_AND_ENDING.match(word)
    if verb and verb.group(2) in _TENSE:
        word = verb.group(1) + _TENSE[verb.group(2)] + word[verb.end() :]
    word = _DECIMAL.sub("쩜", word)
    start = 0
    pieces: list[str] = []
    while start < len(word):
        for end in range(min(start + LONGEST_WORD, len(word)), start + 1, -1):
            value = get(word[start:end])
            if value is not None and (start == 0 or not value.startswith(AT_START)):
                pieces.append(value[1:].decode())
                start = end
                break
        else:
            pieces.append(word[start])
            start += 1
    return "".join(pieces)


def makes_tense(word: str, following: str) -> bool:
    """Whether the onset of ``following`` is tense behind ``word``: 열 시, 이십일 도, 할 경우."""
    return _counts_tense(word, following) or _FUTURE.fullmatch(word) is not None


def _counts_tense(number: str, counter: str) -> bool:
    if _NATIVE_IN_L.fullmatch(number):
        return _NATIVE_COUNTER.match(counter) is not None
    return _SINO_IN_L.fullmatch(number) is not None and _SINO_COUNTER.match(counter) is not None


def is_noun_in_ui(word: str) -> bool:
    """Whether ``word``, which ends in 의, is a noun of that end, not one with the particle 의."""
    return _NOUNS_IN_UI.fullmatch(word) is not None
