"""A memory-mapped Japanese dictionary: the words that begin at a place of a text, and what joins them costs.

Words lie in buckets by the first two characters of their stem, so that a place of a text is looked up
with two binary searches and a short scan, and most nouns spell nothing but their reading. What inflects
alike shares a paradigm: the endings of a stem with their sounds, contexts and costs. Contexts are classes
of words that join alike; the matrix has the cost of each behind each. Nothing is parsed when the file is
opened, and no page is touched but those of the words that are met.

Layout, little-endian, sections padded to 4 bytes::

    magic "CEJA" | u16 version | u16 contexts | u32 end of each section (9) | sections
    title        UTF-8
    firsts       u16 first characters, in order
    starts       u32 for each first character and one more: its range of buckets
    seconds      u16 second characters, in order within their first; 0: the stem has no second
    buckets      u32 for each bucket and one more: where its records lie
    records      u8 length of rest << 4 | length of reading, each 15 where a u8 with the true length follows
                 | paradigm (u8, or two from 0xE0 on) | u8 cost | rest (letters) | reading (sounds)
    tables       i16 cost[256] | u16 context[SPECIAL] | u16 number of paradigms | u32 place of each, one more
                 | paradigms: u8 endings, each: u8 length, letters | u8 length, sounds | u16 context
                 | u8 kind | i16 cost
    matrix       i16 cost of context [before][behind]
    joined       a Bloom filter of what is written as one word though it is several, see :meth:`joins`
"""

from __future__ import annotations

import struct
import sys
import zlib
from bisect import bisect_left
from pathlib import Path
from typing import Final, NamedTuple

from cosyedge.errors import TextError
from cosyedge.text.lexicon import mapped
from cosyedge.text.phonemes.ja_codes import Coded

MAGIC: Final = b"CEJA"
VERSION: Final = 1
SECTIONS: Final = 9
HEADER: Final = struct.Struct(f"<4sHH{SECTIONS}I")
#: Hashes of the Bloom filter.
HASHES: Final = 8
#: From here on a paradigm's number has two bytes.
TWO_BYTES: Final = 0xE0
#: Paradigms that are kept as objects: those of some announcements.
_MOST_PARADIGMS: Final = 256

#: What a word is, where that matters beyond its reading.
WORD, NUMBER, COUNTER = range(3)
#: Contexts that are needed by name, in the order of the file.
SPECIAL: Final = ("ends", "noun", "name", "number", "counter", "comma", "stop", "opening", "closing", "sign")


class Entry(NamedTuple):
    """A word of the dictionary as it stands in a text: where it ends, how it joins, and its sounds."""

    end: int
    context: int
    kind: int
    cost: int
    sounds: bytes


class _Ending(NamedTuple):
    letters: bytes
    sounds: bytes
    context: int
    kind: int
    cost: int


