"""Figures that measure or count: ranges, signs, parts of a whole, units, counters, arithmetic."""

from __future__ import annotations

import re
from typing import Final, Literal, cast

from cosyedge.text.normalise.written.figures import QUANTITY, figures_of, multiple_of
from cosyedge.text.normalise.written.language import Language
from cosyedge.text.normalise.written.marks import NEGATIVE, TO
from cosyedge.text.normalise.written.money import SIGN_CHARACTERS
from cosyedge.text.normalise.written.rows import DASH, FIGURE, MINUS, START, Table, row
from cosyedge.text.normalise.written.units import ANY_UNIT, UNIT, canonical

_BEFORE_SIGN: Final = r"(?<![0-9A-Za-z%°)])"
PERCENT: Final = re.compile(
    rf"{START}(?P<figure>{NEGATIVE}?{FIGURE})(?: ?[%‰](?={TO}))?"
    rf"(?:{TO}(?P<last>{NEGATIVE}?{FIGURE}))? ?(?P<mark>[%‰])"
    r"(?:(?<=%) ?RH(?![A-Za-z]))?"
)
FRACTION: Final = re.compile(
    r"(?<![0-9./])(?P<whole>[0-9]{1,4} )?(?P<top>[0-9]{1,4})/(?P<bottom>[0-9]{1,4})(?![0-9/]|\.[0-9])"
)
DURATION: Final = re.compile(
    r"(?<![0-9.A-Za-z])(?P<hours>[0-9]{1,3}) ?h ?(?P<minutes>[0-5]?[0-9]) ?m(?:in)?(?![A-Za-z0-9])"
)
VIDEO: Final = re.compile(r"(?<![0-9.,])(?P<figure>[0-9]{3,4})(?=[pP](?![A-Za-z]))")


def dash_rows(language: Language) -> Table:
    """What a dash, a tilde or a sign before a figure is: later rows find :data:`TO` and :data:`NEGATIVE`."""
    behind = f"|{language.range_words}" if language.range_words else ""

    def operator(match: re.Match[str]) -> str:
        return language.operators["-"]

    table: Table = (
        row(rf"(?<=[0-9]) ?[-−–] ?(?={FIGURE} ?[=≈])", operator),
        row(
            rf"(?P<first>{START}{FIGURE}(?:{ANY_UNIT}{behind})?){DASH}(?=[-–]?[{SIGN_CHARACTERS}]?\.?[0-9])",
            rf"\g<first>{TO}",
        ),
    )
    # 72°F / 22°C: the same once more, not one for each of the other.
    table += (
        row(
            rf"(?P<first>{START}{FIGURE}{ANY_UNIT}) / (?={MINUS}?{FIGURE}{ANY_UNIT})",
            rf"\g<first>{language.pause}",
        ),
    )
    if language.to_written:
        table += (row(rf"(?<=[0-9%‰]) ?(?:{language.to_written}) ?(?=[0-9]|-[0-9])", TO),)
    return (
        *table,
        row(r"(?<![0-9A-Za-z])~ ?(?=[0-9])", language.about),
        row(rf"{MINUS}(?=[{SIGN_CHARACTERS}]?\.?[0-9])", NEGATIVE),
        row(rf"{_BEFORE_SIGN}\+(?=[0-9])", language.plus),
    )


def operator_rows(language: Language) -> Table:
    """Signs of arithmetic and comparison between figures, or before one."""

    def operator(match: re.Match[str]) -> str:
        sign = match["operator"]
        return language.operators["×" if sign in "*xX" else sign]

    return (
        row(">=", "≥"),
        row("<=", "≤"),
        row(rf"(?P<operator>[=≈≠<>≤≥±])(?= ?[0-9{NEGATIVE}])", operator),
        row(r"(?<=[0-9A-Za-z%°)]) ?(?P<operator>[+*×÷]) ?(?=[0-9(])", operator),
        row(r"(?<=[0-9]) ?(?P<operator>[xX]) ?(?=[0-9])", operator),
    )


def rows(language: Language) -> Table:
    """In the order of their application."""
    multiple = multiple_of(language)
    not_unit = f"(?!{language.not_unit})" if language.not_unit else ""

    def percent(match: re.Match[str]) -> str:
        return language.percent(figures_of(match), cast(Literal["%", "‰"], match["mark"]))

    def fraction(match: re.Match[str]) -> str:
        whole = match["whole"]
        return language.fraction(whole and whole.strip(), match["top"], match["bottom"])

    def duration(match: re.Match[str]) -> str:
        return language.duration(match["hours"], match["minutes"])

    def measure(match: re.Match[str]) -> str:
        written = canonical(match["unit"])
        found = _named(language, written, spaced=bool(match["space"]))
        if not found:
            return match[0]
        symbol, name = found
        rest = "" if symbol == written else match["unit"].partition("/")[2].join(("/", ""))
        return language.measure(figures_of(match), match["multiple"] or "", symbol, name) + rest

    def counted(match: re.Match[str]) -> str:
        return language.counted(figures_of(match), match["multiple"] or "", match["counter"])

    table: Table = (
        (PERCENT, percent),
        (FRACTION, fraction),
        (DURATION, duration),
        row(rf"{START}{QUANTITY}{multiple}{UNIT}{not_unit}", measure),
        (VIDEO, lambda match: language.lines(match["figure"])),
    )
    if language.counters:
        table += (row(rf"{START}{QUANTITY}{multiple} ?(?P<counter>{language.counters})", counted),)
    return table


def _named(language: Language, symbol: str, *, spaced: bool) -> tuple[str, str] | None:
    """What of ``symbol`` is a unit (all of it, or what is before its stroke), and its name."""
    name = language.units.get(symbol)
    head, _, base = symbol.partition("/")
    if spaced and head in language.glued_only:
        return None
    if name is not None:
        return symbol, name
    name, base_name = language.units.get(head), language.units.get(base) or language.spans.get(base)
    if name is None:
        return None
    return (symbol, language.per(head, name, base, base_name)) if base_name is not None else (head, name)
