"""The language of each symbol."""

from __future__ import annotations

from cosyedge.text.languages import LANGUAGES, languages_of
from cosyedge.text.spans import Lang

ZH, EN = LANGUAGES.index("zh"), LANGUAGES.index("en")


def test_symbols_count_with_their_span() -> None:
    assert languages_of("ma↗ bO", [("zh", "ma↗"), ("en", "bO")]) == (ZH, ZH, ZH, ZH, EN, EN)


def test_marks_count_with_what_is_before_them() -> None:
    """Marks may have been added, changed or left out since the spans were read."""
    spans: list[tuple[Lang, str]] = [("zh", "ma↗ ,"), ("en", '"bO"')]
    assert languages_of("ma↗, bO.", spans) == (ZH,) * 5 + (EN,) * 3


def test_marks_at_the_start_count_with_what_follows() -> None:
    assert languages_of('"bO', [("en", "bO")]) == (EN, EN, EN)


def test_no_language_is_lost() -> None:
    assert len(set(LANGUAGES)) == 5
