"""English letters and marks: one way of writing each before any rule looks at a text, and tidy ones after."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from cosyedge.text.normalise.written.fold import fold

_SAME: Final = str.maketrans(
    {
        **dict.fromkeys("‘’ʼ′", "'"),
        **dict.fromkeys("″„«»“”", '"'),
        **dict.fromkeys("™®©", ""),
        "―": "—",
        "。": ".",
        "、": ",",
        "·": " ",
        "•": ",",
        "№": "No. ",
        "ß": "ss",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "Œ": "Oe",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "þ": "th",
        "ð": "th",
    }
)
#: Marks with a meaning of their own that dropping accents would spoil.
_KEPT: Final = frozenset("²³µ°…")
_NO_BREAK: Final = "\u00a0"

#: Applied once, in this order.
_TIDY: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    # An apostrophe stays inside a word, a hyphen between two words.
    (re.compile(r"(?<![^\W_])'|'(?![^\W_])"), " "),
    (re.compile(r"(?<=[^\W_])[–](?=[^\W_])"), "-"),
    (re.compile(r"(?<!\s)\s++[-–—]++\s+|--+|[–—]+"), " — "),
    (re.compile(r"(?<![^\W_])-|-(?![^\W_])"), " "),
    (re.compile(r"\.{2,}|…[.…]*"), "… "),
    (re.compile(r"[^\w\s;:,.!?—…()'-]|_"), " "),
    (re.compile(r"\(\s*\)"), " "),
    (re.compile(r"(?<=[A-Z])\u00a0(?=[A-Z])"), "\x00"),
    (re.compile(r"\s+"), " "),
    (re.compile(r"\x00"), _NO_BREAK),
    (re.compile(r"(?<! ) ++(?=[;:,.!?…)])"), ""),
    (re.compile(r"(?<=\() +"), ""),
    (re.compile(r"(?P<mark>[;:,.!?…])[;:,.!?…]+"), r"\g<mark>"),
    (re.compile(r"^[\s;:,.!?…—)]+(?=.)"), ""),
)


def folded(text: str) -> str:
    """One way of writing each letter, digit and mark; accents are dropped from Latin letters.

    A no-break space stays between two acronyms only, where it means something.
    """
    if text.isascii():
        return text
    parts = [_unaccented(fold(part.translate(_SAME)).replace("，", ", ")) for part in text.split(_NO_BREAK)]
    return re.sub("(?<![A-Z])\u00a0|\u00a0(?![A-Z])", " ", _NO_BREAK.join(parts))


def _unaccented(text: str) -> str:
    if text.isascii():
        return text
    letters: list[str] = []
    for character in text:
        if character.isascii() or character in _KEPT:
            letters.append(character)
            continue
        digit = unicodedata.digit(character, None)
        if digit is not None:
            letters.append(str(digit))
            continue
        decomposed = unicodedata.normalize("NFKD", character)
        plain = "".join(c for c in decomposed if not unicodedata.combining(c))
        letters.append(plain if plain.isascii() and plain else character)
    return "".join(letters)


def tidied(text: str) -> str:
    """Words with single spaces between, and of the marks only those that carry prosody."""
    for pattern, replacement in _TIDY:
        text = pattern.sub(replacement, text)
    return text.strip()
