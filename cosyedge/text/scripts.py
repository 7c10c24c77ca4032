"""Which script a character belongs to, as classes for regular expressions."""

from __future__ import annotations

from typing import Final

#: Han, without the punctuation of the CJK blocks; 々 and 〇 are letters.
HAN: Final = "々〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
#: Hiragana and katakana; the long mark ー and the half-width forms too, the middle dot not.
KANA: Final = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
#: Hangul: syllables and every block of jamo.
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff\uffa0-\uffdc"
#: Latin letters with their accents, composed or not, and the full-width forms.
LATIN: Final = "A-Za-zªºÀ-ÖØ-öø-ɏ\u0300-\u036fḀ-ỿＡ-Ｚａ-ｚ"
#: Everything written without spaces between sentences.
CJK: Final = HAN + KANA + HANGUL
