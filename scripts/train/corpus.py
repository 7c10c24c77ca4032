"""Teacher speech for the students: every text phonemised by the product's own front end.

    python scripts/train/corpus.py --minutes 66 --shard 0/2

``--minutes`` is asked of every language. The first 20 of each come first, so that training can start with
them. Shards divide one fixed list, so any number of processes on any machine make the same corpus; what is
there already is skipped. A language's list is shuffled by hash: whatever the minutes, voices and kinds of
text come in proportion.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import texts
import torch
from numpy.typing import NDArray
from prosody import HOME, PACE, SPEAKERS, SPELLING, TONE_LEVELS, donor, moved_to, timbre, tone_contour
from teacher import LONGEST, Contour, Teacher, TeacherSpeech
from workspace import CORPUS, LEXICONS, SAMPLE_RATE

from cosyedge.text.languages import LANGUAGES
from cosyedge.text.lexicon import Lexicon
from cosyedge.text.reader import Phonemes, Reader
from cosyedge.text.symbols import SILENT, to_ids, to_phonemes

#: language → (voice, share of its texts). Each of ours has at least a sixth: at 60 minutes, ten.
SHARES = {
    "zh": (("zhitian", 0.32), ("xiaoyan", 0.32), ("en_us", 0.18), ("ja_jp", 0.18)),
    "en": (("en_us", 0.43), ("zhitian", 0.19), ("xiaoyan", 0.19), ("ja_jp", 0.19)),
    "ja": (("ja_jp", 0.40), ("zhitian", 0.18), ("xiaoyan", 0.18), ("en_us", 0.18), ("donor_ja", 0.06)),
    "ko": (("ja_jp", 0.25), ("zhitian", 0.22), ("xiaoyan", 0.22), ("en_us", 0.22), ("donor_ja", 0.09)),
    "yue": (("zhitian", 0.25), ("xiaoyan", 0.25), ("en_us", 0.23), ("ja_jp", 0.27)),
}
#: of every language, before there is more of any
FIRST_MINUTES = 20
#: the tense mark of Korean and the tones of Cantonese are the student's alone
_NOT_THE_TEACHERS = frozenset("͈" + "".join(TONE_LEVELS))


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


def items(lang: str) -> list[Item]:
    """Every utterance of a language, in the order in which they are made."""
    voices, shares = zip(*SHARES[lang], strict=True)
    found = {Item(lang, random.Random(text).choices(voices, shares)[0], text) for text in _TEXTS[lang]()}
    return sorted(found, key=lambda item: item.name)


def _mandarin() -> Iterator[str]:
    for text in texts.help_sentences("zh"):
        if not any(character.isascii() or character in "“”（）《》…" for character in text):
            yield text
    yield from texts.announcements("zh", 750)
    yield from texts.mixed_announcements("zh", 160)
    yield from texts.syllable_sentences(700)


def _english() -> Iterator[str]:
    sentences = [
        text
        for text in texts.help_sentences("en")
        if not any(word.isupper() and len(word) > 1 for word in text.split()) and "…" not in text
    ]
    yield from sentences[:1100]
    yield from texts.announcements("en", 750)
    yield from texts.mixed_announcements("en", 120)
    words = [
        word
        for word, _ in Lexicon(LEXICONS / "en.lexicon").items()
        if word.isascii() and word.isalpha() and word.islower() and 3 < len(word) < 10
    ]
    yield from texts.english_word_lists(sorted(words), 200)


def _japanese() -> Iterator[str]:
    yield from texts.help_sentences("ja")
    yield from texts.announcements("ja", 900)
    yield from texts.mixed_announcements("ja", 100)


def _korean() -> Iterator[str]:
    yield from texts.help_sentences("ko")[:900]
    yield from texts.announcements("ko", 900)
    yield from texts.mixed_announcements("ko", 100)


def _cantonese() -> Iterator[str]:
    yield from texts.cantonese_talk()[:1000]
    yield from texts.announcements("yue", 900)
    yield from texts.mixed_announcements("yue", 100)


_TEXTS = {"zh": _mandarin, "en": _english, "ja": _japanese, "ko": _korean, "yue": _cantonese}


@dataclass(frozen=True)
class Utterance:
    """What the student learns from. L symbols with both boundaries."""

    phonemes: str
    durations: NDArray[np.int64]  # [L] in frames
    speech: TeacherSpeech


def say(teacher: Teacher, phonemes: str, languages: Sequence[int], voice: str, lang: str) -> Utterance | None:
    """``phonemes`` by ``voice``, or None where they are too many for the teacher.

    ``languages`` are those of the symbols, ``lang`` is that of the whole.
    """
    heard = [i for i, symbol in enumerate(phonemes) if symbol not in _NOT_THE_TEACHERS]
    if len(heard) + 2 > LONGEST:
        return None
    spelling = [SPELLING.get(LANGUAGES[i], {}) for i in languages]
    speech = teacher.speak(
        "".join(spelling[i].get(phonemes[i], phonemes[i]) for i in heard),
        timbre(voice, lang),
        donor(voice, lang),
        PACE.get(lang, 1.0),
        contour=_melody(phonemes, voice, lang),
    )
    # A mark that the teacher does not hear takes one frame of the symbol that it follows.
    durations = np.ones(len(phonemes) + 2, np.int64)
    durations[0], durations[-1] = speech.durations[0], speech.durations[-1]
    durations[[i + 1 for i in heard]] = speech.durations[1:-1]
    for i, symbol in enumerate(phonemes):
        if symbol in _NOT_THE_TEACHERS:
            durations[i] -= 1
    if durations.min() < 1 or durations.sum() != speech.durations.sum():
        raise ValueError(f"no room for the marks of {phonemes}")
    return Utterance(phonemes, durations, speech)


def _melody(phonemes: str, voice: str, lang: str) -> Contour | None:
    syllables: list[tuple[int, int, str]] = []
    first = position = 1
    for symbol in phonemes:
        if symbol in TONE_LEVELS:
            syllables.append((first, position, symbol))
        if symbol not in _NOT_THE_TEACHERS:
            position += 1
        if symbol in TONE_LEVELS or symbol in SILENT:
            first = position
    at_home = HOME[voice] == lang
    if not syllables:
        return None if at_home else moved_to(SPEAKERS[voice].median_hz)
    moved, toned = moved_to(SPEAKERS[voice].median_hz), tone_contour(syllables, SPEAKERS[voice].median_hz)
    return lambda durations, f0_hz: toned(durations, moved(durations, f0_hz))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, required=True, help="speech of each language in all shards")
    parser.add_argument("--shard", default="0/1", help="which part of how many, e.g. 1/4")
    parser.add_argument("--lang", default=",".join(SHARES), help="languages, parted by commas")
    options = parser.parse_args()
    part, parts = map(int, options.shard.split("/"))
    torch.set_num_threads(1)
    CORPUS.mkdir(parents=True, exist_ok=True)
    maker = _Maker()
    waiting = {lang: iter(items(lang)[part::parts]) for lang in options.lang.split(",")}
    seconds = dict.fromkeys(waiting, 0.0)
    for goal in (min(FIRST_MINUTES, options.minutes), options.minutes):
        for lang, rest in waiting.items():
            while seconds[lang] < goal * 60 / parts:
                item = next(rest, None)
                if item is None:
                    print(f"{lang}: no text is left after {seconds[lang] / 60:.1f} min", flush=True)
                    break
                seconds[lang] += maker.make(item)
            print(f"{lang}: {seconds[lang] / 60:.1f} min, {maker.pace}", flush=True)


class _Maker:
    """Makes what is missing."""

    def __init__(self) -> None:
        readable = frozenset(lang for lang in SHARES if (LEXICONS / f"{lang}.lexicon").exists())
        self._reader = Reader(LEXICONS, readable)
        self._teacher = Teacher()
        self._made_s = self._cpu_s = 0.0

    @property
    def pace(self) -> str:
        return f"{self._cpu_s / max(self._made_s, 1):.2f} CPU s per second of speech"

    def make(self, item: Item) -> float:
        """Seconds of speech of this item; 0 where it could not be read."""
        path = CORPUS / f"{item.name}.npz"
        if not path.exists():
            started = time.process_time()
            clauses = list(self._reader.read(item.text, item.lang, HOME[item.voice]))
            phonemes, languages = _joined(clauses)
            unknown = any(clause.unknown for clause in clauses)
            utterance = None
            if not unknown and re.search(r"\w", phonemes):
                utterance = say(self._teacher, phonemes, languages, item.voice, item.lang)
            if utterance is None:
                print(f"left out: {item.lang} {item.text}", flush=True)
                return 0.0
            _write(path, item, utterance, languages)
            self._made_s += len(utterance.speech.audio) / SAMPLE_RATE
            self._cpu_s += time.process_time() - started
        with np.load(path) as file:
            return len(file["audio"]) / SAMPLE_RATE


def _joined(clauses: list[Phonemes]) -> tuple[str, tuple[int, ...]]:
    """The phonemes of all clauses, one space between them, and the language of each symbol."""
    phonemes, languages = "", []
    for clause in clauses:
        said = to_phonemes(clause.ids)
        inner = slice(len(said) - len(said.lstrip()), len(said.rstrip()))
        if phonemes and said[inner]:
            phonemes += " "
            languages.append(languages[-1])
        phonemes += said[inner]
        languages += clause.languages[inner]
    return phonemes, tuple(languages)


def _write(path: Path, item: Item, utterance: Utterance, languages: tuple[int, ...]) -> None:
    speech = utterance.speech
    about = {"lang": item.lang, "voice": item.voice, "text": item.text, "phonemes": utterance.phonemes}
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.savez(
            file,
            audio=(np.clip(speech.audio, -1, 1) * 32767).astype(np.int16),
            ids=np.array([0, *to_ids(utterance.phonemes), 0], np.int16),
            languages=np.array([languages[0], *languages, languages[-1]], np.int8),
            durations=utterance.durations.astype(np.int16),
            f0_hz=speech.f0_hz.astype(np.float32),
            energy=speech.energy.astype(np.float32),
            about=np.array(json.dumps(about, ensure_ascii=False)),
        )
    unfinished.rename(path)


if __name__ == "__main__":
    main()
