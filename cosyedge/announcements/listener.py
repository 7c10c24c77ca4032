"""Those who want to be told what happens: what they raise is no trouble of whoever tells them."""

from __future__ import annotations

import logging
from collections.abc import Callable

_log = logging.getLogger(__name__)


def tell_listener(listener: Callable[..., object], *arguments: object) -> None:
    """Calls it. The message of what it raises may hold the spoken text, and is told at debug alone."""
    try:
        listener(*arguments)
    except Exception as error:
        # A partial hides its function's name.
        function = getattr(listener, "func", listener)
        _log.error("%s failed: %s", getattr(function, "__qualname__", function), type(error).__name__)
        _log.debug("in full:", exc_info=True)
