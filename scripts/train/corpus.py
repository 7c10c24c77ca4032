"""Teacher speech for the students: every text phonemised by the product's own front end.

    python scripts/train/corpus.py --minutes 80 --shard 0/2

Shards divide one fixed list, so any number of processes on any machine make the same corpus; what is
there already is skipped. The list is shuffled by hash: whatever the minutes, languages, voices and kinds
of text come in proportion, and training can start with the first of them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import texts
from teacher import LONGEST, Teacher
from workspace import CORPUS, LEXICONS, SAMPLE_RATE

from cosyedge.text.lexicon import Lexicon
from cosyedge.text.normalise import en, zh
from cosyedge.text.phonemes import Pronunciation
from cosyedge.text.phonemes.en import EnPhonemizer
from cosyedge.text.phonemes.zh import ZhPhonemizer
from cosyedge.text.symbols import to_ids

#: our voice → the teacher's timbre. Chosen by measurement: see LOG.md.
TIMBRE = {"zhitian": "zm_yunxi", "xiaoyan": "zf_xiaoxiao", "en_us": "af_heart"}
#: (our voice, language) → the native speaker whose prosody it borrows for a foreign language
PROSODY = {
    ("zhitian", "en"): "am_michael",
    ("xiaoyan", "en"): "af_heart",
    ("en_us", "zh"): "zf_xiaoxiao",
}
#: language → (voice, share of its texts)
SHARES = {
    "zh": (("zhitian", 0.42), ("xiaoyan", 0.42), ("en_us", 0.16)),
    "en": (("en_us", 0.58), ("zhitian", 0.21), ("xiaoyan", 0.21)),
}


@dataclass(frozen=True)
class Item:
    """One utterance to be made."""

    lang: str
    voice: str
    text: str

    @property
    def name(self) -> str:
        return hashlib.sha256(f"{self.lang}|{self.voice}|{self.text}".encode()).hexdigest()[:16]

    @property
    def held_out(self) -> bool:
        return texts.is_held_out(self.text)


def items() -> list[Item]:
    """Every utterance of the corpus, in the order in which they are made."""
    found: list[Item] = []
    for lang, candidates in (("zh", _mandarin()), ("en", _english())):
        voices, shares = zip(*SHARES[lang], strict=True)
        for text in candidates:
            draw = random.Random(text)
            found.append(Item(lang, draw.choices(voices, shares)[0], text))
    return sorted(found, key=lambda item: item.name)


def _mandarin() -> Iterator[str]:
    for text in texts.help_sentences("zh"):
        if not any(character.isascii() or character in "“”（）《》…" for character in text):
            yield text
    yield from texts.announcements("zh", 750)
    yield from texts.syllable_sentences(700)


def _english() -> Iterator[str]:
    sentences = [
        text
        for text in texts.help_sentences("en")
        if not any(word.isupper() and len(word) > 1 for word in text.split()) and "…" not in text
    ]
    yield from sentences[:1100]
    yield from texts.announcements("en", 750)
    words = [
        word
        for word, _ in Lexicon(LEXICONS / "en.lexicon").items()
        if word.isascii() and word.isalpha() and word.islower() and 3 < len(word) < 10
    ]
    yield from texts.english_word_lists(sorted(words), 200)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, required=True, help="speech in all shards together")
    parser.add_argument("--shard", default="0/1", help="which part of how many, e.g. 1/4")
    parser.add_argument("--lang", choices=sorted(SHARES), help="only what is said in this language")
    options = parser.parse_args()
    part, parts = map(int, options.shard.split("/"))
    CORPUS.mkdir(parents=True, exist_ok=True)
    mandarin, english = ZhPhonemizer(LEXICONS / "zh.lexicon"), EnPhonemizer(LEXICONS / "en.lexicon")
    read: dict[str, Callable[[str], Pronunciation]] = {
        "zh": lambda text: mandarin.phonemize(zh.normalise(text)),
        "en": lambda text: english.phonemize(en.normalise(text)),
    }
    teacher = Teacher()
    seconds, started = 0.0, time.monotonic()
    mine = [item for item in items() if options.lang in (None, item.lang)][part::parts]
    for i, item in enumerate(mine):
        if seconds >= options.minutes * 60 / parts:
            break
        path = CORPUS / f"{item.name}.npz"
        if not path.exists():
            pronunciation = read[item.lang](item.text)
            if pronunciation.unknown or len(pronunciation.phonemes) > LONGEST - 2:
                print(f"left out: {item.lang} {item.text}")
                continue
            _make(path, item, pronunciation.phonemes, teacher)
        with np.load(path) as utterance:
            seconds += len(utterance["audio"]) / SAMPLE_RATE
        if i % 20 == 0:
            rate = (time.monotonic() - started) / max(seconds, 1)
            print(f"{i}/{len(mine)} {seconds / 60:.1f} min, {rate:.2f} s per second of speech", flush=True)


def _make(path: Path, item: Item, phonemes: str, teacher: Teacher) -> None:
    speech = teacher.speak(phonemes, TIMBRE[item.voice], PROSODY.get((item.voice, item.lang)))
    about = {"lang": item.lang, "voice": item.voice, "text": item.text, "phonemes": phonemes}
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.savez(
            file,
            audio=(np.clip(speech.audio, -1, 1) * 32767).astype(np.int16),
            ids=np.array([0, *to_ids(phonemes), 0], np.int16),
            durations=speech.durations.astype(np.int16),
            f0_hz=speech.f0_hz.astype(np.float32),
            energy=speech.energy.astype(np.float32),
            about=np.array(json.dumps(about, ensure_ascii=False)),
        )
    unfinished.rename(path)


if __name__ == "__main__":
    main()
