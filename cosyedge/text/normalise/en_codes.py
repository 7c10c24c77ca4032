"""Figures that count nothing, as English writes them: telephone numbers, codes, versions."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.en_numbers import digits, group, plain
from cosyedge.text.normalise.en_words import LETTERS_AND_DIGITS, read_alphanumeric
from cosyedge.text.normalise.written.rows import Table, row

#: In groups as telephones have them: with brackets, 555-1234, 555.123.4567, 555 123 4567, 020 7946 0958.
_PHONE: Final = (
    r"(?<![A-Za-z0-9.,+$€£-])(?<!\+[0-9] )(?<!\+[0-9]{2} )(?<!\+[0-9]{3} )(?P<number>"
    r"(?:1[- .])?\([0-9]{2,5}\)[- .]?[0-9]{3,4}(?:[-. ][0-9]{3,4})?"
    r"|[0-9]{1,4}-[0-9]{2,5}-[0-9]{3,4}(?:-[0-9]{2,4})*"
    r"|[0-9]{3}\.[0-9]{3}\.[0-9]{4}|[0-9]{3}-[0-9]{4}|[0-9]{3} [0-9]{3} [0-9]{4}"
    r"|0[0-9]{1,4}(?: [0-9]{2,4}){2,4}"
    r")(?![A-Za-z0-9]|[.,:/-][0-9]|\s?[%°€£$])"
)
#: +1 (555) 123-4567.
_ABROAD: Final = (
    r"(?<![0-9A-Za-z])\+(?P<number>[0-9]{1,3}[- .]?\([0-9]{1,5}\)(?:[- .]?[0-9]{2,5}){1,4})(?![0-9])"
)
_EMERGENCY: Final = r"(?<![0-9.,:$€£/-])\b(?:911|112)\b(?![0-9.,:/%-][0-9]|\s?[%°€£$A-Za-z0-9])"
_VERSION_WORD: Final = r"(?<![A-Za-z0-9.])(?:[Vv](?:er)?\.?\s?|[Vv]ersion\s)(?=[0-9]+(?:\.[0-9]+){2})"
_SHORT_VERSION: Final = (
    r"(?<![A-Za-z0-9.])(?:[Vv]|[Vv]er\.?\s?|[Vv]ersion\s)(?P<figure>[0-9]+(?:\.[0-9]+)?)(?![0-9]|\.[0-9])"
)
#: A door, a seat, a line; a room of 21C is warm, and 12V are volts everywhere.
_LETTERED: Final = (
    r"(?P<before>\b(?:[Nn]umber|[Aa]partment|[Aa]pt|[Gg]ate|[Uu]nit|[Ss]eat|[Ff]lat|[Pp]latform|[Dd]oor"
    r"|[Bb]uilding|[Ss]ection|[Rr]ow|[Bb]us|[Rr]oute|[Ll]ine|[Ss]uite|[Bb]lock|[Tt]erminal|[Bb]ay|[Ee]xit"
    r"|[Ss]treet|[Ll]ocker|(?:[Rr]oom|[Ff]loor|[Hh]ouse|[Zz]one)(?=\s{1,2}[0-9]{1,4}+[^CF]))\s{1,2})"
    r"(?P<figure>[0-9]{1,4})(?P<letter>[A-UX-Z])\b"
)
_SEQUENCE: Final = r"(?<![A-Za-z0-9.,-])[0-9]{1,2}(?:-[0-9]{1,2}){2,}(?![A-Za-z0-9]|[-.,][0-9])"
#: Words behind which figures are dialled or typed in: three of them and more.
NAMED: Final = (
    r"\b(?:[Cc]all|[Dd]ial|[Pp]hone|[Tt]elephone|[Nn]umber is|[Tt]ext|[Pp]in|PIN|[Cc]ode"
    r"|[Pp]asscode|[Pp]assword|[Ee]xtension|[Ss]erial|OTP|[Zz]ip|ZIP|[Cc]onfirmation|ID|[Ii]d)"
    r"(?:\s(?:is|number|code|at))?:?\s\+?(?=[0-9]{3})"
)
#: Behind the figures these show that they are counted after all.
NOT_NAMED: Final = r"[.,:/-][0-9]|\s?[%°€£$]|\s(?:people|[a-z]+s)\b|[A-Za-z]"
#: A telephone number has so many digits.
_FEWEST, _MOST = 7, 15


def _phone(match: re.Match[str]) -> str:
    number = match["number"]
    return spelled(number) if _FEWEST <= sum(map(str.isdigit, number)) <= _MOST else number


def spelled(number: str) -> str:
    """Digit by digit, a short pause between the groups."""
    return ", ".join(map(digits, re.findall("[0-9]+", number)))


ROWS: Final[Table] = (
    row(_ABROAD, lambda match: "plus " + spelled(match["number"])),
    row(_PHONE, _phone),
    row(_VERSION_WORD, "version "),
    row(
        _SHORT_VERSION,
        lambda match: "version " + " point ".join(group(g) for g in match["figure"].split(".")),
    ),
    (LETTERS_AND_DIGITS, read_alphanumeric),
    # 12B of a door is no figure with a unit.
    row(_LETTERED, lambda match: f"{match['before']}{plain(match['figure'])} {match['letter']}"),
    row(_EMERGENCY, lambda match: digits(match[0])),
    row(r"(?<=\bor )(?:911|112|999)\b(?![.,:][0-9]|\s[a-z]+s\b)", lambda match: digits(match[0])),
    row(_SEQUENCE, lambda match: " ".join(group(g) for g in match[0].split("-"))),
)
