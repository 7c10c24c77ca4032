"""English readings of figures that count nothing: telephone numbers, addresses, versions, codes."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.en_numbers import digits, group

#: A number in groups as telephones have them: with a plus, with brackets, three groups and more with dashes,
#: 555-1234, 555.123.4567, 555 123 4567, 020 7946 0958.
PHONE: Final = re.compile(
    r"(?<![A-Za-z0-9.,+$€£-])(?P<number>"
    r"\+[0-9]{1,3}(?:[-. ]?\(?[0-9]{1,5}\)?){1,5}"
    r"|(?:1[- .])?\([0-9]{2,5}\)[- .]?[0-9]{3,4}(?:[-. ][0-9]{3,4})?"
    r"|[0-9]{1,4}-[0-9]{2,5}-[0-9]{3,4}(?:-[0-9]{2,4})*"
    r"|[0-9]{3}\.[0-9]{3}\.[0-9]{4}|[0-9]{3}-[0-9]{4}|[0-9]{3} [0-9]{3} [0-9]{4}"
    r"|0[0-9]{1,4}(?: [0-9]{2,4}){2,4}"
    r")(?![A-Za-z0-9]|[.,:/-][0-9]|\s?[%°€£$])"
)
#: A run of digits that follows a word for something that is dialled or typed in.
DIALLED: Final = re.compile(
    r"(?P<before>\b(?:[Cc]all|[Dd]ial|[Pp]hone|[Tt]elephone|[Nn]umber is|[Tt]ext|[Pp]in|PIN|[Cc]ode"
    r"|[Pp]asscode|[Pp]assword|[Ee]xtension|[Ss]erial|OTP|[Zz]ip|ZIP|[Cc]onfirmation|ID|[Ii]d)"
    r"(?:\s(?:is|number|code|at))?:?\s)\+?(?P<figure>[0-9]{3,})\b(?![.,:/-][0-9]|\s?[%°€£$]|\s(?:people|[a-z]+s)\b)"
)
EMERGENCY: Final = re.compile(
    r"(?<![0-9.,:$€£/-])\b(?P<figure>911|112)\b(?![0-9.,:/%-][0-9]|\s?[%°€£$A-Za-z0-9])"
)
VERSION: Final = re.compile(
    r"(?<![A-Za-z0-9.])(?P<word>[Vv](?:er)?\.?\s?|[Vv]ersion\s)?(?P<groups>[0-9]+(?:\.[0-9]+){2,})(?![0-9])"
    r"|(?<![A-Za-z0-9.])(?P<named>[Vv]|[Vv]er\.?\s?|[Vv]ersion\s)(?P<short>[0-9]+(?:\.[0-9]+)?)(?![0-9]|\.[0-9])"
)
SEQUENCE: Final = re.compile(r"(?<![A-Za-z0-9.,-])[0-9]{1,2}(?:-[0-9]{1,2}){2,}(?![A-Za-z0-9]|[-.,][0-9])")


def read_phone(match: re.Match[str]) -> str:
    """Digit by digit, a short pause between the groups; too few digits are no telephone number."""
    number = match["number"]
    figures = re.findall(r"[0-9]+", number)
    if not 7 <= sum(map(len, figures)) <= 15:
        return match.group()
    return ("plus " if number.startswith("+") else "") + ", ".join(digits(f) for f in figures)


def read_dialled(match: re.Match[str]) -> str:
    return match["before"] + digits(match["figure"])


def read_figure(match: re.Match[str]) -> str:
    return digits(match["figure"])


def read_address(match: re.Match[str]) -> str:
    said = " dot ".join(group(g) for g in match["figure"].split("."))
    if match["prefix"]:
        said += " slash " + group(match["prefix"])
    if match["port"]:
        said += " port " + digits(match["port"])
    return said


def read_version(match: re.Match[str]) -> str:
    named = match["word"] or match["named"]
    groups = (match["groups"] or match["short"]).split(".")
    return ("version " if named else "") + " point ".join(group(g) for g in groups)


def read_sequence(match: re.Match[str]) -> str:
    return " ".join(group(g) for g in match.group().split("-"))
