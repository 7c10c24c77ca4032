"""English as it is written to English as it is spoken: one ordered table of patterns and their readers.

:func:`normalise` takes the text of one English span and gives lower-case words with the punctuation that
carries prosody; upper-case letters are read by their names (see :mod:`cosyedge.text.phonemes.en`). It is
pure and idempotent: no digit and no abbreviation is left that a second pass could find.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from cosyedge.text.normalise import en_codes as codes
from cosyedge.text.normalise import en_dates as dates
from cosyedge.text.normalise import en_money as money
from cosyedge.text.normalise import en_numbers as numbers
from cosyedge.text.normalise import en_units as units
from cosyedge.text.normalise import en_words as words
from cosyedge.text.normalise.written.codes import ADDRESS
from cosyedge.text.normalise.written.dates import ALL_DAY
from cosyedge.text.normalise.written.rows import START

_Reader = Callable[[re.Match[str]], str] | str
_F: Final = numbers.FIGURE

#: One character → what it is written as before any rule looks at it.
_FOLD: Final = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "ʼ": "'",
        "′": "'",
        "″": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "“": '"',
        "”": '"',
        "−": "-",
        "‐": "-",
        "‑": "-",
        "‒": "-",
        "―": "—",
        "μ": "µ",
        "Ω": "Ω",
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
        "™": "",
        "®": "",
        "©": "",
        "…": "…",
        "。": ".",
        "、": ",",
        "⁄": "/",
        "∕": "/",
        "·": " ",
        "•": ",",
        "№": "No. ",
        "℃": "°C",
        "℉": "°F",
        "º": "°",
        "\u200b": "",
        "\ufeff": "",
        "\u00ad": "",
    }
)
#: Marks with a meaning of their own that compatibility folding would spoil.
_KEPT: Final = frozenset("²³½¼¾⅓⅔⅛µ°…\u00a0")
_FRACTIONS: Final = {
    "½": (1, 2),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "⅛": (1, 8),
}


def _row(pattern: str, reader: _Reader) -> tuple[re.Pattern[str], _Reader]:
    return re.compile(pattern), reader


def _a_part(part: str) -> str:
    """``one half`` as it is said behind a whole number: two and a half."""
    return part.replace("one half", "a half").replace("one quarter", "a quarter")


def _vulgar(match: re.Match[str]) -> str:
    part = numbers.fraction(*_FRACTIONS[match["mark"]])
    if not match["whole"]:
        return f" {part} "
    return f"{numbers.quantity(match['whole'])} and {_a_part(part)} "


def _fraction(match: re.Match[str]) -> str:
    top, bottom = int(match["top"]), int(match["bottom"])
    if bottom not in numbers.DENOMINATORS or top >= bottom:
        over = "over " if len(match["top"]) == 3 else ""
        return f"{match['whole'] or ''}{numbers.cardinal(top)} {over}{numbers.cardinal(bottom)}"
    part = numbers.fraction(top, bottom)
    if not match["whole"]:
        return part
    return f"{numbers.quantity(match['whole'].strip())} and {_a_part(part)}"


def _decades(match: re.Match[str]) -> str:
    century, decade = match["century"], int(match["decade"])
    tens = numbers.cardinal(decade)
    said = f"{tens[:-1]}ies" if decade else "hundreds"
    return f"{numbers.cardinal(int(century))} {said}" if century else said


def _scaled(match: re.Match[str]) -> str:
    scale = {"k": "thousand", "M": "million", "bn": "billion"}[match["scale"]]
    return f"{numbers.quantity(match['figure'])} {scale}"


def _feet(match: re.Match[str]) -> str:
    feet, inches = int(match["feet"]), match["inches"]
    said = f"{numbers.cardinal(feet)} {'foot' if feet == 1 else 'feet'}"
    return f"{said} {numbers.cardinal(int(inches))}" if inches else said


def _operator(match: re.Match[str]) -> str:
    names = {"+": "plus", "*": "times", "×": "times", "·": "times", "/": "divided by", "÷": "divided by"}
    names |= {"-": "minus", "–": "minus", "=": "equals", "<": "is less than", ">": "is greater than"}
    names |= {"≤": "is at most", "≥": "is at least", "≈": "is about", "≠": "is not", "±": "plus or minus"}
    return f" {names[match['operator']]} "


_SIGNS: Final = {
    "%": " percent ",
    "‰": " per mille ",
    "&": " and ",
    "+": " plus ",
    "@": " at ",
    "°": " degrees ",
    "²": " squared ",
    "³": " cubed ",
    "=": " equals ",
}
_EXPRESSION: Final = rf"(?:(?:{_F})\s?[-+*×/÷]\s?)*(?:{_F})\s?(?:=|is\b|equals\b)"

#: The rules in the order of their application. A reader is a function of the match, or a template.
_TABLE: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = (
    # Marks that other rules would trip over, and words that aren't written as they are said.
    _row(r"(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])", " "),
    _row(r"°\s?(?P<scale>[CF])\b", r"°\g<scale>"),
    *words.ABBREVIATIONS,
    (words.ROMAN_AFTER, words.read_roman_after),
    (words.ROMAN_KING, words.read_roman_king),
    (ALL_DAY, "twenty four seven"),
    _row(r"\b9/11\b", "nine eleven"),
    # Addresses, telephone numbers, versions, dates: many figures in one reading.
    (ADDRESS, codes.read_address),
    (dates.ISO_DATE, dates.read_iso_date),
    (dates.SLASH_DATE, dates.read_slash_date),
    (codes.PHONE, codes.read_phone),
    (codes.VERSION, codes.read_version),
    (codes.DIALLED, codes.read_dialled),
    (codes.SEQUENCE, codes.read_sequence),
    _row(r"(?<![A-Za-z0-9_)'-])-(?=[.]?[0-9]|[$€£¥])", "minus "),
    # Sums, before a dash between figures becomes "to".
    (money.BEFORE, money.read_money),
    (money.AFTER, money.read_money),
    (money.CENTS, money.read_cents),
    # A cross or a dash between figures: an expression, a size, a range; or a sign.
    _row(rf"(?<=[0-9])\s?[x×]\s?(?={_EXPRESSION})", " times "),
    _row(r"(?<=[0-9])\s?[x×]\s?(?=[0-9])", " by "),
    _row(rf"(?<=[0-9])\s?(?P<operator>[-–])\s?(?={_EXPRESSION})", _operator),
    _row(
        rf"(?P<before>[0-9%]\s?(?:[AaPp]\.?[Mm]\.?|°C?|°F)?)\s?[-–—]\s?(?=-?(?:{_F}))",
        r"\g<before> to ",
    ),
    _row(r"(?<![A-Za-z0-9_)'+])\+(?=[.]?[0-9])", "plus "),
    (dates.MONTH_DAY, dates.read_month_day),
    (dates.DAY_MONTH, dates.read_day_month),
    (dates.MONTH_YEAR, dates.read_month_year),
    (dates.WEEKDAY_RANGE, dates.read_weekday_range),
    (dates.WEEKDAY, dates.read_weekday),
    (dates.CLOCK, dates.read_clock),
    (dates.HOUR_HALF, dates.read_hour_half),
    (words.DOTTED_LETTERS, words.read_dotted_letters),
    (words.INITIAL, r"\g<letter>"),
    (codes.EMERGENCY, codes.read_figure),
    # Arithmetic, ratios, fractions.
    _row(r"(?<=[0-9)])\s?(?P<operator>[+*÷=≤≥≈≠±<>])\s?(?=[-(0-9])", _operator),
    _row(r"(?<=[0-9)])\s(?P<operator>/)\s(?=[(0-9])", _operator),
    _row(r"(?P<operator>[<>≤≥≈≠±=])(?=\s?[0-9])", _operator),
    _row(r"(?<=\w)\s?(?P<operator>[<>≤≥≈≠])\s?(?=\w)", _operator),
    _row(r"~\s?(?=[0-9])", "about "),
    _row(r"(?<![0-9:.])(?P<top>[0-9]{1,3}):(?P<bottom>[0-9]{1,3})(?![0-9:.])", r"\g<top> to \g<bottom>"),
    _row(
        r"(?<![A-Za-z0-9./])(?P<whole>[0-9]+\s)?(?P<top>[0-9]{1,3})/(?P<bottom>[0-9]{1,3})(?![A-Za-z0-9/]|\.[0-9])",
        _fraction,
    ),
    _row(r"(?:(?<![0-9])(?P<whole>[0-9]++))?\s?(?P<mark>[½¼¾⅓⅔⅛])", _vulgar),
    # Measures; decades look like seconds.
    _row(
        r"(?<![0-9.,])(?:\b(?P<century>1[0-9]|20)|'|(?<=[Tt]he )|(?<=[a-z]-))(?P<decade>[0-9]0)'?s\b",
        _decades,
    ),
    _row(r"(?<![A-Za-z0-9.])(?P<feet>[0-9]{1,2})'\s?(?:(?P<inches>[0-9]{1,2})\"|(?![A-Za-z0-9]))", _feet),
    (units.MEASURE, units.read_measure),
    (units.LONE_UNIT, units.read_lone_unit),
    (units.PER_UNIT, units.read_per_unit),
    _row(rf"{START}(?P<figure>[0-9][0-9,]*+(?:\.[0-9]++)?)(?P<scale>k|M|bn)\b", _scaled),
    # Single figures.
    _row(r"\b(?P<figure>[0-9]{1,15})(?:st|nd|rd|th)\b", lambda m: numbers.ordinal(int(m["figure"]))),
    _row(r"(?<=[A-Za-z0-9])\.(?=[a-z]{2}|[a-z][0-9])|(?<=\s)\.(?=[A-Za-z])", " dot "),
    (words.ALPHANUMERIC, words.read_alphanumeric),
    _row(r"(?<=[0-9])-(?=[A-Za-z])", " "),
    _row(
        r"(?P<before>\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Ff]rom|[Uu]ntil|[Bb]y|[Cc]irca|[Bb]efore|[Aa]fter)\s)"
        r"(?P<figure>1[0-9]{3})\b(?![.,][0-9]|\s[A-Za-z]+s\b)",
        lambda m: m["before"] + numbers.year(m["figure"]),
    ),
    _row(
        r"\b(?P<letter>[A-Z])-(?=[0-9])(?P<figure>[0-9]+)\b",
        lambda m: f"{m['letter']}-{numbers.model_number(m['figure'])}",
    ),
    _row(rf"-?(?P<figure>{_F})(?=(?P<glued>[A-Za-z])?)", lambda m: f" {numbers.plain(m['figure'])} "),
    # Signs that are left.
    (money.LONE_SIGN, money.read_lone_sign),
    _row(r"(?<=[A-Za-z])@(?=[A-Za-z])", " at "),
    _row(r"(?P<sign>[%‰&+@°²³=])", lambda m: _SIGNS[m["sign"]]),
    _row("(?<=[A-Z]{2}) (?=[A-Z]{2})", "\u00a0"),
    # Words, each in lower case or letter by letter.
    (words.WORD, words.read_word),
)
_MOST_ROUNDS: Final = 6

#: What makes the text tidy again: applied once, in this order.
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
    (re.compile(r"\x00"), "\u00a0"),
    (re.compile(r"(?<! ) ++(?=[;:,.!?…)])"), ""),
    (re.compile(r"(?<=\() +"), ""),
    (re.compile(r"(?P<mark>[;:,.!?…])[;:,.!?…]+"), r"\g<mark>"),
    (re.compile(r"^[\s;:,.!?…—)]+(?=.)"), ""),
)


def normalise(text: str) -> str:
    """The spoken words of ``text``."""
    text = words.unshout(_folded(text))
    # Once is nearly always enough; glued fragments ("TVs$3etc.") can part into words that need a second look.
    for _ in range(_MOST_ROUNDS):
        before = text
        text = _once(text)
        if text == before:
            break
    return text


def _once(text: str) -> str:
    for pattern, reader in _TABLE:
        text = pattern.sub(_apart(reader), text) if callable(reader) else pattern.sub(reader, text)
    for pattern, replacement in _TIDY:
        text = pattern.sub(replacement, text)
    return text.strip()


def _apart(reader: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    """``reader`` with a space where its words would touch a letter or a digit."""

    def read(match: re.Match[str]) -> str:
        text, start, end = match.string, match.start(), match.end()
        left = " " if start and text[start - 1].isalnum() else ""
        right = " " if end < len(text) and text[end].isalnum() else ""
        return f"{left}{reader(match)}{right}"

    return read


def _folded(text: str) -> str:
    """One way of writing each letter, digit and mark; accents are dropped from Latin letters."""
    folded: list[str] = []
    for character in text.translate(_FOLD):
        if character.isascii() or character in _KEPT:
            folded.append(character)
        elif (digit := unicodedata.digit(character, None)) is not None:
            folded.append(str(digit))
        else:
            decomposed = unicodedata.normalize("NFKD", character)
            plain = "".join(c for c in decomposed if not unicodedata.combining(c))
            folded.append(plain if plain.isascii() and plain else character)
    # A no-break space means something between two acronyms only.
    return re.sub("(?<![A-Z])\u00a0|\u00a0(?![A-Z])", " ", "".join(folded))
