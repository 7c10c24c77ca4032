"""Figures that name something: addresses of machines, versions, telephone numbers, codes."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.written.language import Language
from cosyedge.text.normalise.written.rows import Table, row
from cosyedge.text.normalise.written.units import ALIASES

ADDRESS: Final = re.compile(
    r"(?<![0-9.])(?<![0-9.][vV])(?P<figure>[0-9]{1,3}(?:\.[0-9]{1,3}){3})(?![0-9]|\.[0-9])"
    r"(?:/(?P<prefix>[0-9]{1,2})(?![0-9]))?(?::(?P<port>[0-9]{1,5})(?![0-9]))?"
)
VERSION: Final = re.compile(r"(?<![0-9.])(?P<figure>[0-9]{1,6}(?:\.[0-9]{1,6}){2,5})(?![0-9]|\.[0-9])")
#: With the code of a country, or three groups and more.
INTERNATIONAL: Final = re.compile(
    r"(?<![0-9A-Za-z])\+(?P<figure>[0-9]{1,3}(?:[- ]?\(?[0-9]{1,5}\)?){2,5})(?![0-9])"
)
GROUPS: Final = re.compile(r"(?<![0-9A-Za-z.-])(?P<figure>[0-9]{1,12}(?:-[0-9]{1,12}){2,6})(?![0-9.-])")
_SHORTEST_INTERNATIONAL: Final = 7
NUMBERED: Final = re.compile(r"(?:#|№ ?|(?<![A-Za-z])N[Oo]\. ?)(?P<figure>[0-9]{1,6})(?![0-9.]*[0-9])")


_DOTTED: Final = r"(?<![0-9.])(?P<figure>[0-9]{4}(?:\.[0-9]{1,2}){2})(?![0-9.]*[0-9])"


def first_rows(language: Language) -> Table:
    """Codes and versions that look like dates, but for the words around them."""

    def named(match: re.Match[str]) -> str:
        return match["name"] + language.code(match["figure"])

    def version(match: re.Match[str]) -> str:
        short = len(match["figure"]) < len("2024.05.01")
        if match["behind"] is None and not match["name"] and not (match["program"] is not None and short):
            return match[0]
        return (match["name"] or "") + language.version(tuple(match["figure"].split(".")))

    table: Table = ()
    if language.named:
        table += (
            row(
                rf"(?P<name>(?:{language.named})[:： ]{{0,2}})"
                r"(?P<figure>[0-9]{1,3}(?:-[0-9]{1,8}){2,4})(?![0-9.-])",
                named,
            ),
        )
    if language.version_before:
        table += (
            row(
                rf"(?:(?P<program>(?<=[A-Za-z] ))|(?P<name>(?:{language.version_before})[:： ]?))?{_DOTTED}"
                rf"(?P<behind>(?= ?(?:{language.version_behind})))?",
                version,
            ),
        )
    return table


def rows(language: Language) -> Table:
    """In the order of their application."""

    def address(match: re.Match[str]) -> str:
        return language.address(tuple(match["figure"].split(".")), match["port"], match["prefix"])

    def version(match: re.Match[str]) -> str:
        return language.version(tuple(match["figure"].split(".")))

    def code(match: re.Match[str]) -> str:
        return language.code(match["figure"])

    def international(match: re.Match[str]) -> str:
        enough = sum(map(str.isdigit, match["figure"])) >= _SHORTEST_INTERNATIONAL
        return language.plus + language.code(match["figure"]) if enough else match[0]

    def named(match: re.Match[str]) -> str:
        others = re.sub("[0-9]+", lambda other: language.code(other[0]), match["others"] or "")
        return match["name"] + language.code(match["figure"]) + others

    table: Table = ((ADDRESS, address), (VERSION, version))
    for pattern in language.phones:
        table += (row(rf"(?<![0-9])(?<![0-9][.,:/-])(?P<figure>{pattern})(?![0-9]|[.,:/-][0-9])", code),)
    table += ((INTERNATIONAL, international),)
    if language.named:
        behind = f"(?!{language.not_named})" if language.not_named else ""
        joint = language.named_joint
        others = rf"(?:(?:{joint})[0-9]{{3,16}}){{0,4}}" if joint else ""
        table += (
            row(
                rf"(?P<name>(?:{language.named})[:： ]{{0,2}})"
                rf"(?P<figure>[0-9]{{2,32}}(?:[- ][0-9]{{1,16}}){{0,6}})"
                rf"(?P<others>{others})(?![0-9]|\.[0-9]){behind}",
                named,
            ),
        )
    table += ((GROUPS, code),)
    measured = "|".join(map(re.escape, sorted({*language.units, *ALIASES}, key=len, reverse=True)))
    if language.coded:
        table += (row(rf"(?<![0-9.,])(?P<figure>[0-9]{{3,5}})(?= ?(?:{language.coded}))", code),)
    return (
        *table,
        (NUMBERED, lambda match: language.numbered(match["figure"])),
        # A leading zero, or more digits than a count has.
        row(
            r"(?<![0-9.,])(?P<figure>0[0-9]{1,40}|[0-9]{11,40})(?![0-9.,]*[0-9])"
            rf"(?! ?(?:[{language.multiples}{language.long_counted}%]|(?:{measured})(?![A-Za-z0-9])))",
            code,
        ),
    )
