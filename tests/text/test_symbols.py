from __future__ import annotations

import pytest

from cosyedge.text.symbols import (
    BOUNDARY,
    SILENT,
    SYMBOLS,
    inventory_hash,
    is_symbol,
    to_ids,
    to_phonemes,
)

_FROZEN = "e61296b12e77d27ba8ed6c87962a292b5969683bb56786b464e15e2491627d99"


def test_inventory_is_frozen() -> None:
    """A voice was trained on these rows: a change here means training again and another hash."""
    assert inventory_hash() == _FROZEN


def test_symbols_are_unique_and_one_is_the_boundary() -> None:
    assert len(set(SYMBOLS)) == len(SYMBOLS) == 160
    assert SYMBOLS[BOUNDARY] == "<boundary>"
    assert not is_symbol("<boundary>")


def test_every_symbol_survives_the_round_trip() -> None:
    written = "".join(symbol for symbol in SYMBOLS if len(symbol) == 1)
    ids = to_ids(written)
    assert to_phonemes(ids) == written
    assert to_phonemes((BOUNDARY, *ids, BOUNDARY)) == written
    assert BOUNDARY not in ids


def test_a_character_outside_is_refused() -> None:
    assert not is_symbol("日")
    with pytest.raises(KeyError):
        to_ids("a日")


def test_marks_and_the_space_are_silent_and_vowels_are_not() -> None:
    assert set(' ,.!?;:—…“”()"') == SILENT
    assert not SILENT & set("aəɪʊAIOWY")


def test_room_is_reserved_for_further_languages() -> None:
    assert sum(symbol.startswith("<reserved") for symbol in SYMBOLS) >= 10
    assert all(is_symbol(tone) for tone in "¹²³⁴⁵⁶")
