"""What each subcommand of `cosyedge` does, and how it shows what came of that.

Each takes its arguments and the configuration, and gives the exit code. What is heavy is imported by those
that need it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from cosyedge.config import commented_file, load_config, markdown_table, shown
from cosyedge.errors import AnnouncementError, ConfigError, TextError
from cosyedge.exit_codes import EXIT_CODES, WORSE, exit_code
from cosyedge.host.limits import service_memory_mb
from cosyedge.options import OPTIONS, Config

# Longer than any character is in UTF-8.
_BYTES_PER_CHARACTER: Final = 4


def read_config(asked: argparse.Namespace) -> Config:
    """The configuration with the flags that were given.

    Raises:
        ConfigError: as :func:`cosyedge.config.load_config`.
    """
    flags = {row.key: text for row in OPTIONS if (text := getattr(asked, row.key)) is not None}
    return load_config(asked.config, flags)


def print_json(value: Any) -> None:
    """One object on one line."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def _run(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.process import run

    return run(config, read_again=lambda: read_config(asked))


def _say(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.say import say

    result = say(
        config,
        _text(" ".join(asked.text), config),
        voice=asked.voice,
        lang=asked.lang,
        speed=asked.speed,
        out=asked.out,
    )
    if asked.json and asked.out != "-":
        print(result.to_json(), flush=True)
    elif result.skipped is not None:
        print(f"not said: {result.skipped}", file=sys.stderr)
    return 0


def _phonemes(asked: argparse.Namespace, config: Config) -> int:
    from cosyedge.say import read_phonemes

    text = " ".join(asked.text)
    lines = _stdin() if text == "-" else [text.encode("utf-8", "surrogateescape")]
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
        if not devices:
            print("no sound card can play here: `aplay -l` says what the system sees", file=sys.stderr)
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
        return (
            _utf8(_stdin().read(), "Standard input") if file == "-" else _utf8(Path(file).read_bytes(), file)
        )
    except OSError as error:
        raise ConfigError("file_unreadable", f"{file} can't be read: {error.strerror}.") from error


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
    return WORSE if worse else 0


def _text(argument: str, config: Config) -> str:
    """The text itself, or standard input where it is ``-``: no more of it than is ever said."""
    if argument != "-":
        return argument
    most = config.limits.max_chars
    data = _stdin().read(_BYTES_PER_CHARACTER * most + 1)
    if len(data) > _BYTES_PER_CHARACTER * most:
        raise AnnouncementError("text_too_long", f"text too long > {most} chars")
    return _utf8(data, "Standard input")


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        raise ConfigError("file_unreadable", "Standard input is closed.")
    return sys.stdin.buffer


def _utf8(data: bytes, source: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise AnnouncementError("not_utf8", f"{source} is not UTF-8: {error}.") from error


#: name → what it does.
SUBCOMMANDS: Final[Mapping[str, Callable[[argparse.Namespace, Config], int]]] = {
    "run": _run,
    "say": _say,
    "phonemes": _phonemes,
    "voices": _voices,
    "devices": _devices,
    "check": _check,
    "config": _config,
    "status": _status,
    "discovery": _discovery,
    "forget": _forget,
    "cache": _cache,
    "bench": _bench,
}
