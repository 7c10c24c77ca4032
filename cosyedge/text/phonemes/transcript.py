"""Words and punctuation to a phoneme string: which mark makes which pause, and where spaces stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from cosyedge.text.phonemes import Pronunciation

#: Punctuation → the symbol that makes the same pause; a space parts words and says nothing.
MARKS: Final = {
    **dict.fromkeys("，、,～~〜", ","),
    **dict.fromkeys("。．.｡", "."),
    **dict.fromkeys("！!", "!"),
    **dict.fromkeys("？?", "?"),
    **dict.fromkeys("：:", ":"),
    **dict.fromkeys("；;", ";"),
    **dict.fromkeys("—–―", "—"),
    **dict.fromkeys("…⋯", "…"),
    **dict.fromkeys("“「『《〈【«‹〝", "“"),
    **dict.fromkeys("”」』》〉】»›〞", "”"),
    **dict.fromkeys("（(〔［[｛{", "("),
    **dict.fromkeys("）)〕］]｝}", ")"),
    **dict.fromkeys(" \t\n\r\u3000\xa0·・•‧-_‐‑/|\"'‘’\ufeff\u200b", " "),
}
_OPENING: Final = frozenset("“(")


class Transcript:
    """A pronunciation in the making.

    Attributes:
        phonemes: the parts of the phoneme string, spaces and marks among them.
        reading: the syllables or words of the reading.
        unknown: the characters that could not be read, in order.
    """

    def __init__(self) -> None:
        self.phonemes: list[str] = []
        self.reading: list[str] = []
        self.unknown: list[str] = []

    def add_word(self, ipa: str, reading: Iterable[str]) -> None:
        """Add a word, parted from the one before it by a space; one without a sound has only a reading."""
        if ipa:
            self._part()
            self.phonemes.append(ipa)
        self.reading.extend(reading)

    def add_marks(self, text: str) -> None:
        """Add what stands between words; what is no mark is unknown.

        Closing marks stand at the word before them, opening ones at the word behind; none is doubled.
        """
        for character in text:
            mark = MARKS.get(character)
            if mark is None:
                self.unknown.append(character)
            elif mark == " ":
                self._part()
            elif mark in _OPENING:
                if self.phonemes and self.phonemes[-1] != " ":
                    self.phonemes.append(" ")
                self.phonemes.append(mark)
            else:
                if self.phonemes and self.phonemes[-1] == " ":
                    self.phonemes.pop()
                if not self.phonemes or self.phonemes[-1] != mark:
                    self.phonemes.append(mark)

    def _part(self) -> None:
        if self.phonemes and self.phonemes[-1] != " " and self.phonemes[-1] not in _OPENING:
            self.phonemes.append(" ")

    def pronunciation(self, written: str | None = None) -> Pronunciation:
        """What has been added, the reading parted by spaces."""
        phonemes = "".join(self.phonemes).strip()
        return Pronunciation(phonemes, " ".join(self.reading), tuple(self.unknown), written)


def transcribed(
    text: str, words: re.Pattern[str], say: Callable[[re.Match[str], Transcript], None]
) -> Transcript:
    """``text``, each run of ``words`` as ``say`` adds it to the transcript, the rest as marks."""
    transcript = Transcript()
    position = 0
    for run in words.finditer(text):
        transcript.add_marks(text[position : run.start()])
        say(run, transcript)
        position = run.end()
    transcript.add_marks(text[position:])
    return transcript
