"""What the corpus says: help pages, announcements of a home, and lists that cover every syllable.

Help sentences (GNOME's manuals, CC-BY-SA) are read from Debian's ``gnome-user-docs`` and never enter
this repository. A text is held out for evaluation by its own hash, so that any machine holds out the
same ones, whatever the order in which they were found.
"""

from __future__ import annotations

import hashlib
import html
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

HELP = Path("/usr/share/help")
TEMPLATES = Path(__file__).with_name("announcements.yaml")
_HELP_FOLDER = {"zh": "zh_CN", "en": "C"}
_LENGTHS = {"zh": (6, 46), "en": (18, 150)}
_UNCLEAN = re.compile(r"[\[\]{}<>|=_\\/@#+*%&^~`$0-9]")


def is_held_out(text: str) -> bool:
    """One text in ten, by its hash: evaluated on, never trained on."""
    return hashlib.sha256(text.encode()).digest()[0] < 26


def help_sentences(lang: str) -> list[str]:
    """Clean sentences of the help pages, in an order that does not follow the pages."""
    found: set[str] = set()
    low, high = _LENGTHS[lang]
    end = r"(?<=[。！？])\s*" if lang == "zh" else r"(?<=[.!?])\s+"
    for page in sorted((HELP / _HELP_FOLDER[lang]).glob("*/*.page")):
        for paragraph in re.findall(r"<p[^>]*>(.*?)</p>", page.read_text("utf-8"), re.S):
            plain = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", paragraph))).strip()
            for sentence in re.split(end, plain):
                if not low <= len(sentence) <= high or _UNCLEAN.search(sentence):
                    continue
                if lang == "zh" and re.search(r"[A-Za-z]{12,}", sentence):
                    continue
                found.add(sentence.strip())
    return sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest())


def announcements(lang: str, count: int) -> Iterator[str]:
    """``count`` different announcements from templates, always the same ones."""
    template = yaml.safe_load(TEMPLATES.read_text("utf-8"))[lang]
    words, patterns, short = template["words"], template["patterns"], template["short"]
    yield from short
    seen = set(short)
    draw = random.Random(f"announcements {lang}")
    while len(seen) < count:
        text = re.sub(r"\{(\w+)\}", lambda m: draw.choice(words[m[1]]), patterns[len(seen) % len(patterns)])
        text = text[0].upper() + text[1:]
        if text not in seen:
            seen.add(text)
            yield text


@cache
def _words_by_class() -> dict[str, list[str]]:
    """Frequent Mandarin words of jieba's dictionary (MIT), by part of speech."""
    import jieba

    found: dict[str, list[tuple[int, str]]] = {}
    with jieba.get_dict_file() as file:
        for line in file:
            word, frequency, part = line.decode().split()
            if 1 <= len(word) <= 4 and re.fullmatch(r"[一-鿿]+", word) and int(frequency) >= 5:
                found.setdefault(part, []).append((int(frequency), word))
    return {part: [word for _, word in sorted(words, reverse=True)] for part, words in found.items()}


def syllable_sentences(count: int) -> Iterator[str]:
    """Mandarin of the right shape and no sense: rare syllables and tone pairs that help pages lack."""
    words = _words_by_class()
    shapes = (
        "a的n在n里v。",
        "n和n都v，d要v吗？",
        "n、n、n，还有n。",
        "nr说：v了，n也v了。",
        "d v过n的nr，v着n！",
        "t，n v n，d a。",
    )
    draw = random.Random("syllables")
    for i in range(count):
        shape = shapes[i % len(shapes)]
        yield re.sub(
            r"nr|[navdt]", lambda m: draw.choice(words[m[0]][: 200 if m[0] in "dt" else 9000]), shape
        ).replace(" ", "")


def english_word_lists(words: list[str], count: int) -> Iterator[str]:
    """Lists of English words from the lexicon: every phoneme in many neighbourhoods."""
    draw = random.Random("words")
    for _ in range(count):
        a, b, c, d, e = draw.sample(words, 5)
        yield draw.choice(
            (
                f"The {a} {b}, the {c}, and a {d} {e}.",
                f"{a}, {b}, {c}, {d}, {e}.".capitalize(),
                f"Did {a} {b} the {c} with {d}?",
            )
        )
