"""Mandarin names of units: what the home measures."""

from __future__ import annotations

from typing import Final

from cosyedge.text.normalise.written.units import expanded

_BASES: Final = {
    "Wh": "瓦时", "W": "瓦", "VA": "伏安", "V": "伏", "Ah": "安时", "A": "安", "Ω": "欧", "Hz": "赫兹",
    "J": "焦", "cal": "卡", "Pa": "帕", "bar": "巴", "m": "米", "g": "克", "l": "升", "L": "升", "s": "秒",
    "mol": "摩尔", "lx": "勒克斯", "lm": "流明", "Sv": "西弗", "F": "法拉",
}  # fmt: skip
_PREFIXES: Final = {
    "T": "太", "G": "吉", "M": "兆", "k": "千", "h": "百", "d": "分", "c": "厘", "m": "毫",
    "µ": "微", "n": "纳",
}  # fmt: skip
_OTHERS: Final = {
    "°C": "摄氏度", "°F": "华氏度", "°": "度", "km": "公里", "kg": "公斤", "t": "吨", "min": "分钟",
    "h": "小时", "d": "天", "kWh": "度电", "dB": "分贝", "mmHg": "毫米汞柱", "ppm": "PPM", "ppb": "PPB",
    "dBm": "DBM",
    "rpm": "转每分钟", "bpm": "次每分钟", "km/h": "公里每小时", "mph": "英里每小时", "kB": "KB", "MB": "MB",
    "GB": "GB", "TB": "TB", "kbps": "千比特每秒", "Mbps": "兆比特每秒", "Gbps": "吉比特每秒", "px": "像素",
    "in": "英寸", "ft": "英尺", "lb": "磅", "oz": "盎司", "cc": "毫升", "kn": "节", "ha": "公顷",
    "cm²": "平方厘米", "m²": "平方米", "km²": "平方公里", "mm²": "平方毫米", "m³": "立方米",
    "cm³": "立方厘米", "s²": "二次方秒",
}  # fmt: skip

#: Symbol → name.
UNITS: Final = expanded(_BASES, _PREFIXES, _OTHERS)
