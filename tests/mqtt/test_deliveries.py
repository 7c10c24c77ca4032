import pytest

from cosyedge.mqtt.deliveries import MOST_IN_FLIGHT, OLDEST_DATABASE_S, Deliveries

#: An identifier of a broker that counts.
COUNTED = MOST_IN_FLIGHT + 1


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def acknowledge(deliveries: Deliveries, mid: int, words: bytes) -> None:
    deliveries.arrived(mid, "t", words, dup=False)[0].done = True
    assert list(deliveries.ready()) == [mid]


def test_acknowledgements_follow_the_order_of_arrival() -> None:
    deliveries = Deliveries()
    first, second, third = (deliveries.arrived(mid, "t", b"x", dup=False)[0] for mid in (7, 8, 9))
    third.done = second.done = True
    assert list(deliveries.ready()) == []
    first.done = True
    assert list(deliveries.ready()) == [7, 8, 9]
    assert list(deliveries.ready()) == []
    assert len(deliveries) == 0


def test_qos_0_is_never_acknowledged() -> None:
    deliveries = Deliveries()
    delivery, known = deliveries.arrived(0, "t", b"x", dup=False)
    delivery.done = True
    assert not known
    assert list(deliveries.ready()) == []


def test_what_was_not_acknowledged_is_recognised_when_it_comes_again() -> None:
    deliveries = Deliveries()
    first, _ = deliveries.arrived(1, "t", b"a", dup=False)
    second, _ = deliveries.arrived(2, "t", b"b", dup=False)
    second.done = True
    deliveries.reconnected(session_present=True)
    assert list(deliveries.ready()) == []
    assert deliveries.arrived(1, "t", b"a", dup=True) == (first, True)
    assert deliveries.arrived(2, "t", b"b", dup=True) == (second, True)
    assert list(deliveries.ready()) == []
    first.done = True
    assert list(deliveries.ready()) == [1, 2]


def test_the_dup_flag_alone_proves_nothing() -> None:
    deliveries = Deliveries()
    waiting, _ = deliveries.arrived(1, "t", b"a", dup=False)
    acknowledged, _ = deliveries.arrived(2, "t", b"b", dup=False)
    waiting.done = acknowledged.done = True
    assert list(deliveries.ready()) == [1, 2]
    deliveries.arrived(3, "t", b"c", dup=False)
    deliveries.reconnected(session_present=True)
    # Identifier 2 was free again, so a broker that gives out the lowest may have taken it for a new message
    # of the same words.
    assert not deliveries.arrived(2, "t", b"b", dup=True)[1]
    assert not deliveries.arrived(3, "t", b"other", dup=True)[1]
    assert not deliveries.arrived(3, "other", b"c", dup=True)[1]
    assert not deliveries.arrived(3, "t", b"c", dup=False)[1]


def test_a_broker_that_forgot_us_sends_only_new_messages() -> None:
    deliveries = Deliveries()
    deliveries.arrived(1, "t", b"a", dup=False)
    deliveries.reconnected(session_present=False)
    assert len(deliveries) == 0
    assert not deliveries.arrived(1, "t", b"a", dup=True)[1]


@pytest.mark.parametrize(("dup", "kept"), [(True, False), (True, True), (False, True)])
def test_what_was_acknowledged_is_recognised_when_an_older_database_brings_it_back(
    dup: bool, kept: bool
) -> None:
    deliveries = Deliveries()
    acknowledge(deliveries, COUNTED, b"a")
    for _ in range(2):  # and once more, should the broker fall again
        deliveries.reconnected(session_present=True)
        assert deliveries.arrived(COUNTED, "t", b"a", dup=dup, kept=kept)[1]
        assert list(deliveries.ready()) == [COUNTED]


@pytest.mark.parametrize("dup", [False, True])
def test_what_a_broker_kept_while_we_were_away_is_news_if_it_gives_out_the_lowest_identifier(
    dup: bool,
) -> None:
    deliveries = Deliveries()
    acknowledge(deliveries, MOST_IN_FLIGHT, b"a")
    deliveries.reconnected(session_present=True)
    delivery, known = deliveries.arrived(MOST_IN_FLIGHT, "t", b"a", dup=dup, kept=True)
    assert not known
    assert not delivery.done
    assert delivery.redelivered == dup


def test_after_an_older_database_came_back_its_identifiers_are_given_to_what_is_new() -> None:
    deliveries = Deliveries()
    for mid, words in ((COUNTED, b"a"), (COUNTED + 1, b"b")):
        acknowledge(deliveries, mid, words)
    deliveries.reconnected(session_present=True)
    delivery, known = deliveries.arrived(COUNTED, "t", b"a", dup=False, kept=False)
    assert (known, delivery.redelivered) == (False, False)
    assert not deliveries.arrived(COUNTED + 1, "t", b"other", dup=True, kept=True)[1]
    assert not deliveries.arrived(COUNTED + 1, "other", b"b", dup=True, kept=True)[1]


def test_a_database_is_not_older_than_databases_are() -> None:
    clock = Clock()
    deliveries = Deliveries(clock)
    acknowledge(deliveries, COUNTED, b"a")
    acknowledge(deliveries, COUNTED + 1, b"b")
    deliveries.reconnected(session_present=True)
    clock.now += OLDEST_DATABASE_S * 0.9
    assert deliveries.arrived(COUNTED, "t", b"a", dup=True, kept=True)[1]
    clock.now += OLDEST_DATABASE_S * 0.2
    assert not deliveries.arrived(COUNTED + 1, "t", b"b", dup=True, kept=True)[1]


def test_a_broker_that_forgot_us_begins_to_count_anew() -> None:
    deliveries = Deliveries()
    acknowledge(deliveries, COUNTED, b"a")
    deliveries.reconnected(session_present=False)
    assert not deliveries.arrived(COUNTED, "t", b"a", dup=True)[1]
