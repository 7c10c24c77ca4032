"""What became of an announcement: one message for each state it enters."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args

from cosyedge.errors import CosyError

State = Literal["queued", "started", "finished", "failed", "expired", "cancelled", "duplicate"]

#: Every announcement ends in exactly one of these.
FINAL: Final = frozenset(get_args(State)) - {"queued", "started"}


@dataclass(frozen=True, slots=True)
class Result:
    """The state of an announcement, and what was measured up to it; None is what is not known yet.

    ``error`` is a code of :data:`cosyedge.errors.CURES`, ``message`` a sentence. ``skipped`` is ``empty``
    where there was nothing to say, or says how many characters could not be read. ``audio_s`` is the length
    of what was played, ``first_audio_ms`` the wall time from the start of work until the first samples were
    with the sink, ``rtf`` the wall time of reading and synthesis over ``audio_s``, ``waited_s`` the time in
    the queue.
    """

    id: str
    state: State
    error: str | None = None
    message: str | None = None
    skipped: str | None = None
    lang: str | None = None
    voice: str | None = None
    audio_s: float | None = None
    first_audio_ms: float | None = None
    rtf: float | None = None
    waited_s: float | None = None

    @classmethod
    def failed(cls, id_: str, error: CosyError) -> Result:
        """The end of what can't be spoken."""
        return cls(id_, "failed", error=error.code, message=error.sentence)

    @property
    def is_final(self) -> bool:
        return self.state in FINAL

    def to_values(self) -> dict[str, Any]:
        """What JSON can hold; ``error``, ``message`` and ``skipped`` only where there is one."""
        values: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.name in ("error", "message", "skipped"):
                continue
            values[field.name] = round(value, 4) if isinstance(value, float) else value
        return values

    def to_json(self) -> str:
        """The payload of the result topic."""
        return json.dumps(self.to_values(), ensure_ascii=False)

    @classmethod
    def from_values(cls, values: Any) -> Result:
        """What :meth:`to_values` gave.

        Raises:
            ValueError: this is no result.
        """
        try:
            result = cls(**values)
        except TypeError as error:
            raise ValueError(f"not a result: {type(error).__name__}") from error
        if result.state not in get_args(State):
            raise ValueError(f"not a result: state {result.state!r}")
        return result

    @classmethod
    def from_json(cls, payload: str | bytes) -> Result:
        """What :meth:`to_json` wrote.

        Raises:
            ValueError: this is no result.
        """
        try:
            values = json.loads(payload)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"not a result: {type(error).__name__}") from error
        return cls.from_values(values)
