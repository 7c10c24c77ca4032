"""Japanese counters: how a number and what it counts change each other's sound.

The classes go by the first sound of the counter. Before k, s, t, h and p a last いち, ろく, はち,
じゅう or ひゃく is said short (いっぽん); behind さん and せん some counters are voiced (さんぼん).
Where speakers differ, the reading is the one that NHK's announcers use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from cosyedge.text.normalise.ja_numbers import decimal, shortened

#: Class → the ends of numbers that are said short before it.
_SHORT: Final = {
    "k": "いち ろく はち じゅう ひゃく びゃく ぴゃく", "loan k": "ろく じゅう ひゃく びゃく ぴゃく",
    "s": "いち はち じゅう",
    "t": "いち はち じゅう", "h": "いち ろく はち じゅう ひゃく びゃく ぴゃく", "p": "じゅう", "": "",
}  # fmt: skip
_HALF_VOICED: Final = dict(zip("はひふへほ", "ぱぴぷぺぽ", strict=True))
_VOICED: Final = dict(zip("かきくけこさしすせそはひふへほ", "がぎぐげござじずぜぞばびぶべぼ", strict=True))


@dataclass(frozen=True, slots=True)
class _Counter:
    """How one counter is read.

    Attributes:
        kana: its reading.
        sound: a class of :data:`_SHORT`.
        three: how its first sound is behind さん, せん, まん and 何: ``b`` voiced, ``p`` half voiced, ``p4``
            half voiced behind よん too, or as it is.
        four, seven, nine: these digits where they are the last of the number.
        whole: readings of small numbers together with the counter.
    """

    kana: str
    sound: str = ""
    three: str = ""
    four: str = "よん"
    seven: str = "なな"
    nine: str = "きゅう"
    whole: tuple[tuple[str, str], ...] = ()


def _like(counter: _Counter, kana: str, *names: str) -> dict[str, _Counter]:
    return dict.fromkeys(
        names,
        _Counter(kana, counter.sound, counter.three, counter.four, counter.seven, counter.nine),
    )


_K: Final = _Counter("", "k")
_S: Final = _Counter("", "s")
_T: Final = _Counter("", "t")
_H: Final = _Counter("", "h", "b")
_LOAN: Final = _Counter("", "loan k")
_P: Final = _Counter("", "p")
_HOUR: Final = _Counter("", four="よ", seven="しち", nine="く")

_DAYS: Final = tuple(
    (str(day), kana)
    for day, kana in [
        (2, "ふつか"), (3, "みっか"), (4, "よっか"), (5, "いつか"), (6, "むいか"), (7, "なのか"),
        (8, "ようか"), (9, "ここのか"), (10, "とおか"),
        (14, "じゅうよっか"), (17, "じゅうしちにち"), (19, "じゅうくにち"), (20, "はつか"),
        (24, "にじゅうよっか"), (27, "にじゅうしちにち"), (29, "にじゅうくにち"),
    ]
)  # fmt: skip
_PEOPLE: Final = (("1", "ひとり"), ("2", "ふたり"))
_THINGS: Final = tuple(
    (str(count), kana)
    for count, kana in enumerate(
        ("ひとつ", "ふたつ", "みっつ", "よっつ", "いつつ", "むっつ", "ななつ", "やっつ", "ここのつ", "とお"),
        1,
    )
)

COUNTERS: Final[dict[str, _Counter]] = {
    **_like(_H, "ほん", "本"), **_like(_H, "ひき", "匹"), **_like(_H, "はい", "杯"),
    **_like(_H, "ひょう", "俵"),
    "分": _Counter("ふん", "h", "p4"), "分間": _Counter("ふんかん", "h", "p4"),
    "泊": _Counter("はく", "h", "p4"),
    "票": _Counter("ひょう", "h", "p"), "発": _Counter("はつ", "h", "p"), "品": _Counter("ひん", "h", "p"),
    "拍": _Counter("はく", "h", "p"), "遍": _Counter("へん", "h", "b"), "編": _Counter("へん", "h", "p"),
    **_like(_K, "こ", "個", "箇", "コ"), **_like(_K, "かい", "回"), **_like(_K, "かいめ", "回目"),
    **_like(_K, "かん", "巻"), **_like(_K, "きょく", "曲"), **_like(_K, "く", "区"),
    **_like(_K, "き", "機", "基", "期"),
    **_like(_K, "かげつ", "か月", "ヶ月", "カ月", "ケ月", "ヵ月", "箇月"),
    **_like(_K, "かげつかん", "か月間", "ヶ月間"),
    **_like(_K, "かしょ", "か所", "ヶ所", "カ所", "箇所"), **_like(_K, "かこく", "か国", "ヶ国", "カ国"),
    **_like(_K, "けん", "件"), **_like(_K, "こうもく", "項目"), **_like(_K, "きゃく", "脚"),
    **_like(_K, "かく", "画"),
    "階": _Counter("かい", "k", "b"), "階建て": _Counter("かいだて", "k", "b"),
    "軒": _Counter("けん", "k", "b"),
    **_like(_S, "さつ", "冊"), **_like(_S, "しゅうかん", "週間"), **_like(_S, "しゅうめ", "週目"),
    **_like(_S, "せき", "隻"), **_like(_S, "せだい", "世代"), **_like(_S, "せいき", "世紀"),
    **_like(_S, "しゅるい", "種類"),
    **_like(_S, "せんち", "センチ"), **_like(_S, "しゅう", "週", "周"), **_like(_S, "そう", "艘"),
    **_like(_S, "せっと", "セット"),
    "歳": _Counter("さい", "s", whole=(("20", "はたち"),)),
    "才": _Counter("さい", "s", whole=(("20", "はたち"),)),
    "足": _Counter("そく", "s", "b"),
    **_like(_T, "とう", "頭", "棟", "等"), **_like(_T, "てん", "点"), **_like(_T, "ちゃく", "着"),
    **_like(_T, "つう", "通"),
    **_like(_T, "ちょうめ", "丁目"), **_like(_T, "ちょう", "丁"), **_like(_T, "とん", "トン"),
    **_like(_T, "つぶ", "粒"),
    **_like(_T, "たい", "体"), **_like(_T, "たいほう", "隊"),
    **_like(_P, "ぱーせんと", "パーセント"), **_like(_P, "ぺーじ", "ページ", "頁"),
    **_like(_P, "ぽいんと", "ポイント"),
    **_like(_P, "ぱっく", "パック"), **_like(_P, "ぱたーん", "パターン"),
    **_like(_LOAN, "きろ", "キロ"), **_like(_LOAN, "かっぷ", "カップ"),
    "円": _Counter("えん", four="よ"), "年": _Counter("ねん", four="よ"),
    "年間": _Counter("ねんかん", four="よ"),
    "年前": _Counter("ねんまえ", four="よ"), "年後": _Counter("ねんご", four="よ"),
    "年目": _Counter("ねんめ", four="よ"),
    "年生": _Counter("ねんせい", four="よ"), "年度": _Counter("ねんど", four="よ"),
    "時": _Counter("じ", four="よ", seven="しち", nine="く", whole=(("0", "れいじ"),)),
    **_like(_HOUR, "じかん", "時間"), **_like(_HOUR, "じかんめ", "時間目"),
    **_like(_HOUR, "じげんめ", "時限目"),
    "月": _Counter("がつ", four="し", seven="しち", nine="く"),
    "日": _Counter("にち", whole=_DAYS),
    "日間": _Counter("にちかん", whole=tuple((day, f"{kana}かん") for day, kana in _DAYS)),
    "日目": _Counter("にちめ", whole=tuple((day, f"{kana}め") for day, kana in _DAYS)),
    "日前": _Counter("にちまえ", whole=tuple((day, f"{kana}まえ") for day, kana in _DAYS)),
    "日後": _Counter("にちご", whole=tuple((day, f"{kana}ご") for day, kana in _DAYS)),
    "人": _Counter("にん", four="よ", seven="しち", whole=_PEOPLE),
    "人前": _Counter("にんまえ", four="よ"),
    "人分": _Counter("にんぶん", four="よ", seven="しち", whole=(("1", "ひとりぶん"), ("2", "ふたりぶん"))),
    "人目": _Counter("にんめ", four="よ", seven="しち", whole=(("1", "ひとりめ"), ("2", "ふたりめ"))),
    "つ": _Counter("つ", whole=_THINGS),
    "つ目": _Counter("つめ", whole=tuple((n, f"{kana}め") for n, kana in _THINGS[:9])),
    "羽": _Counter("わ", whole=(("3", "さんば"), ("6", "ろっぱ"), ("8", "はっぱ"), ("10", "じゅっぱ"))),
    "畳": _Counter("じょう", four="よ"), "次": _Counter("じ", four="よ"),
    "部屋": _Counter("へや", whole=(("1", "ひとへや"), ("2", "ふたへや"))),
    "晩": _Counter("ばん", whole=(("1", "ひとばん"), ("2", "ふたばん"))),
    "箱": _Counter("はこ", "h", "p", whole=(("1", "ひとはこ"), ("2", "ふたはこ"))),
    "袋": _Counter("ふくろ", whole=(("1", "ひとふくろ"), ("2", "ふたふくろ"))),
    "皿": _Counter("さら", whole=(("1", "ひとさら"), ("2", "ふたさら"))),
    "切れ": _Counter("きれ", whole=(("1", "ひときれ"), ("2", "ふたきれ"))),
    "言": _Counter("こと", whole=(("1", "ひとこと"), ("2", "ふたこと"))),
    **{name: _Counter(kana) for name, kana in (
        ("度", "ど"), ("度目", "どめ"), ("枚", "まい"), ("台", "だい"), ("名", "めい"),
        ("名様", "めいさま"),
        ("倍", "ばい"), ("番", "ばん"), ("番目", "ばんめ"), ("番線", "ばんせん"), ("号", "ごう"),
        ("号室", "ごうしつ"),
        ("号車", "ごうしゃ"), ("号線", "ごうせん"), ("秒", "びょう"), ("秒間", "びょうかん"),
        ("割", "わり"), ("回線", "かいせん"), ("位", "い"), ("組", "くみ"), ("問", "もん"), ("門", "もん"),
        ("膳", "ぜん"),
        ("駅", "えき"), ("園", "えん"), ("代", "だい"), ("段", "だん"), ("段階", "だんかい"),
        ("列", "れつ"), ("両", "りょう"), ("面", "めん"), ("部", "ぶ"), ("話", "わ"), ("語", "ご"),
        ("文字", "もじ"),
        ("錠", "じょう"), ("滴", "てき"), ("束", "たば"), ("合", "ごう"), ("升", "しょう"), ("斤", "きん"),
        ("メートル", "めーとる"), ("グラム", "ぐらむ"), ("リットル", "りっとる"), ("ワット", "わっと"),
        ("ドル", "どる"),
        ("ユーロ", "ゆーろ"), ("元", "げん"), ("ウォン", "うぉん"), ("ミリ", "みり"), ("ヘルツ", "へるつ"),
        ("デシベル", "でしべる"),
        ("ボルト", "ぼると"), ("アンペア", "あんぺあ"), ("インチ", "いんち"), ("フロア", "ふろあ"),
        ("アイテム", "あいてむ"),
    )},
}  # fmt: skip
#: As a pattern, the longest first.
PATTERN: Final = "|".join(re.escape(name) for name in sorted(COUNTERS, key=len, reverse=True))

_ONES: Final = re.compile(r"(?:よん|なな|きゅう)$")


def counted(figure: str, counter: str) -> str:
    """``3`` of 本 → さんぼん, ``2.5`` of 度 → にてんごど."""
    known = COUNTERS[counter]
    whole = figure.lstrip("0") or "0"
    for exactly, said in known.whole:
        if whole == exactly:
            return said
    number = decimal(figure)
    if "." in figure:
        last = figure[-1]
        sounds = {"4": "よん", "7": "なな", "9": "きゅう"}  # only a whole number changes its four
    else:
        last = whole[-1]
        sounds = {"4": known.four, "7": known.seven, "9": known.nine}
    if last in sounds:
        number = _ONES.sub(sounds[last], number)
    return joined(number, known)


def how_many(counter: str) -> str:
    """何 with a counter: なんぼん."""
    known = COUNTERS[counter]
    return joined("なん", known) if known.kana != "つ" else "いくつ"


def joined(number: str, counter: _Counter) -> str:
    """A number in kana and its counter with the sounds that meet."""
    kana = counter.kana
    short = shortened(number, _SHORT[counter.sound])
    if short != number:
        return short + (_HALF_VOICED.get(kana[0], kana[0]) + kana[1:] if counter.sound == "h" else kana)
    if counter.three and number.endswith(("さん", "せん", "ぜん", "まん", "なん")):
        voiced = _VOICED if counter.three == "b" else _HALF_VOICED
        return number + voiced.get(kana[0], kana[0]) + kana[1:]
    if counter.three == "p4" and number.endswith("よん"):
        return number + _HALF_VOICED[kana[0]] + kana[1:]
    return number + kana


def measured(figure: str, name: str) -> str:
    """A figure with a unit of loan words: ``10`` of きろ → じゅっきろ."""
    return joined(decimal(figure), _Counter(name, _LOANS.get(name[0], "")))


#: Classes of units by their first sound.
_LOANS: Final = {
    "き": "loan k",
    "か": "loan k",
    "せ": "s",
    "と": "t",
    "て": "t",
    "ぱ": "p",
    "ぽ": "p",
    "ぴ": "p",
}
