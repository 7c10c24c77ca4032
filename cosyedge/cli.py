"""The command `cosyedge`: its arguments, and what becomes of an error.

Every subcommand takes the options of the configuration as flags, so that any value can be tried without
touching a file. With ``--json`` the last line of standard output is one JSON object.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cosyedge import __version__
from cosyedge.config import DEFAULT_FILE, documentation
from cosyedge.errors import CosyError, PlaybackError
from cosyedge.exit_codes import DOCUMENTED, INTERRUPTED, exit_code
from cosyedge.host.limits import prepare_environment
from cosyedge.host.processor import check_processor
from cosyedge.log_lines import log_to_stderr
from cosyedge.options import OPTIONS
from cosyedge.subcommands import SUBCOMMANDS, print_json, read_config

#: Of a write to standard output: everything else of a command has an error of its own.
_STREAM_ERRORS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is returned."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # any text can be shown, whatever the locale
            stream.reconfigure(errors="backslashreplace")
    prepare_environment()  # before anything heavy is imported, which only the commands do
    asked = _parser().parse_args(arguments)
    try:
        return _carried_out(asked)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # who reads us has seen enough, as `head` does
        _write_no_more()
        return 0
    except OSError as error:
        if error.errno not in _STREAM_ERRORS:
            raise
        _write_no_more()
        lost = PlaybackError("output_unwritable", f"Standard output can't be written: {error.strerror}.")
        print(f"cosyedge: {lost}", file=sys.stderr)
        return exit_code(lost)


def _carried_out(asked: argparse.Namespace) -> int:
    try:
        check_processor()  # a library that can't run here would only die of a signal
        config = read_config(asked)
        log_to_stderr(config.log.level)
        code: int = asked.command(asked, config)
        if sys.stdout is not None:
            sys.stdout.flush()
    except CosyError as error:
        print(f"cosyedge: {error}", file=sys.stderr)
        if asked.json:
            print_json({"error": error.code, "message": error.sentence, "cure": error.cure})
        return exit_code(error)
    return code


def _write_no_more() -> None:
    """What standard output still holds goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _count(text: str) -> int:
    """A whole number above 0; ValueError otherwise."""
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cosyedge",
        description="Speaks what arrives by MQTT, with a voice of its own, on one thread.",
        epilog=DOCUMENTED,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cosyedge {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, doc: str, takes: str = "") -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name,
            usage=f"cosyedge {name} [options]{takes}",  # every flag would fill the screen at each error
            help=doc,
            description=doc,
            epilog=DOCUMENTED,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        sub.set_defaults(command=SUBCOMMANDS[name])
        sub.add_argument("--json", action="store_true", help="one JSON object on the last line")
        _add_options(sub)
        return sub

    command("run", "Run the daemon.")
    say = command("say", "Speak a text: to the sound card, to a file, or to standard output.", " TEXT")
    say.add_argument(
        "text", metavar="TEXT", nargs="+", help="what to say, in quotes or not; - reads standard input"
    )
    say.add_argument("--voice", help="a voice that `cosyedge voices` lists, or auto")
    say.add_argument("--lang", help="base language: auto, zh, yue, en, ja, ko")
    say.add_argument("--speed", type=float, help="0.5 to 2.0")
    say.add_argument("--out", metavar="FILE", help="FILE.wav, FILE.mp3, or - for WAV on standard output")
    phonemes = command("phonemes", "Show how a text is read.", " TEXT")
    phonemes.add_argument(
        "text",
        metavar="TEXT",
        nargs="+",
        help="what to read, in quotes or not; - reads standard input, a text a line",
    )
    phonemes.add_argument("--lang", help="base language: auto, zh, yue, en, ja, ko")
    command("voices", "List the voices of the bundle.")
    devices = command("devices", "List the sound cards that can play, or play on one.")
    devices.add_argument(
        "--test", action="store_true", help="play a chime on audio.device, and say how it went"
    )
    command("check", "Try bundle, voice, sound card and broker, and say what is wrong.")
    config = command("config", "Show each option, its value, and where the value came from.")
    config.add_argument("--yaml", action="store_true", help="print a configuration file with every default")
    config.add_argument("--markdown", action="store_true", help="print the table of the options")
    config.add_argument(
        "--systemd", action="store_true", help="print a drop-in that lets MemoryMax follow memory.limit_mb"
    )
    status = command("status", "Ask a node how it is, and show it; of one that is away, its last word.")
    status.add_argument("--timeout", type=float, default=5.0, metavar="S", help="seconds to wait (5)")
    discovery = command(
        "discovery",
        "Take a node out of Home Assistant; switch homeassistant.discovery off first.",
        " remove",
    )
    discovery.add_argument("action", choices=["remove"], help="what to do")
    discovery.add_argument("--timeout", type=float, default=5.0, metavar="S", help="seconds to wait (5)")
    forget = command(
        "forget",
        "Remove what a node that has gone for good left at the broker; stop it first.",
    )
    forget.add_argument("--timeout", type=float, default=5.0, metavar="S", help="seconds to wait (5)")
    cache = command(
        "cache",
        "Have a running node keep phrases that it will say, or drop those that it keeps.",
        " warm FILE | clear",
    )
    cache.add_argument("action", choices=["warm", "clear"], help="what to do")
    cache.add_argument(
        "file", metavar="FILE", nargs="?", help="for warm: one phrase a line; - reads standard input"
    )
    cache.add_argument("--timeout", type=float, default=30.0, metavar="S", help="seconds without news (30)")
    bench = command("bench", "Measure speed and memory on this machine.")
    bench.add_argument("--runs", type=_count, default=10, help="measured runs of each text (10)")
    bench.add_argument("--memory", action="store_true", help="tell the memory by part, too")
    bench.add_argument(
        "--check",
        type=Path,
        metavar="FILE",
        help="compare with what bench --json wrote; exit with 3 where a count or a ratio is worse",
    )
    bench.add_argument(
        "--peers", action="store_true", help="measure Piper and hibari, from their own environment, as well"
    )
    bench.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the figures; needs matplotlib")
    return parser


def _add_options(parser: argparse.ArgumentParser) -> None:
    """A flag for each option of the configuration."""
    group = parser.add_argument_group("configuration")
    group.add_argument(
        "-c",
        "--config",
        type=Path,
        metavar="FILE",
        help=f"configuration file ({DEFAULT_FILE} if there is one)",
    )
    for row in OPTIONS:
        words = documentation(row).replace("%", "%%")  # argparse takes % for a format of its own
        group.add_argument(row.flag, dest=row.key, metavar=row.name.upper(), help=words)
