"""The command `cosyedge`: its arguments, its exit codes, and the commands that are short.

Every command takes the options of the configuration as flags, so that any value can be tried without
touching a file. With ``--json`` the last line of standard output is one JSON object.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from cosyedge import __version__
from cosyedge.config import DEFAULT_FILE, commented_file, load_config, markdown_table, shown
from cosyedge.errors import (
    AnnouncementError,
    ConfigError,
    CosyError,
    HostError,
    MqttError,
    PlaybackError,
    SpeechError,
    TextError,
)
from cosyedge.host.limits import prepare_environment, service_memory_mb
from cosyedge.host.processor import check_processor
from cosyedge.options import OPTIONS, Config

#: What a failure of each stage exits with: sysexits(3), whose names systemd shows. argparse exits with 2.
EXIT_CODES: Final[dict[type[CosyError], int]] = {
    ConfigError: 78,
    AnnouncementError: 65,
    TextError: 66,
    SpeechError: 70,
    PlaybackError: 74,
    MqttError: 69,
    HostError: 71,
}
_INTERRUPTED: Final = 130
_STANDARD_ERROR: Final = 2
#: What `bench --check` exits with.
_WORSE: Final = 3
_EPILOG: Final = """\
exit codes:
  0    done
  1    a defect of cosyedge; the log has the details
  2    wrong arguments
  3    `bench --check`: a count or a ratio is worse than the baseline's
  65   the text can't be taken: too long, not UTF-8, an unknown voice or language
  66   the text can't be read: no voice speaks its language, or a lexicon is broken
  69   the broker can't be used, or knows no such node
  70   the bundle or a model is broken, or synthesis failed
  71   the machine lacks memory or a feature
  74   the sound card or the WAV file can't be used
  78   the configuration is wrong
  130  interrupted

Every failure has a code, a sentence and a cure; with --json they are the last line of standard output."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is returned."""
    prepare_environment()  # before anything heavy is imported, which only the commands do
    asked = _parser().parse_args(arguments)
    try:
        check_processor()  # a library that can't run here would only die of a signal
        config = _read_config(asked)
        _log_to_stderr(config.log.level)
        code: int = asked.command(asked, config)
    except CosyError as error:
        print(f"cosyedge: {error}", file=sys.stderr)
        if asked.json:
            print_json({"error": error.code, "message": error.sentence, "cure": error.cure})
        return exit_code(error)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # who reads us has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _read_config(asked: argparse.Namespace) -> Config:
    flags = {row.key: text for row in OPTIONS if (text := getattr(asked, row.key)) is not None}
    return load_config(asked.config, flags)


def exit_code(error: CosyError) -> int:
    """The exit code that stands for an error."""
    return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))


