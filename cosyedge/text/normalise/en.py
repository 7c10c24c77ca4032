"""English as it is written to English as it is spoken: the tables and small functions of its forms.

:func:`normalise` takes the text of one English span and gives lower-case words with the punctuation that
carries prosody; upper-case letters are read by their names (see :mod:`cosyedge.text.phonemes.en`). It is
pure and idempotent: no digit and no abbreviation is left that a second pass could find.
"""

from __future__ import annotations

from typing import Final, Literal

from cosyedge.text.normalise import en_codes, en_dates, en_money, en_rows, en_units
from cosyedge.text.normalise import en_numbers as numbers
from cosyedge.text.normalise.en_marks import folded, tidied
from cosyedge.text.normalise.en_words import unshout
from cosyedge.text.normalise.written.language import Figures, Half, Language
from cosyedge.text.normalise.written.rows import apply
from cosyedge.text.normalise.written.table import Normaliser, apart

_OPERATORS: Final = {
    "+": " plus ", "-": " minus ", "×": " times ", "÷": " divided by ", "=": " equals ", "≈": " is about ",
    "≠": " is not ", "<": " is less than ", ">": " is greater than ", "≤": " is at most ",
    "≥": " is at least ", "±": " plus or minus ",
}  # fmt: skip
_SIGNS: Final = {
    **{sign: said for sign, said in _OPERATORS.items() if sign not in "-<>"},
    "%": " percent ", "‰": " per mille ", "&": " and ", "@": " at ", "°": " degrees ", "²": " squared ",
    "³": " cubed ", "→": " ", "√": " root ", "∞": " infinity ",
}  # fmt: skip


class English(Language):
    """See :class:`~cosyedge.text.normalise.written.language.Language`."""

    to, to_written = " to ", "to"
    minus = below_zero = "minus "
    plus, about = "plus ", "about "
    point = dot = " point "
    port, slash = " port ", " slash "
    pause = ", "
    all_day = "twenty four seven"
    spaced = "both"
    money_scales = en_money.SCALE
    month_first = True
    short_dotted_dates = False
    glued_only = en_units.GLUED_ONLY
    not_unit = "'"
    named, not_named = en_codes.NAMED, en_codes.NOT_NAMED
    range_words = r" ?[AaPp]\.?[Mm]\.?"
    units = en_units.UNITS
    spans = en_units.SPANS
    currencies = en_money.SIGNS
    operators = _OPERATORS
    signs = _SIGNS
    first = en_rows.FIRST
    dates = en_dates.ROWS
    codes = en_codes.ROWS
    ranges = en_rows.RANGES
    measures = en_rows.MEASURES
    counts = en_rows.COUNTS

    def cardinal(self, figure: str) -> str:
        return numbers.whole(figure)

    def digits(self, figure: str) -> str:
        return numbers.digits(figure)

    def code(self, figure: str) -> str:
        return en_codes.spelled(figure)

    def number(self, figure: str, *, minus: str | None = None) -> str:
        sign = {"-": self.minus, "+": self.plus}.get(figure[:1], "")
        return sign + numbers.quantity(figure[1:] if sign else figure)

    def bare(self, figure: str) -> str:
        sign = self.minus if figure[0] == "-" else ""
        return f" {sign}{numbers.plain(figure.lstrip('-'))} "

    def date(self, year: str | None, month: str, day: str | None) -> str:
        if year and len(year) == 2:
            year = f"20{year}"
        if day:
            return en_dates.month_day(month, day, year)
        said = en_dates.MONTHS[int(month) - 1]
        return f"{said} {numbers.year(year)}" if year else said

    def clock(self, hour: str, minute: str | None, second: str | None, half: Half | None) -> str:
        letters = f" {half.upper()} M" if half else ""
        if minute is None:
            return numbers.cardinal(int(hour)) + letters
        return en_dates.time(int(hour), int(minute), int(second) if second else None, letters)

    def duration(self, hours: str, minutes: str) -> str:
        return f"{self._measured((hours,), 'hour')} {self._measured((minutes,), 'minute')}"

    def ratio(self, left: str, right: str) -> str:
        return f"{numbers.plain(left)} to {numbers.plain(right)}"

    def percent(self, figures: Figures, mark: Literal["%", "‰"]) -> str:
        return f"{self.figures(figures)} {'percent' if mark == '%' else 'per mille'}"

    def fraction(self, whole: str | None, top: str, bottom: str) -> str:
        before = f"{numbers.quantity(whole)} " if whole else ""
        if int(bottom) not in numbers.DENOMINATORS or int(top) >= int(bottom):
            over = "over " if len(top) == 3 else ""
            return f"{before}{numbers.plain(top)} {over}{numbers.plain(bottom)}"
        part = numbers.fraction(int(top), int(bottom))
        if not whole:
            return part
        # Behind a whole number: two and a half.
        return f"{before}and " + part.replace("one half", "a half").replace("one quarter", "a quarter")

    def money(self, figures: Figures, multiple: str, currency: str) -> str:
        """$49.95 → forty nine dollars and ninety five cents; $2.5M → two point five million dollars."""
        names = en_money.CURRENCIES[currency]
        figure = figures[-1]
        if len(figures) > 1 or multiple:
            scale = f"{en_money.scale(multiple)} " if multiple else ""
            return f"{self.figures(figures)} {scale}{currency}"
        sign = self.minus if figure[0] == "-" else ""
        whole, _, part = figure.lstrip("-").partition(".")
        if not names.hundredth or len(part) != 2:
            return f"{self.number(figure)} {names.one if whole == '1' and not part else currency}"
        said = []
        if whole.strip("0") or part == "00":
            said.append(f"{numbers.whole(whole)} {names.one if whole == '1' else currency}")
        if part != "00":
            cents = int(part)
            said.append(f"{numbers.cardinal(cents)} {names.hundredth if cents == 1 else names.hundredths}")
        return sign + " and ".join(said)

    def measure(self, figures: Figures, multiple: str, unit: str, name: str) -> str:
        return self._measured(figures, name)

    def per(self, unit: str, name: str, base: str, base_name: str) -> str:
        return f"{name} per {base_name}"

    def power(self, figure: str) -> str:
        return f" to the power of {self.number(figure)} "

    def lines(self, figure: str) -> str:
        return f"{numbers.model_number(figure)} "

    def numbered(self, figure: str) -> str:
        return f"number {numbers.quantity(figure)}"

    def address(self, parts: tuple[str, ...], port: str | None, prefix: str | None) -> str:
        said = " dot ".join(map(numbers.group, parts))
        if prefix:
            said += self.slash + numbers.group(prefix)
        return said + (self.port + self.digits(port) if port else "")

    def _measured(self, figures: Figures, name: str) -> str:
        one = len(figures) == 1 and figures[0].lstrip("-") == "1"
        return f"{self.figures(figures)} {name if one else en_units.plural(name)}"


_FORMS: Final = Normaliser(English())
_WORDS: Final = apart(English(), en_rows.WORDS)
_MOST_ROUNDS: Final = 6


def normalise(text: str) -> str:
    """The spoken words of ``text``."""
    text = unshout(folded(text))
    # Once is nearly always enough; glued fragments ("TVs$3etc.") can part into words that need a second look.
    for _ in range(_MOST_ROUNDS):
        before = text
        text = tidied(apply(_WORDS, _FORMS.forms(text)))
        if text == before:
            break
    return text
