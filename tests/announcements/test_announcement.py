"""Payloads: what becomes an announcement, and the code and sentence of what doesn't."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cosyedge.announcements.announcement import (
    Announcement,
    AnnouncementFailed,
    Arrival,
    Limits,
    Priority,
    Reply,
    from_bytes,
    from_sound,
)
from cosyedge.errors import CURES

LIMITS: Final = Limits(
    max_chars=1000, voices=frozenset({"auto", "zhitian", "xiaoyan", "en_us"}), chimes=frozenset({"soft"})
)
ARRIVAL: Final = Arrival(monotonic=50.0, unix=1.7e9)


def parse(payload: bytes | str | dict[str, Any], arrival: Arrival = ARRIVAL) -> Announcement:
    if isinstance(payload, dict):
        payload = json.dumps(payload)
    if isinstance(payload, str):
        payload = payload.encode()
    return from_bytes(payload, limits=LIMITS, arrival=arrival)


def failure(payload: bytes | str | dict[str, Any], arrival: Arrival = ARRIVAL) -> AnnouncementFailed:
    with pytest.raises(AnnouncementFailed) as caught:
        parse(payload, arrival)
    assert caught.value.code in CURES
    caught.value.sentence.encode()  # it goes out by MQTT
    return caught.value


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ("Dinner is ready.", "Dinner is ready."),
        ("  晚饭好了。\n", "晚饭好了。"),
        (b"\xef\xbb\xbfHello", "Hello"),
        (b'\xef\xbb\xbf {"text": "Hello"}', "Hello"),
        ('\n\t {"text": "Hello"}', "Hello"),
        ("[1, 2]", "[1, 2]"),
        ('"quoted"', '"quoted"'),
        ({"text": "[" * 500 + '\\"{' * 100}, "[" * 500 + '\\"{' * 100),
        ("", ""),
        ("   ", ""),
        ("{{ not closed", "{{ not closed"),
        ("closed first }} then {{", "closed first }} then {{"),
        ('{"text": ""}', ""),
        ("one\r\ntwo\tthree\nfour", "one\ntwo\tthree\nfour"),
        ("a\x00b\x07c\x7fd\x85e", "a b c d e"),
        (r'{"text": "half \ud83d a smile"}', "half \ufffd a smile"),
        (r'{"text": "whole \ud83d\ude00"}', "whole \U0001f600"),
        ("x" * 1000, "x" * 1000),
        ("晚" * 1000, "晚" * 1000),
        ('{"text": "' + r"\u665a" * 1000 + '"}', "晚" * 1000),
        (b"a\0b", "a b"),
    ],
)
def test_text(payload: bytes | str | dict[str, Any], text: str) -> None:
    assert parse(payload).text == text


@pytest.mark.parametrize(
    ("tag", "lang"), [("en-US", "en"), ("zh-CN", "zh"), ("zh-HK", "yue"), ("ja_JP", "ja")]
)
def test_a_language_may_be_a_tag(tag: str, lang: str) -> None:
    assert parse({"text": "Hello", "lang": tag}).lang == lang


def test_every_key_of_a_say_object() -> None:
    announcement = parse(
        {
            "text": "Hello",
            "id": "door-1",
            "at": 1800000000,
            "lang": "en",
            "voice": "en_us",
            "priority": "urgent",
            "mode": "interrupt",
            "ttl_s": 30,
            "volume": 0,
            "speed": 1.5,
            "chime": "soft",
        }
    )
    assert announcement == Announcement(
        id="door-1",
        text="Hello",
        lang="en",
        voice="en_us",
        priority=Priority.URGENT,
        mode="interrupt",
        ttl_s=30.0,
        at=1.8e9,
        volume=0.0,
        speed=1.5,
        chime="soft",
        arrived_monotonic=50.0,
        arrived_unix=1.7e9,
    )


def test_what_is_not_asked_is_left_to_the_node() -> None:
    announcement = parse("Hello")
    assert announcement.priority is Priority.NORMAL
    assert announcement.mode == "queue"
    unset = ("lang", "voice", "ttl_s", "at", "volume", "speed", "chime", "reply")
    assert [getattr(announcement, name) for name in unset] == [None] * len(unset)


def test_speaker_is_another_name_of_voice() -> None:
    assert parse({"text": "x", "speaker": "xiaoyan"}).voice == "xiaoyan"
    assert failure({"text": "x", "speaker": "xiaoyan", "voice": "xiaoyan"}).code == "bad_value"
    assert failure({"text": "x", "speaker": "nobody"}).code == "unknown_voice"


def test_chime_may_be_a_flag() -> None:
    assert parse({"text": "x", "chime": True}).chime is True
    assert parse({"text": "x", "chime": False}).chime is False


DEEP: Final = '{"text": ' + "[" * 15000
HUGE: Final = "9" * 5000


@pytest.mark.parametrize(
    ("payload", "code", "words"),
    [
        (b"\xff\xfeH\x00i\x00", "not_utf8", "UTF-16"),
        (b"\xff\xfe\xfa", "not_utf8", "begins with the byte order mark of UTF-16"),
        (b"\xfe\xff\x00H\x00i", "not_utf8", "UTF-16"),
        (b"\xff\xfe\x00\x00H\x00\x00\x00", "not_utf8", "UTF-32"),
        ("Hello".encode("utf-16-le"), "not_utf8", "UTF-16"),
        ("Hello".encode("utf-16-be"), "not_utf8", "UTF-16"),
        ('{"text": "Hello"}'.encode("utf-16-le"), "not_utf8", "UTF-16"),
        (b"caf\xe9 au lait", "not_utf8", "0xe9 at position 3"),
        (b"\xed\xa0\x80", "not_utf8", "0xed at position 0"),
        ("{", "bad_json", "line 1, column 2"),
        ('{"text": "a"} b', "bad_json", "Extra data"),
        ("{'text': 'a'}", "bad_json", "double quotes"),
        ('{"text": "a",}', "bad_json", "line 1"),
        ('{"text": "a", "text": "b"}', "bad_json", '"text" twice'),
        ('{"text": "a", "volume": NaN}', "bad_json", "NaN"),
        ('{"text": "a", "volume": Infinity}', "bad_json", "Infinity"),
        ('{"text": "a", "volume": -Infinity}', "bad_json", "Infinity"),
        (DEEP, "bad_json", "nested too deeply"),
        ('{"text": ' + "[" * 7000 + "]" * 7000 + "}", "bad_json", "nested too deeply"),
        ('{"text": ' + '{"a": ' * 2500 + "1", "bad_json", "nested too deeply"),
        ('{"text": [[1]]}', "bad_value", "not a list"),
        ('{"text": "a", "volume": ' + HUGE + "}", "bad_json", "too many digits"),
        ('{"text": "a", "volume": 1e999}', "bad_value", '"volume" is too large'),
        ('{"text": "a", "ttl_s": ' + "9" * 400 + "}", "bad_value", '"ttl_s" is too large'),
        ("{}", "missing_text", '"text"'),
        ('{"id": "a"}', "missing_text", '"text"'),
        ({"text": None}, "bad_value", '"text" is text, not null'),
        ({"text": 5}, "bad_value", '"text" is text, not a number'),
        ({"text": ["a"]}, "bad_value", "not a list"),
        ({"text": "a", "Voice": "auto"}, "unknown_key", 'Did you mean "voice"?'),
        ({"text": "a", "volum": 1}, "unknown_key", 'Did you mean "volume"?'),
        ({"text": "a", "ttl": 1}, "unknown_key", 'Did you mean "ttl_s"?'),
        ({"message": "a"}, "unknown_key", 'Did you mean "text"?'),
        ({"text": "a", "qqq": 1}, "unknown_key", "The keys are text, id, at, lang, voice, speaker"),
        ({"text": "a", "\ud800": 1}, "unknown_key", r"'\ud800'"),
        ({"text": "a", "k" * 5000: 1}, "unknown_key", "k" * 39 + "…"),
        ({"text": "a", "id": ""}, "bad_value", '"id"'),
        ({"text": "a", "id": 7}, "bad_value", '"id"'),
        ({"text": "a", "id": "i" * 129}, "bad_value", "1 to 128"),
        ({"text": "a", "id": "two\nlines"}, "bad_value", '"id"'),
        ({"text": "a", "id": "\ud83d"}, "bad_value", '"id"'),
        ({"text": "a", "volume": True}, "bad_value", '"volume" is a number, not true or false'),
        ({"text": "a", "volume": "0.5"}, "bad_value", '"volume" is a number, not text'),
        ({"text": "a", "volume": 1.01}, "bad_value", '"volume" is a number from 0.0 to 1.0'),
        ({"text": "a", "volume": -0.01}, "bad_value", "from 0.0 to 1.0"),
        ({"text": "a", "volume": 50}, "bad_value", "from 0.0 to 1.0"),
        ({"text": "a", "speed": 0.49}, "bad_value", "from 0.5 to 2.0"),
        ({"text": "a", "speed": 2.01}, "bad_value", "from 0.5 to 2.0"),
        ({"text": "a", "speed": {}}, "bad_value", "not an object"),
        ({"text": "a", "ttl_s": 0}, "bad_value", "above 0"),
        ({"text": "a", "ttl_s": -1}, "bad_value", "above 0"),
        ({"text": "a", "at": -1}, "bad_value", "Unix time in seconds, not below 0"),
        ({"text": "a", "at": 1700000000000}, "bad_value", "milliseconds"),
        ({"text": "a", "at": "2026-01-01"}, "bad_value", '"at" is a number, not text'),
        ({"text": "a", "lang": "de"}, "unknown_lang", "zh, yue, en, ja, ko"),
        ({"text": "a", "lang": "de-DE"}, "unknown_lang", '"de-DE"'),
        ({"text": "a", "lang": None}, "bad_value", "not null"),
        ({"text": "a", "voice": "nobody"}, "unknown_voice", '"nobody"; it is one of auto, en_us'),
        ({"text": "a", "voice": True}, "bad_value", '"voice" is text'),
        ({"text": "a", "priority": "highest"}, "bad_value", "low, normal, high, urgent"),
        ({"text": "a", "priority": 3}, "bad_value", '"priority" is text'),
        ({"text": "a", "mode": "now"}, "bad_value", "queue, interrupt, replace"),
        ({"text": "a", "chime": "gong"}, "unknown_chime", "true, false, soft"),
        ({"text": "a", "chime": 1}, "bad_value", "true, false or the name"),
        ("The door is {{ states('door') }}.", "template_not_rendered", "{{ template }}"),
        ("{{ states('door') }}", "template_not_rendered", "{{ template }}"),
        ('  {{"a": 1}}', "template_not_rendered", "{{ template }}"),
        ({"text": "It is {{ now() }}."}, "template_not_rendered", "{{ template }}"),
        ("{% if is_state('door', 'on') %}Open{% endif %}", "template_not_rendered", "{{ template }}"),
        ("{# a remark #}{{ now() }}", "template_not_rendered", "{{ template }}"),
        ({"text": "It is {% set x = 1 %}."}, "template_not_rendered", "{{ template }}"),
        ("x" * 1001, "text_too_long", "text too long > 1000 chars"),
        ("晚" * 1001, "text_too_long", "text too long > 1000 chars"),
        ({"text": "x" * 1001}, "text_too_long", "text too long > 1000 chars"),
        ("x" * 1_000_000, "text_too_long", "text too long > 1000 chars"),
        (b"\xff" * 1_000_000, "text_too_long", "text too long > 1000 chars"),
        ({"text": "x" * 1_000_000}, "text_too_long", "text too long > 1000 chars"),
        ({"id": "big", "text": 'say "x" ' * 130_000}, "text_too_long", "text too long > 1000 chars"),
        ({"text": "a", "voice": "x" * 1_000_000}, "payload_too_large", "16096 is the most"),
        ("{" + " " * 1_000_000 + "}", "payload_too_large", "1000002 bytes"),
    ],
)
def test_what_is_wrong_has_a_code_and_a_sentence(
    payload: bytes | str | dict[str, Any], code: str, words: str
) -> None:
    error = failure(payload)
    assert error.code == code
    assert words in error.sentence


def test_the_message_of_a_long_text_is_exactly_that_of_the_contract() -> None:
    assert failure("x" * 1001).sentence == "text too long > 1000 chars"


def test_no_sentence_quotes_the_text() -> None:
    secret = "the code of the safe is 4711"
    for payload in (
        {"text": secret, "volume": "loud"},
        {"text": secret + " {{ x }}"},
        {"text": secret * 100},
        '{"text": "' + secret,
        secret + "\udc80",
    ):
        if isinstance(payload, str):
            payload = payload.encode("utf-8", "surrogateescape")
        assert "4711" not in failure(payload).sentence


@pytest.mark.parametrize(
    ("payload", "id_"),
    [
        ('{"id": "door-1", "volume": 7, "text": "a"}', "door-1"),
        ('{"id": "door-1", "text": 5}', "door-1"),
        ('{"id": "door-1", "what": 5}', "door-1"),
        ('{"id": "door-1", "text": "a"', "door-1"),
        ('{"text": "' + "x" * 1_000_000 + '", "id": "door-1"}', "door-1"),
        ('{"id": "door-1", "text": "' + "x" * 1_000_000 + '"}', "door-1"),
    ],
)
def test_a_failure_keeps_the_id_that_was_given(payload: str, id_: str) -> None:
    assert failure(payload).id == id_


@pytest.mark.parametrize(
    "payload",
    [
        "x" * 1001,
        'not an object: "id": "door-1" ' + "x" * 1000,
        {"id": ["door-1"], "text": "a"},
        '{"text": "\\"id\\": \\"door-1\\"" ',
        '{"other": {"id": "door-1"}, "text": "a"}',
        b"\xff",
    ],
)
def test_a_failure_without_an_id_gets_one(payload: bytes | str | dict[str, Any]) -> None:
    first, second = failure(payload), failure(payload)
    assert first.id == second.id != "door-1"
    assert failure(payload, Arrival(51.0, 1.7e9 + 1)).id != first.id


def test_an_id_is_made_of_content_and_arrival() -> None:
    first = parse("Hello")
    assert parse("Hello") == first
    assert parse("Hello!").id != first.id
    later = parse("Hello", Arrival(monotonic=60.0, unix=1.7e9 + 10))
    assert later.id != first.id
    assert later.content == first.content is not None
    assert parse({"text": "Hello"}).content == first.content
    assert parse({"text": "Hello", "volume": 1}).content != first.content
    assert parse({"text": "Hello", "id": "a"}).content is None


def test_content_tells_apart_who_asked_and_for_what() -> None:
    asked = [
        Arrival(50.0, 1.7e9),
        Arrival(50.0, 1.7e9, render=True),
        Arrival(50.0, 1.7e9, reply=Reply("a", b"1")),
        Arrival(50.0, 1.7e9, reply=Reply("a", b"2")),
        Arrival(50.0, 1.7e9, reply=Reply("b", b"1")),
    ]
    assert len({parse("Hello", arrival).content for arrival in asked}) == len(asked)


def test_the_arrival_is_carried_along() -> None:
    reply = Reply("answers/here", b"\x00\xff")
    arrival = Arrival(1.0, 2.0, reply=reply, render=True, redelivered=True)
    announcement = parse("Hello", arrival)
    assert announcement.reply == reply
    assert announcement.render
    assert announcement.redelivered
    assert (announcement.arrived_monotonic, announcement.arrived_unix) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("ttl_s", "expiry_s", "expected"), [(None, None, None), (None, 9, 9), (5, None, 5), (5, 9, 5), (9, 5, 5)]
)
def test_message_expiry_counts_as_ttl(
    ttl_s: float | None, expiry_s: float | None, expected: float | None
) -> None:
    asked: dict[str, Any] = {"text": "a"} if ttl_s is None else {"text": "a", "ttl_s": ttl_s}
    assert parse(asked, Arrival(0.0, 0.0, expiry_s=expiry_s)).ttl_s == expected


@pytest.mark.parametrize("payload", [b"x" * (1 << 20), b'{"text": "' + b"x" * (1 << 20) + b'"}'])
def test_a_megabyte_is_refused_without_copies(payload: bytes) -> None:
    failure(payload)
    tracemalloc.start()
    failure(payload)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 * 1024


def test_a_sound_is_an_announcement_that_no_journal_keeps() -> None:
    arrival = Arrival(5.0, 1.7e9, Reply("a", b"7", "hermes"), expiry_s=9.0, redelivered=True, scale=0.5)
    sound = from_sound(b"RIFF and more", arrival=arrival)
    assert sound.sound == b"RIFF and more"
    assert (sound.text, sound.reply, sound.ttl_s, sound.scale) == ("", arrival.reply, 9.0, 0.5)
    assert (sound.arrived_monotonic, sound.arrived_unix, sound.redelivered) == (5.0, 1.7e9, True)
    assert "RIFF" not in repr(sound)
    assert "RIFF" not in json.dumps(sound.to_values())
    other_request = from_sound(b"RIFF and more", arrival=replace(arrival, reply=Reply("a", b"8", "hermes")))
    assert from_sound(b"RIFF and less", arrival=arrival).content != sound.content != other_request.content
    assert from_sound(b"RIFF and more", arrival=arrival) == sound


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_subnormal=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
say_keys = st.sampled_from(
    ["text", "id", "at", "lang", "voice", "speaker", "priority", "mode", "ttl_s", "volume", "speed", "chime"]
)
say_objects = st.dictionaries(say_keys | st.text(max_size=8), json_values, max_size=6).map(
    lambda value: json.dumps(value).encode()
)
mangled = st.tuples(say_objects, st.binary(max_size=3), st.integers(0, 200)).map(
    lambda parts: parts[0][: parts[2]] + parts[1] + parts[0][parts[2] :]
)


@given(st.binary() | st.text().map(str.encode) | say_objects | mangled)
@settings(max_examples=250, deadline=None, derandomize=True)
def test_nothing_but_an_announcement_or_its_failure_comes_out(payload: bytes) -> None:
    limits = Limits(max_chars=20, voices=frozenset({"auto"}))
    outcome: Announcement | AnnouncementFailed
    try:
        outcome = from_bytes(payload, limits=limits, arrival=ARRIVAL)
    except AnnouncementFailed as error:
        outcome = error
    assert outcome.id.isprintable()
    if isinstance(outcome, AnnouncementFailed):
        assert outcome.code in CURES
        outcome.sentence.encode()
    else:
        assert len(outcome.text) <= 20
        outcome.text.encode()
        line = json.dumps(outcome.to_values())
        assert Announcement.from_values(json.loads(line)) == outcome
