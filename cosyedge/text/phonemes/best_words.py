"""The words of a text without spaces, as of the least cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def best_words(
    text: str, costs: Sequence[int], get: Callable[[str], bytes | None], longest: int
) -> tuple[list[int], list[bytes]]:
    """For each character: where the best word from it ends, and that word's record.

    A word of one character costs what ``costs`` says of it and has no record (``b""``). Of more, up to
    ``longest``, ``get`` gives the record, whose first byte is the cost; where two ways cost the same, the
    longer word is taken. The time is linear in the length of ``text``.
    """
    length = len(text)
    least = [0] * (length + 1)
    ends = [0] * length
    records = [b""] * length
    for start in range(length - 1, -1, -1):
        best = costs[start] + least[start + 1]
        ends[start] = start + 1
        for end in range(start + 2, min(start + longest, length) + 1):
            record = get(text[start:end])
            if record is not None and record[0] + least[end] <= best:
                best = record[0] + least[end]
                ends[start] = end
                records[start] = record
        least[start] = best
    return ends, records
