"""The standard pronunciation of Korean, as rules over pairs of syllables.

Hangul as written becomes hangul as spoken (밥 먹는다 → 밤 멍는다). The rules are those of the Standard
Pronunciation (표준 발음법), whose articles are named beside them. What no rule can know, because it
depends on how a word is built, is respelled beforehand (:mod:`cosyedge.text.phonemes.ko_words`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from cosyedge.text.phonemes.ko_words import is_noun_in_ui, makes_tense

_ONSETS: Final = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS: Final = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_CODAS: Final = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
_FIRST: Final = 0xAC00
_COUNT: Final = 11172

#: Articles 8 to 11: the seven consonants that can end a syllable.
_CLOSED: Final = {
    **dict.fromkeys("ㄱㄲㅋㄳㄺ", "ㄱ"),
    **dict.fromkeys("ㄷㅅㅆㅈㅊㅌㅎ", "ㄷ"),
    **dict.fromkeys("ㅂㅍㅄㄿ", "ㅂ"),
    **dict.fromkeys("ㄴㄵㄶ", "ㄴ"),
    **dict.fromkeys("ㄹㄼㄽㄾㅀ", "ㄹ"),
    **dict.fromkeys("ㅁㄻ", "ㅁ"),
    "ㅇ": "ㅇ",
    "": "",
}
#: What a cluster leaves behind, and what moves on, when a vowel follows (articles 13 and 14).
_SPLIT: Final = {
    "ㄳ": ("ㄱ", "ㅆ"), "ㄵ": ("ㄴ", "ㅈ"), "ㄶ": ("", "ㄴ"), "ㄺ": ("ㄹ", "ㄱ"), "ㄻ": ("ㄹ", "ㅁ"),
    "ㄼ": ("ㄹ", "ㅂ"), "ㄽ": ("ㄹ", "ㅆ"), "ㄾ": ("ㄹ", "ㅌ"), "ㄿ": ("ㄹ", "ㅍ"), "ㅀ": ("", "ㄹ"),
    "ㅄ": ("ㅂ", "ㅆ"), "ㅎ": ("", "ㅇ"),
}  # fmt: skip
_TENSE: Final = {"ㄱ": "ㄲ", "ㄷ": "ㄸ", "ㅂ": "ㅃ", "ㅅ": "ㅆ", "ㅈ": "ㅉ"}
_ASPIRATED: Final = {"ㄱ": "ㅋ", "ㄷ": "ㅌ", "ㅂ": "ㅍ", "ㅈ": "ㅊ"}
_NASAL: Final = {"ㄱ": "ㅇ", "ㄷ": "ㄴ", "ㅂ": "ㅁ"}
#: A coda with ㅎ: what is left of it once the ㅎ has gone (article 12).
_WITHOUT_H: Final = {"ㅎ": "", "ㄶ": "ㄴ", "ㅀ": "ㄹ"}
#: A coda that a following ㅎ turns into an aspirated onset: what is left, and the onset.
_BEFORE_H: Final = {
    "ㄱ": ("", "ㅋ"), "ㄲ": ("", "ㅋ"), "ㅋ": ("", "ㅋ"), "ㄳ": ("", "ㅋ"), "ㄺ": ("ㄹ", "ㅋ"),
    "ㄷ": ("", "ㅌ"), "ㅅ": ("", "ㅌ"), "ㅆ": ("", "ㅌ"), "ㅊ": ("", "ㅌ"), "ㅌ": ("", "ㅌ"),
    "ㅈ": ("", "ㅊ"), "ㄵ": ("ㄴ", "ㅊ"), "ㅂ": ("", "ㅍ"), "ㅍ": ("", "ㅍ"), "ㅄ": ("", "ㅍ"),
    "ㄼ": ("ㄹ", "ㅍ"), "ㄿ": ("ㄹ", "ㅍ"),
}  # fmt: skip
#: Nouns in ㄺ and ㄻ, which do not tense as verb stems of that spelling do (닭과, 삶도).
_NOUNS_IN_CLUSTER: Final = frozenset("닭흙칡삵삶앎")
#: ㄻ before 기 is a causative (옮기다), before these it is a verb with an ending (닮고).
_ENDINGS_AFTER_M: Final = frozenset("고게거겠")

#: Verb stems in ㄷ whose passives and causatives in 히 soften it also where that becomes 혀.
_SOFTENED_STEMS: Final = frozenset("닫굳묻갇받뻗걷곧돋")

#: 일 that is something to do, with its particles, and no number.
_WORK: Final = frozenset(("일", "일이", "일을", "일은", "일도", "일과", "일의", "일만", "일들"))
#: Article 27: what is tense behind a future form in ㄹ: bound nouns, parted by a space.
_BOUND_NOUN: Final = re.compile(
    r"수(?:[가는도를만밖]|$)|것|거(?:[예에요야나든라고지니는를]|$)|게(?:요|$)|건(?:[가데지]|$)|걸(?:[요로]|$)"
    r"|겁[니나]|데(?:[가는도를에로다]|$)|바(?:[를가는와에]|$)|줄(?:[은을도만로이]|$)|적(?:[이은에도]|$)"
    r"|듯|곳(?!곳)|지(?:[도는를의]|$)|성싶"
)
#: More syllables than any ending or bound noun has that is looked for ahead.
_AHEAD: Final = 4
#: Stems in ㄹ whose 게 and 지 are endings of another kind, and stay lax (길게, 알지).
_STEMS_IN_L: Final = frozenset("길멀달글늘질놀살알들열팔물울불말얼벌절털풀틀칠떨굴밀빌헐썰끌널졸쏠")


@dataclass(slots=True)
class Syllable:
    """A syllable by its letters; ``coda`` is empty where the syllable is open."""

    onset: str
    vowel: str
    coda: str
    written: str


def is_hangul(character: str) -> bool:
    """Whether ``character`` is a whole syllable of hangul."""
    return 0 <= ord(character) - _FIRST < _COUNT


def parse(character: str) -> Syllable:
    """The letters of a syllable for which :func:`is_hangul` holds."""
    code = ord(character) - _FIRST
    return Syllable(_ONSETS[code // 588], _VOWELS[code % 588 // 28], _CODAS[code % 28], character)


def compose(syllable: Syllable) -> str:
    """The character of a syllable."""
    code = _ONSETS.index(syllable.onset) * 588 + _VOWELS.index(syllable.vowel) * 28
    return chr(_FIRST + code + _CODAS.index(syllable.coda))


def pronounce(words: list[str]) -> list[list[Syllable]]:
    """The syllables of ``words``, all hangul and said in one breath, as they sound."""
    spoken = [[parse(character) for character in word] for word in words]
    for at, (word, following) in enumerate(zip(spoken, [*spoken[1:], []], strict=True)):
        for i, syllable in enumerate(word):
            if i + 1 < len(word):
                _within(word, i)
            elif following and makes_tense(words[at], words[at + 1]) and following[0].onset in _TENSE:
                following[0].onset = _TENSE[following[0].onset]
            elif following:
                _across(syllable, following)
            syllable.coda = _CLOSED[syllable.coda]
    for word in spoken:
        for i, syllable in enumerate(word):
            syllable.vowel = _vowel(syllable, i, word)
    return spoken


def _within(word: list[Syllable], i: int) -> None:
    """The coda of a syllable meets the onset of the next one in its word."""
    left, right = word[i], word[i + 1]
    if not left.coda:
        return
    if left.coda in "ㄴㅁ" and right.onset == "ㅅ" and right.written == "습" and i + 2 < len(word):
        right.onset = "ㅆ"  # article 24: 남습니다, a verb's ending
    elif left.coda == "ㄹ" and _is_future_ending(word, i):
        right.onset = _TENSE[right.onset]
    elif right.onset == "ㅇ":
        _link(left, right)
    else:
        _meet(left, right, verb=_is_verb_stem(left, right))


def _across(left: Syllable, following: list[Syllable]) -> None:
    """The last coda of a word meets the next word."""
    right = following[0]
    if left.written == "못" and right.onset == "ㅇ" and right.vowel in "ㅣㅑㅕㅛㅠ":
        left.coda, right.onset = "ㄴ", "ㄴ"  # article 29: 못 읽다
    elif left.written == "옷" and right.written == "입":
        left.coda, right.onset = "ㄴ", "ㄴ"  # article 29: 옷 입다
    elif left.written in {"할", "한", "볼"} and _written(following[:_AHEAD]) in _WORK:
        right.onset = left.coda  # article 29: 할 일, 한 일
    elif left.coda == "ㄹ":
        # 을 and a noun of these is more often an object and a verb: 밥을 줄.
        noun = _BOUND_NOUN.match(_written(following[:_AHEAD]))
        if noun and not (left.written == "을" and right.written in {"줄", "지", "적", "바", "건", "듯"}):
            right.onset = _TENSE.get(right.onset, right.onset)
    elif left.coda and right.onset not in "ㅇㄹ":
        left.coda = _CLOSED[left.coda]
        _meet(left, right, verb=False)


def _written(word: list[Syllable]) -> str:
    return "".join(syllable.written for syllable in word)


def _is_future_ending(word: list[Syllable], i: int) -> bool:
    """Whether ㄹ and what follows is a future ending that is tense: 할게요, 할수록, 올지."""
    rest = _written(word[i + 1 : i + 1 + _AHEAD])
    if rest.startswith(("수록", "세라", "지라도", "지언정", "진대", "밖에", "걸요")) or rest == "게요":
        return True
    return rest in {"게", "지", "지도", "지는", "지를", "걸"} and word[i].written not in _STEMS_IN_L


def _is_verb_stem(left: Syllable, right: Syllable) -> bool:
    """Whether a cluster ends a verb's stem, behind which endings are tense (articles 11, 24 and 25)."""
    if left.written in _NOUNS_IN_CLUSTER or left.written == "덟":
        return False
    if left.coda == "ㄻ" and right.onset == "ㄱ":
        return right.written in _ENDINGS_AFTER_M
    return left.coda in "ㄵㄻㄼㄾ" or (left.coda == "ㄺ" and right.onset == "ㄱ")


