"""English readings of dates and times of day."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.en_numbers import cardinal, ordinal, year

MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH_OF: Final = {
    **{m: m for m in MONTHS},
    **{m[:3]: m for m in MONTHS},
    "sept": "september",
}
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY_OF: Final = {**{d[:3]: d for d in _DAYS}, "tues": "tuesday", "thur": "thursday", "thurs": "thursday"}
_MONTH: Final = (
    r"(?P<month>(?:[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)\b\.?"
    r"|[Jj]anuary|[Ff]ebruary|March|[Aa]pril|May|[Jj]une|[Jj]uly|[Aa]ugust|[Ss]eptember|[Oo]ctober"
    r"|[Nn]ovember|[Dd]ecember)"
)
_DAY: Final = r"(?P<day>0?[1-9]|[12][0-9]|3[01])"
_NOT_MORE: Final = r"(?![0-9]|[:.,/][0-9]|\s?%)"

#: With stops between, month and day have two digits: 2024.12.1 is a version.
ISO_DATE: Final = re.compile(
    r"(?<![0-9./-])(?P<year>[12][0-9]{3})"
    r"(?:(?P<mark>[-/])(?P<number>0?[1-9]|1[0-2])(?P=mark)(?P<day>0?[1-9]|[12][0-9]|3[01])"
    r"|\.(?P<month2>0[1-9]|1[0-2])\.(?P<day2>0[1-9]|[12][0-9]|3[01]))(?![0-9/.-]*[0-9])"
)
SLASH_DATE: Final = re.compile(
    r"(?<![0-9./-])(?P<first>[0-3]?[0-9])(?P<mark>[/.-])(?P<second>[0-3]?[0-9])(?P=mark)"
    r"(?P<year>(?:19|20)[0-9]{2}|(?<=/)[0-9]{2})(?![0-9/.-]*[0-9])"
)
MONTH_DAY: Final = re.compile(
    rf"\b{_MONTH}\s{_DAY}(?:st|nd|rd|th)?\b{_NOT_MORE}(?:(?P<comma>,?)\s(?P<year>[12][0-9]{{3}})\b(?!\s?%|:))?"
)
DAY_MONTH: Final = re.compile(
    rf"(?<![0-9.,:/-])(?P<the>\bthe\s)?\b{_DAY}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?![a-z])"
    r"(?:(?P<comma>,?)\s(?P<year>[12][0-9]{3})\b(?!\s?%|:))?"
)
MONTH_YEAR: Final = re.compile(rf"\b{_MONTH}\s(?P<year>1[0-9]{{3}}|20[0-9]{{2}})\b(?!\s?%|[:.,][0-9])")
_SHORT_DAY: Final = r"(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
WEEKDAY_RANGE: Final = re.compile(rf"\b(?P<first>{_SHORT_DAY})\.?\s?[-–]\s?(?P<last>{_SHORT_DAY})\b\.?")
#: "Sat" and "Sun" are words of their own unless a date follows.
WEEKDAY: Final = re.compile(
    r"\b(?P<day>Mon|Tues?|Wed|Thu(?:rs?)?|Fri)\b(?:\.(?=,|\s\S))?|\b(?P<end>Sat|Sun)\b(?=\.?,?\s[A-Z]?[a-z]*\.?\s?[0-9])\.?"
)
CLOCK: Final = re.compile(
    r"(?<![0-9:.])(?P<hour>[01]?[0-9]|2[0-4])(?::(?P<minute>[0-5][0-9]))(?::(?P<second>[0-5][0-9]))?"
    r"(?:\s?(?P<half>[AaPp])(?:\.\s?)?[Mm]\b(?P<dot>\.)?)?(?![0-9]|:[0-9])(?:\s?o['’]clock)?"
)
HOUR_HALF: Final = re.compile(
    r"(?<![0-9:.])(?P<hour>0?[0-9]|1[0-2])\s?(?P<half>[AaPp])(?:\.\s?)?[Mm]\b(?P<dot>\.)?"
)


def _month(text: str) -> str:
    return _MONTH_OF[text.rstrip(".").lower()]


def _date(month: str, day: str, the_year: str | None) -> str:
    said = f"{month} {ordinal(int(day))}"
    return f"{said}, {year(the_year)}" if the_year else said


def read_iso_date(match: re.Match[str]) -> str:
    month, day = match["number"] or match["month2"], match["day"] or match["day2"]
    return _date(MONTHS[int(month) - 1], day, match["year"])


def read_slash_date(match: re.Match[str]) -> str:
    """Month first, as Americans write, unless the first number can't be a month or dots part them."""
    first, second = int(match["first"]), int(match["second"])
    day_first = first > 12 or match["mark"] == "."
    month, day = (second, first) if day_first and second <= 12 else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match.group()
    the_year = match["year"] if len(match["year"]) == 4 else "20" + match["year"]
    return _date(MONTHS[month - 1], str(day), the_year)


def read_month_day(match: re.Match[str]) -> str:
    return _date(_month(match["month"]), match["day"], match["year"])


def read_day_month(match: re.Match[str]) -> str:
    said = f"{match['the'] or ''}{ordinal(int(match['day']))} of {_month(match['month'])}"
    return f"{said}, {year(match['year'])}" if match["year"] else said


def read_month_year(match: re.Match[str]) -> str:
    return f"{_month(match['month'])} {year(match['year'])}"


def read_weekday_range(match: re.Match[str]) -> str:
    return f"{_DAY_OF[match['first'].lower()]} to {_DAY_OF[match['last'].lower()]}"


def read_weekday(match: re.Match[str]) -> str:
    return _DAY_OF[(match["day"] or match["end"]).lower()]


def _ends(match: re.Match[str]) -> str:
    """The stop of "p.m." is the sentence's own only where the sentence can end."""
    if not match["dot"]:
        return ""
    rest = match.string[match.end() : match.end() + 8].lstrip()
    return "." if not rest or rest[0].isupper() else ""


def _half(letter: str | None) -> str:
    return f" {letter.upper()} M" if letter else ""


def read_clock(match: re.Match[str]) -> str:
    """8:00 → eight o'clock; 9:30PM → nine thirty P M; 14:00 → fourteen hundred; 00:00 → midnight."""
    hour, minute, second = int(match["hour"]), int(match["minute"]), match["second"]
    half = _half(match["half"])
    if second is None and not half and minute == 0:
        if hour in (0, 24):
            return "midnight"
        return f"{cardinal(hour)} o'clock" if hour <= 12 else f"{cardinal(hour)} hundred"
    said = cardinal(hour)
    if minute or second is not None:
        said += f" {'oh ' if 0 < minute < 10 else ''}{cardinal(minute) if minute else 'hundred'}"
    if second is not None and int(second):
        said += f" and {cardinal(int(second))} second{'' if int(second) == 1 else 's'}"
    return said + half + _ends(match)


def read_hour_half(match: re.Match[str]) -> str:
    return cardinal(int(match["hour"])) + _half(match["half"]) + _ends(match)
