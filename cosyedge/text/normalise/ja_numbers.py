"""Japanese numbers in kana, as they are written in a reading: groups parted by spaces."""

from __future__ import annotations

from typing import Final

DIGITS: Final = ("ぜろ", "いち", "に", "さん", "よん", "ご", "ろく", "なな", "はち", "きゅう")
#: One by one in a telephone number short vowels are drawn out, so that each digit has two morae.
_DIALLED: Final = {**{str(i): kana for i, kana in enumerate(DIGITS)}, "2": "にー", "5": "ごー"}
_TENS: Final = ("じゅう", "ひゃく", "せん")
_IRREGULAR: Final = {
    (1, 3): "さんびゃく", (1, 6): "ろっぴゃく", (1, 8): "はっぴゃく", (2, 3): "さんぜん", (2, 8): "はっせん",
}  # fmt: skip
_MYRIADS: Final = ("", "まん", "おく", "ちょう", "けい")
#: Before these a last いち, はち or じゅう is said short.
_SHORTENED_BEFORE: Final = ("ちょう", "けい")
#: More digits than these are read one by one.
LONGEST: Final = 4 * len(_MYRIADS)


def cardinal(figure: str) -> str:
    """``2345`` → にせん さんびゃく よんじゅうご; leading zeros say nothing."""
    figure = figure.lstrip("0")
    if not figure:
        return DIGITS[0]
    if len(figure) > LONGEST:
        return digits(figure)
    groups: list[str] = []
    count = -(-len(figure) // 4)
    padded = figure.zfill(4 * count)
    for i in range(count):
        four = padded[4 * i : 4 * i + 4]
        unit = _MYRIADS[count - 1 - i]
        if four == "0000":
            continue
        said = _below_myriad(four, whole=bool(unit))
        if unit:
            last = said[-1]
            said[-1] = (shortened(last, "いち はち じゅう") if unit in _SHORTENED_BEFORE else last) + unit
        groups += said
    return " ".join(groups)


def _below_myriad(four: str, *, whole: bool) -> list[str]:
    """Thousands, hundreds, and tens with ones; ``whole`` before 万 and its like, where 1000 is いっせん."""
    groups: list[str] = []
    for power in (2, 1):
        digit = int(four[2 - power])
        if digit == 0:
            continue
        plain = "" if digit == 1 else DIGITS[digit]
        said = _IRREGULAR.get((power, digit), plain + _TENS[power])
        groups.append("いっせん" if power == 2 and digit == 1 and whole else said)
    tens, ones = int(four[2]), int(four[3])
    said = ("" if tens == 0 else ("" if tens == 1 else DIGITS[tens]) + _TENS[0]) + (
        DIGITS[ones] if ones else ""
    )
    return [*groups, said] if said else groups


def shortened(number: str, ends: str) -> str:
    """A number before a sound that its end, if it is one of ``ends``, becomes one with: はち → はっ."""
    for end in ends.split():
        if number.endswith(end):
            return number[:-1] + "っ"
    return number


def digits(figure: str) -> str:
    """One by one: ``305`` → さんぜろご."""
    return "".join(DIGITS[int(digit)] for digit in figure if digit.isdigit())


def dialled(figure: str) -> str:
    """A telephone number: ``090-12`` → ぜろきゅうぜろ いちにー."""
    groups = "".join(digit if digit.isdigit() else " " for digit in figure).split()
    return " ".join("".join(map(_DIALLED.__getitem__, group)) for group in groups)


def decimal(figure: str) -> str:
    """Any figure without a sign: ``1.5`` → いってんご, ``0.5`` → れいてんご."""
    whole, _, decimals = figure.partition(".")
    if not decimals:
        return cardinal(whole)
    said = "れい" if not whole.strip("0") else shortened(cardinal(whole), "いち はち じゅう")
    return f"{said}てん{digits(decimals)}"