def print_json(value: Any) -> None:
    """One object on one line."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def _log_to_stderr(level: str) -> None:
    """One line a record; under systemd with the priority that its journal understands, and no time."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    if _is_journal(_STANDARD_ERROR):
        handler.setFormatter(_JournalFormatter("%(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])


def _is_journal(descriptor: int) -> bool:
    """Whether systemd's journal reads it: systemd.exec(5), JOURNAL_STREAM. The variable alone is no proof,
    a shell of a service inherits it."""
    status = os.fstat(descriptor)
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


class _JournalFormatter(logging.Formatter):
    """Puts the priority before each line, as sd-daemon(3) wants it."""

    def format(self, record: logging.LogRecord) -> str:
        priority = 3 if record.levelno >= logging.ERROR else {30: 4, 20: 6}.get(record.levelno, 7)
        return "\n".join(f"<{priority}>{line}" for line in super().format(record).splitlines())


# --- commands


def _run(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.process import run

    return run(config, read_again=lambda: _read_config(asked))


def _say(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.say import say

    result = say(
        config, _text(asked.text), voice=asked.voice, lang=asked.lang, speed=asked.speed, out=asked.out
    )
    if asked.json and asked.out != "-":
        print(result.to_json(), flush=True)
    return 0


def _phonemes(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.say import read_phonemes

    lines = sys.stdin.buffer if asked.text == "-" else [asked.text.encode("utf-8", "surrogateescape")]
    failed = False
    for read in read_phonemes(config, (line.rstrip(b"\r\n") for line in lines), asked.lang):
        failed = failed or "error" in read
        if asked.json:
            print_json(read)
            continue
        for span in read["spans"]:
            print(f"{span['lang']:4} {span['text']}\n     {span['spoken']}\n     {span['phonemes']}")
            if "reading" in span:
                print(f"     {span['reading']}")
        if "error" in read:
            print(f"{read['message']} [{read['error']}]", file=sys.stderr)
    return EXIT_CODES[TextError] if failed else 0


def _voices(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.stages import open_bundle

    bundle = open_bundle(config)
    if asked.json:
        voices = [
            {"id": v.id, "languages": list(v.languages), "native": v.native, "description": v.description}
            for v in bundle.voices
        ]
        print_json({"bundle": bundle.name, "version": bundle.version, "voices": voices})
        return 0
    print(f"{bundle.name} {bundle.version}, {bundle.licence}")
    for voice in bundle.voices:
        print(f"  {voice.id:10} {' '.join(voice.languages):12} {voice.description}")
    return 0


def _devices(asked: argparse.Namespace, config: Config) -> int:
    if asked.test:
        return _test_device(asked, config)
    from cosyedge.playback.devices import list_devices

    devices = list_devices()
    if asked.json:
        print_json({"devices": [dataclasses.asdict(device) for device in devices]})
    else:
        for device in devices:
            print(f"{device.name:32} {device.description}{', the default' if device.default else ''}")
    return 0


def _test_device(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.playback.trial import try_device
    from cosyedge.progress import Progress
    from cosyedge.stages import make_card, make_chimes

    chime, card = make_chimes(config)(True), make_card(config)
    card.set_volume(config.audio.volume / 100)
    with Progress(f"playing a chime on {config.audio.device}"):
        trial = try_device(card, chime)
    if asked.json:
        print_json(dataclasses.asdict(trial))
    else:
        print(trial.in_words())
    return 0


def _check(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.check import check

    findings = check(config)
    failed = [finding.error for finding in findings if finding.error is not None]
    if asked.json:
        print_json({"ok": not failed, "checks": [finding.as_dict() for finding in findings]})
    else:
        for finding in findings:
            verdict = "ok    " if finding.error is None else "FAILED"
            print(f"{verdict} {finding.what}: {finding.error or finding.said}")
    return exit_code(failed[0]) if failed else 0


def _config(asked: argparse.Namespace, config: Config) -> int:
    if asked.systemd:
        print(f"# From memory.limit_mb: {config.memory.limit_mb}.\n[Service]")
        print(f"MemoryMax={service_memory_mb(config.memory.limit_mb)}M")
        return 0
    if asked.yaml or asked.markdown:
        print(commented_file() if asked.yaml else markdown_table(), end="")
        return 0
    values = [
        (row.key, shown(row, config.value(row.key)), config.origins.get(row.key, "default"))
        for row in OPTIONS
    ]
    if asked.json:
        print_json({key: {"value": value, "origin": origin} for key, value, origin in values})
    else:
        for key, value, origin in values:
            print(f"{key:26} {value:20} {origin}")
    return 0


def _status(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.broker import ask

    told = ask(config, asked.timeout)
    if asked.json:
        print_json(told)
    else:
        from cosyedge.status import show

        show(told)
    return 0


def _discovery(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.broker import forget_discovery

    removed = forget_discovery(config, asked.timeout)
    if asked.json:
        print_json({"removed": removed})
    else:
        print("\n".join(f"removed {topic}" for topic in removed) or "there was nothing to remove")
    return 0


def _forget(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.broker import forget

    topics = forget(config, asked.timeout)
    if asked.json:
        print_json({"forgotten": list(topics)})
    else:
        print("\n".join(f"forgotten: {topic}" for topic in topics) or "the broker knew nothing of this node")
    return 0


def _cache(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.cache import warm

    if asked.action == "clear":
        from cosyedge.broker import clear_cache

        clear_cache(config, asked.timeout)
        if asked.json:
            print_json({"cleared": True})
        return 0
    if asked.file is None:
        raise ConfigError("config_bad_value", "cache warm needs a file with one phrase a line, or - .")
    warmed = warm(config, _text_of(asked.file), asked.timeout)
    if asked.json:
        print_json(dataclasses.asdict(warmed))
    else:
        print(f"{warmed.made} made and kept, {warmed.kept} kept already, {len(warmed.failed)} failed")
    for failure in warmed.failed:
        print(failure, file=sys.stderr)
    return EXIT_CODES[AnnouncementError] if warmed.failed else 0


def _text_of(file: str) -> str:
    """What a file holds, or standard input where it is ``-``."""
    try:
        return _utf8(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())
    except OSError as error:
        raise ConfigError("config_bad_value", f"{file} can't be read: {error.strerror}.") from error


def _bench(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.bench.baseline import read_baseline, regressions
    from cosyedge.bench.measure import bench
    from cosyedge.bench.peers import measure_peers, peers_folder
    from cosyedge.bench.plot import check_plot, plot
    from cosyedge.bench.table import PUBLISHED, in_words

    baseline = None if asked.check is None else read_baseline(asked.check)
    if asked.plot is not None:
        check_plot()
    figures = bench(config, asked.runs, memory=asked.memory) | {"published": PUBLISHED}
    if asked.peers:
        figures["peers"] = measure_peers(peers_folder(), figures["texts"]["en"]["rtf_p50_cpu"])
        figures["ratios"] |= {f"to_{name}": peer["ours_to_it"] for name, peer in figures["peers"].items()}
    if asked.plot is not None:
        plot(figures, asked.plot)
    worse = [] if baseline is None else regressions(figures, baseline)
    print(in_words(figures), file=sys.stderr if asked.json else sys.stdout)
    for sentence in worse:
        print(f"worse than {asked.check}: {sentence}", file=sys.stderr)
    if asked.json:
        print_json(figures | ({} if baseline is None else {"worse": worse}))
    return _WORSE if worse else 0


def _text(argument: str) -> str:
    """The text itself, or standard input where it is ``-``."""
    return _utf8(sys.stdin.buffer.read()) if argument == "-" else argument


def _utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise AnnouncementError("not_utf8", f"Standard input is not UTF-8: {error}.") from error


def _count(text: str) -> int:
    """A whole number above 0; ValueError otherwise."""
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


# --- arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cosyedge",
        description="Speaks what arrives by MQTT, with a voice of its own, on one thread.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cosyedge {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(
        name: str, run: Callable[[argparse.Namespace, Config], int], doc: str
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name,
            help=doc,
            description=doc,
            epilog=_EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        sub.set_defaults(command=run)
        sub.add_argument("--json", action="store_true", help="one JSON object on the last line")
        _add_options(sub)
        return sub

    command("run", _run, "Run the daemon.")
    say = command("say", _say, "Speak a text: to the sound card, to a file, or to standard output.")
    say.add_argument("text", metavar="TEXT", help="what to say; - reads standard input")
    say.add_argument("--voice", help="a voice that `cosyedge voices` lists, or auto")
    say.add_argument("--lang", help="base language: auto, zh, yue, en, ja, ko")
    say.add_argument("--speed", type=float, help="0.5 to 2.0")
    say.add_argument("--out", metavar="FILE", help="FILE.wav, FILE.mp3, or - for WAV on standard output")
    phonemes = command("phonemes", _phonemes, "Show how a text is read.")
    phonemes.add_argument(
        "text", metavar="TEXT", help="what to read; - reads standard input, one text a line"
    )
    phonemes.add_argument("--lang", help="base language: auto, zh, yue, en, ja, ko")
    command("voices", _voices, "List the voices of the bundle.")
    devices = command("devices", _devices, "List the sound cards that can play, or play on one.")
    devices.add_argument(
        "--test", action="store_true", help="play a chime on audio.device, and say how it went"
    )
    command("check", _check, "Try bundle, voice, sound card and broker, and say what is wrong.")
    config = command("config", _config, "Show each option, its value, and where the value came from.")
    config.add_argument("--yaml", action="store_true", help="print a configuration file with every default")
    config.add_argument("--markdown", action="store_true", help="print the table of the options")
    config.add_argument(
        "--systemd", action="store_true", help="print a drop-in that lets MemoryMax follow memory.limit_mb"
    )
    status = command(
        "status", _status, "Ask a node how it is, and show it; of one that is away, its last word."
    )
    status.add_argument("--timeout", type=float, default=5.0, metavar="S", help="seconds to wait (5)")
    discovery = command(
        "discovery",
        _discovery,
        "Take a node out of Home Assistant; switch homeassistant.discovery off first.",
    )
    discovery.add_argument("action", choices=["remove"], help="what to do")
    discovery.add_argument("--timeout", type=float, default=5.0, metavar="S", help="seconds to wait (5)")
    forget = command(
        "forget", _forget, "Remove what a node that has gone for good left at the broker; stop it first."
    )
    forget.add_argument("--timeout", type=float, default=5.0, metavar="S", help="seconds to wait (5)")
    cache = command(
        "cache", _cache, "Have a running node keep phrases that it will say, or drop those that it keeps."
    )
    cache.add_argument("action", choices=["warm", "clear"], help="what to do")
    cache.add_argument(
        "file", metavar="FILE", nargs="?", help="for warm: one phrase a line; - reads standard input"
    )
    cache.add_argument("--timeout", type=float, default=30.0, metavar="S", help="seconds without news (30)")
    bench = command("bench", _bench, "Measure speed and memory on this machine.")
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
        # argparse takes % for a format of its own
        group.add_argument(row.flag, dest=row.key, metavar=row.name.upper(), help=row.doc.replace("%", "%%"))
