"""Read many random texts and report what goes wrong: ``fuzz_text.py LEXICONS [--inputs N] [--seed N]``.

Each text is made of pieces that rules look for, of random characters of every plane, and of both glued
together. For every one: it is read or refused with a code, its ids are symbols, a second reading gives the
same. The slowest text, for its length, is told.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Final, Literal

from cosyedge.errors import TextError
from cosyedge.text.reader import Reader
from cosyedge.text.spans import Lang
from cosyedge.text.symbols import SYMBOLS

LANGUAGES: Final[tuple[Lang, ...]] = ("zh", "yue", "en", "ja", "ko")
BASES: Final[tuple[Lang | Literal["auto"], ...]] = ("auto", *LANGUAGES)
_WRITTEN: Final = """
0 1 2 10 24/7 3.14 1,234 -5 ½ ² ³ 2024-05-01 1/2 8:00 8:00-18:00 9:30PM 3:2 100% 5‰ $5 ¥3.50 €2 25°C -5~3°C
60km/h 5kg 500ml 12µg/m³ PM2.5 PM10：50 192.168.1.1:80 v1.2.3 +86 13800138000 110 #5 No.3 1. ① Ⅷ
今天 天气 重庆 得 了 为 场 一 不 个 点 年 月 日 号 嘅 唔 係 你好嗎 今日は いい天気 です 一匹
三百 안녕 하세요 닭 값이 3시
Hello the read U.S. Dr. iPhone GPS P2P can't well-known Polish a I A.B. e.g. HTTPServer snake_case
<break/> <p> </p> <speak> <phoneme ph='a'> &amp; &#x4e00; [[ ]] **b** `c` # - * | http://a.b/c a@b.cc :) 🎉
， 。 ！ ？ … — ～ 、 ； ： “ ” 「 」 ( ) . , ! ? - ' "
"""
PIECES: Final = (
    *_WRITTEN.split(),
    *" \n\t\u0301\u200d\u3099\U000fe000\U00104e00\ue0f0",
)
#: Blocks that random characters are drawn from, besides all of Unicode.
BLOCKS: Final = ((0x20, 0x7F), (0xA0, 0x24F), (0x2000, 0x2BFF), (0x3000, 0x9FFF), (0xAC00, 0xD7A3))


def text_of(source: random.Random) -> str:
    """One random text, mostly short."""
    parts: list[str] = []
    for _ in range(source.choice((1, 2, 3, 5, 8))):
        kind = source.random()
        if kind < 0.7:
            parts.append(source.choice(PIECES))
        elif kind < 0.9:
            low, high = source.choice(BLOCKS)
            parts.append("".join(chr(source.randint(low, high)) for _ in range(source.randint(1, 4))))
        else:
            parts.append(chr(source.randint(0, 0x10FFFF)))
        if source.random() < 0.3:
            parts.append(" ")
        if source.random() < 0.02:
            parts.append(parts[0] * source.randint(2, 30))
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("lexicons", type=Path)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found = frozenset(lang for lang in LANGUAGES if (asked.lexicons / f"{lang}.lexicon").is_file())
    reader = Reader(asked.lexicons, found)
    source = random.Random(asked.seed)
    ends: Counter[str] = Counter()
    slowest: tuple[float, str] = (0.0, "")
    wrong = 0
    for number in range(1, asked.inputs + 1):
        text, base = text_of(source), source.choice(BASES)
        start = time.process_time()
        try:
            clauses = list(reader.read(text, base))
            again = list(reader.read(text, base)) if number % 10 == 0 else clauses
            good = clauses == again and all(0 < i < len(SYMBOLS) for clause in clauses for i in clause.ids)
            ends["read" if clauses else "nothing to say"] += 1
            if not good:
                wrong += 1
                print(f"WRONG {base} {text!r}", flush=True)
        except TextError as error:
            ends[error.code] += 1
        except Exception as error:  # whatever it is, it is what this program looks for
            wrong += 1
            print(f"CRASH {base} {text!r}: {error!r}", flush=True)
        slowest = max(slowest, ((time.process_time() - start) / (len(text) + 10), text))
        if number % 5000 == 0:
            print(f"{number} inputs: {dict(ends)}, {wrong} wrong", flush=True)
    print(f"{asked.inputs} inputs in {', '.join(sorted(found))}: {dict(ends)}, {wrong} wrong")
    print(f"slowest for its length: {slowest[1]!r}, {slowest[0] * 1000:.2f} ms a character")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
