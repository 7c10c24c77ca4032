"""English readings of numbers: figures in, lower-case words without hyphens out (American, no "and")."""

from __future__ import annotations

from typing import Final

_SMALL: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_UNDER_TWENTY: Final = _SMALL.split()
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = ("", "thousand", "million", "billion", "trillion")
_IRREGULAR_ORDINALS: Final = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
#: A longer figure is a code, not a quantity; with commas it may be longer.
_LONGEST_PLAIN: Final = 9
_LONGEST_CARDINAL: Final = 15
DENOMINATORS: Final = {
    2: "half",
    3: "third",
    4: "quarter",
    5: "fifth",
    6: "sixth",
    7: "seventh",
    8: "eighth",
    9: "ninth",
    10: "tenth",
    16: "sixteenth",
}


def digits(figure: str) -> str:
    """``"911"`` → nine one one; whatever is not a digit is left out."""
    return " ".join(_UNDER_TWENTY[int(c)] for c in figure if c.isdigit())


def cardinal(number: int) -> str:
    """0 and up; beyond 15 digits it is read digit by digit."""
    if number < 20:
        return _UNDER_TWENTY[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f" {_UNDER_TWENTY[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_UNDER_TWENTY[hundreds]} hundred" + (f" {cardinal(rest)}" if rest else "")
    if len(str(number)) > _LONGEST_CARDINAL:
        return digits(str(number))
    words: list[str] = []
    for scale in _SCALES:
        number, group = divmod(number, 1000)
        if group:
            words.insert(0, f"{cardinal(group)} {scale}".rstrip())
    return " ".join(words)


def whole(figure: str) -> str:
    """A whole number in figures, of any length."""
    return cardinal(int(figure)) if len(figure) <= _LONGEST_CARDINAL else digits(figure)


def ordinal(number: int) -> str:
    head, _, last = cardinal(number).rpartition(" ")
    if last in _IRREGULAR_ORDINALS:
        last = _IRREGULAR_ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return f"{head} {last}".lstrip()


def pairs(number: int) -> str:
    """Four digits by twos: 1905 → nineteen oh five, 1900 → nineteen hundred, 2007 → two thousand seven."""
    high, low = divmod(number, 100)
    if high % 10 == 0 and low < 10:
        return cardinal(number)
    if low == 0:
        return f"{cardinal(high)} hundred"
    return f"{cardinal(high)} {'oh ' if low < 10 else ''}{cardinal(low)}"


def year(figure: str) -> str:
    number = int(figure)
    return pairs(number) if 1000 <= number <= 9999 else cardinal(number)


def quantity(figure: str) -> str:
    """A figure that counts or measures: ``1,250``, ``3.14``, ``.5``, ``007``."""
    longest = _LONGEST_CARDINAL if "," in figure else _LONGEST_PLAIN
    whole, point, fraction = figure.replace(",", "").partition(".")
    if not whole:
        read = ""
    elif (whole[0] == "0" and len(whole) > 1) or len(whole) > longest:
        read = digits(whole)
    else:
        read = cardinal(int(whole))
    return f"{read} point {digits(fraction)}".lstrip() if point else read


def plain(figure: str) -> str:
    """A figure without any unit: four digits from 1900 to 2099 are taken for a year."""
    if len(figure) == 4 and figure[:2] in ("19", "20"):
        return year(figure)
    return quantity(figure)


def model_number(figure: str) -> str:
    """Digits glued to letters, as people read them: A320 → three twenty, RTX 4090 → forty ninety."""
    number = int(figure)
    if (figure[0] == "0" and len(figure) > 1) or len(figure) > 4:
        return digits(figure)
    if len(figure) == 4:
        return pairs(number)
    if len(figure) == 3 and number % 100:
        high, low = divmod(number, 100)
        return f"{cardinal(high)} {'oh ' if low < 10 else ''}{cardinal(low)}"
    return cardinal(number)


def group(figure: str) -> str:
    """One group of an address or a version: three digits and more digit by digit."""
    return digits(figure) if len(figure) > 2 or figure[0] == "0" else cardinal(int(figure))


def fraction(top: int, bottom: int) -> str:
    """3/4 → three quarters; 7/30 → seven over thirty."""
    if bottom not in DENOMINATORS:
        return f"{cardinal(top)} over {cardinal(bottom)}"
    part = DENOMINATORS[bottom]
    if top == 1:
        return f"one {part}"
    return f"{cardinal(top)} {'halves' if bottom == 2 else part + 's'}"
