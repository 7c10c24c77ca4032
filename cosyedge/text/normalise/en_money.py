"""English names of what sums of money are in."""

from __future__ import annotations

from typing import Final, NamedTuple


class Currency(NamedTuple):
    """The names of one, of many, of one hundredth and of many of those; empty where there are none."""

    one: str
    many: str
    hundredth: str = ""
    hundredths: str = ""


def _dollars(name: str) -> Currency:
    return Currency(f"{name}dollar", f"{name}dollars", "cent", "cents")


_NAMES: Final = {
    "$ US$": _dollars(""), "USD": _dollars("U S "), "HK$ HKD": _dollars("hong kong "),
    "NT$ TWD": _dollars("new taiwan "), "A$ AUD": _dollars("australian "), "C$ CAD": _dollars("canadian "),
    "S$ SGD": _dollars("singapore "), "¢": Currency("cent", "cents"),
    "€ EUR": Currency("euro", "euros", "cent", "cents"), "£": Currency("pound", "pounds", "penny", "pence"),
    "GBP": Currency("british pound", "british pounds", "penny", "pence"),
    "¥ JP¥": Currency("yen", "yen"), "JPY": Currency("japanese yen", "japanese yen"),
    "CN¥ CNY RMB": Currency("chinese yuan", "chinese yuan"), "₩": Currency("won", "won"),
    "KRW": Currency("korean won", "korean won"), "CHF": Currency("swiss franc", "swiss francs"),
    "₹ INR": Currency("rupee", "rupees", "paisa", "paise"), "฿": Currency("baht", "baht"),
    "₽": Currency("ruble", "rubles", "kopeck", "kopecks"), "₫": Currency("dong", "dong"),
    "₿": Currency("bitcoin", "bitcoins"), "SEK": Currency("swedish krona", "swedish kronor"),
}  # fmt: skip
#: Sign or code → the name of many.
SIGNS: Final = {sign: names.many for signs, names in _NAMES.items() for sign in signs.split()}
#: The name of many → all the names.
CURRENCIES: Final = {names.many: names for names in _NAMES.values()}
#: What multiplies a sum → its word; other words of the pattern are said as they are.
_SCALES: Final = {
    "k": "thousand", "m": "million", "mn": "million", "b": "billion", "bn": "billion", "t": "trillion",
}  # fmt: skip
SCALE: Final = "thousand|million|billion|trillion|mn|bn|[kKmMbBT]"


def scale(written: str) -> str:
    """``M`` → million."""
    return _SCALES.get(written.lower(), written)
