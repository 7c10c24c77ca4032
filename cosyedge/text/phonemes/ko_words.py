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
    "((?:남|넘|담|심|숨|뿜|다듬|더듬|쓰다듬|머금|서슴|껴안|끌어안|떠안)(?=[다고게더던도자거]|지[^가])"
    "|(?:참|감|검|신)(?=[다게더던]|거나|도록|지 ?[않말못]))(.)"
)
_TENSE: Final = dict(zip("다고게더던도자거지", "따꼬께떠떤또짜꺼찌", strict=True))


def respell(word: str, get: Callable[[str], bytes | None]) -> str:
    """``word``, all hangul, with what the lexicon and the verb stems know of it spelled out."""
    verb = _STEM_AND_ENDING.match(word)
    if verb and verb.group(2) in _TENSE:
        word = verb.group(1) + _TENSE[verb.group(2)] + word[verb.end() :]
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
