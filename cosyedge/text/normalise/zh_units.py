"""Mandarin readings of units: what the home measures, alone and "per" one another."""

from __future__ import annotations

import re
from typing import Final

_PREFIXES: Final = {"T": "太", "G": "吉", "M": "兆", "k": "千", "h": "百", "d": "分", "c": "厘", "m": "毫"}
_PREFIXES_SMALL: Final = {"µ": "微", "μ": "微", "u": "微", "n": "纳"}
#: symbol, name, prefixes that are in use with it.
_WITH_PREFIXES: Final = (
    ("Wh", "瓦时", "TGMkm"),
    ("W", "瓦", "GMkm"),
    ("VA", "伏安", "kM"),
    ("V", "伏", "kmµ"),
    ("Ah", "安时", "km"),
    ("A", "安", "kmµ"),
    ("Ω", "欧", "kM"),
    ("Hz", "赫兹", "GMk"),
    ("J", "焦", "Mk"),
    ("cal", "卡", "k"),
    ("Pa", "帕", "Mkh"),
    ("bar", "巴", "m"),
    ("m", "米", "kdcmµun"),
    ("g", "克", "mµu"),
    ("l", "升", "mdµu"),
    ("L", "升", "mdµu"),
    ("s", "秒", "mµun"),
    ("mol", "摩尔", "mµ"),
    ("lx", "勒克斯", "k"),
    ("lm", "流明", "k"),
    ("Sv", "西弗", "mµu"),
    ("F", "法拉", "mµun"),
)
#: Units without prefixes, whole expressions, and the ways they are often miswritten.
_ALONE: Final = {
    "°C": "摄氏度", "°F": "华氏度", "°": "度", "km": "公里", "kg": "公斤", "t": "吨", "mg": "毫克",
    "min": "分钟", "mins": "分钟", "h": "小时", "hr": "小时", "hrs": "小时", "sec": "秒", "secs": "秒",
    "kWh": "度电", "kwh": "度电", "KWH": "度电", "KWh": "度电", "kw": "千瓦", "KW": "千瓦", "w": "瓦",
    "v": "伏", "kv": "千伏", "KV": "千伏", "mah": "毫安时", "mAH": "毫安时", "hz": "赫兹", "HZ": "赫兹",
    "MHZ": "兆赫兹", "GHZ": "吉赫兹", "KHz": "千赫兹", "KG": "公斤", "Kg": "公斤", "KM": "公里",
    "Km": "公里", "CM": "厘米", "cm": "厘米", "MM": "毫米", "mm": "毫米", "ML": "毫升", "ml": "毫升",
    "dB": "分贝", "db": "分贝", "DB": "分贝", "dBA": "分贝", "dB(A)": "分贝", "mmHg": "毫米汞柱",
    "ppm": "PPM", "ppb": "PPB", "dBm": "DBM", "lux": "勒克斯", "rpm": "转每分钟", "bpm": "次每分钟",
    "km/h": "公里每小时", "KM/H": "公里每小时", "Km/h": "公里每小时", "kmh": "公里每小时",
    "kph": "公里每小时", "mph": "英里每小时", "kB": "KB", "KB": "KB", "MB": "MB",
    "GB": "GB", "TB": "TB", "kbps": "千比特每秒", "Kbps": "千比特每秒", "Mbps": "兆比特每秒",
    "Gbps": "吉比特每秒", "px": "像素", "in": "英寸", "inch": "英寸", "ft": "英尺", "lb": "磅",
    "lbs": "磅", "oz": "盎司", "cc": "毫升", "kn": "节", "ha": "公顷", "kcal": "千卡", "hPa": "百帕",
    "cm²": "平方厘米", "m²": "平方米", "km²": "平方公里", "mm²": "平方毫米", "m³": "立方米",
    "cm³": "立方厘米", "m2": "平方米", "m3": "立方米", "km2": "平方公里", "cm2": "平方厘米",
    "cm3": "立方厘米", "m^2": "平方米", "m^3": "立方米", "㎡": "平方米", "㎥": "立方米", "s²": "二次方秒",
    "%": "%", "‰": "‰",
}  # fmt: skip
#: Letters that are more often something else when a space stands before them, or a Han character behind.
_GLUED_ONLY: Final = frozenset(("A", "F", "J", "in", "t"))
#: "Per" one of these: the measured thing of a rate that is written with a stroke.
_TIMES: Final = {"h": "小时", "s": "秒", "min": "分钟", "d": "天", "day": "天"}


def _names() -> dict[str, str]:
    names: dict[str, str] = {}
    for symbol, name, prefixes in _WITH_PREFIXES:
        names[symbol] = name
        for prefix in prefixes:
            names[prefix + symbol] = (_PREFIXES | _PREFIXES_SMALL)[prefix] + name
            if prefix == "µ":
                names["μ" + symbol] = "微" + name
    names.update(_ALONE)
    return names


NAMES: Final = _names()


def _alternatives(symbols: list[str]) -> str:
    return "|".join(re.escape(s) for s in sorted(symbols, key=len, reverse=True))


_ANY: Final = _alternatives([s for s in NAMES if s not in "%‰"])
_SPACED: Final = _alternatives([s for s in NAMES if s not in "%‰" and s not in _GLUED_ONLY])
_PER: Final = rf"(?:\s?/\s?(?:{_ANY}|day|d)(?![A-Za-z0-9]))?"
#: A unit behind a figure: nothing that goes on as a word.
UNIT: Final = (
    rf"(?:(?:{_ANY})(?![A-Za-z0-9²³]){_PER}|\s(?:{_SPACED})(?![A-Za-z0-9²³]){_PER}|\s?[%‰](?:RH\b)?)"
)


def read_unit(symbol: str) -> str:
    """``km/h`` → 公里每小时, ``µg/m³`` → 微克每立方米."""
    symbol = symbol.strip()
    name = NAMES.get(symbol)
    if name is not None:
        return name
    head, _, tail = symbol.partition("/")
    head, tail = head.strip(), tail.strip()
    return f"{NAMES[head]}每{_TIMES.get(tail) or NAMES[tail]}"
