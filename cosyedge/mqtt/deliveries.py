"""What the broker has handed over and not yet been thanked for.

MQTT wants acknowledgements in the order of arrival (MQTT 5, 4.6: MQTT-4.6.0-2), but whoever takes a message
finishes when he likes, in another thread. So finishing only marks a delivery, and the network thread
acknowledges from the head of the line.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

#: What we let an MQTT 5 broker have in flight to us (Receive Maximum).
MOST_IN_FLIGHT: Final = 64
_MOST_ORPHANS: Final = 1024  # MQTT 3.1.1 has no such limit


@dataclass(eq=False, slots=True)
class Delivery:
    """One message as it came; ``mid`` is 0 for QoS 0, which wants no acknowledgement."""

    mid: int
    topic: str
    digest: bytes
    done: bool = False  # set by any thread, read by the network thread


class Deliveries:
    """Used by the network thread alone."""

    def __init__(self) -> None:
        self._line: deque[Delivery] = deque()
        self._orphans: deque[Delivery] = deque(maxlen=_MOST_ORPHANS)

    def __len__(self) -> int:
        return len(self._line)

    def arrived(self, mid: int, topic: str, payload: bytes, *, dup: bool) -> tuple[Delivery, bool]:
        """The delivery, and whether its message is already in somebody's hands.

        It is when the broker sends again (DUP), under the same packet identifier, exactly what was left
        unacknowledged when the last connection broke: only then has the broker not been free to give that
        identifier to another message. The DUP flag alone proves nothing.
        """
        digest = hashlib.blake2b(payload, digest_size=16).digest()
        if mid and dup:
            for orphan in self._orphans:
                if orphan.mid == mid and orphan.topic == topic and orphan.digest == digest:
                    self._orphans.remove(orphan)
                    self._line.append(orphan)
                    return orphan, True
        delivery = Delivery(mid, topic, digest)
        if mid:
            self._line.append(delivery)
        return delivery, False

    def ready(self) -> Iterator[int]:
        """Packet identifiers to acknowledge now, in order; each is forgotten as it is given out."""
        while self._line and self._line[0].done:
            yield self._line.popleft().mid

    def reconnected(self, *, session_present: bool) -> None:
        """The connection is new: what was unacknowledged comes again, if the broker still knows us."""
        self._orphans.extend(self._line)
        self._line.clear()
        if not session_present:
            self._orphans.clear()
