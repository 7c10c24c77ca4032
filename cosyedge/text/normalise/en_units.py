"""English readings of units: what the home measures, alone and "per" one another."""

from __future__ import annotations

import re
from typing import Final

from cosyedge.text.normalise.en_numbers import FIGURE, is_one, quantity

_PREFIXES: Final = {
    "T": "tera",
    "G": "giga",
    "M": "mega",
    "k": "kilo",
    "h": "hecto",
    "d": "deci",
    "c": "centi",
    "m": "milli",
    "µ": "micro",
    "u": "micro",
    "n": "nano",
}
#: symbol, name in the singular, prefixes that are in use with it.
_WITH_PREFIXES: Final = (
    ("Wh", "watt hour", "TGMkm"),
    ("W", "watt", "GMkmµ"),
    ("VA", "volt amp", "kM"),
    ("VAh", "volt amp hour", "k"),
    ("V", "volt", "kmµ"),
    ("Ah", "amp hour", "km"),
    ("A", "amp", "kmµ"),
    ("Ω", "ohm", "kM"),
    ("Hz", "hertz", "GMk"),
    ("B", "byte", "TGMk"),
    ("bit", "bit", "GMk"),
    ("bps", "bit per second", "GMk"),
    ("Bps", "byte per second", "GMk"),
    ("J", "joule", "GMk"),
    ("cal", "calorie", "k"),
    ("Pa", "pascal", "Mkh"),
    ("bar", "bar", "m"),
    ("m", "meter", "kdcmµun"),
    ("g", "gram", "kmµu"),
    ("l", "liter", "mcdµu"),
    ("L", "liter", "mcdµu"),
    ("s", "second", "mµun"),
    ("sec", "second", "m"),
    ("mol", "mole", "mµ"),
    ("lx", "lux", "k"),
    ("lm", "lumen", "k"),
    ("Sv", "sievert", "mµu"),
    ("Bq", "becquerel", "k"),
    ("F", "farad", "mµun"),
)
_ALONE: Final = {
    "°C": "degree celsius",
    "°F": "degree fahrenheit",
    "ºC": "degree celsius",
    "ºF": "degree fahrenheit",
    "°": "degree",
    "C": "degree celsius",
    "F": "degree fahrenheit",
    "min": "minute",
    "mins": "minute",
    "secs": "second",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "wk": "week",
    "wks": "week",
    "yr": "year",
    "yrs": "year",
    "mo": "month",
    "mm Hg": "millimeter of mercury",
    "mmHg": "millimeter of mercury",
    "ppm": "part per million",
    "ppb": "part per billion",
    "dB": "decibel",
    "dBA": "decibel",
    "dB(A)": "decibel",
    "dBm": "D B M",
    "bpm": "beat per minute",
    "rpm": "revolution per minute",
    "RPM": "revolution per minute",
    "fps": "frame per second",
    "dpi": "dot per inch",
    "px": "pixel",
    "MP": "megapixel",
    "km/h": "kilometer per hour",
    "kmh": "kilometer per hour",
    "kph": "kilometer per hour",
    "KM/H": "kilometer per hour",
    "mph": "mile per hour",
    "mpg": "mile per gallon",
    "psi": "pound per square inch",
    "lux": "lux",
    "in": "inch",
    "ft": "foot",
    "yd": "yard",
    "mi": "mile",
    "lb": "pound",
    "lbs": "pound",
    "oz": "ounce",
    "fl oz": "fluid ounce",
    "gal": "gallon",
    "tbsp": "tablespoon",
    "tsp": "teaspoon",
    "sq ft": "square foot",
    "sq. ft.": "square foot",
    "sqft": "square foot",
    "sq m": "square meter",
    "ha": "hectare",
    "t": "metric ton",
    "kn": "knot",
    "kt": "knot",
    "kts": "knot",
    "Nm": "newton meter",
    "BTU": "B T U",
    "KWH": "kilowatt hour",
    "KWh": "kilowatt hour",
    "kwh": "kilowatt hour",
    "kw": "kilowatt",
    "KW": "kilowatt",
    "KB": "kilobyte",
    "KG": "kilogram",
    "Kg": "kilogram",
    "KM": "kilometer",
    "CM": "centimeter",
    "MM": "millimeter",
    "ML": "milliliter",
    "GIB": "gibibyte",
    "GiB": "gibibyte",
    "MiB": "mebibyte",
    "KiB": "kibibyte",
    "mAH": "milliamp hour",
    "mah": "milliamp hour",
    "MHZ": "megahertz",
    "GHZ": "gigahertz",
    "KHZ": "kilohertz",
    "HZ": "hertz",
    "Kbps": "kilobit per second",
    "mbps": "megabit per second",
    "gbps": "gigabit per second",
    "DB": "decibel",
    "db": "decibel",
    "%": "percent",
    "%RH": "percent relative humidity",
    "‰": "per mille",
}
_SAME_IN_PLURAL: Final = frozenset(("hertz", "lux", "percent", "bar", "B T U", "D B M", "per mille"))


