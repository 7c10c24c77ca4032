"""What the corpus says: help pages, talk, announcements of a home, and lists that cover every syllable.

Help sentences (GNOME's manuals, CC-BY-SA) are read from Debian's ``gnome-user-docs``, Cantonese talk from
the Hong Kong Cantonese Corpus (CC BY) inside ``pycantonese``; neither enters this repository. A text is
held out for evaluation by its own hash, so that any machine holds out the same ones, whatever the order
in which they were found.
"""

from __future__ import annotations

import hashlib
import html
import random
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

HELP = Path("/usr/share/help")
TEMPLATES = Path(__file__).with_name("announcements.yaml")
_HELP_FOLDER = {"zh": "zh_CN", "en": "C", "ja": "ja", "ko": "ko"}
_LENGTHS = {"zh": (6, 46), "en": (18, 150), "ja": (8, 60), "ko": (10, 70), "yue": (5, 35)}
_END = {"zh": r"(?<=[。！？])\s*", "ja": r"(?<=[。！？])\s*"}
_UNCLEAN = re.compile(r"[\[\]{}<>|=_\\/@#+*%&^~`$0-9]")
#: the script without which a "translated" sentence was left in English, and what no voice can read
_SCRIPT = {"ja": re.compile(r"[ぁ-んァ-ヶ]"), "ko": re.compile(r"[가-힣]")}
_UNREADABLE = re.compile(r"[▸▶→←↑↓•▴▾©®™…０-９]")
#: characters that the Hong Kong Cantonese Corpus takes from outside of the common set
_COMMON = str.maketrans({"𡃉": "㗎", "𠺢": "㗎", "嚹": "喇", "𠸏": "喎", "囖": "囉", "揾": "搵", "裏": "裡"})


def is_held_out(text: str) -> bool:
    """One text in ten, by its hash: evaluated on, never trained on."""
    return hashlib.sha256(text.encode()).digest()[0] < 26


def help_sentences(lang: str) -> list[str]:
    """Clean sentences of the help pages, in an order that does not follow the pages."""
    found: set[str] = set()
    low, high = _LENGTHS[lang]
    end = _END.get(lang, r"(?<=[.!?])\s+")
    for page in sorted((HELP / _HELP_FOLDER[lang]).glob("*/*.page")):
        for paragraph in re.findall(r"<p[^>]*>(.*?)</p>", page.read_text("utf-8"), re.S):
            plain = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", paragraph))).strip()
            for sentence in re.split(end, plain):
                if not low <= len(sentence) <= high or _UNCLEAN.search(sentence):
                    continue
                if lang != "en" and re.search(r"[A-Za-z]{12,}", sentence):
                    continue
                if lang in _SCRIPT and not _is_spoken(sentence, lang):
                    continue
                found.add(sentence.strip())
    return _mixed_up(found)


def _is_spoken(sentence: str, lang: str) -> bool:
    """Mostly in its own script, whole, and without signs that belong to a screen."""
    latin = len(re.findall(r"[A-Za-z]", sentence))
    whole = sentence[-1] in "。！？.!?" and sentence.count("(") == sentence.count(")")
    return (
        bool(_SCRIPT[lang].search(sentence))
        and latin < len(sentence) / 3
        and whole
        and not (_UNREADABLE.search(sentence))
    )


def cantonese_talk() -> list[str]:
    """Clean utterances of the Hong Kong Cantonese Corpus, in an order that does not follow the talks."""
    package = find_spec("pycantonese")
    if package is None or package.origin is None:
        raise FileNotFoundError("pycantonese, which carries the Hong Kong Cantonese Corpus, is not installed")
    low, high = _LENGTHS["yue"]
    found = set()
    for talk in sorted((Path(package.origin).parent / "data" / "hkcancor").glob("*.cha")):
        lines = re.sub(r"\n\t", " ", talk.read_text("utf-8"))
        for utterance in re.findall(r"^\*\w+:\t(.*)$", lines, re.M):
            text = _written(utterance)
            if text is not None and low <= len(text) <= high:
                found.add(text)
    return _mixed_up(found)


def _mixed_up(found: set[str]) -> list[str]:
    """Always the same order, which has nothing to do with the hash that :func:`is_held_out` goes by.

    With one hash for both, the first sentences of a list, which are the ones taken, were those held out.
    """
    return sorted(found, key=lambda text: hashlib.sha256(f"order {text}".encode()).digest())


def _written(utterance: str) -> str | None:
    """A transcribed utterance as one would write it, or nothing where it has sounds without characters."""
    text = utterance.translate(_COMMON)
    text = re.sub(r"(^|[,-]) (誒|呃|嗯)(?= )", r"\1", text)  # hesitation
    text = re.sub(r"[\s]+", "", text.replace(" - ", " , "))
    text = re.sub(r",+(?=[.?!]|$)|^,+", "", re.sub(r",{2,}", ",", text))
    text = text.translate(str.maketrans(",.?!", "，。？！"))
    if not re.fullmatch(r"[一-鿿㗎㐀-䶿，]+[。？！]", text) or re.search(r"(.)\1\1|([^，]{1,2})\2\2", text):
        return None
    return text if len(set(text)) > 3 else None


@cache
def _templates() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(TEMPLATES.read_text("utf-8"))
    return found


def announcements(lang: str, count: int) -> Iterator[str]:
    """``count`` different announcements from templates, always the same ones."""
    template = _templates()[lang]
    yield from template["short"]
    yield from _filled(
        template["patterns"], template["words"], count, set(template["short"]), f"announcements {lang}"
    )


def mixed_announcements(lang: str, count: int) -> Iterator[str]:
    """``count`` different announcements of one language with words of another in them."""
    mixed = _templates()["mixed"]
    words = mixed["words"] | _templates()[lang]["words"] | mixed[lang].get("words", {})
    yield from _filled(mixed[lang]["patterns"], words, count, set(), f"mixed {lang}")


def _filled(
    patterns: list[str], words: dict[str, list[str]], count: int, seen: set[str], seed: str
) -> Iterator[str]:
    draw = random.Random(seed)
    passed_over = known = 0
    while len(seen) < count:
        pattern = patterns[(len(seen) + passed_over) % len(patterns)]
        text = re.sub(r"\{(\w+)\}", lambda m: draw.choice(words[m[1]]), pattern)
        text = with_particles(text)
        if re.match(r"[a-z][a-z']* |[a-z]+,", text):  # an English sentence, not an iPad
            text = text[0].upper() + text[1:]
        if text not in seen:
            seen.add(text)
            known = 0
            yield text
        elif (known := known + 1) % 30 == 0:  # nearly everything that the pattern can say was said
            passed_over += 1


def with_particles(text: str) -> str:
    """Korean particles as the sound before them asks: ``문[이/가]`` → ``문이``, ``차[이/가]`` → ``차가``."""

    def chosen(match: re.Match[str]) -> str:
        last, after_consonant, after_vowel = match.groups()
        code = ord(last) - 0xAC00
        return last + (after_consonant if 0 <= code < 11172 and code % 28 else after_vowel)

    return re.sub(r"(.)\[(\w+)/(\w+)\]", chosen, text)


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
