"""Cantonese names of units, and what is counted with 兩."""

from __future__ import annotations

from typing import Final

from cosyedge.text.normalise.written.units import expanded

_BASES: Final = {
    "Wh": "瓦時", "W": "瓦", "VA": "伏安", "V": "伏", "Ah": "安時", "A": "安", "Ω": "歐姆", "Hz": "赫茲",
    "J": "焦耳", "cal": "卡", "Pa": "帕", "bar": "巴", "m": "米", "g": "克", "l": "升", "L": "升", "s": "秒",
    "mol": "摩爾", "lx": "勒克斯", "lm": "流明", "Sv": "希沃特", "Bq": "貝克", "F": "法拉",
}  # fmt: skip
_PREFIXES: Final = {
    "T": "太", "G": "吉", "M": "兆", "k": "千", "h": "百", "d": "分", "c": "厘", "m": "毫",
    "µ": "微", "n": "納",
}  # fmt: skip
_OTHERS: Final = {
    "°C": "度", "°F": "度", "°": "度", "km": "公里", "kg": "公斤", "t": "噸", "min": "分鐘", "h": "個鐘",
    "d": "日", "kWh": "度電", "dB": "分貝", "dBm": "DBM", "mmHg": "毫米汞柱", "ppm": "PPM", "ppb": "PPB",
    "rpm": "轉每分鐘", "bpm": "次每分鐘", "km/h": "公里每小時", "mph": "英里每小時", "kB": "KB", "MB": "MB",
    "GB": "GB", "TB": "TB", "kbps": "千比特每秒", "Mbps": "兆比特每秒", "Gbps": "吉比特每秒", "px": "像素",
    "in": "吋", "ft": "呎", "lb": "磅", "oz": "安士", "cc": "毫升", "kn": "節", "ha": "公頃",
    "m²": "平方米", "cm²": "平方厘米", "mm²": "平方毫米", "km²": "平方公里", "m³": "立方米",
    "cm³": "立方厘米", "s²": "二次方秒",
}  # fmt: skip

#: Symbol → name.
UNITS: Final = expanded(_BASES, _PREFIXES, _OTHERS)

#: Counted with 兩, in both ways of writing. 月, 號, 樓, 級, 等 and 班 are numbered and take 二.
COUNTED: Final = (
    "[個个](?!位)|隻|只|[條条]|[張张]|[台檯枱臺]|部(?!分)|家|位|名|人|口|[頭头]|匹|件|套|[雙双]|[對对]|副|把|本|[冊册]|行(?!人)|"
    "列|排|[間间]|座|棵|[塊块]|粒|滴|杯|碗|[樽支枝瓶]|盒|包|袋|箱|[罐桶]|[盤盘]|份|[筆笔]|[項项]|[種种]|[類类]|[樣样]|次|"
    "趟|[轉转]|匝|[場场]|局|餐|日|天|[週周]|年(?!級|级)|小[時时]|分[鐘钟]|秒|倍|元|蚊|毫|公里|千米|米|厘米|毫米|毫升|升|公斤|"
    "千克|克|磅|斤|噸|吨|度|步|句|段|篇|章|首|封|[層层]|盞|盏|[組组]|批|[隊队]|成(?!立|為|为|功|員|员)|晚|[輛辆]|架|[門门]|道|"
    "站|圈|片|格|[歲岁]|吋|呎|安士|[萬万億亿]|平方|立方|嚿|啖|堆|籮|夜|[邊边]"
)
