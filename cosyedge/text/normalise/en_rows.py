"""Rows that only English has: what stands around a figure and in its words."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise import en_numbers as numbers
from cosyedge.text.normalise import en_units as units
from cosyedge.text.normalise import en_words as words
from cosyedge.text.normalise.en_dates import WEEKDAYS
from cosyedge.text.normalise.written.marks import NEGATIVE, TO
from cosyedge.text.normalise.written.money import SIGN
from cosyedge.text.normalise.written.rows import FIGURE, START, Table, row
from cosyedge.text.normalise.written.units import UNIT

_TERMS: Final = rf"(?:{FIGURE}\s?[-+*×/÷]\s?){{0,12}}{FIGURE}"
_EXPRESSION: Final = rf"{_TERMS}\s?(?:=|is\b|equals\b)"
_COMPARED: Final = {"<": "less than ", ">": "more than "}
_YEAR_WORD: Final = r"[Ii]n|[Ss]ince|[Yy]ear|[Ff]rom|[Uu]ntil|[Bb]y|[Cc]irca|[Bb]efore|[Aa]fter"
_ABBREVIATED: Final = units.any_of((*units.UNITS, "mins", "secs", "hr", "hrs", "lbs"))
#: What a figure behind a lone stop has to have behind it.
_MEASURED: Final = rf" ?(?:%|(?:{_ABBREVIATED}|{SIGN})(?![A-Za-z0-9]))"


def _decades(match: re.Match[str]) -> str:
    century, decade = match["century"], int(match["decade"])
    said = f"{numbers.cardinal(decade)[:-1]}ies" if decade else "hundreds"
    return f"{numbers.cardinal(int(century))} {said}" if century else said


def _feet(match: re.Match[str]) -> str:
    feet, inches = int(match["feet"]), match["inches"]
    said = f"{numbers.cardinal(feet)} {'foot' if feet == 1 else 'feet'}"
    return f"{said} {numbers.cardinal(int(inches))}" if inches else said


def _hyphened(match: re.Match[str]) -> str:
    """A 5-min timer: what is tied by a hyphen stands in the singular."""
    if not units.is_known(match["unit"]):
        return match[0]
    return f"{numbers.quantity(match['figure'])} {units.name_of(match['unit'])}"


def _scaled(match: re.Match[str]) -> str:
    scale = {"k": "thousand", "M": "million", "bn": "billion"}[match["scale"]]
    return f"{numbers.quantity(match['figure'])} {scale}"


def _lone_unit(match: re.Match[str]) -> str:
    name = units.name_of(match["unit"])
    return f"{match['one']}{name}" if match["one"] else units.plural(name)


LONE_UNITS: Final[Table] = (
    (units.LONE, _lone_unit),
    (units.PER, lambda match: f" per {units.name_of(match['unit'])}"),
)

FIRST: Final[Table] = (
    row(r"(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])", " "),
    row(r"°\s?(?P<scale>[CF])\b", r"°\g<scale>"),
    *words.ABBREVIATIONS,
    (words.ROMAN_AFTER, words.read_roman_after),
    (words.ROMAN_KING, words.read_roman_king),
    *WEEKDAYS,
    (words.DOTTED_LETTERS, words.read_dotted_letters),
    (words.INITIAL, r"\g<letter>"),
    # The stop of an abbreviated unit, and the one inside a name.
    row(r"(?<=[0-9])\sin\.(?=\s[a-z])", "in"),
    row(rf"(?<=[0-9])(?P<unit>\s?(?:{_ABBREVIATED}))\.(?=\s[a-z])", r"\g<unit>"),
    row(r"(?<=[A-Za-z0-9])\.(?=[a-z]{2}|[a-z][0-9])|(?<=\s)\.(?=[A-Za-z])", " dot "),
    row(r"\b9/11\b", "nine eleven"),
    # A stop alone before a figure that is measured or paid.
    row(rf"(?<![0-9A-Za-z.])\.(?=[0-9]++{_MEASURED})|(?<=[$€£¥])\.(?=[0-9])", "0."),
)

RANGES: Final[Table] = (
    # A cross or a dash between figures: an expression or a size.
    row(rf"(?<=[0-9])\s?[x×]\s?(?={_EXPRESSION})", " times "),
    row(r"(?<=[0-9])\s?[x×]\s?(?=[0-9])", " by "),
    row(rf"(?<=[0-9])(?:\s?[-–]\s?(?={_TERMS}\s?=)|\s[-–]\s(?={_EXPRESSION}))", " minus "),
    row(r"(?<=[0-9)])\s/\s(?=[(0-9])", " divided by "),
    # 72°F / 22°C is the same once more, 5 l/100 km one for each of the other.
    row(rf"(?P<unit>°[CF]) ?/ ?(?=[-–]?{FIGURE} ?°[CF])", r"\g<unit> or "),
    row(
        rf"(?<=[0-9])(?P<unit> ?(?:{_ABBREVIATED})) / (?!10{{0,3}} )(?={FIGURE} ?(?:{_ABBREVIATED})\b)",
        r"\g<unit> or ",
    ),
    row(rf"(?<=[0-9])(?P<unit> ?(?:{_ABBREVIATED})) ?/ ?(?=[0-9]++ ?(?:{_ABBREVIATED})\b)", r"\g<unit> per "),
    # With nothing before it to compare.
    row(r"(?<!\S)(?P<sign>[<>])(?=[$€£¥]?\.?[0-9])", lambda match: _COMPARED[match["sign"]]),
    # A dash with a space before it alone is a sign.
    row(r"(?<=\s)[-–](?=[$€£¥]?\.?[0-9])", NEGATIVE),
)

MEASURES: Final[Table] = (
    # A percent sign that is written twice is said twice.
    row(rf"(?<=[0-9]) ?%(?={TO})", " percent"),
    row(r"(?<=[0-9]) ?% ?RH(?![A-Za-z])", "% relative humidity"),
    # Decades look like seconds.
    row(
        r"(?<![0-9.,])(?:\b(?P<century>1[0-9]|20)|'|(?<=[Tt]he )|(?<=[a-z]-))(?P<decade>[0-9]0)'?s\b",
        _decades,
    ),
    row(r"(?<![A-Za-z0-9.])(?P<feet>[0-9]{1,2})'\s?(?:(?P<inches>[0-9]{1,2})\"|(?![A-Za-z0-9]))", _feet),
    # The first quotation mark of a text closes nothing.
    row(r"^(?P<before>[^\"]*[0-9])\"(?![A-Za-z0-9])", r"\g<before>in"),
    *(row(pattern, said) for pattern, said in units.IN_TWO_WORDS),
    row(rf"{START}(?<![A-Za-z])(?P<figure>{FIGURE})-{UNIT}(?![-'])", _hyphened),
)

COUNTS: Final[Table] = (
    *LONE_UNITS,
    row(rf"{START}(?P<figure>{FIGURE})(?P<scale>k|M|bn)\b", _scaled),
    row(r"\b(?P<figure>[0-9]{1,15})(?:st|nd|rd|th)\b", lambda match: numbers.ordinal(int(match["figure"]))),
    (words.ALPHANUMERIC, words.read_alphanumeric),
    row(r"(?<=[0-9])-(?=[A-Za-z])", " "),
    row(
        rf"(?P<before>\b(?:{_YEAR_WORD})\s)(?P<figure>1[0-9]{{3}})\b(?![.,][0-9]|\s[A-Za-z]+s\b)",
        lambda match: match["before"] + numbers.year(match["figure"]),
    ),
    row(
        r"\b(?P<letter>[A-Z])-(?=[0-9])(?P<figure>[0-9]+)\b",
        lambda match: f"{match['letter']}-{numbers.model_number(match['figure'])}",
    ),
    row("-(?=[0-9])", " "),
)

#: What is left when no figure is: words, each in lower case or letter by letter.
WORDS: Final[Table] = (
    *LONE_UNITS,
    row("(?<=[A-Z]{2}) (?=[A-Z]{2})", "\u00a0"),
    (words.WORD, words.read_word),
)
