"""The table of options, the strict reading of the file, and what is printed from both."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from cosyedge.config import commented_file, load_config, markdown_table, node_name, shown
from cosyedge.errors import ConfigError
from cosyedge.options import OPTIONS, Config

ROOT = Path(__file__).parent.parent
BY_KEY = {row.key: row for row in OPTIONS}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cosyedge.yaml"


def load(file: Path | None = None, **flags: str) -> Config:
    return load_config(file, {key.replace("__", "."): text for key, text in flags.items()}, {})


def failure(file: Path | None = None, **flags: str) -> ConfigError:
    with pytest.raises(ConfigError) as raised:
        load(file, **flags)
    return raised.value


def test_defaults_are_those_of_the_table() -> None:
    config = load()
    assert {row.key: config.value(row.key) for row in OPTIONS} == {row.key: row.default for row in OPTIONS}
    assert config.origins == {}


def test_each_default_is_a_value_that_its_own_row_accepts() -> None:
    for row in OPTIONS:
        if row.default is None:
            assert row.nullable, row.key
        elif not row.many:
            assert row.parse(shown(row, row.default)) == row.default, row.key


def test_file_sets_every_kind_of_value(file: Path) -> None:
    file.write_text(
        "mqtt:\n  host: broker.lan\n  port: 8883\n  tls: yes\n  groups: [kitchen, up-stairs]\n  protocol: 5\n"
        "  node: 5\n  tls_ca: /etc/ca.pem\naudio:\n  lead_in_s: 1\n  rate: null\nqueue:\n  journal: off\n"
    )
    config = load(file)
    assert config.mqtt.host == "broker.lan"
    assert config.mqtt.port == 8883
    assert config.mqtt.tls is True
    assert config.mqtt.groups == ("kitchen", "up-stairs")
    assert config.mqtt.protocol == "5"
    assert config.mqtt.node == "5"
    assert config.mqtt.tls_ca == Path("/etc/ca.pem")
    assert config.audio.lead_in_s == 1.0
    assert config.audio.rate is None
    assert config.queue.journal == "off"
    assert config.origins["mqtt.port"] == f"{file}:3"


def test_flag_wins_over_file(file: Path) -> None:
    file.write_text("mqtt:\n  port: 1\n  host: a\n")
    config = load(file, mqtt__port="2", mqtt__groups="a, b", audio__rate="null")
    assert (config.mqtt.port, config.mqtt.host, config.mqtt.groups) == (2, "a", ("a", "b"))
    assert config.origins["mqtt.port"] == "--mqtt-port"
    assert config.origins["mqtt.host"] == f"{file}:3"


def test_a_language_may_be_a_tag_or_a_locale(file: Path) -> None:
    file.write_text("speech:\n  lang: ja-JP\ntext:\n  default_lang: en_GB\n  traditional_chinese: zh-TW\n")
    config = load(file)
    assert (config.speech.lang, config.text.default_lang, config.text.traditional_chinese) == (
        "ja",
        "en",
        "zh",
    )
    assert load(file, speech__lang="zh-HK").speech.lang == "yue"


def test_an_empty_file_and_empty_sections_change_nothing(file: Path) -> None:
    for text in ("", "# nothing\n", "mqtt:\naudio:\n  # device: default\n"):
        file.write_text(text)
        assert load(file).mqtt == Config().mqtt


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        (
            "mqtt:\n  hots: a\n",
            "config_unknown_key",
            2,
            "mqtt.hots is not an option. Did you mean mqtt.host?",
        ),
        ("mqqt:\n  host: a\n", "config_unknown_key", 1, "mqqt is not an option. Did you mean mqtt?"),
        ("port: 1\n", "config_unknown_key", 1, "port is not an option. Did you mean mqtt.port?"),
        ("audio:\n  max_chars: 1\n", "config_unknown_key", 2, "Did you mean limits.max_chars?"),
        ("mqtt:\n  xyzzy: 1\n", "config_unknown_key", 2, "mqtt.xyzzy is not an option. Correct"),
        ("mqtt:\n  host: a\n  host: b\n", "config_duplicate_key", 3, "host stands in line 2 already"),
        ("mqtt:\n  host: a\naudio:\n  rate: 8000\nmqtt:\n  port: 1\n", "config_duplicate_key", 5, "line 1"),
        ("mqtt:\n  port: many\n", "config_bad_value", 2, "mqtt.port must be a whole number from 1 to 65535"),
        ("mqtt:\n  port: 0\n", "config_bad_value", 2, "from 1 to 65535"),
        ("mqtt:\n  port: '1883'\n", "config_bad_value", 2, "a whole number"),
        ("mqtt:\n  port:\n", "config_bad_value", 2, "a whole number"),
        ("mqtt:\n  port: 18.5\n", "config_bad_value", 2, "a whole number"),
        ("mqtt:\n  tls: 1\n", "config_bad_value", 2, "true or false"),
        ("mqtt:\n  host: [a]\n", "config_bad_value", 2, "text"),
        ("mqtt:\n  groups: kitchen\n", "config_bad_value", 2, "a list"),
        ("mqtt:\n  groups: [a/b]\n", "config_bad_value", 2, "letters, digits"),
        ("mqtt:\n  node: '#'\n", "config_bad_value", 2, "letters, digits"),
        ("speech:\n  lang: de-DE\n", "config_bad_value", 2, "one of auto, zh, yue, en, ja, ko"),
        ("text:\n  default_lang: auto\n", "config_bad_value", 2, "one of zh, yue, en, ja, ko"),
        ("mqtt:\n  protocol: 4\n", "config_bad_value", 2, "one of 5, 3.1.1"),
        ("audio:\n  lead_in_s: .nan\n", "config_bad_value", 2, "from 0 to 5"),
        ("audio:\n  lead_in_s: nan\n", "config_bad_value", 2, "from 0 to 5"),
        ("memory:\n  limit_mb: 1\n", "config_bad_value", 2, "192 or more"),
        ("mqtt: 5\n", "config_bad_value", 1, "mqtt must be keys with values"),
        ("- a\n", "config_bad_value", 1, "keys with values"),
        ("mqtt.port: 1\n", "config_unknown_key", 1, "mqtt.port is written as port, indented, below mqtt:."),
        ("mqtt:\n  host: ''\n", "config_bad_value", 2, "mqtt.host must be text that is not empty"),
        ("mqtt: {host: a\n", "config_unreadable", 2, "is not YAML"),
        ("a: b\n---\nc: d\n", "config_unreadable", 2, "is not YAML"),
        ("mqtt:\n\thost: a\n", "config_unreadable", 2, "is not YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_file_line_and_key(
    file: Path, text: str, code: str, line: int, words: str
) -> None:
    file.write_text(text)
    error = failure(file)
    assert error.code == code
    assert str(error).startswith(f"{file}:{line}"), str(error)
    assert words in str(error)


def test_what_is_no_text_is_refused(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"mqtt:\n  host: \xff\n")
    assert failure(file).code == "config_unreadable"
    file.write_bytes(b"mqtt:\n  host: \x00\n")
    assert failure(file).code == "config_unreadable"
    absent = failure(tmp_path / "absent.yaml")
    assert absent.code == "config_unreadable"
    assert absent.sentence.endswith("absent.yaml can't be read: No such file or directory.")
    for brackets in ("[", "{"):
        file.write_text(brackets * 5000)
        assert failure(file).code == "config_unreadable"
        assert "nested too deeply" in failure(file).sentence
    assert failure(tmp_path).code == "config_unreadable"


def test_a_wrong_flag_is_named() -> None:
    error = failure(mqtt__port="x")
    assert error.code == "config_bad_value"
    assert str(error).startswith("--mqtt-port: mqtt.port must be a whole number")


def test_the_password_may_be_a_credential_of_systemd(tmp_path: Path) -> None:
    flags = {"mqtt.username": "a"}
    environment = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    assert load_config(None, flags, environment).mqtt.password_file is None
    (tmp_path / "mqtt-password").write_text("hunter2\n")
    config = load_config(None, flags, environment)
    assert config.mqtt.password_file == tmp_path / "mqtt-password"
    assert config.origins["mqtt.password_file"] == "credential mqtt-password"
    other = load_config(None, flags | {"mqtt.password_file": "/else"}, environment)
    assert other.mqtt.password_file == Path("/else")
    assert load_config(None, flags | {"mqtt.password": "x"}, environment).mqtt.password_file is None


@pytest.mark.parametrize(
    "flags",
    [
        {"mqtt.password": "a"},
        {"mqtt.password_file": "a"},
        {"mqtt.password": "a", "mqtt.username": "b", "mqtt.password_file": "c"},
        {"mqtt.tls": "true", "mqtt.tls_key": "a"},
        {"mqtt.tls_ca": "a"},
        {"mqtt.tls_certificate": "a"},
    ],
)
def test_options_that_make_no_sense_together_are_refused(flags: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="config_bad_value"):
        load_config(None, flags, {})


def test_secrets_are_masked() -> None:
    secrets = [row for row in OPTIONS if row.secret]
    assert [row.key for row in secrets] == ["mqtt.password"]
    assert "hunter2" not in shown(BY_KEY["mqtt.password"], "hunter2")


def test_the_node_is_named_after_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    assert node_name(load(mqtt__node="attic")) == "attic"
    for host, node in (
        ("raspberrypi", "raspberrypi"),
        ("küche.lan", "k-che"),
        ("a+b/#c", "a-b-c"),
        ("all", "node"),
        ("", "node"),
        ("x" * 70, "x" * 64),
    ):
        monkeypatch.setattr(socket, "gethostname", lambda host=host: host)
        assert node_name(Config()) == node


def test_the_example_file_is_the_table() -> None:
    example = ROOT / "config" / "cosyedge.yaml"
    assert example.read_text(encoding="utf-8") == commented_file()
    assert load(example) == Config()


def test_the_example_file_is_valid_with_every_comment_taken_off(file: Path) -> None:
    text = re.sub(r"^  #(\w+:)", r"  \1", commented_file(), flags=re.MULTILINE)
    file.write_text(text)
    config = load(file)
    assert set(config.origins) == set(BY_KEY)
    assert all(config.value(row.key) == row.default for row in OPTIONS)


def test_the_rooms_of_the_readme_are_valid(file: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rooms = re.findall(r"```yaml\n(# /etc/cosyedge/cosyedge.yaml.*?)```", readme, re.DOTALL)
    nodes = []
    for room in rooms:
        file.write_text(room)
        mqtt = load(file).mqtt
        nodes.append((mqtt.node, mqtt.groups))
    assert nodes == [("attic", ("upstairs",)), ("study", ("upstairs", "work"))]


def test_the_readme_has_the_table() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    between = re.search(r"<!-- options:begin -->\n(.*?)<!-- options:end -->", readme, re.DOTALL)
    assert between is not None, "README.md lacks the markers options:begin and options:end"
    assert between[1].strip() == markdown_table().strip()


@pytest.mark.parametrize("topic", ["ha", "house/ha", "Haus Ä/状态"])
def test_a_topic_may_have_levels(topic: str) -> None:
    assert load(homeassistant__prefix=topic).homeassistant.prefix == topic


@pytest.mark.parametrize("topic", ["", "a/#", "+", "$SYS", "a\0b", "x" * 129])
def test_a_topic_has_no_wildcards(topic: str) -> None:
    error = failure(homeassistant__status_topic=topic)
    assert error.code == "config_bad_value"
    assert "a topic without + and #" in error.sentence


def test_a_site_is_one_level_of_a_topic() -> None:
    assert load(hermes__site="living room").hermes.site == "living room"
    for site in ("", "a/b", "+"):
        assert "at most 64 characters" in failure(hermes__site=site).sentence
