from cosyedge.mqtt.deliveries import Deliveries


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
    # Identifier 2 was free again, so the broker may have given it to a new message of the same words.
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
