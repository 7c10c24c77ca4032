"""Japanese as it is written to Japanese as it is spoken: the tables and small functions of its forms.

What has been a figure is kana between ``‹`` and ``›``, which the phonemizer reads as it stands; everything
else stays as it is written. :func:`normalise` is pure and idempotent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from cosyedge.text.normalise import ja_counters as counters
from cosyedge.text.normalise import ja_numbers as numbers
from cosyedge.text.normalise import ja_rows
from cosyedge.text.normalise.ja_rows import month_and_day, reading
from cosyedge.text.normalise.ja_units import CENTS, COUNTED, CURRENCIES, PER, SPEEDS, UNITS
from cosyedge.text.normalise.written.language import Figures, Half, Language
from cosyedge.text.normalise.written.table import Normaliser

_OPERATORS: Final = {
    "+": "‹ぷらす›", "-": "‹まいなす›", "×": "‹かける›", "÷": "‹わる›", "=": "‹いこーる›", "≈": "‹やく›",
    "≠": "‹のっといこーる›", "<": "‹しょうなり›", ">": "‹だいなり›", "≤": "‹しょうなりいこーる›",
    "≥": "‹だいなりいこーる›", "±": "‹ぷらすまいなす›",
}  # fmt: skip
_SIGNS: Final = {
    "&": "‹あんど›", "²": "‹のにじょう›", "³": "‹のさんじょう›", "%": "‹ぱーせんと›", "‰": "‹ぱーみる›",
    "°C": "‹ど›", "°F": "‹ど›", "°": "‹ど›", "→": "、", "+": "‹ぷらす›", "@": "‹あっと›",
    "√": "‹るーと›", "∞": "‹むげんだい›",
}  # fmt: skip
_MULTIPLES: Final = {"百": 2, "千": 3, "万": 4, "億": 8, "兆": 12}
_TO: Final = "から"
_MINUS: Final = "まいなす"


class Japanese(Language):
    """See :class:`~cosyedge.text.normalise.written.language.Language`."""

    to, to_written = _TO, _TO
    minus = below_zero = "‹まいなす›"
    plus, about = "‹ぷらす›", "‹やく›"
    point = dot = "‹てん›"
    port, slash = "、‹ぽーと›", "‹すらっしゅ›"
    all_day = "‹にじゅうよじかん ねんじゅうむきゅう›"
    pause = "、"
    multiples = "百千万億兆"
    money_words = "円|米?ドル|ユーロ|ポンド"
    not_unit = "[級型判社組班席票面]"
    named = (
        r"(?:電話番号|電話|暗証番号|認証番号|認証コード|確認コード|認証キー|受付番号|予約番号|会員番号|口座番号|お客様番号|"
        r"追跡番号|郵便番号|パスワード|パスコード|番号|内線|コード|ピン)(?:は|が|の|：|:|\s){0,3}"
    )
    not_named = r"\s?(?:番[目線]?|[個回台人件円度歳本枚年月日時分秒%.:/桁つ]|ページ|パーセント)"
    long_counted = "円個人"
    phones = (
        r"(?:\+81[- ]?|0)(?:[5789]0[- ]?[0-9]{4}|[1-9][0-9]{0,3}[- ][0-9]{1,4})[- ][0-9]{4}",
        r"0[5789]0[0-9]{8}",
        r"0(?:120|800|570)[- ]?[0-9]{3}[- ]?[0-9]{3}",
    )
    version_before = "バージョン|ファームウェア|Ver\\.?"
    version_behind = "版|(?:に|への?)(?:更新|アップデート|アップグレード)"
    coded = "号室"
    scored_before = "スコア|得点|結果"
    scored_behind = "で(?:勝|負|敗|リード|引き分け)|の(?:勝利|敗北|同点)"
    range_words = r" ?[百千万億]{0,2}(?:時間|分間|日間|週間|[年月日号時分秒度個円歳人名回階番本枚台倍点件])?"
    counters = counters.PATTERN
    units = UNITS
    currencies = CURRENCIES
    operators = _OPERATORS
    signs = _SIGNS
    first = ja_rows.FIRST
    dates = ja_rows.DATES
    codes = ja_rows.CODES
    last = ja_rows.LAST

    def cardinal(self, figure: str) -> str:
        return reading(numbers.cardinal(figure))

    def digits(self, figure: str) -> str:
        return reading(numbers.digits(figure))

    def code(self, figure: str) -> str:
        return reading(numbers.dialled(figure))

    def number(self, figure: str, *, minus: str | None = None) -> str:
        return reading(_signed(figure))

    def date(self, year: str | None, month: str, day: str | None) -> str:
        said = month_and_day(month, day) if day else (counters.counted(month, "月"),)
        return reading(*((counters.counted(year, "年"),) if year else ()), *said)

    def clock(self, hour: str, minute: str | None, second: str | None, half: Half | None) -> str:
        said = [{None: "", "a": "ごぜん", "p": "ごご"}[half], counters.counted(hour, "時")]
        if (minute and minute != "00") or second:
            said.append(counters.counted(minute or "0", "分"))
        if second:
            said.append(counters.counted(second, "秒"))
        return reading(*filter(None, said))

    def duration(self, hours: str, minutes: str) -> str:
        return reading(counters.counted(hours, "時間"), counters.counted(minutes, "分"))

    def ratio(self, left: str, right: str) -> str:
        return reading(numbers.cardinal(left), "たい", numbers.cardinal(right))

    def percent(self, figures: Figures, mark: Literal["%", "‰"]) -> str:
        name = {"%": "ぱーせんと", "‰": "ぱーみる"}[mark]
        return self._last(figures, lambda figure: counters.measured(figure, name))

    def fraction(self, whole: str | None, top: str, bottom: str) -> str:
        before = (numbers.cardinal(whole), "と") if whole else ()
        return reading(*before, f"{numbers.cardinal(bottom)}ぶんの", numbers.cardinal(top))

    def money(self, figures: Figures, multiple: str, currency: str) -> str:
        """``$12.50`` → じゅうにどる ごじゅっせんと."""
        whole, _, decimals = figures[-1].partition(".")
        if currency in CENTS and not multiple and len(decimals) == 2 and len(figures) == 1:
            cents = counters.measured(decimals, CENTS[currency]) if decimals.strip("0") else ""
            sums = [f"{_signed(whole)}{currency}"] if whole.strip("0-") or not cents else []
            return reading(*sums, *filter(None, [cents]))
        if currency == "えん":
            return self.counted(figures, multiple, "円")
        return self._last(figures, lambda figure: counters.measured(figure, currency), multiple)

    def measure(self, figures: Figures, multiple: str, unit: str, name: str) -> str:
        before = SPEEDS.get(unit) or ("かし" if unit == "°F" else "")
        counter = COUNTED.get(unit)
        if unit in ("°C", "°F", "°"):
            counter = "度"
        if counter:
            said = self.counted(figures, multiple, counter)
        else:
            said = self._last(figures, lambda figure: counters.measured(figure, name), multiple)
        return f"{reading(before)}{said}" if before else said

    def per(self, unit: str, name: str, base: str, base_name: str) -> str:
        return f"{name}まい{PER.get(base, base_name)}"

    def power(self, figure: str) -> str:
        return reading(f"の{_signed(figure.lstrip('+'))}じょう")

    def counted(self, figures: Figures, multiple: str, counter: str) -> str:
        return self._last(figures, lambda figure: counters.counted(figure, counter), multiple)

    def numbered(self, figure: str) -> str:
        return reading(counters.counted(figure, "番"))

    def version(self, parts: tuple[str, ...]) -> str:
        return reading("てん".join(map(numbers.cardinal, parts)))

    def address(self, parts: tuple[str, ...], port: str | None, prefix: str | None) -> str:
        said = ["てん".join(map(numbers.digits, parts))]
        if prefix:
            said += "すらっしゅ", numbers.cardinal(prefix)
        if port:
            said += "ぽーと", numbers.digits(port)
        return reading(*said)

    def _last(self, figures: Figures, say: Callable[[str], str], multiple: str = "") -> str:
        """A figure, or the first as a number and the last as ``say`` says it."""
        said = []
        for i, figure in enumerate(figures):
            sign, plain = _parted(figure)
            last = i + 1 == len(figures)
            if last and multiple:
                said.append(sign + _multiplied(plain, multiple, say))
            else:
                said.append(sign + (say(plain) if last else f"{numbers.decimal(plain)}{_TO}"))
        return reading(*said)


def _parted(figure: str) -> tuple[str, str]:
    sign = {"-": f"{_MINUS} ", "+": "ぷらす "}.get(figure[:1], "")
    return sign, figure[1:] if sign else figure


def _signed(figure: str) -> str:
    sign, plain = _parted(figure)
    return sign + numbers.decimal(plain)


def _multiplied(figure: str, multiple: str, say: Callable[[str], str]) -> str:
    """``3`` and 万 is what ``30000`` is; ``1.5`` and 万 is said as it is written."""
    zeros = sum(_MULTIPLES[character] for character in multiple)
    whole, _, decimals = figure.partition(".")
    if len(whole) + zeros > numbers.LONGEST:
        return say(figure)
    if not decimals:
        return say(whole + "0" * zeros)
    unit = numbers.cardinal("1" + "0" * zeros).replace("いち", "").replace("いっ", "")
    # What is counted changes its sound as behind the multiple alone.
    one = "1" + "0" * zeros
    return numbers.decimal(figure) + say(one).replace(numbers.cardinal(one), unit)


#: ``気温5度`` → ``気温‹ごど›``.
normalise: Final = Normaliser(Japanese())
