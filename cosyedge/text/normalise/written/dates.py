"""Dates and times of day in figures, scores and ratios."""

from __future__ import annotations

import re
from typing import Final, Literal, cast

from cosyedge.text.normalise.written.language import Half, Language
from cosyedge.text.normalise.written.marks import TO
from cosyedge.text.normalise.written.rows import Table, row

_YEAR_FIGURES: Final = "(?:1[0-9]|20|21)[0-9]{2}"
_YEAR: Final = rf"(?P<year>{_YEAR_FIGURES})"
_DAY: Final = r"(?P<day>0?[1-9]|[12][0-9]|3[01])"
_MONTH: Final = r"(?P<month>0?[1-9]|1[0-2])"
_HALF: Final = r"(?: ?(?P<half>[AaPp])(?:\. ?)?[Mm](?P<stop>\.)?(?![A-Za-z0-9]))"
_DASH: Final = r" ?[-–—~]{1,2} ?"
#: With spaces on both sides or on none: a sign has one before it alone.
_EVEN_DASH: Final = "(?:[-–—~]{1,2}| [-–—~]{1,2} )"
#: Nothing but a time of day: with minutes, or with its half of the day.
_TIME: Final = (
    r"(?:[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?(?: ?[AaPp]\.?[Mm](?![A-Za-z])\.?)?"
    r"|[0-9]{1,2} ?[AaPp]\.?[Mm](?![A-Za-z])\.?)"
)

ALL_DAY: Final = re.compile(r"(?<![0-9./])24/7(?![0-9/]|\.[0-9])")
ISO_DATE: Final = re.compile(
    rf"(?<![0-9./-]){_YEAR}(?P<mark>[-/.]){_MONTH}(?P=mark){_DAY}(?![0-9]|[./-][0-9])[日号號일]?"
    r"(?P<time>[T ](?=[0-9]))?"
)


def _year_last(year: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![0-9./-])(?P<first>[0-3]?[0-9])(?P<mark>[-/.])(?P<second>[0-3]?[0-9])(?P=mark){year}(?![0-9]|[./-][0-9])"
    )


#: The year last: the day is first unless only the second number can be one.
YEAR_LAST: Final = _year_last(_YEAR)
#: Where the month is first, the year may have two digits between strokes.
MONTH_FIRST: Final = _year_last(rf"(?P<year>{_YEAR_FIGURES}|(?<=/)[0-9]{{2}})")
YEAR_MONTH: Final = re.compile(rf"(?<![0-9./-]){_YEAR}[-/](?P<month>0[1-9]|1[0-2])(?![0-9]|[./-][0-9]|月|월)")
#: 8:00-18:00, 9-10:30, 7-9 PM, before each end is read: one of them shows that it is a time.
CLOCK_RANGE: Final = re.compile(
    rf"(?P<first>(?<![0-9:.]){_TIME}(?={_DASH}{_TIME}|{_EVEN_DASH}[0-9]{{1,2}}(?![0-9]|[.,:][0-9]| ?[°%]))"
    rf"|(?<![0-9A-Za-z:.,/-])[0-9]{{1,2}}(?={_DASH}{_TIME})){_DASH}"
)
CLOCK: Final = re.compile(
    # PM10:50 is a reading of dust, PM 10:50 a time.
    r"(?<![0-9:.])(?<!PM(?=10:))(?P<hour>[01]?[0-9]|2[0-4]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?(?![0-9:])"
    rf"(?:\.[0-9]{{1,6}})?[Zz]?{_HALF}?"
)
HALF_DAY: Final = re.compile(rf"(?<![0-9:.])(?P<hour>[01]?[0-9]|2[0-4]){_HALF}")
RATIO: Final = re.compile(
    r"(?<![0-9:.])(?<!PM(?=10:))(?P<left>[0-9]{1,4})(?P<gap> ?):(?P=gap)(?P<right>[0-9]{1,4})(?![0-9:.])"
)
_SCORE: Final = r"(?P<left>[0-9]{1,3}) ?[:-] ?(?P<right>[0-9]{1,3})(?![0-9:.])"


def rows(language: Language) -> Table:
    """In the order of their application."""

    def date(match: re.Match[str]) -> str:
        short = len(match["month"] + match["day"]) < 4
        if match["mark"] == "." and short and not language.short_dotted_dates:
            return match[0]
        said = language.date(match["year"], match["month"], match["day"])
        return said + (language.pause if match["time"] else "")

    def year_last(match: re.Match[str]) -> str:
        first, second = int(match["first"]), int(match["second"])
        month_first = first <= 12 if language.month_first and match["mark"] != "." else second > 12
        day, month = (second, first) if month_first else (first, second)
        if not (1 <= day <= 31 and 1 <= month <= 12):
            return match[0]
        return language.date(match["year"], str(month), str(day))

    def clock(match: re.Match[str]) -> str:
        second = match["second"] if match["second"] != "00" else None
        return language.clock(match["hour"], match["minute"], second, _half(match["half"])) + _stop(match)

    def half_day(match: re.Match[str]) -> str:
        return language.clock(match["hour"], None, None, _half(match["half"])) + _stop(match)

    def ratio(match: re.Match[str]) -> str:
        return language.ratio(match["left"], match["right"])

    table: Table = (
        (ALL_DAY, lambda _: language.all_day),
        (ISO_DATE, date),
        (MONTH_FIRST if language.month_first else YEAR_LAST, year_last),
        (YEAR_MONTH, lambda match: language.date(match["year"], match["month"], None)),
        (CLOCK_RANGE, rf"\g<first>{TO}"),
    )
    if language.scored_before:
        table += (
            row(
                rf"(?P<context>(?:{language.scored_before})[^0-9。！？.!?]{{0,6}}){_SCORE}",
                lambda match: match["context"] + ratio(match),
            ),
        )
    if language.scored_behind:
        table += (row(rf"(?<![0-9:.]){_SCORE}(?= ?(?:{language.scored_behind}))", ratio),)
    return (*table, (CLOCK, clock), (HALF_DAY, half_day), (RATIO, ratio))


def _stop(match: re.Match[str]) -> str:
    """The stop of "p.m." is the sentence's own only where the sentence can end."""
    if not match["stop"]:
        return ""
    rest = match.string[match.end() : match.end() + 8].lstrip()
    return "." if not rest or rest[0].isupper() else ""


def _half(written: str | None) -> Half | None:
    return cast(Literal["a", "p"], written.lower()) if written else None
