"""Memory: models that are loaded late and let go, and allocations that fail under a running daemon."""

from __future__ import annotations

import contextlib
import json
import resource
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broker import Broker, Peer
from tests.end_to_end.node import PATIENCE_S, RunningNode

TEXT: Final = "今天晚上有雨，出门记得带伞。Dinner is ready at half past seven. 洗衣机洗完了，请晾一下衣服。"


def say(peer: Peer, id_: str, text: str = TEXT) -> dict[str, Any]:
    """The final result."""
    peer.publish("cosyedge/attic/say", json.dumps({"id": id_, "text": text}))
    message = peer.wait(
        "cosyedge/attic/result",
        lambda m: (told := json.loads(m.payload))["id"] == id_ and told["state"] in ("finished", "failed"),
        PATIENCE_S,
    )
    result: dict[str, Any] = json.loads(message.payload)
    return result


def results(peer: Peer, id_: str) -> list[dict[str, Any]]:
    """The final results that came."""
    told = (json.loads(m.payload) for m in list(peer.messages) if m.topic == "cosyedge/attic/result")
    return [r for r in told if r["id"] == id_ and r["state"] in ("finished", "failed")]


def has_died(node: RunningNode) -> bool:
    code = node.process.poll()
    assert code is None or code in (-signal.SIGSEGV, -signal.SIGABRT), node.log
    return code is not None


def end_of(node: RunningNode, peer: Peer, id_: str, limits: tuple[int, int]) -> str:
    """How an announcement ends: its error or its state, or "died" where a library did not bear it.

    The connection may fail as well while memory is refused, so the daemon's log tells when ``limits`` are to
    hold again; then the result has to come.
    """
    peer.publish("cosyedge/attic/say", json.dumps({"id": id_, "text": TEXT}))
    deadline = time.monotonic() + PATIENCE_S
    while not results(peer, id_) and f"announcement {id_} failed" not in node.log:
        if has_died(node):
            return "died"
        assert time.monotonic() < deadline, node.log
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):  # it may die even now, of what was refused before
        resource.prlimit(node.process.pid, resource.RLIMIT_DATA, limits)
    return end_told(node, peer, id_)


def end_told(node: RunningNode, peer: Peer, id_: str) -> str:
    """The error or the state of the final result, or "died"; one of them has to come."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := results(peer, id_)):
        if has_died(node):
            return "died"
        assert time.monotonic() < deadline, f"no result of {id_}:\n{node.log}"
        time.sleep(0.02)
    return str(found[0].get("error") or found[0]["state"])


def data_bytes(node: RunningNode) -> int:
    """What counts against RLIMIT_DATA."""
    status = Path(f"/proc/{node.process.pid}/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData"))


def test_models_are_loaded_at_the_first_announcement_and_unloaded_when_idle(
    broker: Broker, peer: Peer, make_node: Callable[..., RunningNode], wav: dict[str, Any]
) -> None:
    node = make_node(broker.port, models_preload="false", models_idle_unload_s=1, cache_max_mb=0, **wav)
    node.wait_until_ready()
    peer.wait("cosyedge/attic/availability", lambda m: m.payload == b"online", PATIENCE_S)
    assert say(peer, "first")["state"] == "finished"
    peer.wait("cosyedge/attic/health", lambda _: "the models are unloaded" in node.log, PATIENCE_S)
    assert say(peer, "second")["state"] == "finished"
    assert node.stop() == 0


@pytest.mark.parametrize(
    "rooms_kb",
    [
        pytest.param((0, 512, 5120), id="few"),
        pytest.param(range(0, 4608, 96), id="many", marks=[pytest.mark.long, pytest.mark.timeout(1800)]),
    ],
)
def test_an_allocation_that_fails_costs_one_announcement(
    broker: Broker,
    peer: Peer,
    make_node: Callable[..., RunningNode],
    wav: dict[str, Any],
    rooms_kb: Sequence[int],
) -> None:
    """The first announcement loads the front end and the models, and the kernel gives it only so many kB more
    than the daemon has: each time another allocation is the one that fails. With 4.3 MB it has all that it
    wants. A small block that is refused within the vocoder's Loop ends the process, where onnxruntime's
    exception meets a function that may not throw; then the journal brings the announcement back."""
    ends = []
    for number, room in enumerate(rooms_kb):
        node = make_node(broker.port, models_preload="false", cache_max_mb=0, **wav)
        node.wait_until_ready()
        peer.wait("cosyedge/attic/availability", lambda m: m.payload == b"online", PATIENCE_S)
        soft, hard = resource.prlimit(node.process.pid, resource.RLIMIT_DATA)
        assert soft == 420 << 20, "memory.limit_mb"
        resource.prlimit(node.process.pid, resource.RLIMIT_DATA, (data_bytes(node) + (room << 10), hard))
        ends.append(end_of(node, peer, f"short-{number}", (soft, hard)))
        assert ends[-1] in ("finished", "overloaded", "died"), f"{room} kB more, {ends[-1]}:\n{node.log}"
        if ends[-1] == "died":
            node = make_node(broker.port, cache_max_mb=0, **wav)  # as the service manager does
            assert end_told(node, peer, f"short-{number}") != "died", node.log
        assert say(peer, f"next-{number}")["state"] == "finished", node.log
        assert node.stop() == 0
    assert "overloaded" in ends
    assert ends.count("died") <= len(ends) // 3, ends
