"""Spoken English as phonemes: the lexicon, weak forms, heteronyms, inflection, acronyms, unknown words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyedge.errors import TextError
from cosyedge.text.lexicon import Lexicon, write_lexicon
from cosyedge.text.normalise.en import normalise
from cosyedge.text.phonemes.en import EnPhonemizer
from cosyedge.text.phonemes.en_forms import (
    acronym,
    compound,
    demoted,
    entry_of,
    inflected,
    joined,
    stems,
    stressed,
    variants,
)
from cosyedge.text.phonemes.letter_to_sound import MARK, LetterToSound
from cosyedge.text.symbols import is_symbol, to_ids


@pytest.fixture(scope="module")
def en(lexicon_dir: Path) -> EnPhonemizer:
    return EnPhonemizer(lexicon_dir / "en.lexicon")


@pytest.mark.parametrize(
    ("spoken", "phonemes"),
    [
        # Whole sentences as misaki (with Kokoro's symbols) writes them.
        ("the washing machine has finished.", "ðə wˈɔʃɪŋ məʃˈin hæz fˈɪnəʃt."),
        ("please turn on the light; the door's open.", "plˈiz tˈɜɹn ˌɔn ðə lˈIt; ðə dˈɔɹz ˈOpᵊn."),
        ("water the better button.", "wˈɔTəɹ ðə bˈɛTəɹ bˈʌtn."),
        ("it's a quarter to eight, and the door is open.", "ˌɪts ɐ kwˈɔɹTəɹ tʊ ˈAt, ænd ðə dˈɔɹ ɪz ˈOpᵊn."),
        # Weak forms by the sound that follows.
        ("the apple", "ði ˈæpᵊl"),
        ("the door", "ðə dˈɔɹ"),
        ("the U S B port", "ðə jˌuˌɛsbˈi pˈɔɹt"),
        ("the M P-three", "ði ˌɛmpˈi θɹˈi"),
        ("to open, to close", "tʊ ˈOpᵊn, tə klˈOz"),
        ("a lamp and an egg", "ɐ lˈæmp ænd ɐn ˈɛɡ"),
        ("i think vitamin A helps", "ˌI θˈɪŋk vˈITəmən ˈA hˈɛlps"),
        ("plug it in, please", "plˈʌɡ ɪt ˈɪn, plˈiz"),
        ("in august", "ɪn ˈɔɡəst"),
        ("three point one", "θɹˈi pYnt wˈʌn"),
        ("point taken", "pˈYnt tˈAkən"),
        # Letters.
        ("G P S and U S B, the C P U", "ʤˌipˌiˈɛs ænd jˌuˌɛsbˈi, ðə sˌipˌijˈu"),
        ("the P C's fan", "ðə pˌisˈiz fˈæn"),
        ("H T T P\u00a0A P I", "ˌAʧtˌitˌipˈi ˌApˌiˈI"),
        ("the X-ray of A-four paper", "ði ˈɛksɹˌA ʌv ˈA fˈɔɹ pˈApəɹ"),
        ("press x", "pɹˈɛs ˈɛks"),
        # Regular forms of words that the lexicon has.
        ("mixed boxes' wishes", "mˈɪkst bˈɑksᵻz wˈɪʃᵻz"),
        ("routers rebooted", "ɹˈWTəɹz ɹˌibˈuTᵻd"),
        ("well-known", "wˌɛlnˈOn"),
        ("touchscreen", "tˈʌʧskɹˌin"),
        # Names of the home.
        ("wifi and zigbee on my iphone", "wˈIfˌI ænd zˈɪɡbˌi ˌɔn mI ˈIfˌOn"),
        # Punctuation stays where it was.
        ("hello, (really): no — yes…", "həlˈO, (ɹˈiᵊli): nˈO — jˈɛs…"),
    ],
)
def test_spoken_text_is_written_as_the_voices_know_it(en: EnPhonemizer, spoken: str, phonemes: str) -> None:
    said = en.phonemize(spoken)
    assert said.unknown == ()
    assert said.phonemes == phonemes


@pytest.mark.parametrize(
    ("spoken", "word", "phonemes"),
    [
        ("read the meter", "read", "ɹˈid"),
        ("i read it yesterday", "read", "ɹˈɛd"),
        ("read the meter. i saw it yesterday", "read", "ɹˈid"),
        ("the meter has been read", "read", "ɹˈɛd"),
        ("please read this", "read", "ɹˈid"),
        ("i live in a flat", "live", "lˈɪv"),
        ("live music tonight", "live", "lˈIv"),
        ("the stream is live", "live", "lˈIv"),
        ("she lives in paris", "lives", "lˈɪvz"),
        ("nine lives", "lives", "lˈIvz"),
        ("record the show", "record", "ɹəkˈɔɹd"),
        ("it's a new record", "record", "ɹˈɛkəɹd"),
        ("do not record this", "record", "ɹəkˈɔɹd"),
        ("nobody is present", "present", "pɹˈɛzᵊnt"),
        ("she is not present", "present", "pɹˈɛzᵊnt"),
        ("please present your card", "present", "pɹizˈɛnt"),
        ("use the stairs", "use", "jˈuz"),
        ("energy use is high", "use", "jˈus"),
        ("ready for use", "use", "jˈus"),
        ("we used to win", "used", "jˈust"),
        ("the key is used to open it", "used", "jˈuzd"),
        ("close the window", "close", "klˈOz"),
        ("close kitchen window", "close", "klˈOz"),
        ("the doors will close", "close", "klˈOz"),
        ("it is close to zero", "close", "klˈOs"),
        ("the wind is strong", "wind", "wˈɪnd"),
        ("you must wind the clock", "wind", "wˈInd"),
        ("an invalid code", "invalid", "ɪnvˈælɪd"),
        ("a minute left", "minute", "mˈɪnət"),
        ("an increase in humidity", "increase", "ˈɪnkɹˌis"),
        ("increase the volume", "increase", "ɪnkɹˈis"),
        ("separate the waste", "separate", "sˈɛpəɹˌAt"),
        ("a separate room", "separate", "sˈɛpəɹət"),
        ("the content of the box", "content", "kˈɑntɛnt"),
        ("the old house", "house", "hˈWs"),
        ("who uses that?", "that", "ðˈæt"),
        ("make sure that the door is shut", "that", "ðæt"),
        ("yes we can", "can", "kˈæn"),
        ("we can go", "can", "kæn"),
    ],
)
def test_heteronym_is_told_by_its_neighbours(en: EnPhonemizer, spoken: str, word: str, phonemes: str) -> None:
    words = re.sub(r"[.,!?]", "", spoken).split()
    said = re.sub(r"[.,!?]", "", en.phonemize(spoken).phonemes).split()
    assert len(said) == len(words)
    # At the start of a sentence a word without stress gets a light one.
    assert said[words.index(word)] == phonemes


@pytest.mark.parametrize(
    ("spoken", "unknown"),
    [
        ("hello 中 world", ("中",)),
        ("дом", ("д", "о", "м")),
        ("☃", ("☃",)),
        ("tea _ ☃ time", ("_", "☃")),
        ("", ()),
    ],
)
def test_what_can_t_be_read_costs_only_itself(
    en: EnPhonemizer, spoken: str, unknown: tuple[str, ...]
) -> None:
    said = en.phonemize(spoken)
    assert said.unknown == unknown
    readable = "".join(character for character in spoken if character not in unknown)
    assert said.phonemes == en.phonemize(readable).phonemes


@given(st.text(max_size=30))
def test_any_text_gives_symbols_of_the_inventory(lexicon_dir: Path, text: str) -> None:
    en = EnPhonemizer(lexicon_dir / "en.lexicon")
    for spoken in (text, normalise(text)):
        assert all(is_symbol(symbol) for symbol in en.phonemize(spoken).phonemes)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20))
def test_any_word_is_read_aloud(lexicon_dir: Path, word: str) -> None:
    said = EnPhonemizer(lexicon_dir / "en.lexicon").phonemize(word)
    assert said.unknown == ()
    assert said.phonemes


def test_every_entry_of_the_lexicon_is_made_of_symbols(lexicon_dir: Path) -> None:
    lexicon = Lexicon(lexicon_dir / "en.lexicon")
    words = 0
    for key, value in lexicon.items():
        if not key.startswith(MARK):
            words += 1
            assert all(is_symbol(symbol) for said in variants(value).values() for symbol in said), key
    assert words > 55_000


def test_names_of_all_letters_are_known(en: EnPhonemizer) -> None:
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        said = en.phonemize(letter)
        assert said.phonemes.count("ˈ") == 1, letter
        assert said.unknown == ()


def test_missing_lexicon_is_said(tmp_path: Path) -> None:
    with pytest.raises(TextError) as raised:
        EnPhonemizer(tmp_path / "en.lexicon")
    assert raised.value.code == "lexicon_unreadable"


@pytest.mark.parametrize(
    ("word", "stem", "suffix", "said", "expected"),
    [
        ("cats", "cat", "s", "kˈæt", "kˈæts"),
        ("dog's", "dog", "s", "dˈɔɡ", "dˈɔɡz"),
        ("watches", "watch", "s", "wˈɑʧ", "wˈɑʧᵻz"),
        ("berries", "berry", "s", "bˈɛɹi", "bˈɛɹiz"),
        ("locked", "lock", "ed", "lˈɑk", "lˈɑkt"),
        ("heated", "heat", "ed", "hˈit", "hˈiTᵻd"),
        ("lasted", "last", "ed", "lˈæst", "lˈæstᵻd"),
        ("carried", "carry", "ed", "kˈɛɹi", "kˈɛɹid"),
        ("plugged", "plug", "ed", "plˈʌɡ", "plˈʌɡd"),
        ("closing", "close", "ing", "klˈOz", "klˈOzɪŋ"),
        ("waiting", "wait", "ing", "wˈAt", "wˈATɪŋ"),
        ("running", "run", "ing", "ɹˈʌn", "ɹˈʌnɪŋ"),
        ("having", "have", "ing", "hæv", "hˌævɪŋ"),
    ],
)
def test_inflected_form_follows_its_stem(word: str, stem: str, suffix: str, said: str, expected: str) -> None:
    assert (suffix, stem) in stems(word)
    assert inflected(said, suffix) == expected


@pytest.mark.parametrize("word", ["is", "class", "add", "red", "ring", "a", "", "s", "'s"])
def test_short_words_are_no_inflected_forms(word: str) -> None:
    assert stems(word) == []


def test_stress_of_compounds() -> None:
    assert stressed("ðæt") == "ðˌæt"
    assert stressed("m") == "m"
    assert demoted("fˈɑðəɹlˌænd") == "fˌɑðəɹlænd"
    assert acronym(["ʤˈi", "pˈi", "ˈɛs"]) == "ʤˌipˌiˈɛs"
    assert acronym(["pˈi"]) == "pˈi"
    assert joined(["wˈɛl", "nˈOn"]) == "wˌɛlnˈOn"
    assert joined(["nˈOn", ""]) == "nˈOn"
    table = {"touch": entry_of({"": "tˈʌʧ"}), "screen": entry_of({"": "skɹˈin"})}
    assert compound("touchscreen", table.get) == "tˈʌʧskɹˌin"
    assert compound("touchstone", table.get) is None
    assert compound("", table.get) is None


def test_entry_comes_back_as_it_was_stored() -> None:
    said = {"": "ɹˈid", "P": "ɹˈɛd", "V": "ɹˈid"}
    assert variants(entry_of(said)) == said


def test_letters_are_read_from_the_right_by_the_sum_of_their_weights(tmp_path: Path) -> None:
    """c is k but before e it is s; e is silent at the end, else ɛ; a second stress is held back."""
    path = tmp_path / "letters.lexicon"

    def chunks(*said: str) -> bytes:
        return b"".join(bytes((len(chunk), *to_ids(chunk))) for chunk in said)

    write_lexicon(
        path,
        "letters",
        {
            f"{MARK}c": chunks("k", "s"),
            f"{MARK}e": chunks("", "ˈɛ", "ɛ"),
            f"{MARK}t": chunks("t"),
            f"{MARK}|c": bytes((0, 10)),
            f"{MARK}|ce": bytes((1, 60)),
            f"{MARK}|e#": bytes((0, 100)),
            f"{MARK}5e000": bytes((1, 40)),
            f"{MARK}5e110": bytes((2, 40, 1, 256 - 40)),
        },
    )
    letters = LetterToSound(Lexicon(path))
    assert letters.read("ct") == "kt"
    assert letters.read("tet") == "tˈɛt"
    assert letters.read("cete") == "sˈɛt"
    assert letters.read("tetet") == "tɛtˈɛt"
    assert letters.read("") == ""
    assert letters.read("é") == ""


def test_a_capital_changes_polish(en: EnPhonemizer) -> None:
    assert en.phonemize("a Polish man").phonemes == "ɐ pˈOlɪʃ mˈæn"
    assert en.phonemize("polish the table").phonemes.startswith("pˈɑlɪʃ")