class Dictionary:
    """The dictionary at ``path``.

    Raises:
        TextError: ``lexicon_unreadable`` if the file is missing, cut short or of another version; so does
            :meth:`words_at` where it meets a record that can't be.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._map = mapped(path)
        try:
            magic, version, self.contexts, *ends = HEADER.unpack_from(self._map)
            if magic != MAGIC or version != VERSION or sys.byteorder != "little":
                raise TextError(
                    "lexicon_unreadable", f"{path} is not a Japanese lexicon of version {VERSION}."
                )
            if ends != sorted(ends) or ends[-1] != len(self._map) or any(end % 4 for end in ends):
                raise self._broken()
            whole = memoryview(self._map)
            parts = [whole[a:b] for a, b in zip([HEADER.size, *ends], ends, strict=False)]
            self._views = (*parts, whole)
            self.title = bytes(parts[0]).rstrip(b"\0").decode()
            self._firsts, self._starts = parts[1].cast("H"), parts[2].cast("I")
            self._seconds, self._buckets = parts[3].cast("H"), parts[4].cast("I")
            self._records, self._tables = parts[5], parts[6]
            self.matrix, self._joined = parts[7].cast("h"), parts[8]
            self._costs = struct.unpack_from("<256h", self._tables)
            special = struct.unpack_from(f"<{len(SPECIAL)}H", self._tables, 512)
            self.special = dict(zip(SPECIAL, special, strict=True))
            at = 512 + 2 * len(SPECIAL)
            (self._paradigms,) = struct.unpack_from("<H", self._tables, at)
            self._places = at + 2
            if max(special) >= self.contexts or len(self.matrix) < self.contexts**2:
                raise self._broken()
        except (struct.error, UnicodeDecodeError, TypeError) as error:
            raise self._broken() from error
        self._endings: dict[int, tuple[_Ending, ...]] = {}

    def words_at(self, text: Coded, start: int) -> list[Entry]:
        """The words that begin at the character ``start`` of ``text``; an empty list where none does."""
        try:
            found: list[Entry] = []
            first = _find(self._firsts, text.units[start], 0, len(self._firsts))
            if first >= 0:
                low, high = self._starts[first], self._starts[first + 1]
                for length in (1, 2):
                    second = text.units[start + 1] if length == 2 else 0
                    if length == 1 or second:
                        bucket = _find(self._seconds, second, low, high)
                        if bucket >= 0:
                            self._scan(bucket, text, start, start + length, found)
            return found
        except (IndexError, struct.error) as error:
            raise self._broken() from error

    def joins(self, words: bytes) -> bool:
        """Whether the letters of several words are in the list of what is written as one word.

        The list is kept as a Bloom filter: one in twenty thousand of what is not listed is taken for listed,
        which costs a space between two words.
        """
        size = len(self._joined) * 8
        first, step = zlib.crc32(words), zlib.crc32(words, 1) | 1
        return size > 0 and all(
            self._joined[(bit := (first + i * step) % size) >> 3] >> (bit & 7) & 1 for i in range(HASHES)
        )

    def _scan(self, bucket: int, text: Coded, start: int, after: int, found: list[Entry]) -> None:
        records = bytes(self._records[self._buckets[bucket] : self._buckets[bucket + 1]])
        letters, places = text.letters, text.places
        origin = places[after]
        kana = text.sounds(start, after)
        at, stop = 0, len(records)
        while at < stop:
            rest, reading = records[at] >> 4, records[at] & 15
            paradigm = records[at + 1]
            at += 2
            if rest == 15 or reading == 15 or paradigm >= TWO_BYTES:  # in the order of the record
                at -= 1
                if rest == 15:
                    rest = records[at]
                    at += 1
                if reading == 15:
                    reading = records[at]
                    at += 1
                paradigm = records[at]
                at += 1
                if paradigm >= TWO_BYTES:
                    paradigm = TWO_BYTES + (paradigm - TWO_BYTES << 8) + records[at]
                    at += 1
            cost = self._costs[records[at]]
            spelled = at + 1
            said = spelled + rest
            at = said + reading
            if rest and letters[origin : origin + rest] != records[spelled:said]:
                continue
            sounds = records[said:at]
            if not reading and kana is not None:
                sounds = kana + text.sounds_of(records[spelled:said])
            stem = origin + rest
            for ending in self._endings.get(paradigm) or self._endings_of(paradigm):
                end = stem + len(ending.letters)
                if not ending.letters or letters[stem:end] == ending.letters:
                    found.append(
                        Entry(
                            text.index[end],
                            ending.context,
                            ending.kind,
                            cost + ending.cost,
                            sounds + ending.sounds,
                        )
                    )

    def _endings_of(self, paradigm: int) -> tuple[_Ending, ...]:
        if paradigm >= self._paradigms:
            raise self._broken()
        (at,) = struct.unpack_from("<I", self._tables, self._places + 4 * paradigm)
        count = self._tables[at]
        at += 1
        endings = []
        for _ in range(count):
            parts = []
            for _ in range(2):
                parts.append(bytes(self._tables[at + 1 : at + 1 + self._tables[at]]))
                at += 1 + self._tables[at]
            context, kind, cost = struct.unpack_from("<HBh", self._tables, at)
            at += 5
            if context >= self.contexts:
                raise self._broken()
            endings.append(_Ending(parts[0], parts[1], context, kind, cost))
        if len(self._endings) >= _MOST_PARADIGMS:
            self._endings.clear()
        self._endings[paradigm] = tuple(endings)
        return self._endings[paradigm]

    def close(self) -> None:
        for view in (self._firsts, self._starts, self._seconds, self._buckets, self._records, self._tables,
                     self.matrix, self._joined, *self._views):  # fmt: skip
            view.release()
        self._map.close()

    def _broken(self) -> TextError:
        return TextError("lexicon_unreadable", f"The lexicon {self.path} is cut short or damaged.")


def _find(values: memoryview, value: int, low: int, high: int) -> int:
    """Where ``value`` stands in an ordered range of ``values``, or -1."""
    at = bisect_left(values, value, low, high)
    return at if at < high and values[at] == value else -1
