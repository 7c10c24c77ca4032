"""Characters before anything is read: what makes no sound goes, and what is written in several ways is
written in one.

Compatibility forms are folded (NFKC) only where that keeps the meaning: full-width letters and digits,
half-width kana, ligatures, circled numbers, units in one character. Full-width punctuation stays, since
it tells how a sentence is parted, and so do ² and ³, which NFKC would turn into plain digits.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

#: Bidirectional controls, joiners, selectors, tags, lone surrogates, private use, replacement marks.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\ue000-\uf8ff\U000e0000-\U0010ffff]+"
)
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BLANK: Final = re.compile(r"[\x00-\x09\x0e-\x1b\x1f\x7f-\x84\x86-\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_ACCENTS: Final = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
#: More accents than these on one letter are decoration.
_STACKED: Final = re.compile(f"(?<=[{_ACCENTS}]{{3}})[{_ACCENTS}]+")

#: Pictographs, dingbats, box drawing, geometric shapes, Braille, keycaps, flags, ©, ® and ™.
_PICTURE: Final = re.compile(
    "[©®™\u2300-\u2311\u2313-\u245f\u2500-\u27bf\u2800-\u28ff\u2b00-\u2bff\u20d0-\u20ff\u3004\u3012\u3013"
    "\u3020\u3030\u3036\u303d-\u303f\u3297\u3299\U0001f000-\U0001fbef]+"
)
_ARROW: Final = re.compile(r"[\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f]+")

_COMPATIBLE: Final = re.compile(
    "[¼½¾\u2002\uff02-\uff07\uff0a\uff0b\uff0d\uff0f-\uff19\uff1c-\uff1e\uff20-\uff3a\uff3c\uff3e-\uff5a"
    "\uff5c\uffe0-\uffe6\u2100-\u218b\u2460-\u24ff\u3200-\u33ff\ufb00-\ufb06\U0001d400-\U0001d7ff]"
    "|[\uff65-\uff9f]+|(?<=[0-9０-９])．(?=[0-9０-９])"
)
#: Digits of other scripts.
_DIGIT: Final = re.compile(r"[^\W\x00-\x7f](?<=\d)")
#: Those of a formula: CO₂ is written CO2 as often.
_SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_LIST_NUMBER: Final = re.compile("[\u2460-\u249b\u24ea-\u24ff]")
_POWER: Final = re.compile("(?<=[ms])[23]$")
#: An exponent behind a figure, a bracket or a single letter, and any with a sign. A lone ² or ³ stays; a lone
#: ¹ is a note at the foot of the page, as all are behind a word.
_EXPONENT: Final = re.compile(
    "(?:(?<=[0-9)])|(?<![A-Za-z][A-Za-z])(?<=[A-Za-z])|(?=[⁺⁻]))(?![¹²³](?![⁰¹²³⁴-⁹]))[⁺⁻]?[⁰¹²³⁴-⁹]+"
)
_EXPONENTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


def cleaned(text: str) -> str:
    """``text`` without invisible and control characters; every line end is a newline, every other white
    space a space."""
    if text.isascii() and text.isprintable():
        return text
    text = _BLANK.sub(" ", _LINE_END.sub("\n", text))
    return text if text.isascii() else _INVISIBLE.sub("", text)


def folded(text: str) -> str:
    """``text`` composed and in one way of writing, without pictures."""
    if text.isascii():
        return text
    text = _PICTURE.sub(" ", _ARROW.sub(", ", text)).translate(_SUBSCRIPTS)
    text = _EXPONENT.sub(lambda power: f"^{power.group().translate(_EXPONENTS)}", text)
    text = _COMPATIBLE.sub(_folded, unicodedata.normalize("NFC", _STACKED.sub("", text)))
    return _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group())), text)


def _folded(match: re.Match[str]) -> str:
    written = match.group()
    plain = unicodedata.normalize("NFKC", written).replace("\u2044", "/").replace("\u2215", "/")
    if "\u3371" <= written <= "\u33ff":  # ㎡ is m², not m2
        return _POWER.sub(lambda power: "²³"[int(power.group()) - 2], plain)
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    if _LIST_NUMBER.match(written):  # a comma is the pause behind the number of a list item
        comma = ", " if after and not before.isalnum() else " "
        return f" {unicodedata.numeric(written):.0f}{comma}"
    # A fraction is a word of its own beside digits and letters.
    if plain[:1].isdigit() and not written[0].isdecimal():
        return (" " if before.isdigit() else "") + plain + (" " if after.isalnum() else "")
    return plain
