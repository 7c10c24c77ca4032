"""Words and punctuation of a phoneme string: what is said in a pause, and where spaces stand."""

from __future__ import annotations

from typing import Final

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


def append_word(phonemes: list[str], ipa: str) -> None:
    """Add a word, parted from the one before it by a space."""
    if phonemes and phonemes[-1] != " " and phonemes[-1] not in _OPENING:
        phonemes.append(" ")
    phonemes.append(ipa)


def append_mark(phonemes: list[str], mark: str) -> None:
    """Closing marks stand at the word before them, opening ones at the word behind; none is doubled."""
    if mark == " ":
        if phonemes and phonemes[-1] != " " and phonemes[-1] not in _OPENING:
            phonemes.append(" ")
    elif mark in _OPENING:
        if phonemes and phonemes[-1] != " ":
            phonemes.append(" ")
        phonemes.append(mark)
    else:
        if phonemes and phonemes[-1] == " ":
            phonemes.pop()
        if not phonemes or phonemes[-1] != mark:
            phonemes.append(mark)
