"""What Mandarin and Cantonese share: forms that differ in words alone.

:class:`Chinese` says them with the words that each of the two names as attributes.
"""

from __future__ import annotations

from typing import Literal

from cosyedge.text.normalise import han_numbers
from cosyedge.text.normalise.written.language import Figures, Half, Language


class Chinese(Language):
    """See :class:`~cosyedge.text.normalise.written.language.Language`."""

    below_zero, plus = "零下", "加"
    all_day = "全天候"
    glued_only = frozenset(("A", "F", "J", "in", "t", "C"))

    #: What 2 is called where it counts.
    two: str
    #: Behind the hour, behind the day of a month, behind a number that is a name.
    oclock: str
    day_word: str
    number_word: str
    #: Before a time of day.
    forenoon: str
    afternoon: str
    #: Behind the parts of a duration.
    hours_word: str
    minutes_word: str
    #: 100 behind 百分之.
    hundred: str

    def digits(self, figure: str) -> str:
        return han_numbers.digits(figure)

    def date(self, year: str | None, month: str, day: str | None) -> str:
        said = f"{self.cardinal(month)}月" + (f"{self.cardinal(day)}{self.day_word}" if day else "")
        return f"{self.digits(year)}年{said}" if year else said

    def clock(self, hour: str, minute: str | None, second: str | None, half: Half | None) -> str:
        said = {None: "", "a": self.forenoon, "p": self.afternoon}[half]
        said += f"{han_numbers.hour(hour, self.two)}{self.oclock}"
        if (minute and minute != "00") or second:
            said += f"{han_numbers.two_digits(minute or '00')}分"
        if second:
            said += f"{han_numbers.two_digits(second)}秒"
        return said

    def duration(self, hours: str, minutes: str) -> str:
        return f"{self.quantity(hours)}{self.hours_word}{self.quantity(minutes)}{self.minutes_word}"

    def ratio(self, left: str, right: str) -> str:
        return f"{self.cardinal(left)}比{self.cardinal(right)}"

    def percent(self, figures: Figures, mark: Literal["%", "‰"]) -> str:
        whole = {"%": "百分之", "‰": "千分之"}[mark]
        said = (
            (self.minus if figure[0] == "-" else "")
            + whole
            + (self.hundred if figure == "100" and mark == "%" else self.number(figure.lstrip("-")))
            for figure in figures
        )
        return self.to.join(said)

    def fraction(self, whole: str | None, top: str, bottom: str) -> str:
        if int(top) > int(bottom) or bottom in ("0", "1"):
            return f"{whole or ''}{self.ratio(top, bottom)}"
        said = f"{self.cardinal(bottom)}分之{self.cardinal(top)}"
        return f"{self.cardinal(whole)}又{said}" if whole else said

    def per(self, unit: str, name: str, base: str, base_name: str) -> str:
        return f"{name}每{base_name}"

    def numbered(self, figure: str) -> str:
        return f"{self.cardinal(figure)}{self.number_word}"

    def quantity(self, figure: str, minus: str | None = None) -> str:
        """What is counted, measured or paid: 2 is :attr:`two`."""
        said = self.number(figure, minus=minus)
        return f"{said[:-1]}{self.two}" if figure.lstrip("-") == "2" else said
