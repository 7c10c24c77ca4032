import pytest

from cosyedge.errors import CURES, AnnouncementError
from cosyedge.mqtt.commands import Command, parse_command
from cosyedge.mqtt.topics import COMMANDS


@pytest.mark.parametrize(
    ("topic", "payload", "command"),
    [
        ("stop", b"", Command("stop", False)),
        ("stop", b"PRESS", Command("stop", False)),
        ("stop", b"null", Command("stop", False)),
        ("stop", b"1764561600000", Command("stop", False)),  # Node-RED's inject sends the time
        ("stop", b"{}", Command("stop", False)),
        ("stop", b'{"queue": false}', Command("stop", False)),
        ("stop", b' {"queue": true}\n', Command("stop", True)),
        ("volume/set", b"0", Command("volume", 0.0)),
        ("volume/set", b"100", Command("volume", 1.0)),
        ("volume/set", b" 37.5\n", Command("volume", 0.375)),
        ("mute/set", b"ON", Command("mute", True)),
        ("mute/set", b"off", Command("mute", False)),
        ("voice/set", b"xiaoyan", Command("voice", "xiaoyan")),
        ("voice/set", b"auto", Command("voice", "auto")),
        ("lang/set", b"yue", Command("lang", "yue")),
        ("lang/set", b"zh-HK", Command("lang", "yue")),
        ("lang/set", b"en_US", Command("lang", "en")),
        ("speed/set", b"0.5", Command("speed", 0.5)),
        ("speed/set", b"+2", Command("speed", 2.0)),
        ("speed/set", b"1.1500000000000001", Command("speed", 1.1500000000000001)),
        ("status/get", b"\xff", Command("status")),
        ("test", b"\xff", Command("test")),
        ("repeat", b"PRESS", Command("repeat")),
    ],
)
def test_a_good_command(topic: str, payload: bytes, command: Command) -> None:
    assert parse_command(topic, payload) == command


@pytest.mark.parametrize(
    ("topic", "payload", "code"),
    [
        ("stop", b'{"queue": tru}', "bad_json"),
        ("stop", b'{"queue": 1}', "bad_value"),
        ("stop", b'{"queu": true}', "unknown_key"),
        ("stop", b"\xff", "not_utf8"),
        ("stop", b"{" * 250, "bad_json"),
        ("stop", b"[" * 250, "bad_json"),
        ("stop", b"[]", "bad_json"),
        ("stop", b'[{"queue": true}]', "bad_json"),
        ("volume/set", b"", "bad_value"),
        ("volume/set", b"101", "bad_value"),
        ("volume/set", b"-1", "bad_value"),
        ("volume/set", b"nan", "bad_value"),
        ("volume/set", b"1_0", "bad_value"),
        ("volume/set", b"1e1", "bad_value"),
        ("volume/set", "٥".encode(), "bad_value"),
        ("volume/set", b"9" * 300, "payload_too_large"),
        ("speed/set", b"0.49", "bad_value"),
        ("speed/set", b"inf", "bad_value"),
        ("mute/set", b"true", "bad_value"),
        ("mute/set", "ein".encode("utf-16"), "not_utf8"),
        ("voice/set", b"", "unknown_voice"),
        ("voice/set", b"../x", "unknown_voice"),
        ("lang/set", b"fr-FR", "unknown_lang"),
    ],
)
def test_a_bad_command_says_what_it_takes(topic: str, payload: bytes, code: str) -> None:
    with pytest.raises(AnnouncementError) as error:
        parse_command(topic, payload)
    assert error.value.code == code
    assert code in CURES
    assert error.value.sentence.endswith(".")


def test_every_command_of_the_topics_can_be_parsed() -> None:
    good = {
        "volume/set": b"50",
        "mute/set": b"ON",
        "voice/set": b"auto",
        "lang/set": b"zh",
        "speed/set": b"1",
    }
    for topic in COMMANDS:
        assert parse_command(topic, good.get(topic, b"")).name == topic.partition("/")[0]
