import threading
from dataclasses import replace

import pytest

from cosyedge.mqtt.outbox import Outbox, Publication


def result(number: int, size: int = 3) -> Publication:
    return Publication("result", f"{number:0{size}d}".encode())


def drain(outbox: Outbox) -> list[bytes]:
    taken = []
    while (publication := outbox.take()) is not None:
        taken.append(publication.payload)
    return taken


def test_results_leave_in_order() -> None:
    outbox = Outbox()
    for number in range(5):
        outbox.put(result(number))
    assert len(outbox) == 5
    assert drain(outbox) == [b"000", b"001", b"002", b"003", b"004"]
    assert outbox.dropped == 0


def test_what_is_lost_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    outbox = Outbox(most_messages=3)
    for number in range(9):
        outbox.put(replace(result(number), passing=number < 3))
    assert outbox.dropped == 6
    assert [line.partition(":")[0] for line in caplog.messages] == [
        "a passing result was dropped",
        "a final result was dropped",
    ]


def test_too_many_results_cost_the_oldest_and_are_counted() -> None:
    by_number = Outbox(most_messages=3)
    by_bytes = Outbox(most_bytes=10)
    for number in range(5):
        by_number.put(result(number))
        by_bytes.put(result(number))
    assert drain(by_number) == drain(by_bytes) == [b"002", b"003", b"004"]
    assert by_number.dropped == by_bytes.dropped == 2


def test_one_result_is_never_too_large() -> None:
    outbox = Outbox(most_bytes=10)
    outbox.put(result(1))
    outbox.put(result(2, size=100))
    assert drain(outbox) == [b"%0100d" % 2]


def test_a_retained_value_counts_in_its_newest_form_and_again_after_a_reconnect() -> None:
    outbox = Outbox()
    for payload in (b"a", b"b", b"b"):
        outbox.keep(Publication("state", payload, retain=True))
    outbox.keep(Publication("health", b"h", retain=True))
    assert drain(outbox) == [b"b", b"h"]
    outbox.keep(Publication("state", b"b", retain=True))
    assert drain(outbox) == []
    outbox.keep_again()
    assert drain(outbox) == [b"b", b"h"]


def test_what_was_not_confirmed_goes_first_the_next_time() -> None:
    outbox = Outbox()
    for number in range(3):
        outbox.put(result(number))
    sent = [outbox.take(), outbox.take()]
    retained = Publication("state", b"old", retain=True)
    outbox.give_back([publication for publication in sent if publication is not None] + [retained])
    assert drain(outbox) == [b"000", b"001", b"002"]


def test_audio_waits_for_room_and_no_part_of_it_is_dropped() -> None:
    outbox = Outbox(most_messages=2, most_bytes=10)
    parts = [Publication("reply", b"%d" % number * 4, whole=True) for number in range(4)]
    assert outbox.put_waiting(parts[0], 0)
    assert outbox.put_waiting(parts[1], 0)
    assert not outbox.put_waiting(parts[2], 0.01)
    for number in range(4):
        outbox.put(result(number))
    entered = threading.Event()

    def fill() -> None:
        outbox.put_waiting(parts[2], 10)
        entered.set()

    thread = threading.Thread(target=fill)
    thread.start()
    assert outbox.take() is parts[0]
    assert entered.wait(10)
    thread.join()
    assert drain(outbox) == [b"1111", b"002", b"003", b"2222"]
    assert outbox.dropped == 2


def test_one_part_of_audio_is_never_too_large() -> None:
    outbox = Outbox(most_bytes=10)
    assert outbox.put_waiting(Publication("reply", b"x" * 100, whole=True), 0)
