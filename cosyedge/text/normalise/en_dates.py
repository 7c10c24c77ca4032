"""English dates with words in them, and how dates and times of day are said."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.en_numbers import cardinal, ordinal, year
from cosyedge.text.normalise.written.rows import Table, row

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH_OF: Final = {**{m: m for m in MONTHS}, **{m[:3]: m for m in MONTHS}, "sept": "september"}
_DAYS: Final = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DAY_OF: Final = {**{d[:3]: d for d in _DAYS}, "tues": "tuesday", "thur": "thursday", "thurs": "thursday"}
_MONTH: Final = (
    r"(?P<month>(?:[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)\b\.?"
    r"|[Jj]anuary|[Ff]ebruary|March|[Aa]pril|May|[Jj]une|[Jj]uly|[Aa]ugust|[Ss]eptember|[Oo]ctober"
    r"|[Nn]ovember|[Dd]ecember)"
)
_DAY: Final = r"(?:0?[1-9]|[12][0-9]|3[01])"
_PLACE: Final = "(?:st|nd|rd|th)?"
_DASH: Final = r"\s?[-–—]\s?"
_NOT_MORE: Final = r"(?![0-9]|[:.,/][0-9]|\s?%)"
_BEFORE_YEAR: Final = r"(?:,?\s(?P<year>[12][0-9]{3})\b(?!\s?%|:))?"
_MONTH_DAY: Final = (
    rf"\b{_MONTH}\s(?P<day>{_DAY}){_PLACE}\b(?:{_DASH}(?P<last>{_DAY}){_PLACE}\b(?!-))?{_NOT_MORE}"
    rf"{_BEFORE_YEAR}"
)
_DAY_MONTH: Final = (
    rf"(?<![0-9.,:/-])(?P<the>\bthe\s)?\b(?:(?P<first>{_DAY}){_PLACE}{_DASH})?(?P<day>{_DAY}){_PLACE}\s(?:of\s)?"
    rf"{_MONTH}(?![a-z]){_BEFORE_YEAR}"
)
_MONTH_YEAR: Final = rf"\b{_MONTH}\s(?P<year>1[0-9]{{3}}|20[0-9]{{2}})\b(?!\s?%|[:.,][0-9])"
_SHORT_DAY: Final = r"(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
_WEEKDAY_RANGE: Final = rf"\b(?P<first>{_SHORT_DAY})\.?\s?[-–]\s?(?P<last>{_SHORT_DAY})\b\.?"
#: "Sat" and "Sun" are words of their own unless a date follows.
_WEEKDAY: Final = (
    r"\b(?P<day>Mon|Tues?|Wed|Thu(?:rs?)?|Fri)\b(?:\.(?=,|\s\S))?"
    r"|\b(?P<end>Sat|Sun)\b(?=\.?,?\s[A-Z]?[a-z]*\.?\s?[0-9])\.?"
    r"|\bSat\b(?=\.?\s(?:and|or|to)\s(?:Sun|Mon)\b)\.?"
)


def month_day(month: str, day: str, of_year: str | None) -> str:
    """``6``, ``13``, ``2024`` → june thirteenth, twenty twenty four."""
    said = f"{MONTHS[int(month) - 1]} {ordinal(int(day))}"
    return f"{said}, {year(of_year)}" if of_year else said


def time(hour: int, minute: int, second: int | None, half: str) -> str:
    """8:00 → eight o'clock; 9:30PM → nine thirty P M; 14:00 → fourteen hundred; 00:00 → midnight."""
    if second is None and not half and minute == 0:
        if hour in (0, 24):
            return "midnight"
        return f"{cardinal(hour)} o'clock" if hour <= 12 else f"{cardinal(hour)} hundred"
    said = cardinal(hour)
    if minute or second is not None:
        said += f" {'oh ' if 0 < minute < 10 else ''}{cardinal(minute) if minute else 'hundred'}"
    if second:
        said += f" and {cardinal(second)} second{'' if second == 1 else 's'}"
    return said + half


def _month(match: re.Match[str]) -> str:
    return _MONTH_OF[match["month"].rstrip(".").lower()]


def _month_day(match: re.Match[str]) -> str:
    said = f"{_month(match)} {ordinal(int(match['day']))}"
    if match["last"]:
        said += f" to {ordinal(int(match['last']))}"
    return f"{said}, {year(match['year'])}" if match["year"] else said


def _day_month(match: re.Match[str]) -> str:
    first = f"{ordinal(int(match['first']))} to " if match["first"] else ""
    said = f"{match['the'] or ''}{first}{ordinal(int(match['day']))} of {_month(match)}"
    return f"{said}, {year(match['year'])}" if match["year"] else said


#: Without a figure.
WEEKDAYS: Final[Table] = (
    row(
        _WEEKDAY_RANGE,
        lambda match: f"{_DAY_OF[match['first'].lower()]} to {_DAY_OF[match['last'].lower()]}",
    ),
    row(_WEEKDAY, lambda match: _DAY_OF[(match["day"] or match["end"] or "sat").lower()]),
)
ROWS: Final[Table] = (
    row(r"(?<=[0-9]:[0-5][0-9])\s?o['’]clock", ""),  # the time says it
    row(_MONTH_DAY, _month_day),
    row(_DAY_MONTH, _day_month),
    row(_MONTH_YEAR, lambda match: f"{_month(match)} {year(match['year'])}"),
)
