"""Modules that a library imports for what we never ask of it."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any, Final

#: paho-mqtt asks urllib.request for a proxy, and only where PySocks is installed. Measured: 2.2 MB, with the
#: http and email packages behind it.
_SELDOM_USED: Final = ("urllib.request",)


class _Later(ModuleType):
    """Stands for a module until something of it is used (LazyLoader: until the next import of it)."""

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # who only looks through sys.modules uses nothing
            raise AttributeError(attribute)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), attribute)


def import_seldom_used_lazily() -> None:
    """Have :data:`_SELDOM_USED` loaded when something of them is first used, and not when they are imported.

    It is the real module that is used then; what is imported already stays as it is.
    """
    for name in _SELDOM_USED:
        if name in sys.modules:
            continue
        package, _, last = name.rpartition(".")
        sys.modules[name] = _Later(name)
        setattr(importlib.import_module(package), last, sys.modules[name])
