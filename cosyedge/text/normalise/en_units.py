"""English names of units: what the home measures, in the singular and the plural."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from cosyedge.text.normalise.written.units import canonical, expanded

_BASES: Final = {
    "Wh": "watt hour", "W": "watt", "VA": "volt amp", "V": "volt", "Ah": "amp hour", "A": "amp", "Ω": "ohm",
    "Hz": "hertz", "B": "byte", "bit": "bit", "bps": "bit per second", "J": "joule", "cal": "calorie",
    "Pa": "pascal", "bar": "bar", "m": "meter", "g": "gram", "l": "liter", "L": "liter", "s": "second",
    "mol": "mole", "lx": "lux", "lm": "lumen", "Sv": "sievert", "Bq": "becquerel", "F": "farad",
}  # fmt: skip
_PREFIXES: Final = {
    "T": "tera", "G": "giga", "M": "mega", "k": "kilo", "h": "hecto", "d": "deci", "c": "centi", "m": "milli",
    "µ": "micro", "n": "nano",
}  # fmt: skip
_OTHERS: Final = {
    "°C": "degree celsius", "°F": "degree fahrenheit", "°": "degree", "C": "degree celsius",
    "F": "degree fahrenheit", "min": "minute", "h": "hour", "wk": "week", "wks": "week", "yr": "year",
    "yrs": "year", "mo": "month", "mmHg": "millimeter of mercury", "ppm": "part per million",
    "ppb": "part per billion", "dB": "decibel", "dBm": "D B M", "bpm": "beat per minute",
    "rpm": "revolution per minute", "fps": "frame per second", "dpi": "dot per inch", "px": "pixel",
    "MP": "megapixel", "km/h": "kilometer per hour", "mph": "mile per hour", "mpg": "mile per gallon",
    "psi": "pound per square inch", "in": "inch", "ft": "foot", "yd": "yard", "mi": "mile", "lb": "pound",
    "oz": "ounce", "floz": "fluid ounce", "gal": "gallon", "tbsp": "tablespoon", "tsp": "teaspoon",
    "ha": "hectare", "t": "metric ton", "kn": "knot", "kt": "knot", "kts": "knot", "Nm": "newton meter",
    "BTU": "B T U", "GiB": "gibibyte", "MiB": "mebibyte", "KiB": "kibibyte", "GJ": "gigajoule",
    "µW": "microwatt", "VAh": "volt amp hour", "kVAh": "kilovolt amp hour", "cl": "centiliter",
    "cL": "centiliter", "Bps": "byte per second", "kBps": "kilobyte per second",
    "MBps": "megabyte per second", "GBps": "gigabyte per second",
    **{
        f"{symbol}{sign}": f"{power} {name}"
        for symbol, name in (
            ("m", "meter"), ("km", "kilometer"), ("cm", "centimeter"), ("mm", "millimeter"), ("ft", "foot"),
        )
        for sign, power in (("²", "square"), ("³", "cubic"))
    },
}  # fmt: skip
_SAME_IN_PLURAL: Final = frozenset(("hertz", "lux", "bar", "B T U", "D B M"))

#: Symbol → name in the singular.
UNITS: Final = expanded(_BASES, _PREFIXES, _OTHERS)
#: What stands behind the stroke of a rate besides a unit.
SPANS: Final = {
    "d": "day",
    **{word: word for word in ("night", "week", "month", "year", "hour", "minute", "second", "person")},
}
#: A letter or two that is more often something else when a space stands before it.
GLUED_ONLY: Final = frozenset(("B", "in", "t", "J", "F", "mo", "MP", "bit", "ha"))


def any_of(symbols: Iterable[str]) -> str:
    """The pattern of one of ``symbols``, the longest first."""
    return "|".join(map(re.escape, sorted(symbols, key=len, reverse=True)))


_CLEAR: Final = any_of((
    "°C", "°F", "kWh", "km/h", "mmHg", "Mbps", "Gbps", "kbps", "MHz", "GHz", "kHz", "Hz", "mAh", "µg/m³",
    "mg/m³", "m²", "m³", "kB", "MB", "GB", "TB", "dB", "hPa", "kPa",
))  # fmt: skip
_BASE: Final = any_of((
    "kWh", "kg", "km", "lb", "oz", "gal", "L", "l", "GB", "MB", "h", "hr", "min", "mo", "yr", "m²", "m³",
    "day", *SPANS,
))  # fmt: skip
#: A unit that is read without a number, too ("the price per kWh"). Groups: one, which is not empty where
#: the unit stands in the singular; unit.
LONE: Final = re.compile(
    rf"(?P<one>\b(?:per|a|an|one|each) )?(?<![A-Za-z0-9/°])(?P<unit>{_CLEAR})(?![A-Za-z0-9²³/])"
)
#: A unit behind a stroke, after a word ("thirty cents/kWh").
PER: Final = re.compile(rf"(?<=[a-z]) ?/ ?(?P<unit>{_BASE})(?![A-Za-z0-9])")
#: In two words → in one, as the shared patterns know them.
IN_TWO_WORDS: Final = (
    (r"(?<=[0-9]) ?sq\.? ?(?P<unit>ft|m)\b\.?", r" \g<unit>²"),
    (r"(?<=[0-9]) ?sqft\b", " ft²"),
    (r"(?<=[0-9]) ?fl\.? oz\b\.?", " floz"),
    (r"(?<=[0-9]) ?mm Hg\b", " mmHg"),
)


def is_known(written: str) -> bool:
    """Whether what is written behind a figure is a unit."""
    symbol = canonical(written)
    return symbol in UNITS or symbol.partition("/")[0] in UNITS


def name_of(written: str) -> str:
    """``kWh`` → kilowatt hour, ``µg/m³`` → microgram per cubic meter, ``day`` → day."""
    symbol = canonical(written)
    head, stroke, base = symbol.partition("/")
    if symbol in UNITS or not stroke:
        return UNITS.get(symbol) or SPANS.get(symbol, written)
    return f"{name_of(head)} per {name_of(base)}"


def plural(name: str) -> str:
    """``kilometer per hour`` → kilometers per hour, ``square foot`` → square feet."""
    for joint in (" per ", " of ", " celsius", " fahrenheit"):
        head, found, tail = name.partition(joint)
        if found:
            return plural(head) + found + tail
    if name in _SAME_IN_PLURAL or name.endswith(("hertz", "lux", "bar")):
        return name
    if name.endswith("foot"):
        return f"{name[:-4]}feet"
    return f"{name}es" if name.endswith("inch") else f"{name}s"
