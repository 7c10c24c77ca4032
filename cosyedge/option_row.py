"""One option, a row of their table: how it is declared, what its value must be, and which value a text is."""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Final, Literal

#: Patterns that the text of an option may have to match as a whole.
NAME: Final = r"[A-Za-z0-9_-]{1,64}"
TOPIC: Final = r"(?!\$)[^+#\0]{1,128}"
SITE: Final = r"[^/+#\0]{1,64}"
_NOUNS: Final = {
    NAME: "a name of at most 64 letters, digits, - and _",
    TOPIC: "a topic without + and #",
    SITE: "a name of at most 64 characters without / + #",
}
#: YAML 1.1 has all of these for true and false.
_TRUTH: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def option(
    default: Any,
    doc: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    pattern: str | None = None,
    secret: bool = False,
    means: Callable[[str], str | None] | None = None,
) -> Any:
    """A dataclass field that carries its documentation and its bounds; ``means`` knows other names of its
    choices."""
    metadata = {
        "doc": doc,
        "minimum": minimum,
        "maximum": maximum,
        "pattern": pattern,
        "secret": secret,
        "means": means,
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Option:
    """A row of the table as its readers and printers want it."""

    key: str
    default: Any
    kind: Any
    """str, Path, int, float or bool; of one element where ``many``"""
    many: bool
    nullable: bool
    choices: tuple[str, ...]
    doc: str
    minimum: float | None
    maximum: float | None
    pattern: str | None
    secret: bool
    means: Callable[[str], str | None] | None

    @property
    def section(self) -> str:
        return self.key.split(".")[0]

    @property
    def name(self) -> str:
        return self.key.split(".")[1]

    @property
    def flag(self) -> str:
        return "--" + re.sub(r"[._]", "-", self.key)

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.pattern is not None:
            name = _NOUNS[self.pattern]
            return f"a list, each element {name}" if self.many else name
        noun = {
            str: "text that is not empty",
            Path: "a path",
            int: "a whole number",
            float: "a number",
            bool: "true or false",
        }
        if self.minimum is None:
            return noun[self.kind]
        if self.maximum is None:
            return f"{noun[self.kind]}, {plain_number(self.minimum)} or more"
        return f"{noun[self.kind]} from {plain_number(self.minimum)} to {plain_number(self.maximum)}"

    def parse(self, text: str) -> Any:
        """The value (one element of it, where ``many``) that ``text`` stands for.

        Raises:
            ValueError: ``text`` is not :attr:`expected`.
        """
        value: Any = text
        if self.choices:
            value = self.means(text) if self.means is not None else text
            good = value in self.choices
        elif self.pattern is not None:
            good = re.fullmatch(self.pattern, text) is not None
        elif self.kind is bool:
            value = _TRUTH.get(text.lower())
            good = value is not None
        elif self.kind is int or self.kind is float:
            value = self.kind(text)
            good = self._within(value)
        else:
            value = Path(text).expanduser() if self.kind is Path else text
            good = text != ""
        if not good:
            raise ValueError(f"{text!r} is not {self.expected}")
        return value

    def _within(self, number: float) -> bool:
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        return math.isfinite(number) and low <= number <= high


def rows_of(table: type) -> Iterator[Option]:
    """The rows of a table: a dataclass of sections, each a dataclass whose fields :func:`option` made."""
    for section, section_type in typing.get_type_hints(table).items():
        if not is_dataclass(section_type):
            continue
        hints = typing.get_type_hints(section_type)
        for row in fields(section_type):
            hint = hints[row.name]
            nullable = isinstance(hint, types.UnionType)
            if nullable:
                hint = next(part for part in typing.get_args(hint) if part is not types.NoneType)
            many = typing.get_origin(hint) is tuple
            choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
            kind = str if many or choices else hint
            key = f"{section}.{row.name}"
            yield Option(key, row.default, kind, many, nullable, choices, **row.metadata)


def plain_number(number: float) -> str:
    """A number as a person writes it: 2 and not 2.0."""
    return str(int(number)) if number == int(number) else str(number)