def _names() -> dict[str, str]:
    names: dict[str, str] = {}
    for symbol, name, prefixes in _WITH_PREFIXES:
        names[symbol] = name
        for prefix in prefixes:
            names[prefix + symbol] = _PREFIXES[prefix] + name
    for symbol in ("m", "km", "cm", "mm", "ft"):
        name = "foot" if symbol == "ft" else names[symbol]
        for sign, power in (("²", "square"), ("2", "square"), ("³", "cubic"), ("3", "cubic")):
            names[symbol + sign] = f"{power} {name}"
            names[f"{symbol}^{sign}"] = f"{power} {name}"
    names.update(_ALONE)
    return names


_NAMES: Final = _names()
#: A letter or two that is more often something else when a space stands before it.
_GLUED_ONLY: Final = frozenset(("B", "in", "t", "J", "F", "mo", "MP", "bit", "ha", "MM", "DB", "ML"))
#: Units that are read without a number, too ("the price of a kWh").
_CLEAR: Final = (
    "°C °F kWh km/h mmHg Mbps Gbps kbps MHz GHz kHz Hz mAh µg/m³ mg/m³ m² m³ kB MB GB TB dB hPa kPa"
)


def _alternatives(symbols: list[str]) -> str:
    return "|".join(re.escape(s) for s in sorted(symbols, key=len, reverse=True))


_ANY: Final = _alternatives(list(_NAMES))
_SPACED: Final = _alternatives([s for s in _NAMES if s not in _GLUED_ONLY])
_SPAN_OF: Final = "day|night|week|month|year|hour|minute|second|person|100 ?km"
_PER: Final = rf"(?:\s?/\s?(?:{_ANY}|{_SPAN_OF})(?![A-Za-z0-9]))?"
_END: Final = r"(?![A-Za-z0-9²³])"
#: A figure and a unit. Groups: figure, unit (glued to it or behind a space).
MEASURE: Final = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<figure>{FIGURE})"
    rf"(?:(?P<hyphen>-?)(?P<glued>(?:{_ANY}){_END}{_PER})|\s(?P<spaced>(?:{_SPACED}){_END}(?!'){_PER}))"
    r"(?:\.(?=\s[a-z]))?"
)
#: A unit that stands alone.
LONE_UNIT: Final = re.compile(
    rf"(?<![A-Za-z0-9/°])(?P<unit>{_alternatives(_CLEAR.split())})(?![A-Za-z0-9²³/])"
)
#: A unit behind a slash, after a word ("thirty cents/kWh").
PER_UNIT: Final = re.compile(
    rf"(?<=[a-z])\s?/\s?(?P<unit>kWh|kg|km|lb|oz|gal|L|l|GB|MB|h|hr|min|mo|yr|m²|m³|sq ft|{_SPAN_OF})"
    r"(?![A-Za-z0-9/])"
)


def read_unit(symbol: str, *, one: bool) -> str:
    """``km/h`` → kilometers per hour; the plural falls on what stands before the "per"."""
    name = _NAMES.get(symbol)
    if name is None:
        head, slash, tail = symbol.partition("/")
        if not slash:
            return "one hundred kilometers" if symbol.startswith("100") else symbol
        return f"{read_unit(head.strip(), one=one)} per {read_unit(tail.strip(), one=True)}"
    return name if one else _plural(name)


def _plural(name: str) -> str:
    if name in _SAME_IN_PLURAL:
        return name
    for joint in (" per ", " of ", " celsius", " fahrenheit", " relative"):
        head, found, tail = name.partition(joint)
        if found:
            return _plural(head) + found + tail
    if name.endswith("foot"):
        return name[:-4] + "feet"
    if name.endswith("inch"):
        return name + "es"
    if name in _SAME_IN_PLURAL or name.endswith(("hertz", "lux", "bar")):
        return name
    return name + "s"


def read_measure(match: re.Match[str]) -> str:
    figure = match["figure"]
    unit = match["glued"] or match["spaced"]
    # "a 5-min timer": what is tied by a hyphen stands in the singular.
    return f"{quantity(figure)} {read_unit(unit, one=is_one(figure) or bool(match['hyphen']))}"


def read_lone_unit(match: re.Match[str]) -> str:
    return read_unit(match["unit"], one=False)


def read_per_unit(match: re.Match[str]) -> str:
    return f" per {read_unit(match['unit'], one=True)}"
