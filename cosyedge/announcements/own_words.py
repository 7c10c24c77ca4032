"""What the node says by itself: a test sentence, and the last announcement once more."""

from __future__ import annotations

import time
import uuid
from dataclasses import replace
from typing import Final

from cosyedge.announcements.announcement import Announcement

#: What the topic ``test`` speaks, by the language that is set.
TEST_SENTENCES: Final = {
    "auto": "这是一条测试播报。This is a test announcement.",
    "zh": "这是一条测试播报。",
    "yue": "呢條係測試廣播。",
    "en": "This is a test announcement.",
    "ja": "これはテスト放送です。",
    "ko": "시험 방송입니다.",
}


def self_test(lang: str) -> Announcement:
    """Says the sentence of a language, or of ``auto``."""
    return _now("test", Announcement("", TEST_SENTENCES[lang]))


def repetition(last: Announcement | None) -> Announcement:
    """Says the last one again; where there was none, there is nothing to say."""
    return _now("repeat", last or Announcement("", ""))


def _now(kind: str, like: Announcement) -> Announcement:
    """A new announcement that says the same, at once, in nobody's name."""
    return replace(
        like,
        id=f"{kind}-{uuid.uuid4().hex[:12]}",
        mode="queue",
        ttl_s=None,
        at=None,
        reply=None,
        arrived_monotonic=time.monotonic(),
        arrived_unix=time.time(),
        redelivered=False,
        content=None,
    )
