"""What a torn, damaged or foreign file of the journal costs: what can't be read, and nothing else."""

from __future__ import annotations

import json
import os
import stat
import zlib
from pathlib import Path

import pytest

from cosyedge.announcements.journal_file import FILE_NAME, FORMAT
from tests.announcements.journals import DEADLINE_S, Log, ids_of, lines_of, put, recover, running, write


def test_a_torn_tail_costs_only_itself(tmp_path: Path) -> None:
    whole = write(tmp_path, "a", "b", "c")
    last = whole[:-1].rindex(b"\n") + 1
    for length in range(last, len(whole), 3):
        (tmp_path / FILE_NAME).write_bytes(whole[:length])
        recovered = recover(tmp_path)
        assert ids_of(recovered) == ["a", "b"]
        assert recovered.damaged_bytes == length - last


def test_damage_in_the_middle_costs_only_its_line(tmp_path: Path) -> None:
    whole = write(tmp_path, "a", "b", "c")
    start = whole.index(b'"id":"b"')
    start = whole.rindex(b"\n", 0, start) + 1
    end = whole.index(b"\n", start)
    # Every byte of the checksum, and some of what it covers.
    for position in [*range(start, start + 10), *range(start + 10, end, 7)]:
        damaged = bytearray(whole)
        damaged[position] ^= 0x04
        (tmp_path / FILE_NAME).write_bytes(damaged)
        recovered = recover(tmp_path)
        assert ids_of(recovered) == ["a", "c"]
        assert recovered.damaged_bytes == end + 1 - start


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\x00" * 5000,
        b"\n\n\n",
        os.urandom(4096),
        b"00000000 \n",
        b'8e6ae7f5 {"put":5}\n',
        b"x" * (5 << 20),
    ],
)
def test_rubbish_is_left_out_and_reported(tmp_path: Path, rubbish: bytes) -> None:
    whole = write(tmp_path, "a")
    (tmp_path / FILE_NAME).write_bytes(whole + rubbish)
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["a"]
    assert recovered.damaged_bytes == len(rubbish)
    assert recover(tmp_path).damaged_bytes == 0


def test_a_record_that_makes_no_sense_is_damage(tmp_path: Path) -> None:
    whole = write(tmp_path, "a")
    odd = []
    for record in ([], {}, {"put": {}}, {"put": {"id": "b"}}, {"clock": [1]}, {"ended": 5}, {"end": []}):
        body = json.dumps(record).encode()
        odd.append(b"%08x %s\n" % (zlib.crc32(body), body))
    (tmp_path / FILE_NAME).write_bytes(whole + b"".join(odd))
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["a"]
    assert recovered.damaged_bytes == len(b"".join(odd))


def test_damage_is_told_in_words_and_what_it_took_fails(tmp_path: Path) -> None:
    """Of b the text is damaged, of c the id, of d the end: it is spoken again. e has ended for certain."""
    text = "the text of {}"
    with running(tmp_path) as journal:
        log = Log()
        for id_ in "abcde":
            put(journal, log, id_, text=text.format(id_))
        for id_ in "de":
            journal.end(id_)
        assert journal.flush(DEADLINE_S)
        whole = (tmp_path / FILE_NAME).read_bytes()
    for intact, damaged in (
        (b"text of b", b"taxt of b"),
        (b'"id":"c"', b'"i":"cc"'),
        (b'{"end":"d"}', b'{"end":"q"}'),
        (b"text of e", b"taxt of e"),
    ):
        assert whole.count(intact) == 1
        whole = whole.replace(intact, damaged)
    (tmp_path / FILE_NAME).write_bytes(whole)
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["a", "d"]
    assert recovered.trouble is not None
    assert recovered.trouble.code == "journal_damaged"
    assert "4 lines" in recovered.trouble.sentence
    assert recovered.trouble.sentence.endswith("lost with them: b.")
    assert [(result.id, result.state, result.error) for _, result in recovered.untold] == [
        ("b", "failed", "journal_damaged")
    ]
    assert recover(tmp_path).untold == recovered.untold, "a crash before it was told loses nothing"
    assert recover(tmp_path).trouble is None


def test_a_torn_end_is_no_trouble(tmp_path: Path) -> None:
    whole = write(tmp_path, "a", "b")
    (tmp_path / FILE_NAME).write_bytes(whole[:-9] + b"\x00" * 500)
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["a"]
    assert recovered.damaged_bytes > 500
    assert recovered.trouble is None, "nobody was promised anything about it"


def test_the_journal_of_a_newer_version_is_used_as_far_as_it_goes_and_kept(tmp_path: Path) -> None:
    newer = lines_of({"format": FORMAT + 1}, {"paused": ["a"]}, {"put": {"id": "q", "voices": []}, "by": "x"})
    newer += write(tmp_path, "a", "b", end=("a",)).partition(b"\n")[2]
    (tmp_path / FILE_NAME).write_bytes(newer)
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["b"]
    assert recovered.trouble is not None
    assert recovered.trouble.code == "journal_newer"
    assert f"format {FORMAT + 1}" in recovered.trouble.sentence
    assert "2 lines were not understood" in recovered.trouble.sentence
    aside = tmp_path / f"{FILE_NAME}.format-{FORMAT + 1}"
    assert aside.read_bytes() == newer
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600
    again = recover(tmp_path)
    assert (ids_of(again), again.trouble) == (["b"], None), "said once; the file is ours now"


def test_the_journal_of_the_first_format_is_read(tmp_path: Path) -> None:
    put_a, put_b = (
        {"put": {"id": id_, "text": "x"}, "boot": "x", "sure": True, "undated": False} for id_ in "ab"
    )
    (tmp_path / FILE_NAME).write_bytes(
        lines_of({"clock": ["x", 1.0, 2.0, True]}, {"ended": ["z", None]}, put_a, put_b, {"end": "a"})
    )
    recovered = recover(tmp_path)
    assert ids_of(recovered) == ["b"]
    assert recovered.ended == (("z", None), ("a", None))
    assert (recovered.untold, recovered.trouble) == ((), None)
