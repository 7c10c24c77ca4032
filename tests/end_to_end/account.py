"""What became of all that was asked: by what was told of it, and by what was heard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cosyedge.announcements.announcement import Arrival, Limits, from_bytes
from cosyedge.announcements.attempts import MOST_DEATHS
from cosyedge.announcements.result import FINAL

#: Id → the results that were told of it, in order.
Told = Mapping[str, Sequence[dict[str, Any]]]
_LIMITS: Final = Limits(max_chars=1000, voices=frozenset({"auto"}))


@dataclass
class Asked:
    """One message; ``id`` is None for one in plain text, whose name its sender does not learn."""

    text: str
    id: str | None
    expires: bool
    may_be_lost: bool = False  # a broker without memory had it alone
    acknowledged: bool = False
    deaths_before: int = 0


@dataclass
class Account:
    """What a series came to."""

    deaths: Counter[str] = field(default_factory=Counter)
    power_cuts: int = 0
    bytes_cut: int = 0
    broker_restarts: int = 0
    asked: int = 0
    lost_by_the_broker: int = 0
    finals: Counter[str] = field(default_factory=Counter)
    duplicates: int = 0
    told_twice: int = 0
    heard: int = 0
    repeated: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        moments = ", ".join(f"{moment} {count}" for moment, count in sorted(self.deaths.items()))
        finals = ", ".join(f"{count} {state}" for state, count in sorted(self.finals.items()))
        return (
            f"{sum(self.deaths.values())} deaths ({moments}); {self.power_cuts} power cuts took "
            f"{self.bytes_cut} bytes; {self.broker_restarts} broker restarts; {self.asked} announcements "
            f"({self.lost_by_the_broker} lost by the broker): {finals}; {self.duplicates} times a duplicate, "
            f"{self.told_twice} ends told twice; {self.heard} heard whole, {self.repeated} of them again; "
            f"wrong: {self.wrong or 'nothing'}"
        )


def finals_of(told: Told, id_: str | None) -> list[str]:
    """In which states it ended, as often as that was told."""
    states = [result["state"] for result in told.get(id_ or "", ())]
    return [state for state in states if state in FINAL and state != "duplicate"]


def heard_whole(
    files: Iterable[Path], sounds: Mapping[bytes, str], lives: Sequence[int]
) -> dict[str, list[bool]]:
    """text → for each time that it was heard whole, whether it was the last of a life, so that a death may
    have come before anybody knew of its end.

    ``sounds`` maps the bytes of a WAV file to the text; ``lives`` are the numbers of files at their ends.
    """
    heard: dict[str, list[bool]] = {}
    for number, file in enumerate(files, 1):
        text = sounds.get(file.read_bytes())
        if text is not None:  # else it was cut
            heard.setdefault(text, []).append(number in lives)
    return heard


def reconcile(
    account: Account, all_asked: Sequence[Asked], told: Told, heard: Mapping[str, list[bool]]
) -> None:
    """Fills in the account, and what is wrong in it."""
    account.asked = len(all_asked)
    account.duplicates = sum(result["state"] == "duplicate" for states in told.values() for result in states)
    by_text: dict[str, list[Asked]] = {}
    for asked in all_asked:
        by_text.setdefault(asked.text, []).append(asked)
        _reconcile_one(account, asked, told)
    for text, those in by_text.items():
        _reconcile_text(account, text, those, told, heard.get(text, []))


def _reconcile_one(account: Account, asked: Asked, told: Told) -> None:
    finals = finals_of(told, asked.id)
    account.lost_by_the_broker += asked.may_be_lost and not finals
    if not asked.id:
        return
    account.finals[finals[0] if finals else "unheard of"] += 1
    account.told_twice += len(finals) > 1
    if len(set(finals)) > 1 or (not finals and not asked.may_be_lost):
        account.wrong.append(f"{asked.id} ended as {finals}")
    errors = {result.get("error") for result in told.get(asked.id, ())} - {None, "expired"}
    deaths_since = sum(account.deaths.values()) - asked.deaths_before
    if errors - {"made_it_crash"} or (errors and deaths_since < MOST_DEATHS):
        account.wrong.append(f"{asked.id} failed with {errors}")
    if "expired" in finals and not asked.expires:
        account.wrong.append(f"{asked.id} has expired without a time to live")


def _reconcile_text(
    account: Account, text: str, all_asked: Sequence[Asked], told: Told, times: Sequence[bool]
) -> None:
    account.heard += len(times)
    again = sum(times)
    certain = len(times) - again  # these were not the last of their lives
    finished = sum("finished" in finals_of(told, asked.id) for asked in all_asked)
    may_be_lost = sum(asked.may_be_lost for asked in all_asked)
    ends = _ends_of_nameless(account, text, told)
    nameless = sum(asked.id is None for asked in all_asked)
    if not nameless - may_be_lost <= len(ends) <= nameless:
        account.wrong.append(f"{text!r} was asked for {nameless} times without an id, and ended {ends}")
    account.finals.update(ends)
    finished += ends.count("finished")
    account.repeated += max(0, len(times) - finished)
    if certain > finished or len(times) < finished - may_be_lost:
        account.wrong.append(f"{text!r}: heard {len(times)} times, {again} of them last; finished {finished}")


def _ends_of_nameless(account: Account, text: str, told: Told) -> list[str]:
    """How the messages ended that are nothing but this text, whatever ids they were given."""
    content = from_bytes(text.encode(), limits=_LIMITS, arrival=Arrival(0.0, 0.0)).content
    assert content is not None
    digest = content.partition(".")[0]
    ends = []
    for id_ in told:
        if id_.startswith(f"{digest}-") and (finals := finals_of(told, id_)):
            ends.append(finals[0])
            account.told_twice += len(finals) > 1
            if len(set(finals)) > 1:
                account.wrong.append(f"{id_} ended as {finals}")
    return ends
