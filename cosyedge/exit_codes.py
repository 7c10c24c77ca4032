"""What the command `cosyedge` exits with, and how that is told."""

from __future__ import annotations

from typing import Final

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
INTERRUPTED: Final = 130
#: `bench --check`: a figure is worse than the baseline's.
WORSE: Final = 3
#: All of them, for the end of each --help.
DOCUMENTED: Final = """\
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
  74   the sound card, the WAV file or standard output can't be used
  78   the configuration or an option is wrong
  130  interrupted

Every failure has a code, a sentence and a cure; with --json they are the last line of standard output."""


def exit_code(error: CosyError) -> int:
    """The exit code that stands for an error."""
    return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))
