"""What was heard of before: by id, and by content for those to whom their sender gave none."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Final

from cosyedge.announcements.announcement import Announcement

#: Seconds within which equal content without an id is one announcement, sent twice by a nervous automation.
CONTENT_WINDOW_S: Final = 2.0
#: The same for what the broker marks as sent again: it had to restart, or we had to.
REDELIVERY_WINDOW_S: Final = 120.0
#: Ids remembered, of those that ended as well. A sender repeats within minutes, not days.
REMEMBERED: Final = 1024


class Duplicates:
    """Bounded; the oldest are forgotten. Not thread-safe: the queue's lock guards it. Times are monotonic."""

    def __init__(
        self,
        *,
        content_window_s: float = CONTENT_WINDOW_S,
        redelivery_window_s: float = REDELIVERY_WINDOW_S,
        remembered: int = REMEMBERED,
    ) -> None:
        self._content_window_s = content_window_s
        self._redelivery_window_s = redelivery_window_s
        self._remembered = remembered
        self._ids: OrderedDict[str, str | None] = OrderedDict()
        # By digest, and by the digest with the packet identifier: the newest that had it, and since when.
        self._digests: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._contents: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def find(self, announcement: Announcement, now: float) -> str | None:
        """The id of the one that ``announcement`` repeats."""
        if announcement.id in self._ids:
            return announcement.id
        content = announcement.content
        if content is None:
            return None
        # The broker sends again under the identifier that it used before: under another one it is news.
        if announcement.redelivered and content in self._contents:
            id_, since = self._contents[content]
            if now - since < self._redelivery_window_s:
                return id_
        id_, since = self._digests.get(_digest(content), ("", -math.inf))
        return id_ if now - since < self._content_window_s else None

    def remember(self, announcement: Announcement, now: float) -> None:
        self._remember(announcement.id, announcement.content, now)

    def restore(self, id_: str, content: str | None, now: float) -> None:
        """One from before a restart: only what the broker sends again can repeat its content."""
        self._remember(id_, content, now - self._content_window_s)

    def forget(self, id_: str) -> None:
        """It was never taken: its sender may try again."""
        content = self._ids.pop(id_, None)
        if content is not None:
            self._contents.pop(content, None)
            self._digests.pop(_digest(content), None)

    def _remember(self, id_: str, content: str | None, since: float) -> None:
        self._ids[id_] = content
        if content is not None:
            for known, key in ((self._digests, _digest(content)), (self._contents, content)):
                known[key] = id_, since
                known.move_to_end(key)
        for remembered in (self._ids, self._digests, self._contents):
            while len(remembered) > self._remembered:
                remembered.popitem(last=False)


def _digest(content: str) -> str:
    return content.partition(".")[0]
