from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cosyedge.errors import TextError
from cosyedge.text.lexicon import Lexicon, write_lexicon

_KEYS = st.text(min_size=0, max_size=20)
_ENTRIES = st.dictionaries(_KEYS, st.binary(max_size=40), max_size=60)
_SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def write(folder: Path, entries: dict[str, bytes], title: str = "a title") -> Path:
    path = folder / "test.lexicon"
    write_lexicon(path, title, entries)
    return path


@_SAME_FOLDER
@given(entries=_ENTRIES, title=st.text(st.characters(exclude_categories=["Cs"]), max_size=20), other=_KEYS)
def test_everything_written_is_found_again(
    tmp_path: Path, entries: dict[str, bytes], title: str, other: str
) -> None:
    lexicon = Lexicon(write(tmp_path, entries, title))
    assert dict(lexicon.items()) == entries
    assert {key: lexicon.get(key) for key in entries} == entries
    assert lexicon.get(other) == entries.get(other)
    assert (other in lexicon) == (other in entries)
    assert len(lexicon) == len(entries)
    assert lexicon.title == title
    lexicon.close()


def test_same_entries_make_the_same_bytes(tmp_path: Path) -> None:
    first = write(tmp_path, {"a": b"1", "b": b"2"}).read_bytes()
    assert write(tmp_path, {"b": b"2", "a": b"1"}).read_bytes() == first


@pytest.mark.parametrize(("key", "value"), [("x" * 256, b""), ("汉" * 86, b""), ("x", b"x" * 65536)])
def test_an_entry_that_is_too_long_is_refused(tmp_path: Path, key: str, value: bytes) -> None:
    with pytest.raises(ValueError, match="too long"):
        write(tmp_path, {key: value})


def test_a_missing_or_empty_file_says_so(tmp_path: Path) -> None:
    for name, content in (("missing", None), ("empty", b""), ("short", b"CELX"), ("other", b"\x89PNG" * 20)):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(TextError) as caught:
            Lexicon(path)
        assert caught.value.code == "lexicon_unreadable"
        assert name in caught.value.sentence


def _header(count: int, slots: int, title_length: int = 0) -> bytes:
    return struct.pack("<4sHHII", b"CELX", 1, title_length, count, slots)


@pytest.mark.parametrize(
    "content",
    [
        _header(0, 0),
        _header(5, 5) + struct.pack("<5I", *[40] * 5),
        _header(2, 3) + struct.pack("<2I", 0, 0),
        _header(1, 0xFFFFFFFF) + bytes(64),
        _header(0, 1, title_length=4) + b"\xff\xff\xff\xff" + bytes(4),
    ],
    ids=["no slots", "no slot empty", "cut in the table", "more slots than bytes", "title not UTF-8"],
)
def test_a_header_that_cannot_be_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content)
    with pytest.raises(TextError) as caught:
        Lexicon(path)
    assert caught.value.code == "lexicon_unreadable"


@pytest.mark.parametrize(
    "slots",
    [[0xFFFFFFF0] * 3, [1] * 3, [27] * 3],
    ids=["behind the end", "in the header", "last bytes"],
)
def test_an_offset_that_cannot_be_is_an_error(tmp_path: Path, slots: list[int]) -> None:
    path = tmp_path / "bad"
    path.write_bytes(_header(2, 3) + struct.pack("<3I", *slots))
    lexicon = Lexicon(path)
    with pytest.raises(TextError, match="damaged"):
        lexicon.get("word")
    with pytest.raises(TextError, match="damaged"):
        list(lexicon.items())


def test_a_full_table_does_not_loop(tmp_path: Path) -> None:
    record = struct.pack("<BH", 1, 0) + b"x"
    path = tmp_path / "full"
    path.write_bytes(_header(2, 3) + struct.pack("<3I", 28, 28, 28) + record)
    lexicon = Lexicon(path)
    assert lexicon.get("x") == b""
    with pytest.raises(TextError, match="damaged"):
        lexicon.get("y")


def outcome(call: Callable[[], object]) -> object:
    """What ``call`` returns, or the code of its TextError; anything else it raises fails the test."""
    try:
        return call()
    except TextError as error:
        return error.code


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_an_error_or_a_wrong_word_and_nothing_else(tmp_path: Path, data: st.DataObject) -> None:
    entries = {f"key{i}": bytes([i]) * (i % 7) for i in range(40)}
    content = bytearray(write(tmp_path, entries).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    lexicon = outcome(lambda: Lexicon(path))
    if not isinstance(lexicon, Lexicon):
        assert lexicon == "lexicon_unreadable"
        return
    for key in (*entries, "other"):
        value = outcome(lambda key=key: lexicon.get(key))  # type: ignore[misc]
        assert value is None or value == "lexicon_unreadable" or isinstance(value, bytes)
    records = outcome(lambda: list(lexicon.items()))
    assert records == "lexicon_unreadable" or len(records) == len(lexicon)  # type: ignore[arg-type]
