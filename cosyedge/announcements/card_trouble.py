"""Whether the sound card works, and when one that does not is tried again: after pauses that grow."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from cosyedge.errors import PlaybackError

FIRST_RETRY_S: Final = 0.5
LONGEST_RETRY_S: Final = 10.0

_log = logging.getLogger(__name__)


class CardTrouble:
    """Of the thread that speaks; before that runs, of whoever starts it.

    Args:
        look: tries the card without a sound; None where there is no card to look at.
        on_change: the card's error when it begins to fail or fails in another way, None when it works again.
    """

    def __init__(
        self, look: Callable[[], None] | None, on_change: Callable[[PlaybackError | None], None]
    ) -> None:
        self._look = look
        self._on_change = on_change
        self._error: PlaybackError | None = None
        self._retries = 0
        #: Before this moment, on the monotonic clock, nothing that is to be heard is worth a try.
        self.audible_after = 0.0

    @property
    def is_there(self) -> bool:
        return self._error is not None

    def look(self) -> None:
        """Tries the card, and notes how that went."""
        if self._look is None:
            return
        try:
            self._look()
        except PlaybackError as error:
            self.fails(error)
        except Exception as error:
            self.fails(PlaybackError("audio_lost", f"The sound card fails with {type(error).__name__}."))
        else:
            self.ends()

    def fails(self, error: PlaybackError) -> None:
        """The card has failed, once more or for the first time; the next try comes after a longer pause."""
        pause_s = min(FIRST_RETRY_S * 2.0 ** min(self._retries, 16), LONGEST_RETRY_S)
        self._retries += 1
        self.audible_after = time.monotonic() + pause_s
        if str(error) != str(self._error):
            self._error = error
            _log.warning("%s", error)
            self._on_change(error)

    def ends(self) -> None:
        """The card works."""
        self._retries = 0
        self.audible_after = 0.0
        if self._error is not None:
            self._error = None
            self._on_change(None)

    def patience_s(self, longest_s: float) -> float:
        """For how long the card need not be looked at, ``longest_s`` at most."""
        if self._error is None or self._look is None:
            return longest_s
        return min(longest_s, max(0.0, self.audible_after - time.monotonic()))
