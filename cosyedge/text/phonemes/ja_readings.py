"""Readings that the words around decide, after the words are known: numbers in Han characters with what
they count, and words of which the dictionary can have only one reading."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.ja_counters import COUNTERS, counted, how_many, joined
from cosyedge.text.normalise.ja_numbers import DIGITS, cardinal, digits
from cosyedge.text.phonemes.ja_codes import read
from cosyedge.text.phonemes.ja_dictionary import COUNTER, NUMBER
from cosyedge.text.phonemes.ja_words import READ, Word, read_words, sounds_of_reading
from cosyedge.text.scripts import HAN

_DIGITS: Final = {character: i for i, character in enumerate("〇一二三四五六七八九")} | {"零": 0}
_PLAIN: Final = {"十": "じゅう", "百": "ひゃく", "千": "せん", "万": "まん", "億": "おく"}
_SOME: Final = {"何": {**_PLAIN, "百": "びゃく", "千": "ぜん"}, "数": _PLAIN}
_POWERS: Final = {"十": 10, "百": 100, "千": 1000}
_MYRIADS: Final = {"万": 10**4, "億": 10**8, "兆": 10**12}
_NUMERAL: Final = re.compile(
    "(?=..)(?:[一二三四五六七八九]?千)?(?:[二三四五六七八九]?百)?(?:[二三四五六七八九]?十)?[一二三四五六七八九]?[万億兆]?"
)
#: 何 is なん before these, なに before others.
_NAN: Final = re.compile(
    r"で|だ|の|と|て|な[らん]|じゃ|回|度|番|階|歳|本|匹|個|枚|杯|人|時|分|月|日|年|円|名|台|曜"
)
#: What opens (あく) by itself, where these particles stand behind it; a window of a screen does ひらく.
_BY_ITSELF: Final = frozenset("がはも")
_CLOSURES: Final = (
    *("ドア", "扉", "窓", "鍵", "カギ", "蓋", "ふた", "フタ", "門", "口", "戸", "栓", "シャッター", "ゲート"),
    *("引き出し", "玄関", "カーテン", "ロック", "バルブ", "冷蔵庫", "金庫", "箱", "店", "席", "穴"),
)
_OF_TIME: Final = frozenset(("以上", "ほど", "くらい", "ぐらい", "に", "ずっと", "前", "から", "、"))
#: Behind 人気 these make it people about, not favour: a place is without.
_WITHOUT_A_SOUL: Final = re.compile(
    "[のが](?:ない|無い|なかった|絶え)[^、。]{0,4}?(?:道|場所|所|部屋|ホール|公園|通り|廊下|山|森|家|路地|海|夜|駅|町|街|庭|建物|寺)"
)
#: A market that one goes to (いちば), not one of shares and goods (しじょう): what is sold stands before it,
#: or one buys there.
_SOLD: Final = re.compile("(?:魚|青物|朝|公設|黒門|錦)$")
_AT_A_MARKET: Final = re.compile("で[^、。]{0,8}買|[へに](?:行|出かけ|買い)")
_HAN: Final = re.compile(f"[{HAN}]")
#: So many words around a word are looked at.
_AROUND: Final = 8
#: Behind these 十分 is ten minutes, not enough.
_AFTER_MINUTES: Final = re.compile("後|前|間|以内|おき|ごと|過ぎ|遅れ|経")
_OPENS: Final = re.compile("開[いきくけこか]")
#: Longest counter, in words of the dictionary.
_LONGEST_COUNTER: Final = 3


def settled(words: list[Word]) -> list[Word]:
    """``words`` with the readings that their neighbours ask for."""
    changed: list[Word] = []
    at = 0
    for word in words:
        if _NUMERAL.fullmatch(word.text):  # also where the dictionary has a name that is written so
            word.kind = NUMBER
    while at < len(words):
        word = words[at]
        if word.kind == NUMBER:
            end, numbered = _number(words, at)
            if numbered:
                changed += numbered
                at = end
                continue
        behind = words[at + 1].text if at + 1 < len(words) else ""
        before = changed[-1] if changed else None
        if word.text == "何":
            word.sounds = sounds_of_reading("なん" if _NAN.match(behind) else "なに")
        elif word.text == "十分" and _AFTER_MINUTES.match(behind):
            word.sounds = sounds_of_reading("じゅっぷん")
        elif before and word.text == "一日" and before.text.endswith(("月", "がつ")):
            word.sounds = sounds_of_reading("ついたち")
        elif word.text == "人気" and _WITHOUT_A_SOUL.match(_text(words, at + 1)):
            word.sounds = sounds_of_reading("ひとけ")
        elif word.text == "市場" and _is_market_place(before, _text(words, at + 1)):
            word.sounds = sounds_of_reading("いちば")
        elif word.text == "行っ" and before and before.text == "を":
            word.sounds = sounds_of_reading("おこなっ")
        elif _OPENS.fullmatch(word.text) and _opens_by_itself(changed):
            word.sounds = sounds_of_reading("あ") + word.sounds[-1:]
        changed.append(word)
        at += 1
    return changed


def _text(words: list[Word], at: int) -> str:
    """What stands from ``at`` on, as far as it is looked at."""
    return "".join(word.text for word in words[at : at + _AROUND])


def _is_market_place(before: Word | None, behind: str) -> bool:
    if before and _HAN.match(before.text[-1:]):  # of shares, of labour
        return _SOLD.search(before.text) is not None
    return _AT_A_MARKET.match(behind) is not None


def _opens_by_itself(before: list[Word]) -> bool:
    """Whether something that closes stands before, perhaps with how long or when in between."""
    end = len(before)
    while end > 2 and len(before) - end < _AROUND and _is_time(before[end - 1]):
        end -= 1
    return end > 1 and before[end - 1].text in _BY_ITSELF and before[end - 2].text.endswith(_CLOSURES)


def _is_time(word: Word) -> bool:
    return word.kind == READ or word.text in _OF_TIME


def _number(words: list[Word], at: int) -> tuple[int, list[Word] | None]:
    """Where a number that begins at ``at`` ends with its counter, and how both are read; None to leave it."""
    end = at
    while end < len(words) and words[end].kind == NUMBER:
        end += 1
    written = "".join(word.text for word in words[at:end])
    for length in range(min(_LONGEST_COUNTER, len(words) - end), 0, -1):
        counter = "".join(word.text for word in words[end : end + length])
        if counter in COUNTERS and (length > 1 or words[end].kind == COUNTER or counter in "月日時分"):
            if written == "何":
                return end + length, read_words(how_many(counter))
            if uncertain := _uncertain(written, words[at - 1] if at else None):
                return end + length, read_words(joined(uncertain, COUNTERS[counter]))
            figure = figure_of(written)
            if figure is not None:
                said = _with_month(figure, counter, words[at - 1] if at else None)
                return end + length, read_words(said)
    figure = figure_of(written)
    if figure is None or len(written) < 2:
        return end, None
    plain = all(character in _DIGITS for character in written)
    return end, read_words(digits(figure) if plain else cardinal(figure))


def _uncertain(written: str, before: Word | None) -> str | None:
    """何千, 数十, and two neighbouring figures (二三日: two or three days), which behind a month are one."""
    first, rest = written[:1], written[1:]
    if first in _SOME and rest and all(character in _SOME[first] for character in rest):
        return ("なん" if first == "何" else "すう") + "".join(_SOME[first][character] for character in rest)
    figures = [_DIGITS.get(character, 0) for character in written]
    if len(figures) == 2 and 0 < figures[0] == figures[1] - 1 and not (before and before.text[-1:] in "月つ"):
        return "しご" if figures[0] == 4 else DIGITS[figures[0]] + DIGITS[figures[1]]
    return None


def _with_month(figure: str, counter: str, before: Word | None) -> str:
    if counter == "日" and figure == "1" and before and read(before.sounds).endswith("がつ"):
        return "ついたち"
    return counted(figure, counter)


def figure_of(written: str) -> str | None:
    """``三百五`` → 305, ``二〇二四`` → 2024; None where it is no number."""
    if written and all(character in _DIGITS for character in written):
        return "".join(str(_DIGITS[character]) for character in written)
    total = section = digit = 0
    for character in written:
        if character in _DIGITS:
            digit = digit * 10 + _DIGITS[character]
        elif character in _POWERS:
            section += max(digit, 1) * _POWERS[character]
            digit = 0
        elif character in _MYRIADS:
            total += max(section + digit, 1) * _MYRIADS[character]
            section = digit = 0
        else:
            return None
    return str(total + section + digit) if written else None
