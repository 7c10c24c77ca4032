"""Language tags (BCP 47, RFC 5646) and locales → the languages that are spoken here."""

from __future__ import annotations

import re
from typing import Final

_TAG: Final = re.compile(r"(?P<primary>[a-z]{2,3})(?P<rest>(?:-[a-z0-9]{1,8})*)")
#: What a locale of POSIX has behind its tag: ``en_GB.UTF-8``, ``ko_KR@euro``.
_LOCALE_END: Final = re.compile(r"[.@][\w-]*\Z", re.ASCII)
_OURS: Final = frozenset({"zh", "yue", "en", "ja", "ko"})
#: Where Chinese that doesn't say which is Cantonese, unless it is written in simplified characters.
_CANTONESE_REGIONS: Final = frozenset({"hk", "mo"})


def language_of(tag: str) -> str | None:
    """The language that ``tag`` asks for (``auto`` is left as it is), None for one that is not spoken here.

    ``en-US``, ``en_GB.UTF-8`` → en; ``zh-TW``, ``cmn-Hans-CN`` → zh; ``zh-HK``, ``zh-yue`` → yue.
    """
    if tag == "auto":
        return tag
    found = _TAG.fullmatch(_LOCALE_END.sub("", tag).replace("_", "-").lower())
    if found is None:
        return None
    primary, subtags = found["primary"], _before_extensions(found["rest"].split("-")[1:])
    if primary == "cmn":
        return "zh"
    if primary == "zh":
        return _chinese(subtags)
    return primary if primary in _OURS else None


def _chinese(subtags: list[str]) -> str | None:
    # An extended language comes first; of those of Chinese, two are spoken here.
    if subtags and len(subtags[0]) == 3 and subtags[0].isalpha():
        return {"cmn": "zh", "yue": "yue"}.get(subtags[0])
    cantonese = "hans" not in subtags and not _CANTONESE_REGIONS.isdisjoint(subtags)
    return "yue" if cantonese else "zh"


def _before_extensions(subtags: list[str]) -> list[str]:
    """``-u-nu-hanidec`` and ``-x-…`` say nothing about which language it is."""
    singleton = next((index for index, subtag in enumerate(subtags) if len(subtag) == 1), len(subtags))
    return subtags[:singleton]
