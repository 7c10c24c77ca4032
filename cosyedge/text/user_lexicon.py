"""The user's own readings: a file of words that the lexicons read wrong, or not at all.

A line is a language, a word and its reading, parted by tabs; ``#`` begins a comment::

    zh	重庆路	chong2 qing4 lu4
    yue	灣仔	waan1 zai2
    ja	東雲	しののめ
    ko	네탑	네타프
    en	Nguyen	win
    en	NetApp	[[nˈɛtˌæp]]

A reading is pinyin in zh, jyutping in yue, kana in ja, hangul in ko, other words in en; in any language it
may be phonemes in double brackets, as ``cosyedge phonemes`` prints them. Latin words are found in any case.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, cast

from cosyedge.errors import TextError
from cosyedge.text.ipa import symbols_of_jyutping, symbols_of_pinyin
from cosyedge.text.language_tags import language_of
from cosyedge.text.readings import LONGEST, RUN, carried
from cosyedge.text.scripts import HAN, HANGUL, KANA
from cosyedge.text.spans import Lang
from cosyedge.text.symbols import is_symbol

#: Lines and characters of a word that a file may have.
MOST_LINES: Final = 20_000
LONGEST_WORD: Final = 60
_LANGUAGES: Final = ("zh", "yue", "en", "ja", "ko")
_PHONEMES: Final = re.compile(r"\[\[(.+)\]\]")
_OWN_SCRIPT: Final = {
    "zh": re.compile(f"[{HAN}]+"),
    "yue": re.compile(f"[{HAN}]+"),
    "ja": re.compile(f"[{KANA}ー]+"),
    "ko": re.compile(f"[{HANGUL} ]+"),
    "en": re.compile(r"[A-Za-z][A-Za-z' -]*"),
}
_EXPECTED: Final = {"zh": "pinyin", "yue": "jyutping", "ja": "kana", "ko": "hangul", "en": "English words"}


class UserLexicon:
    """Words of the file at ``path`` and what stands in for them.

    Raises:
        TextError: ``lexicon_unreadable``; ``lexicon_bad_line``, naming the file and the line.
    """

    def __init__(self, path: Path) -> None:
        #: language → word (Latin letters in lower case) → what is put in its place
        self._words: dict[Lang, dict[str, str]] = {}
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except OSError as error:
            words = f"The lexicon {path} can't be read: {error.strerror}."
            raise TextError("lexicon_unreadable", words) from error
        except UnicodeDecodeError as error:
            raise TextError("lexicon_unreadable", f"The lexicon {path} is not UTF-8: {error}.") from error
        if len(lines) > MOST_LINES:
            raise TextError(
                "lexicon_bad_line", f"{path}:{MOST_LINES + 1}: a lexicon has {MOST_LINES} lines at most."
            )
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                self._add(line, f"{path}:{number}")
        self._longest = {lang: max(map(len, words)) for lang, words in self._words.items()}
        self._first = {lang: frozenset(word[0] for word in words) for lang, words in self._words.items()}

    def __len__(self) -> int:
        return sum(map(len, self._words.values()))

    def _add(self, line: str, where: str) -> None:
        fields = [field.strip() for field in line.split("\t") if field.strip()]
        if len(fields) != 3:
            raise TextError(
                "lexicon_bad_line", f"{where}: {len(fields)} fields, not language, word and reading."
            )
        tag, word, reading = fields
        lang = language_of(tag)
        if lang not in _LANGUAGES:
            raise TextError("lexicon_bad_line", f"{where}: {tag!r} is none of {', '.join(_LANGUAGES)}.")
        if len(word) > LONGEST_WORD or len(reading) + len(word) > LONGEST:
            raise TextError("lexicon_bad_line", f"{where}: the word or its reading is too long.")
        said = _stand_in(lang, word, reading)
        if said is None:
            raise TextError(
                "lexicon_bad_line", f"{where}: {reading!r} is not {_EXPECTED[lang]}, nor [[phonemes]]."
            )
        self._words.setdefault(cast(Lang, lang), {})[_folded(word)] = said

    def applied(self, lang: Lang, text: str) -> str:
        """``text`` of one span with its words replaced, the longest first; linear in its length."""
        words = self._words.get(lang)
        if not words:
            return text
        longest, first = self._longest[lang], self._first[lang]
        folded = _folded(text)
        parts: list[str] = []
        kept = at = 0
        while at < len(text):
            if folded[at] in first and (run := self._found(words, text, folded, at, longest)):
                parts += (text[kept:at], words[run])
                at = kept = at + len(run)
            elif carries := RUN.match(text, at):  # what already has a reading keeps it
                at = carries.end()
            else:
                at += 1
        return "".join((*parts, text[kept:]))

    @staticmethod
    def _found(words: dict[str, str], text: str, folded: str, at: int, longest: int) -> str | None:
        if _is_letter(text[at - 1 : at]) and _is_letter(text[at]):
            return None
        for end in range(min(at + longest, len(text)), at, -1):
            if folded[at:end] in words and not (
                _is_letter(text[end - 1]) and _is_letter(text[end : end + 1])
            ):
                return folded[at:end]
        return None


def _stand_in(lang: str, word: str, reading: str) -> str | None:
    phonemes = _PHONEMES.fullmatch(reading)
    if phonemes:
        return carried("symbols", phonemes[1], word) if all(map(is_symbol, phonemes[1])) else None
    if _OWN_SCRIPT[lang].fullmatch(reading):
        return carried("kana", reading, word) if lang == "ja" else reading
    if lang == "zh":
        return carried("pinyin", reading, word) if symbols_of_pinyin(reading) else None
    if lang == "yue":
        return carried("jyutping", reading, word) if symbols_of_jyutping(reading) else None
    return None


def _is_letter(character: str) -> bool:
    """Whether ``character`` makes a word longer: Latin letters and digits do, Han characters don't."""
    return character.isalnum() and character < "\u0250"


def _folded(text: str) -> str:
    """In lower case, character by character, so that places stay."""
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)
