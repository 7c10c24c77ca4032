"""Japanese text to words: the path through the lattice of all words whose costs are least.

Each word of the dictionary has a cost, and so has each context behind each other; the method is Viterbi's.
What has been read already (``‹さんぼん›``, the normaliser's way to write how a figure is said) is one word
with the context of a figure. Katakana that the dictionary does not have is a word up to its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from cosyedge.text.phonemes.ja_codes import LONG, Coded, sounds_of
from cosyedge.text.phonemes.ja_dictionary import NUMBER, WORD, Dictionary
from cosyedge.text.phonemes.ja_kana import to_hiragana

#: Kinds of words beside those of the dictionary: read by the normaliser, a mark, a character that no
#: reading is known of.
READ, MARK, UNKNOWN = range(10, 13)

#: What is read already stands between these.
READ_BEGIN, READ_END = "‹", "›"
_PIECE: Final = re.compile(
    f"{READ_BEGIN}(?P<read>[ぁ-ゖァ-ヶー ]+){READ_END}|(?P<katakana>[ァ-ヺー]+)|(?P<mark>[^\\w々〆])",
)
_CONTEXT_OF_MARK: Final = {
    **dict.fromkeys("、，,", "comma"),
    **dict.fromkeys("。．.！？!?", "stop"),
    **dict.fromkeys("「『（(【《〈", "opening"),
    **dict.fromkeys("」』）)】》〉", "closing"),
}
#: Costs of katakana that is in no dictionary, and of a character that is in none.
_KATAKANA_COST: Final = 8360
_STRANGER_COST: Final = 16000
_LONGEST_KATAKANA: Final = 24
#: The one figure that is no Han character.
_ZERO: Final = "〇"
#: Vowel → what it makes long; お only in とお, おお and the like, for 五億 is not said ごーく.
_ROWS: Final = {
    "う": "うくすつぬふむゆるぐずづぶぷゅおこそとのほもよろをごぞどぼぽょ",
    "い": "えけせてねへめれげぜでべぺぇ",
    "お": "おこと",
}


@dataclass(slots=True)
class Word:
    """A word as it stands in a text, with its sounds."""

    text: str
    sounds: bytes
    kind: int


_Node = tuple["_Node | None", int, int, int, bytes]  # the one before, start, end, kind, sounds
_Slot = dict[int, tuple[int, "_Node | None"]]  # context → least cost, and its node


def words_of(dictionary: Dictionary, text: str) -> list[Word]:
    """The words of ``text`` in order; every character is in one."""
    coded = Coded(text)
    special = dictionary.special
    slots: list[_Slot | None] = [None] * (len(text) + 1)
    slots[0] = {special["ends"]: (0, None)}
    pieces = {piece.start(): piece for piece in _PIECE.finditer(text)}
    katakana_end = 0
    for start in range(len(text)):
        before = slots[start]
        if before is None:
            continue
        slots[start] = None  # the nodes hold what is needed of it
        piece = pieces.get(start)
        kind = piece.lastgroup if piece else None
        behind = _Behind(dictionary, before)
        if piece and kind == "read":
            behind.add(slots, start, piece.end(), special["counter"], READ, 0, b"")
            continue
        if piece and kind == "mark":
            context = special[_CONTEXT_OF_MARK.get(text[start], "sign")]
            behind.add(slots, start, start + 1, context, MARK, 0, b"")
            continue
        found = False
        if coded.units[start]:
            for end, context, word_kind, cost, sounds in dictionary.words_at(coded, start):
                behind.add(slots, start, end, context, word_kind, cost, sounds)
                found = True
        if piece and kind == "katakana":
            katakana_end = piece.end()
        if start < katakana_end:
            end = min(katakana_end, start + _LONGEST_KATAKANA)
            behind.add(
                slots, start, end, special["noun"], WORD, _KATAKANA_COST, sounds_of(text[start:end]) or b""
            )
        if text[start] == _ZERO:
            behind.add(slots, start, start + 1, special["number"], NUMBER, 0, sounds_of("ぜろ") or b"")
        elif not found:
            sounds = sounds_of(text[start]) or b""
            kind_found = WORD if sounds else UNKNOWN
            behind.add(slots, start, start + 1, special["noun"], kind_found, _STRANGER_COST, sounds)
    return _path(dictionary, text, slots[len(text)])


class _Behind:
    """The cheapest way to each context behind the words that end at one place."""

    def __init__(self, dictionary: Dictionary, before: _Slot) -> None:
        count = dictionary.contexts
        self._matrix = dictionary.matrix
        self._before = [(context * count, cost, node) for context, (cost, node) in before.items()]
        self._best: dict[int, tuple[int, _Node | None]] = {}

    def add(
        self,
        slots: list[_Slot | None],
        start: int,
        end: int,
        context: int,
        kind: int,
        cost: int,
        sounds: bytes,
    ) -> None:
        best = self._best.get(context)
        if best is None:
            matrix = self._matrix
            least = 1 << 60
            node = None
            for row, so_far, candidate in self._before:
                total = so_far + matrix[row + context]
                if total < least:
                    least, node = total, candidate
            best = self._best[context] = least, node
        total = best[0] + cost
        slot = slots[end]
        if slot is None:
            slot = slots[end] = {}
        known = slot.get(context)
        if known is None or total < known[0]:
            slot[context] = total, (best[1], start, end, kind, sounds)


def _path(dictionary: Dictionary, text: str, last: _Slot | None) -> list[Word]:
    ends = dictionary.special["ends"]
    words: list[Word] = []
    if last:
        count, matrix = dictionary.contexts, dictionary.matrix
        node = min(
            ((cost + matrix[context * count + ends], node) for context, (cost, node) in last.items()),
            key=lambda way: way[0],
        )[1]
        while node is not None:
            before, start, end, kind, sounds = node
            if kind == READ:
                words += reversed(read_words(text[start + 1 : end - 1]))
            else:
                words.append(Word(text[start:end], sounds, kind))
            node = before
        words.reverse()
    return words


def read_words(reading: str) -> list[Word]:
    """The words of a reading, which spaces part."""
    return [Word(kana, sounds_of_reading(kana), READ) for kana in reading.split()]


def sounds_of_reading(kana: str) -> bytes:
    """A reading as it is written, with its long vowels: じゅうごえん → じゅーごえん."""
    sounds = bytearray()
    vowel_of = ""
    for character in to_hiragana(kana):
        sound = (sounds_of(character) or b"")[:1]
        if character in LONG and vowel_of and vowel_of in _ROWS.get(character, ""):
            sound, vowel_of = bytes([LONG[character]]), ""
        else:
            vowel_of = character
        sounds += sound
    return bytes(sounds)
