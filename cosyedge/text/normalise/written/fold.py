"""One way of writing each character, before any rule looks at a text."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from cosyedge.text.normalise.written.marks import NEGATIVE, TO

#: Blocks of characters that are another one in a different shape: letter-like signs, fractions, circled
#: and squared characters, full-width forms.
_SHAPES: Final = re.compile(
    "[\u00aa\u00ba\u00bc-\u00be\u2100-\u218b\u2460-\u24ff\u3200-\u33ff\uff01-\uffee\U0001d400-\U0001d7ff]"
)
#: Punctuation that pauses is left as it is; ½ is handled apart.
_KEPT: Final = frozenset("！，．：；？（）。、“”＂＇")
_SAME: Final = str.maketrans(
    {
        "−": "-",
        "‐": "-",
        "‑": "-",
        "‒": "-",
        "﹣": "-",
        "〜": "~",
        "∼": "~",
        "⁓": "~",
        "⁄": "/",
        "∕": "/",
        "∶": ":",
        "º": "°",
        "˚": "°",
        "μ": "µ",
        "￥": "¥",
        "﹪": "%",
        "﹢": "+",
        "✕": "×",
        "✖": "×",
        "⇒": "→",
        "\u00ad": "",
        "\u200b": "",
        "\u2060": "",
        "\ufeff": "",
        TO: "",
        NEGATIVE: "",
        "\u00a0": " ",
        "\u2009": " ",
        "\u202f": " ",
        "\u3000": " ",
    }
)
_DIGITS: Final = re.compile(r"(?![0-9])\d")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])(?P<mark>[：．])(?=[0-9])")
_NARROW: Final = {"：": ":", "．": "."}
_LIST: Final = re.compile(r"[\u2460-\u249b\u24ea-\u24ff]")


def fold(text: str) -> str:
    """``＜５㎜`` → ``<5mm``, ``①`` → ``1，``, ``½`` → ``1/2``; Chinese punctuation stays."""
    if text.isascii():
        return text
    text = _SHAPES.sub(_plain, text).translate(_SAME)
    text = _DIGITS.sub(lambda match: str(unicodedata.decimal(match[0])), text)
    return _BETWEEN_DIGITS.sub(lambda match: _NARROW[match["mark"]], text)


def _plain(match: re.Match[str]) -> str:
    character = match[0]
    if character in _KEPT or character in _UNITS:
        return character
    plain = unicodedata.normalize("NFKC", character)
    if "\u2044" in plain:  # a fraction, which stays apart from what is around it
        text, start, end = match.string, match.start(), match.end()
        before = " " if start and text[start - 1] != " " else ""
        return f"{before}{plain}{' ' if text[end : end + 1].isdigit() else ''}"
    if _LIST.match(character):
        return f"{unicodedata.numeric(character):.0f}，"
    return plain


_UNITS: Final = frozenset("Ωµ→")
