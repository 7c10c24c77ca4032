"""The one phoneme inventory, shared by every language and frozen into every voice.

A phoneme string is written with these single-character symbols (IPA, in the manner of the Kokoro
teacher: tones of Mandarin are arrows inside the syllable, English stress is a mark before the vowel,
capital letters are English diphthongs). An id is an index into :data:`SYMBOLS`, so it is also a row
of the acoustic model's embedding: moving, adding or removing a symbol means training again, which
:func:`inventory_hash`, stored in the bundle, makes impossible to forget.

Rows named ``reserved`` are room for Japanese, Cantonese and Korean: they have an embedding row but no
symbol yet.
"""

from __future__ import annotations

import hashlib
from typing import Final

INVENTORY_VERSION: Final = 1

#: id 0: both ends of an utterance, and padding in training.
BOUNDARY: Final = 0

_PUNCTUATION: Final = ';:,.!?—…"()“” '
_SHARED: Final = "̃ʣʥʦʨᵝꭧAIOQSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔ"
_PROSODY: Final = "ˈˌːʰʲ↓→↗↘ᵻ"
#: Cantonese tones 1 to 6, and the tense mark of Korean consonants.
_TONES_AND_TENSE: Final = "¹²³⁴⁵⁶͈"
_SIZE: Final = 160

SYMBOLS: Final[tuple[str, ...]] = (
    "<boundary>",
    *_PUNCTUATION,
    *_SHARED,
    *_PROSODY,
    *_TONES_AND_TENSE,
    *(f"<reserved{i}>" for i in range(_SIZE - 1 - len(_PUNCTUATION + _SHARED + _PROSODY + _TONES_AND_TENSE))),
)

#: Symbols that make no sound of their own: a text of nothing else has nothing to say.
SILENT: Final = frozenset(_PUNCTUATION)

_ID_OF: Final = {symbol: i for i, symbol in enumerate(SYMBOLS) if len(symbol) == 1}


def is_symbol(character: str) -> bool:
    """Whether ``character`` can stand in a phoneme string."""
    return character in _ID_OF


def to_ids(phonemes: str) -> tuple[int, ...]:
    """Ids of ``phonemes``, without the boundaries.

    Raises:
        KeyError: a character is not in the inventory. The front end's own tables are tested against
            the inventory, so this is a defect there, never a matter of the user's input.
    """
    return tuple(_ID_OF[symbol] for symbol in phonemes)


def to_phonemes(ids: tuple[int, ...]) -> str:
    """The phoneme string of ``ids``, boundaries left out."""
    return "".join(SYMBOLS[i] for i in ids if i != BOUNDARY)


def inventory_hash() -> str:
    """SHA-256, in hex, of the ordered inventory with its version."""
    joined = "\n".join((str(INVENTORY_VERSION), *SYMBOLS))
    return hashlib.sha256(joined.encode()).hexdigest()
