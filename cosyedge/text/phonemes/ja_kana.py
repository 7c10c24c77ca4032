"""Kana to IPA, in the notation that the voices are trained on.

The notation is Kokoro's: long vowels carry ``ː``, a geminate begins with ``ʔ``, palatal consonants are
written with ``ʲ``, and the moraic nasal takes the place of the consonant behind it in its word. Pitch
accent is not written. Phonetics after T. J. Vance, *The Sounds of Japanese*, 2008, ch. 3 to 5.
"""

from __future__ import annotations

from typing import Final

_SMALL: Final = frozenset("ぁぃぅぇぉゃゅょ")

_ROWS: Final = """
あ a   い i   う ɯ   え e   お o    ぁ a   ぃ i   ぅ ɯ   ぇ e   ぉ o
か ka  き kʲi く kɯ  け ke  こ ko   が ɡa  ぎ ɡʲi ぐ ɡɯ  げ ɡe  ご ɡo  ゕ ka  ゖ ke
さ sa  し ɕi  す sɨ  せ se  そ so   ざ ʣa  じ ʥi  ず zɨ  ぜ ʣe  ぞ ʣo
た ta  ち ʨi  つ ʦɨ  て te  と to   だ da  ぢ ʥi  づ zɨ  で de  ど do
な na  に ɲi  ぬ nɯ  ね ne  の no   ま ma  み mʲi む mɯ  め me  も mo
は ha  ひ çi  ふ ɸɯ  へ he  ほ ho   ば ba  び bʲi ぶ bɯ  べ be  ぼ bo
ぱ pa  ぴ pʲi ぷ pɯ  ぺ pe  ぽ po   や ja  ゆ jɯ  よ jo  ゃ ja  ゅ jɯ  ょ jo
ら ɾa  り ɾʲi る ɾɯ  れ ɾe  ろ ɾo   わ βa  ゎ βa  ゐ i   ゑ e   を o   ゔ vɯ
ヷ va  ヸ vʲi ヹ ve  ヺ vo
いぇ je  うぃ βi  うぇ βe  うぉ βo  きぇ kʲe  しぇ ɕe  じぇ ʥe  ちぇ ʨe  にぇ ɲe  ひぇ çe
くぁ kᵝa くぃ kᵝi くぇ kᵝe くぉ kᵝo ぐぁ ɡᵝa ぐぃ ɡᵝi ぐぇ ɡᵝe ぐぉ ɡᵝo
つぁ ʦa つぃ ʦʲi つぇ ʦe つぉ ʦo ふぁ ɸa ふぃ ɸʲi ふぇ ɸe ふぉ ɸo ふゅ ɸʲɨ ふょ ɸʲo
てぃ tʲi てゅ tʲɨ でぃ dʲi でゅ dʲɨ とぅ tɯ どぅ dɯ
ゔぁ va ゔぃ vʲi ゔぇ ve ゔぉ vo ゔゅ bʲɨ ゔょ bʲo
"""
#: Kana whose i-vowel makes a series with small ゃ ゅ ょ, and its consonant.
_PALATAL: Final = {
    "き": "kʲ", "ぎ": "ɡʲ", "し": "ɕ", "じ": "ʥ", "ち": "ʨ", "ぢ": "ʥ", "に": "ɲ", "ひ": "ç",
    "び": "bʲ", "ぴ": "pʲ", "み": "mʲ", "り": "ɾʲ",
}  # fmt: skip
_GLIDES: Final = {"ゃ": "a", "ゅ": "ɨ", "ょ": "o"}
#: The first letters of the mora behind ん, and how ん then sounds.
_NASALS: Final = {**dict.fromkeys("mpb", "m"), **dict.fromkeys("kɡ", "ŋ"), **dict.fromkeys("ɲʨʥ", "ɲ"),
                  **dict.fromkeys("ntdɾz", "n")}  # fmt: skip


def _morae() -> dict[str, str]:
    listed = _ROWS.split()
    morae = dict(zip(listed[::2], listed[1::2], strict=True))
    for kana, consonant in _PALATAL.items():
        morae.update({kana + small: consonant + vowel for small, vowel in _GLIDES.items()})
    return morae


_MORAE: Final = _morae()
_KATAKANA: Final = {code: code - 0x60 for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}


def to_hiragana(kana: str) -> str:
    """``キョー`` → ``きょー``; ヷ, ヸ, ヹ and ヺ have no hiragana and stay."""
    return kana.translate(_KATAKANA)


def ipa_of(word: str) -> str:
    """The sound of one word in hiragana (``きょー`` → ``kʲoː``); what is no kana makes none.

    ``っ`` keeps its ``ʔ`` at the end of a word, where an inflection may go on (``言っ`` + ``た``).
    """
    sounds = []
    at = 0
    while at < len(word):
        kana, behind = word[at], word[at + 1 : at + 2]
        pair = _MORAE.get(kana + behind) if behind in _SMALL else None
        if pair:
            sounds.append(pair)
            at += 2
            continue
        at += 1
        if kana == "ー":
            sounds.append("ː")
        elif kana == "ん":
            sounds.append(_NASALS.get(_MORAE.get(behind, " ")[0], "ɴ"))
        elif kana == "っ":
            sounds.append("" if behind in _SMALL else "ʔ")
        elif behind in _SMALL and kana in _MORAE:  # a pair that is in no table: the vowel of the small one
            sounds.append(_MORAE[kana][:-1] + _MORAE[behind])
        elif kana not in _SMALL:
            sounds.append(_MORAE.get(kana, ""))
    return "".join(sounds)