def _link(left: Syllable, right: Syllable) -> None:
    """Articles 12.4, 13, 14 and 17: a coda moves on to a vowel, and ㄷ and ㅌ soften before 이."""
    if left.coda == "ㅇ":
        return
    left.coda, moved = _SPLIT.get(left.coda, ("", left.coda))
    if right.written[0] in "이여였" or right.vowel == "ㅣ":
        moved = {"ㄷ": "ㅈ", "ㅌ": "ㅊ"}.get(moved, moved)
    right.onset = moved


def _meet(left: Syllable, right: Syllable, *, verb: bool) -> None:
    """A coda meets an onset that is a consonant."""
    onset = right.onset
    if left.coda in _WITHOUT_H and onset in "ㄱㄷㅈㅅㄴ":
        if onset in _ASPIRATED:
            left.coda, right.onset = _WITHOUT_H[left.coda], _ASPIRATED[onset]
        elif onset == "ㅅ":
            left.coda, right.onset = _WITHOUT_H[left.coda], "ㅆ"
        elif left.coda == "ㅀ":
            left.coda, right.onset = "ㄹ", "ㄹ"
        else:
            left.coda = "ㄴ"
        return
    if onset == "ㅎ" and left.coda in _BEFORE_H:
        softened = right.vowel == "ㅣ" or left.written in _SOFTENED_STEMS  # article 17: 닫히다, 닫혀
        softened = softened and left.coda == "ㄷ"
        left.coda, right.onset = _BEFORE_H[left.coda]
        if softened:
            right.onset = "ㅊ"
        return
    closed = _CLOSED[left.coda]
    if verb and left.coda == "ㄺ":
        closed = "ㄹ"
    elif left.written == "밟" or (left.written == "넓" and right.written in {"죽", "둥"}):
        closed = "ㅂ"  # article 10
    if onset in _TENSE and (closed in "ㄱㄷㅂ" or verb):
        right.onset = _TENSE[onset]
    elif onset in "ㄴㅁ" and closed in _NASAL:
        closed = _NASAL[closed]
    elif onset == "ㄹ" and closed in "ㄱㄷㅂㅁㅇ":
        closed, right.onset = _NASAL.get(closed, closed), "ㄴ"
    elif onset == "ㄹ" and closed == "ㄴ":
        closed = "ㄹ"
    elif onset == "ㄴ" and closed == "ㄹ":
        right.onset = "ㄹ"
    left.coda = closed


def _vowel(syllable: Syllable, i: int, word: list[Syllable]) -> str:
    """Article 5: 져 is 저, 계 is 게, 희 is 히; 의 is 이 inside a word, and 에 where it is a particle."""
    if syllable.vowel == "ㅕ" and syllable.onset in "ㅈㅉㅊ":
        return "ㅓ"
    if syllable.vowel == "ㅖ" and syllable.onset not in "ㅇㄹㄴ":
        return "ㅔ"
    if syllable.vowel == "ㅢ" and (i or syllable.onset != "ㅇ"):
        return "ㅔ" if _is_particle(syllable, i, word) else "ㅣ"
    return syllable.vowel


def _is_particle(syllable: Syllable, i: int, word: list[Syllable]) -> bool:
    if syllable.written != "의" or i != len(word) - 1:
        return False
    return not is_noun_in_ui(_written(word))
