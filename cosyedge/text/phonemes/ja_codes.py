"""Japanese writing and sounds as bytes: how words are spelled in the dictionary.

A letter is one byte where it is kana and two where it is a Han character, so a word can be compared with a
text byte by byte. A sound is one byte: a kana, or a vowel that makes the one before it long. Those have
codes of their own, because きょう is written with う in a reading and said as きょー.
"""

from __future__ import annotations

from typing import Final

from cosyedge.text.phonemes.ja_kana import to_hiragana

_HIRAGANA: Final = range(0x3041, 0x3095)
_KATAKANA: Final = range(0x30A1, 0x30F7)
_OTHERS: Final = "ー々〆"
_FIRST_HAN: Final = 0x4E00
_LAST_HAN: Final = 0x9FFF
#: The first byte of a Han character; smaller ones are kana, 0 is what no word is spelled with.
_HAN_BYTE: Final = 0xAE

_LETTERS: Final = {
    chr(code): i
    for i, code in enumerate([*_HIRAGANA, *_KATAKANA, *map(ord, _OTHERS)], start=1)
    if i < _HAN_BYTE
}

LONG_MARK: Final = 0x60
#: Vowels that lengthen the one before them.
LONG: Final = {"う": 0x61, "い": 0x62, "お": 0x63, "え": 0x64, "あ": 0x65}
#: を says お wherever it stands.
_KANA: Final = (
    [chr(code).replace("を", "お") for code in _HIRAGANA]
    + [""] * (LONG_MARK - len(_HIRAGANA))
    + ["ー", *LONG]
)
#: Every byte has a kana, so that no damaged record can do worse than say a wrong one.
_READ: Final = _KANA + [""] * (256 - len(_KANA))
_SAID: Final = _READ[:LONG_MARK] + ["ー"] * (1 + len(LONG)) + _READ[LONG_MARK + 1 + len(LONG) :]
_SOUNDS: Final = {chr(code): i for i, code in enumerate(_HIRAGANA)} | {"ー": LONG_MARK}


class Coded:
    """A text with its spelling.

    Attributes:
        units: one number a character, 0 where no word is spelled with it, and a last 0.
        letters: the spelling of all characters.
        places: where the letters of each character begin, and where the last ends.
        index: the number of the character that begins at a place, for each of ``letters`` and the end.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.units: list[int] = []
        self.places = [0]
        letters = bytearray()
        for character in text:
            spelled = letters_of(character)
            self.units.append(ord(character) if spelled else 0)
            letters += spelled or b"\0"
            self.places.append(len(letters))
        self.units.append(0)
        self.letters = bytes(letters)
        self.index = [0] * (len(letters) + 1)
        for i, place in enumerate(self.places):
            self.index[place] = i

    def sounds(self, start: int, end: int) -> bytes | None:
        """The kana from ``start`` to ``end`` as sounds; None where they are not all kana."""
        return sounds_of(self.text[start:end])

    @staticmethod
    def sounds_of(letters: bytes) -> bytes:
        """Kana letters as sounds."""
        return bytes(map(_SOUND_OF_LETTER.__getitem__, letters))


def letters_of(text: str) -> bytes:
    """The spelling of ``text``; empty where a character can't be spelled."""
    spelled = bytearray()
    for character in text:
        letter = _LETTERS.get(character)
        if letter is not None:
            spelled.append(letter)
        elif _FIRST_HAN <= (code := ord(character)) <= _LAST_HAN:
            spelled += bytes((_HAN_BYTE + (code - _FIRST_HAN >> 8), code & 0xFF))
        else:
            return b""
    return bytes(spelled)


def sounds_of(kana: str) -> bytes | None:
    """Kana as sounds, every vowel for itself; None where a character is no kana."""
    try:
        return bytes(_SOUNDS[character] for character in to_hiragana(kana))
    except KeyError:
        return None


def read(sounds: bytes) -> str:
    """Sounds as they are written in hiragana: きょう."""
    return "".join([_READ[sound] for sound in sounds])


def said(sounds: bytes) -> str:
    """Sounds as they are said, in hiragana with long marks: きょー."""
    return "".join([_SAID[sound] for sound in sounds])


_SOUND_OF_LETTER: Final = [0] * 256
for _character, _letter in _LETTERS.items():
    _SOUND_OF_LETTER[_letter] = _SOUNDS.get(to_hiragana(_character), 0)
