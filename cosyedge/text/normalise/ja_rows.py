"""Rows of Japanese's own: what the characters around a figure make of it."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.ja_counters import counted
from cosyedge.text.normalise.ja_numbers import cardinal, dialled
from cosyedge.text.normalise.ja_units import ACRONYMS, LETTERS
from cosyedge.text.normalise.written.rows import FLOOR, Table, row

_POWERS: Final = {"百": 2, "千": 3, "万": 4, "億": 8, "兆": 12}
_PART: Final = re.compile(r"(?P<figure>[0-9,]+)(?P<units>[百千万億兆]{0,2})")
_LETTERS: Final = r"[A-Z](?:&?[A-Z]){0,11}"


def reading(*kana: str) -> str:
    """Kana to be read as they stand, words parted by spaces; see :mod:`cosyedge.text.phonemes.ja_words`."""
    return f"‹{' '.join(kana)}›"


def spelled(letters: str) -> str:
    """``NHK`` → えぬえいちけー."""
    return ACRONYMS.get(letters) or "".join(LETTERS[letter] for letter in letters.upper())


def month_and_day(month: str, day: str) -> tuple[str, str]:
    day = str(int(day))
    return counted(month, "月"), "ついたち" if day == "1" else counted(day, "日")


def _month_day(match: re.Match[str]) -> str:
    return reading(*month_and_day(match["month"], match["day"]))


def _whole(match: re.Match[str]) -> str:
    """3万5千 as one figure: 35000."""
    total = 0
    for part in _PART.finditer(match["parts"]):
        total += int(part["figure"].replace(",", "")) * 10 ** sum(_POWERS[unit] for unit in part["units"])
    return str(total)


def _fraction(match: re.Match[str]) -> str:
    return reading(f"{cardinal(match['bottom'])}ぶんの", cardinal(match["top"]))


def _emergency(match: re.Match[str]) -> str:
    return reading(
        {"110": "ひゃくとおばん", "119": "ひゃくじゅうきゅうばん", "118": "ひゃくじゅうはちばん"}[
            match["figure"]
        ]
    )


#: Days of the week as a list of them is read: 月・水・金, 月～金, 火木土.
_DAYS: Final = {"月": "げつ", "火": "か", "水": "すい", "木": "もく", "金": "きん", "土": "ど", "日": "にち"}
_HAN_OF_A_WORD: Final = "[々一-龥]"


def _days(match: re.Match[str]) -> str:
    parted = re.split("([・･/~〜～、])", match["days"]) if match["parted"] else list(match["days"])
    said = [reading(_DAYS[part]) if part in _DAYS else "から" if part in "~〜～" else "・" for part in parted]
    return "".join(said)


#: Letters with a figure that are said together.
_FIXED: Final = {
    "CO2": "しーおーつー", "CO₂": "しーおーつー", "H2O": "えいちつーおー", "O2": "おーつー",
    "3D": "すりーでぃー", "2D": "つーでぃー",
    "5G": "ふぁいぶじー", "4G": "ふぉーじー", "1DK": "わんでぃーけー", "1LDK": "わんえるでぃーけー",
}  # fmt: skip
#: Capitals that no figure touches, and those that are left behind figures.
FIRST: Final[Table] = (
    row(FLOOR, lambda match: f"{'地下' if match['below'] else ''}{match['figure']}階"),
    row(
        rf"(?<!{_HAN_OF_A_WORD})(?P<days>(?P<parted>(?:日[・･/])?[月火水木金土](?:[・･/~〜～][月火水木金土日]){{1,6}})"
        rf"|月火水木金|月水金|火木土?|月木|火金|水土)(?=曜|(?!{_HAN_OF_A_WORD}|[・･/~〜～]))",
        _days,
    ),
    # 12/7（月）: with the day of the week behind it, it is a date and no fraction.
    row(
        r"(?<![0-9/.])(?P<month>0?[1-9]|1[0-2])/(?P<day>0?[1-9]|[12][0-9]|3[01])(?=[(（][月火水木金土日](?:曜日?)?[)）])",
        r"\g<month>月\g<day>日",
    ),
    row(
        r"(?P<before>血圧[はがも]?[、:： ]?)?(?<![0-9/.])(?P<high>[0-9]{2,3})/(?P<low>[0-9]{2,3})(?![0-9/.])"
        r"(?(before)|(?= ?mmHg))",
        r"\g<before>\g<high>の\g<low>",
    ),
    row(r"(?<=日)[(（](?P<day>[月火水木金土日])(?:曜日?)?[)）]", r"\g<day>曜日"),
    row(
        rf"(?<![A-Za-z0-9.+$°-])(?<![0-9] )(?P<letters>{_LETTERS})(?![A-Za-z0-9+$¥]|[-.][A-Za-z0-9]| ?[0-9])",
        lambda match: reading(spelled(match["letters"])),
    ),
    row(
        rf"(?<![A-Za-z0-9.])(?P<letters>{'|'.join(_FIXED)})(?![A-Za-z0-9.])",
        lambda match: reading(_FIXED[match["letters"]]),
    ),
)
DATES: Final[Table] = (
    row(
        r"(?<![0-9.])(?P<month>0?[1-9]|1[0-2])月 ?(?P<day>0?[1-9]|[12][0-9]|3[01])日(?![間目])",
        _month_day,
    ),
    row(r"(?<![0-9.])(?P<bottom>[0-9]{1,6})分の(?P<top>[0-9]{1,6})(?![0-9.])", _fraction),
)
CODES: Final[Table] = (
    row(
        r"(?<![0-9.,])(?P<parts>(?:[0-9]{1,4}(?:,[0-9]{3})?[百千万億兆]{1,2}){1,4}(?:[0-9]{1,4}(?![0-9百千万億兆.]))?)(?![0-9])",
        _whole,
    ),
    row(r"(?<![0-9])(?P<figure>11[089])番(?![0-9地号目])", _emergency),
    row(
        r"〒 ?(?P<code>[0-9]{3}-?[0-9]{4})(?![0-9])",
        lambda match: reading("ゆうびんばんごう", dialled(match["code"])),
    ),
)
LAST: Final[Table] = (
    row(
        rf"(?<![A-Za-z])(?P<letters>{_LETTERS})(?![A-Za-z])", lambda match: reading(spelled(match["letters"]))
    ),
)
