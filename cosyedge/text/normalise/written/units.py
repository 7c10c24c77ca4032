"""Units: how they are written, and their names in a language's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: Base unit → the prefixes that are in use with it.
PREFIXED: Final = {
    "Wh": "TGMkm", "W": "GMkm", "VA": "kM", "V": "kmµ", "Ah": "km", "A": "kmµ", "Ω": "kM", "Hz": "GMk",
    "J": "Mk", "cal": "k", "Pa": "Mkh", "bar": "m", "m": "kdcmµn", "g": "kmµ", "l": "mdµ", "L": "mdµ",
    "s": "mµn", "mol": "mµ", "lx": "k", "lm": "k", "Sv": "mµ", "Bq": "k", "F": "mµn",
    "B": "TGMk", "bps": "GMk", "bit": "GMk",
}  # fmt: skip
#: As it is also written → as it is written here.
ALIASES: Final = {
    "kwh": "kWh", "KWH": "kWh", "KWh": "kWh", "Kwh": "kWh", "wh": "Wh", "WH": "Wh", "kw": "kW", "KW": "kW",
    "w": "W", "v": "V", "kv": "kV", "KV": "kV", "mah": "mAh", "mAH": "mAh", "MAH": "mAh", "hz": "Hz",
    "HZ": "Hz", "MHZ": "MHz", "GHZ": "GHz", "KHz": "kHz", "KHZ": "kHz", "KG": "kg", "Kg": "kg", "KM": "km",
    "Km": "km", "CM": "cm", "MM": "mm", "ML": "ml", "Ml": "ml", "mL": "ml", "dL": "dl",
    "db": "dB", "DB": "dB",
    "dBA": "dB", "dB(A)": "dB", "lux": "lx", "mins": "min", "hr": "h", "hrs": "h", "sec": "s", "secs": "s",
    "KM/H": "km/h", "Km/h": "km/h", "kmh": "km/h", "kph": "km/h", "KB": "kB", "Kbps": "kbps", "mbps": "Mbps",
    "gbps": "Gbps", "inch": "in", "lbs": "lb", "m2": "m²", "m^2": "m²", "m3": "m³", "m^3": "m³", "km2": "km²",
    "cm2": "cm²", "cm3": "cm³", "mm2": "mm²", "um": "µm", "ug": "µg", "uA": "µA", "uV": "µV", "us": "µs",
    "uSv": "µSv", "uF": "µF", "RPM": "rpm", "BPM": "bpm", "day": "d", "Ohm": "Ω", "ohm": "Ω",
}  # fmt: skip
#: A symbol of letters, perhaps with a power, that nothing of a word goes on behind.
_SYMBOL: Final = r"(?:°[CF]?|[A-Za-zµΩ]{1,6}+(?:\(A\))?(?:[²³]|\^?[23])?)(?![A-Za-z0-9²³])"
#: What may be a unit behind a figure; whether it is one, :func:`find` knows. Groups: space, unit.
UNIT: Final = rf"(?P<space> ?)(?P<unit>{_SYMBOL}(?: ?/ ?{_SYMBOL})?)"
#: The same without groups, and with the percent sign.
ANY_UNIT: Final = rf" ?(?:{_SYMBOL}(?: ?/ ?{_SYMBOL})?|[%‰])"


def expanded(
    bases: Mapping[str, str], prefixes: Mapping[str, str], others: Mapping[str, str]
) -> dict[str, str]:
    """Symbol → name of all that is made of ``bases`` by ``prefixes``, and of ``others``, which win.

    Args:
        bases: of :data:`PREFIXED`, those that the language names: ``{"W": "ワット"}``.
        prefixes: ``{"k": "キロ"}``.
        others: whatever else, in one symbol: ``{"kWh": "度电", "km/h": "公里每小时", "dB": "分贝"}``.
    """
    names: dict[str, str] = {}
    for base, name in bases.items():
        names[base] = name
        for prefix in PREFIXED.get(base, ""):
            if prefix in prefixes:
                names[prefix + base] = prefixes[prefix] + name
    names.update(others)
    return names


def canonical(written: str) -> str:
    """``KM / H`` → ``km/h``."""
    symbol = written.replace(" ", "").replace("μ", "µ")
    if symbol in ALIASES:
        return ALIASES[symbol]
    head, stroke, base = symbol.partition("/")
    return f"{ALIASES.get(head, head)}{stroke}{ALIASES.get(base, base)}"
