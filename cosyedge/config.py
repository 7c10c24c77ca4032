"""Where the values of the options come from, and how they are shown.

In this order: a flag, the configuration file, a systemd credential (the broker's password), the default.
The file is YAML, read strictly: what is not an option, stands twice or is of the wrong kind stops the
start with file, line and key, because a typo that passes is found at the worst time.
"""

from __future__ import annotations

import difflib
import os
import re
import socket
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import yaml

from cosyedge.errors import ConfigError
from cosyedge.option_row import Option, plain_number
from cosyedge.options import OPTIONS, Config

#: Read when no ``--config`` is given, if it exists.
DEFAULT_FILE: Final = Path("/etc/cosyedge/cosyedge.yaml")
#: Name of the systemd credential with the broker's password.
PASSWORD_CREDENTIAL: Final = "mqtt-password"
_MASK: Final = "********"
_BY_KEY: Final = {row.key: row for row in OPTIONS}


def load_config(
    file: Path | None, flags: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> Config:
    """All options, each from the first place that gives it.

    Args:
        file: the configuration file; None takes :data:`DEFAULT_FILE` if that exists.
        flags: key (not flag) → text, for the flags that were given.
        environment: where systemd's CREDENTIALS_DIRECTORY is looked up.

    Raises:
        ConfigError: naming the file and line, or the flag, the key, and what was expected.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    if file is None and DEFAULT_FILE.exists():
        file = DEFAULT_FILE
    if file is not None:
        for key, value, line in _read_file(file):
            values[key], origins[key] = value, f"{file}:{line}"
    for key, text in flags.items():
        row = _BY_KEY[key]
        values[key], origins[key] = _parse_flag(row, text), row.flag
    _find_credential(values, origins, environment.get("CREDENTIALS_DIRECTORY"))
    config = Config(origins=origins)
    for row in OPTIONS:
        if row.key in values:
            section, name = row.key.split(".")
            changed: Any = replace(getattr(config, section), **{name: values[row.key]})
            config = replace(config, **{section: changed})
    _check_together(config)
    return config


def node_name(config: Config) -> str:
    """The node's name in its topics: as configured, else the host name with what a topic may hold."""
    if config.mqtt.node is not None:
        return config.mqtt.node
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", socket.gethostname().partition(".")[0]).strip("-")[:64]
    return name if name not in ("", "all", "group") else "node"


# --- reading


def _read_file(file: Path) -> Iterator[tuple[str, Any, int]]:
    """Key, value and line of every option that the file sets."""
    try:
        root = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise _unreadable(file, f"can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _unreadable(file, f"is not UTF-8: {error}") from error
    except RecursionError as error:
        raise _unreadable(file, "is nested too deeply") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{file}:{mark.line + 1}" if mark is not None else str(file)
        problem = getattr(error, "problem", None) or "it holds what no text file does"
        raise ConfigError("config_unreadable", f"{where} is not YAML: {problem}.") from error
    if root is None:
        return
    sections = {row.section: row.section for row in OPTIONS}
    for section, first_line, node in _entries(root, file, 1, "the file"):
        if section in _BY_KEY:  # as it is named in words, and in another order than YAML's
            key = _BY_KEY[section]
            words = f"{section} is written as {key.name}, indented, below {key.section}:."
            raise ConfigError("config_unknown_key", f"{file}:{first_line}: {words}")
        if section not in sections:
            raise _unknown(f"{file}:{first_line}", section, section, sections)
        if _is_null(node):
            continue  # a section whose options are all commented out
        names = {row.name: row.key for row in OPTIONS if row.section == section}
        for name, line, value in _entries(node, file, first_line, section):
            if name not in names:
                raise _unknown(f"{file}:{line}", f"{section}.{name}", name, names)
            yield names[name], _parse_node(_BY_KEY[names[name]], value, f"{file}:{line}"), line


def _unreadable(file: Path, why: str) -> ConfigError:
    return ConfigError("config_unreadable", f"The configuration {file} {why}.")


def _entries(node: yaml.Node, file: Path, line: int, what: str) -> Iterator[tuple[str, int, yaml.Node]]:
    """Key, its line and its value, for each pair of a mapping; no key twice."""
    if not isinstance(node, yaml.MappingNode):
        raise _bad_value(f"{file}:{line}", what, "keys with values")
    seen: dict[str, int] = {}
    for key_node, value in node.value:
        line = key_node.start_mark.line + 1
        key = str(key_node.value)
        if key in seen:
            raise ConfigError(
                "config_duplicate_key", f"{file}:{line}: {key} stands in line {seen[key]} already."
            )
        seen[key] = line
        yield key, line, value


def _parse_node(row: Option, node: yaml.Node, where: str) -> Any:
    if row.nullable and _is_null(node):
        return None
    try:
        if row.many:
            if not isinstance(node, yaml.SequenceNode):
                raise ValueError
            return tuple(row.parse(_text(element, row)) for element in node.value)
        return row.parse(_text(node, row))
    except ValueError:
        raise _bad_value(where, row.key, row.expected) from None


def _text(node: yaml.Node, row: Option) -> str:
    """A scalar as it is written: the option's own type says what it means, not YAML's guess (for which
    ``off`` is a truth value and ``5`` no text)."""
    if not isinstance(node, yaml.ScalarNode) or _is_null(node):
        raise ValueError
    if node.style in ("'", '"') and row.kind in (int, float, bool):
        raise ValueError
    return str(node.value)


def _is_null(node: yaml.Node) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")


def _parse_flag(row: Option, text: str) -> Any:
    if row.nullable and text == "null":
        return None
    try:
        if row.many:
            return tuple(row.parse(part.strip()) for part in text.split(",")) if text else ()
        return row.parse(text)
    except ValueError:
        raise _bad_value(row.flag, row.key, row.expected) from None


def _find_credential(values: dict[str, Any], origins: dict[str, str], folder: str | None) -> None:
    """The broker's password as systemd passes it, unless the file or a flag gives one."""
    if not folder or values.get("mqtt.password") or values.get("mqtt.password_file"):
        return
    file = Path(folder) / PASSWORD_CREDENTIAL
    if file.exists():
        values["mqtt.password_file"] = file
        origins["mqtt.password_file"] = f"credential {PASSWORD_CREDENTIAL}"


def _check_together(config: Config) -> None:
    mqtt = config.mqtt
    if mqtt.tls_key is not None and mqtt.tls_certificate is None:
        raise _bad_value(config.origins["mqtt.tls_key"], "mqtt.tls_key", "given with mqtt.tls_certificate")
    if not mqtt.tls:
        for key in ("mqtt.tls_ca", "mqtt.tls_certificate"):
            if config.value(key) is not None:
                raise _bad_value(config.origins[key], key, "given with mqtt.tls: true")
    if mqtt.password is not None and mqtt.password_file is not None:
        raise _bad_value(
            config.origins["mqtt.password"], "mqtt.password", "left out beside mqtt.password_file"
        )
    for key in ("mqtt.password", "mqtt.password_file"):
        if config.value(key) is not None and mqtt.username is None:
            raise _bad_value(config.origins[key], key, "given with mqtt.username")


def _unknown(where: str, key: str, name: str, known: Mapping[str, str]) -> ConfigError:
    """``known``: what could stand here, as it is written → its full key."""
    elsewhere = {row.name: row.key for row in OPTIONS}
    hint = ""
    for candidates in (known, elsewhere):
        if close := difflib.get_close_matches(name, candidates, n=1):
            hint = f" Did you mean {candidates[close[0]]}?"
            break
    return ConfigError("config_unknown_key", f"{where}: {key} is not an option.{hint}")


def _bad_value(where: str, key: str, expected: str) -> ConfigError:
    return ConfigError("config_bad_value", f"{where}: {key} must be {expected}.")


# --- showing


def shown(row: Option, value: Any) -> str:
    """A value as it stands in the file; secrets are masked."""
    if value is None:
        return "null"
    if row.secret:
        return _MASK
    if row.many:
        return "[" + ", ".join(value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return plain_number(value) if isinstance(value, float) else str(value)


def commented_file() -> str:
    """config/cosyedge.yaml: every option with its default, all commented out."""
    lines = [
        "# cosyedge: every option with its default. Take the # off a line to change it; a key that is",
        "# not known stops the start. `cosyedge config` shows each value and where it came from.",
    ]
    section = None
    for row in OPTIONS:
        if row.section != section:
            section = row.section
            lines += ["", f"{section}:"]
        lines += textwrap.wrap(documentation(row), 100, initial_indent="  # ", subsequent_indent="  # ")
        lines.append(f"  #{row.name}: {shown(row, row.default)}")
    return "\n".join(lines) + "\n"


def markdown_table() -> str:
    """The table of the README."""
    head = ["| key | default | what |", "|---|---|---|"]
    rows = [f"| `{row.key}` | `{shown(row, row.default)}` | {documentation(row)} |" for row in OPTIONS]
    return "\n".join(head + rows) + "\n"


def documentation(row: Option) -> str:
    """What the option is, and what it may be where its default doesn't show that."""
    plain = row.kind in (str, Path) and not row.choices and row.pattern is None
    return row.doc if plain else f"{row.doc} ({row.expected[0].upper()}{row.expected[1:]}.)"
