"""What one language adds to the written forms: tables of words, and small functions that say one form.

A figure comes as ASCII digits, perhaps with a decimal point and a sign before it: ``20``, ``3.50``,
``-5``; thousands commas are gone. Where a form can be a range, its figures come as one or two of them.
What a function returns is final: it holds no digit, so no later row looks at it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from cosyedge.text.normalise.written.rows import Table

Half = Literal["a", "p"]
Figures = tuple[str, ...]


class Language:
    """Subclassed once by each language; what has no value here has to be given there."""

    # --- words -------------------------------------------------------------------------------------
    #: Between the ends of a range, before a negative figure, before a negative temperature, before a
    #: figure with a plus, before one with a tilde, between the whole and the decimals.
    to: str
    minus: str
    below_zero: str
    plus: str
    about: str
    point: str
    #: Between the parts of a version or an address; before a port and a network prefix.
    dot: str
    port: str
    slash: str
    #: The mark between a date and a time.
    pause: str = "，"
    #: How 24/7 is said.
    all_day: str
    #: Where words are parted by spaces, the sides on which what is said gets one before a letter or digit.
    spaced: Literal["", "left", "both"] = ""
    #: A pattern of words that are already written between two figures and mean the same as :attr:`to`.
    to_written: str = ""
    #: Sign or code, as written before or behind a figure → unit of money.
    currencies: Mapping[str, str]
    #: What multiplies the figure before it (万, 億, 만), as a class of characters of a pattern.
    multiples: str = ""
    #: Words and letters that multiply a sum of money, where spaces part words: a pattern.
    money_scales: str = ""
    #: A pattern of currency words that repeat a sign before the figure ($50美元): they are not said twice.
    money_words: str = "(?!)"
    #: Unit symbol → name; see :func:`cosyedge.text.normalise.written.units.expanded`.
    units: Mapping[str, str]
    #: What may stand behind the stroke of a rate besides a unit (kWh/month) → name.
    spans: Mapping[str, str] = MappingProxyType({})
    #: Symbols that are more often something else when a space stands before them, and a pattern of what
    #: shows, right behind letters, that they are no unit (A级).
    glued_only: frozenset[str] = frozenset(("A", "F", "J", "in", "t", "B", "C", "d"))
    not_unit: str = ""
    #: Sign of arithmetic → word between two figures: + - × ÷ = ≈ ≠ < > ≤ ≥ ± (* and x count as ×).
    operators: Mapping[str, str]
    #: A sign that stands alone → word.
    signs: Mapping[str, str]
    #: A pattern of words behind which a figure is dialled or typed in, and one of what may stand behind
    #: the figure that shows it was a count.
    named: str = ""
    not_named: str = ""
    #: A pattern of what stands between such a figure and another one.
    named_joint: str = ""
    #: Whether the month comes first in 6/13/2024, where a year may have two digits.
    month_first: bool = False
    #: Whether 2024.5.1 is a date; where it is not, only 2024.05.01 is.
    short_dotted_dates: bool = True
    #: Characters behind a figure of eleven digits and more that show that it is a count after all.
    long_counted: str = ""
    #: Patterns of words before and behind 2024.5.1 that make it a version; a Latin word before it does, too.
    version_before: str = ""
    version_behind: str = "(?!)"
    #: Patterns of telephone numbers as they are written in the countries of the language.
    phones: tuple[str, ...] = ()
    #: A pattern of words behind a bare number whose digits are read (room, flight, road).
    coded: str = ""
    #: Patterns of words before and behind two figures that make them a score.
    scored_before: str = ""
    scored_behind: str = ""
    #: A pattern of what a figure counts, longest first, and what may stand behind the first figure of a
    #: range besides a unit.
    counters: str = ""
    range_words: str = ""
    #: Rows of the language's own. They run before everything, before the shared dates, before the shared
    #: codes, before ranges are looked for, before units, before plain numbers, and last.
    first: Table = ()
    dates: Table = ()
    codes: Table = ()
    ranges: Table = ()
    measures: Table = ()
    counts: Table = ()
    last: Table = ()

    # --- figures -----------------------------------------------------------------------------------
    def cardinal(self, figure: str) -> str:
        """A whole number without a sign; leading zeros say nothing, any length is bounded by digits."""
        raise NotImplementedError

    def digits(self, figure: str) -> str:
        """One by one, as behind a decimal point; other characters are left out."""
        raise NotImplementedError

    def code(self, figure: str) -> str:
        """A telephone number or a long code: digit by digit, a pause between its groups."""
        raise NotImplementedError

    def number(self, figure: str, *, minus: str | None = None) -> str:
        """Any figure; ``minus`` instead of the word for a negative number."""
        sign = ""
        if figure[:1] in "+-":
            sign, figure = (self.plus if figure[0] == "+" else minus or self.minus), figure[1:]
        whole, _, decimals = figure.partition(".")
        said = self.cardinal(whole or "0")
        return f"{sign}{said}{self.point}{self.digits(decimals)}" if decimals else sign + said

    def figures(self, figures: Figures, *, minus: str | None = None) -> str:
        """One figure, or two with the word of a range between."""
        return self.to.join(self.number(figure, minus=minus) for figure in figures)

    def bare(self, figure: str) -> str:
        """A figure that nothing else is known of, as it is written, with its thousands commas."""
        return self.number(figure.replace(",", ""))

    # --- forms: each says one; the defaults are those of most languages ------------------------------
    def date(self, year: str | None, month: str, day: str | None) -> str:
        """A date written in figures: 2024-05-01, 2024-05 (no day), 12/25 (no year)."""
        raise NotImplementedError

    def clock(self, hour: str, minute: str | None, second: str | None, half: Half | None) -> str:
        """A time of day: 14:30, 5:35:36, 9:30 PM, 8pm (no minute)."""
        raise NotImplementedError

    def duration(self, hours: str, minutes: str) -> str:
        """1h30m."""
        raise NotImplementedError

    def ratio(self, left: str, right: str) -> str:
        """3:2, of a score or a ratio."""
        raise NotImplementedError

    def percent(self, figures: Figures, mark: Literal["%", "‰"]) -> str:
        raise NotImplementedError

    def fraction(self, whole: str | None, top: str, bottom: str) -> str:
        raise NotImplementedError

    def money(self, figures: Figures, multiple: str, currency: str) -> str:
        """A sum: ``multiple`` multiplies the last figure or is empty, ``currency`` is from the table."""
        return f"{self.figures(figures)}{multiple}{currency}"

    def measure(self, figures: Figures, multiple: str, unit: str, name: str) -> str:
        """A figure with a unit: its symbol (canonical), and its name from :attr:`units`."""
        return f"{self.figures(figures, minus=self.minus_of(unit))}{multiple}{name}"

    def minus_of(self, unit: str) -> str:
        """What a minus before a figure of ``unit`` is called."""
        return self.below_zero if unit in ("°C", "°F", "°") else self.minus

    def per(self, unit: str, name: str, base: str, base_name: str) -> str:
        """The name of a rate that is in no table: W/m² of 瓦 and 平方米."""
        raise NotImplementedError

    def counted(self, figures: Figures, multiple: str, counter: str) -> str:
        """A figure with one of :attr:`counters`."""
        return f"{self.figures(figures)}{multiple}{counter}"

    def power(self, figure: str) -> str:
        """An exponent, with its sign, behind its base: 10⁶, x⁻¹."""
        raise NotImplementedError

    def lines(self, figure: str) -> str:
        """1080p: the lines of a picture."""
        return self.digits(figure)

    def numbered(self, figure: str) -> str:
        """#5, No. 5."""
        return self.cardinal(figure)

    def version(self, parts: tuple[str, ...]) -> str:
        """Three parts and more."""
        return self.dot.join(self.part(part) for part in parts)

    def address(self, parts: tuple[str, ...], port: str | None, prefix: str | None) -> str:
        said = self.dot.join(self.digits(part) for part in parts)
        if prefix:
            said += f"{self.slash}{self.cardinal(prefix)}"
        return said + (f"{self.port}{self.digits(port)}" if port else "")

    def part(self, figure: str) -> str:
        """One part of a version: as a number while it is short."""
        return self.digits(figure) if len(figure) > 2 or figure[0] == "0" else self.cardinal(figure)
