"""The one way into this room: text of any languages to phonemes, clause by clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol

from cosyedge.errors import TextError
from cosyedge.text.clauses import SENTENCE_PAUSE_S, Clause, seconds_of, split_clauses
from cosyedge.text.languages import languages_of
from cosyedge.text.markup import plain_blocks
from cosyedge.text.phonemes import Pronunciation
from cosyedge.text.rates import stretches
from cosyedge.text.readings import READING, RUN, reading_of
from cosyedge.text.scripts import CJK, HAN, HANGUL, KANA, LATIN
from cosyedge.text.spans import Lang, Span, find_spans, has_words
from cosyedge.text.symbols import SILENT, is_symbol, to_ids

if TYPE_CHECKING:
    from cosyedge.text.user_lexicon import UserLexicon

#: Characters that are looked at to find the language of an utterance.
_HEAD: Final = 2000
_LETTER: Final = re.compile(f"[{CJK}{LATIN}]")
#: What some language of ours can say: other scripts are unknown in all of them.
_SAYABLE: Final = re.compile(rf"[{READING}{CJK}{LATIN}\d#$%&*+/<=>@£¥§°±µ×÷€₩₹‰√∞≈≠≤≥]")
_HAN: Final = re.compile(f"[{HAN}]")
_KANA_OR_HANGUL: Final = re.compile(f"[{KANA}{HANGUL}]+")
_LETTERS: Final = re.compile("[A-Za-z](?: [A-Za-z])*")
#: What a normaliser left in Latin letters.
_LEFT_OVER: Final = re.compile(f"([{LATIN}](?:[{LATIN} '’&.-]*[{LATIN}])?)")
_READABLE: Final = re.compile(r"[^\W_]")
_ENGLISH_MARKS: Final = str.maketrans(
    {"，": ", ", "、": ", ", "～": ", ", "。": ". ", "！": "! ", "？": "? ", "：": ": ", "；": "; "}
    | {"「": " “", "『": " “", "」": "” ", "』": "” ", "（": " (", "）": ") "}
)
_AROUND_READING: Final = re.compile(f"({RUN.pattern})")
#: A reading, and the mark behind it that would stand first in the part that follows.
_READING_AND_MARK: Final = re.compile(rf"(?P<reading>{RUN.pattern})(?:\s*(?P<mark>[,.!?;:…，。！？；：、]))?")
_AROUND_MARK: Final = re.compile(r" ?([,.!?;:…”)]+) ?")
_FINAL_MARKS: Final = frozenset(",.!?;:…—")


#: Of the module ``cosyedge.text.phonemes.<language>``, which is imported when the language is first met.
_PHONEMIZERS: Final[dict[Lang, str]] = {
    "zh": "ZhPhonemizer",
    "yue": "YuePhonemizer",
    "en": "EnPhonemizer",
    "ja": "JaPhonemizer",
    "ko": "KoPhonemizer",
}


class _Phonemizer(Protocol):
    def phonemize(self, spoken: str) -> Pronunciation: ...


@dataclass(frozen=True, slots=True)
class SpokenSpan:
    """How one span is said.

    Attributes:
        lang: the language whose rules read it.
        text: as written.
        spoken: as words: characters in zh and yue; kana as it sounds in ja; hangul in ko; lower-case words
            in en, letters of an acronym parted by spaces.
        phonemes: symbols of :mod:`cosyedge.text.symbols`.
        reading: pinyin or jyutping with tone numbers after sandhi, kana, hangul; None in en.
    """

    lang: Lang
    text: str
    spoken: str
    phonemes: str
    reading: str | None


@dataclass(frozen=True, slots=True)
class Phonemes:
    """One clause, ready to be spoken.

    Attributes:
        ids: of the symbols, without boundaries; never empty, never silent.
        spans: what the ids were made of.
        pause_s: the silence behind it.
        unknown: each character that could not be read, once.
        rate: how many times as fast as the rest it is spoken.
        languages: for each of ``ids`` its language, an index into :data:`cosyedge.text.languages.LANGUAGES`.
    """

    ids: tuple[int, ...]
    spans: tuple[SpokenSpan, ...]
    pause_s: float
    unknown: tuple[str, ...]
    languages: tuple[int, ...] = ()
    rate: float = 1.0


@dataclass(slots=True)
class _Plan:
    """A clause whose spans all have a language that can be spoken, and the characters left out."""

    spans: list[Span]
    pause_s: float
    unknown: dict[str, None]
    rate: float


class Reader:
    """Reads text in the languages of one bundle; a language is loaded when it is first met.

    Args:
        lexicon_dir: holds a ``<language>.lexicon`` for each of the languages.
        languages: those that the voices speak.
        default_lang: decides where text, script and voice leave it open.
        traditional_chinese: the language of traditional characters in ``auto``.
        sentence_pause_s: the silence between two sentences.
        user_lexicon: the user's own readings.
    """

    def __init__(
        self,
        lexicon_dir: Path,
        languages: frozenset[Lang],
        *,
        default_lang: Lang = "zh",
        traditional_chinese: Literal["yue", "zh"] = "yue",
        sentence_pause_s: float = SENTENCE_PAUSE_S,
        user_lexicon: UserLexicon | None = None,
    ) -> None:
        self._user = user_lexicon
        self._lexicon_dir = lexicon_dir
        self._languages = languages
        self._default_lang = default_lang
        self._traditional = traditional_chinese
        self._sentence_pause_s = sentence_pause_s
        self._loaded: dict[Lang, tuple[Callable[[str], str], _Phonemizer]] = {}

    def use(self, user_lexicon: UserLexicon | None) -> None:
        """Read with these readings of the user's from the next span on; any thread may say so."""
        self._user = user_lexicon

    def read(
        self, text: str, lang: Lang | Literal["auto"] = "auto", voice_lang: Lang = "zh"
    ) -> Iterator[Phonemes]:
        """The clauses of ``text`` as phonemes; nothing at all where there is nothing to say.

        Raises:
            TextError: ``language_unavailable`` if the text has words and none is in a language of the
                bundle; ``text_unreadable`` if none of its characters has a reading; ``lexicon_unreadable``.
        """
        voice_lang = self._speakable(voice_lang)
        held: _Plan | None = None  # until it is known what the clauses behind it leave out
        left: dict[str, None] = {}
        spoke = tried = False
        for plan in chain(self._plans(text, lang, voice_lang), (None,)):
            if plan and not plan.spans:
                (held.unknown if held else left).update(plan.unknown)
                continue
            if held:
                held.unknown = left | held.unknown
                said, tried = self._spoken(held), True
                left = {} if said else held.unknown
                if said:
                    spoke = True
                    yield said
            held = plan
        if not spoke and any(map(str.isalnum, left)):
            if tried and any(map(_LETTER.match, left)):
                raise TextError("text_unreadable", "No character of the text has a reading.")
            raise TextError(
                "language_unavailable", "The text is in a language that no voice of this bundle speaks."
            )

    def dominant_language(self, text: str, lang: Lang | Literal["auto"] = "auto") -> Lang:
        """The language that most of ``text`` (of its beginning, where it is long) is spoken in."""
        return self._dominant(text, lang) or self._speakable(self._default_lang if lang == "auto" else lang)

    def _dominant(self, text: str, lang: Lang | Literal["auto"]) -> Lang | None:
        """The language of most words, None where there is no word."""
        default_lang = self._speakable(self._default_lang)
        seconds: dict[Lang, float] = {}
        for clause, _ in _clauses(text[:_HEAD]):
            if has_words(clause.text):
                for span in self._resolved(clause.text, lang, default_lang)[0]:
                    seconds[span.lang] = seconds.get(span.lang, 0.0) + seconds_of(span.text)
        if not seconds:
            return None
        return max(seconds, key=lambda found: (seconds[found], found == lang, found == default_lang))

    def _speakable(self, lang: Lang) -> Lang:
        """``lang``, or what stands in for it in this bundle."""
        stand_ins: tuple[Lang, ...] = (
            (lang, "zh", self._default_lang) if lang == "yue" else (lang, self._default_lang)
        )
        return next((found for found in stand_ins if found in self._languages), min(self._languages))

    def _plans(self, text: str, lang: Lang | Literal["auto"], voice_lang: Lang) -> Iterator[_Plan]:
        before: Lang | None = None
        for clause, rate in _clauses(text, self._sentence_pause_s):
            near = voice_lang
            if not has_words(clause.text):  # a number alone goes with the clauses around it
                near = before = before or self._dominant(text, lang) or voice_lang
            spans, unknown = self._resolved(clause.text, lang, near)
            if spans:
                before = spans[-1].lang
            yield _Plan(spans, clause.pause_s, unknown, rate)

    def _resolved(
        self, text: str, lang: Lang | Literal["auto"], voice_lang: Lang
    ) -> tuple[list[Span], dict[str, None]]:
        """The spans of a clause in languages that can be spoken, and the letters of the others."""
        found: list[Span] = []
        unknown: dict[str, None] = {}
        for span in self._found(text, lang, voice_lang):
            if not _SAYABLE.search(span.text):
                unknown.update(dict.fromkeys(_READABLE.findall(span.text)))
                continue
            if span.lang in self._languages or RUN.fullmatch(span.text):
                found.append(span)
                continue
            if span.lang == "yue" and "zh" in self._languages:
                found.append(Span("zh", span.text))
                continue
            # Han characters can be read as Mandarin, Latin letters as English; kana and hangul are left out.
            readable = _KANA_OR_HANGUL.sub(" ", span.text)
            unknown.update(dict.fromkeys("".join(_KANA_OR_HANGUL.findall(span.text))))
            base: Lang = "zh" if _HAN.search(readable) else "en"
            if _LETTER.search(readable):
                rest = self._find(readable, base, base)
            else:
                rest = [Span(span.lang, readable)]
            for part in rest:
                if part.lang in self._languages:
                    found.append(part)
                else:
                    unknown.update(dict.fromkeys(_READABLE.findall(part.text)))
        return found, unknown

    def _found(self, text: str, lang: Lang | Literal["auto"], voice_lang: Lang) -> Iterator[Span]:
        """The spans of a clause; a reading in one that can't be spoken stands by itself, since it can."""
        for span in self._find(text, lang, voice_lang):
            if span.lang in self._languages or not RUN.search(span.text):
                yield span
                continue
            for part in _AROUND_READING.split(span.text):
                if part.strip():
                    yield Span(span.lang, part.strip())

    def _find(self, text: str, lang: Lang | Literal["auto"], voice_lang: Lang) -> list[Span]:
        return find_spans(
            text,
            lang if lang in self._languages else "auto",  # what can't be spoken decides nothing
            voice_lang=voice_lang,
            default_lang=self._default_lang,
            traditional=self._traditional,
        )

    def _spoken(self, plan: _Plan) -> Phonemes | None:
        """The clause, or None where it makes no sound; adds to the plan's unknown characters."""
        spans = tuple(said for span in plan.spans for said in self._say(span, plan.unknown))
        phonemes = _tidied(" ".join(span.phonemes for span in spans), ends=plan.pause_s > 0)
        if SILENT.issuperset(phonemes):
            return None
        languages = languages_of(phonemes, ((span.lang, span.phonemes) for span in spans))
        return Phonemes(to_ids(phonemes), spans, plan.pause_s, tuple(plan.unknown), languages, plan.rate)

    def _say(self, span: Span, unknown: dict[str, None]) -> Iterator[SpokenSpan]:
        """The span as it is spoken, in one or more: readings that it brings along stand apart."""
        text = self._user.applied(span.lang, span.text) if self._user else span.text
        at = 0
        for run in _READING_AND_MARK.finditer(text):
            yield from self._say_part(span.lang, text[at : run.start()], unknown)
            yield from self._say_reading(span.lang, run, unknown)
            at = run.end()
        if at:
            yield from self._say_part(span.lang, text[at:], unknown)
        else:
            yield from self._say_written(span, text, unknown, whole=True)

    def _say_part(self, lang: Lang, part: str, unknown: dict[str, None]) -> Iterator[SpokenSpan]:
        if part.strip():
            yield from self._say_written(Span(lang, part.strip()), part, unknown, whole=False)

    def _say_reading(self, lang: Lang, run: re.Match[str], unknown: dict[str, None]) -> Iterator[SpokenSpan]:
        from cosyedge.text.ipa import pronounced  # few texts bring readings along

        reading = reading_of(run["reading"])
        said = pronounced(reading)
        unknown.update(dict.fromkeys(said.unknown))
        if said.phonemes:
            spoken = (lang == "ja" and said.reading) or reading.written.lower()
            mark = (run["mark"] or "").translate(_ENGLISH_MARKS).strip()
            yield SpokenSpan(lang, reading.written, spoken, said.phonemes + mark, said.reading)

    def _say_written(
        self, span: Span, written: str, unknown: dict[str, None], *, whole: bool
    ) -> Iterator[SpokenSpan]:
        """A span that brings no reading along, or the ``written`` part of one beside what does."""
        normalise, _ = self._language(span.lang)
        if span.lang == "en":
            text = written.translate(_ENGLISH_MARKS)
            # A single letter is read by its name, also where English has a word a.
            letters = whole and _LETTERS.fullmatch(text)
            yield from self._pronounced(span, text.upper() if letters else normalise(text), unknown)
            return
        spoken = normalise(written)
        if "en" not in self._languages or not _LEFT_OVER.search(spoken):
            yield from self._pronounced(span, spoken, unknown)
            return
        for i, part in enumerate(_LEFT_OVER.split(spoken)):
            if i % 2:
                yield from self._say_written(Span("en", part), part, unknown, whole=True)
            else:
                yield from self._pronounced(Span(span.lang, part.strip()), part, unknown)

    def _pronounced(self, span: Span, spoken: str, unknown: dict[str, None]) -> Iterator[SpokenSpan]:
        said = self._language(span.lang)[1].phonemize(spoken)
        phonemes = "".join(filter(is_symbol, said.phonemes))
        unknown.update(dict.fromkeys((*said.unknown, *(c for c in said.phonemes if not is_symbol(c)))))
        if phonemes:
            words = said.reading if span.lang == "ja" and said.reading else said.written or spoken
            yield SpokenSpan(span.lang, span.text, words.strip().lower(), phonemes, said.reading)

    def _language(self, lang: Lang) -> tuple[Callable[[str], str], _Phonemizer]:
        """The normaliser and the phonemizer of ``lang``, loaded at first use."""
        loaded = self._loaded.get(lang)
        if loaded is None:
            lexicon = self._lexicon_dir / f"{lang}.lexicon"
            normalise = import_module(f"cosyedge.text.normalise.{lang}").normalise
            phonemizer = getattr(import_module(f"cosyedge.text.phonemes.{lang}"), _PHONEMIZERS[lang])
            self._loaded[lang] = loaded = normalise, phonemizer(lexicon)
        return loaded


def _clauses(text: str, sentence_pause_s: float = SENTENCE_PAUSE_S) -> Iterator[tuple[Clause, float]]:
    """Clauses, and the rate that each is spoken at."""
    open_rates: list[float] = []
    for block in plain_blocks(text):
        for stretch, rate, goes_on in stretches(block, open_rates):
            held: Clause | None = None
            for clause in split_clauses(stretch, sentence_pause_s):
                if held:
                    yield held, rate
                held = clause
            if held:
                yield (replace(held, pause_s=0.0) if goes_on else held), rate


def _tidied(phonemes: str, *, ends: bool) -> str:
    """One string for the models: one space behind a mark, none before it, a mark at the end of a sentence."""
    tidy = _AROUND_MARK.sub(r"\1 ", " ".join(phonemes.split())).rstrip()
    if ends and tidy and tidy.rstrip('”")')[-1:] not in _FINAL_MARKS:
        tidy += "."
    return tidy
