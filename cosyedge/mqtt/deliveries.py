"""What the broker has handed over and not yet been thanked for.

MQTT wants acknowledgements in the order of arrival (MQTT 5, 4.6: MQTT-4.6.0-2), but whoever takes a message
finishes when he likes, in another thread. So finishing only marks a delivery, and the network thread
acknowledges from the head of the line.

A broker hands over again what it does not know to be acknowledged: because the acknowledgement was lost with
the connection, or because it was restarted with a database that is older than the acknowledgement.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

#: What we let an MQTT 5 broker have in flight to us (Receive Maximum).
MOST_IN_FLIGHT: Final = 64
_MOST_ORPHANS: Final = 1024  # MQTT 3.1.1 has no such limit
_MOST_REMEMBERED: Final = 256
#: So old a database may be with which a broker comes back: mosquitto writes its own every half hour.
OLDEST_DATABASE_S: Final = 3600.0


@dataclass(eq=False, slots=True)
class Delivery:
    """One message as it came; ``mid`` is 0 for QoS 0, which wants no acknowledgement.

    ``redelivered``: the broker may have handed it over before. By itself that proves nothing.
    """

    mid: int
    topic: str
    digest: bytes
    redelivered: bool = False
    done: bool = False  # set by any thread, read by the network thread
    acknowledged_at: float = 0.0

    def is_like(self, other: Delivery) -> bool:
        return (self.mid, self.topic, self.digest) == (other.mid, other.topic, other.digest)


class Deliveries:
    """Used by the network thread alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._line: deque[Delivery] = deque()
        self._orphans: deque[Delivery] = deque(maxlen=_MOST_ORPHANS)
        self._acknowledged: deque[Delivery] = deque(maxlen=_MOST_REMEMBERED)

    def __len__(self) -> int:
        return len(self._line)

    def arrived(
        self, mid: int, topic: str, payload: bytes, *, dup: bool, kept: bool = False
    ) -> tuple[Delivery, bool]:
        """The delivery, and whether its message is already in somebody's hands, or was acknowledged before.

        ``kept``: the broker kept it for us since an earlier connection. An older database brings what it had
        not sent yet by the time it was written, and this comes without DUP.

        It is known when it comes again under the same packet identifier, exactly as it was, and the broker
        was not free to give that identifier to another message of the same words: either it was left
        unacknowledged when the last connection broke, or identifiers are counted and not used again once they
        are free. The lowest free one is never above the most that may be in flight.
        """
        is_counted = mid > MOST_IN_FLIGHT
        digest = hashlib.blake2b(payload, digest_size=16).digest()
        delivery = Delivery(mid, topic, digest, redelivered=dup or (kept and is_counted))
        if not mid:
            return delivery, False
        orphan = next((each for each in self._orphans if dup and each.is_like(delivery)), None)
        if orphan is not None:
            self._orphans.remove(orphan)
            self._line.append(orphan)
            return orphan, True
        if is_counted and delivery.redelivered:
            delivery.done = self._was_acknowledged(delivery)
        self._line.append(delivery)
        return delivery, delivery.done

    def _was_acknowledged(self, delivery: Delivery) -> bool:
        since = self._clock() - OLDEST_DATABASE_S
        return any(each.acknowledged_at > since and each.is_like(delivery) for each in self._acknowledged)

    def ready(self) -> Iterator[int]:
        """Packet identifiers to acknowledge now, in order; each leaves the line as it is given out."""
        while self._line and self._line[0].done:
            delivery = self._line.popleft()
            delivery.acknowledged_at = self._clock()
            self._acknowledged.append(delivery)
            yield delivery.mid

    def reconnected(self, *, session_present: bool) -> None:
        """The connection is new: what was unacknowledged comes again, if the broker still knows us."""
        self._orphans.extend(self._line)
        self._line.clear()
        if not session_present:
            self._orphans.clear()
            self._acknowledged.clear()
