"""A bundle: the folder with the two models, the lexicons and ``bundle.yaml``, which says what they are.

::

    format: 1
    name: cosyedge-multi
    version: "1.0"
    licence: Apache-2.0
    provenance: how the weights were made, in a sentence or more
    sample_rate: 24000                   # Hz
    hop: 300                             # samples a frame
    mel: {n_fft: 1024, win: 1024, bands: 80, fmin: 0, fmax: 12000, log: e, floor: 1.0e-5}
    symbols: {version: 1, count: 160, sha256: ...}   # of cosyedge.text.symbols
    temperature: {unvoiced: 1.0, voiced: 0.5}        # standard deviation of the vocoder's noise
    languages: [zh, en]
    voices:
      - {id: xiaoyan, index: 0, description: ..., languages: [zh, en], native: zh, gain_db: 0.0}
    files:
      acoustic: {path: acoustic.int8.onnx, sha256: ...}
      vocoder: {path: vocoder.onnx, sha256: ...}
      lexicons: [{path: zh.lexicon, sha256: ...}, {path: en.lexicon, sha256: ...}]

Both models carry ``mel`` (:attr:`cosyedge.speech.mel.MelContract.text`) in their metadata, the acoustic
model also ``symbols`` (the hash of the inventory), the vocoder also ``context``, ``steps`` and ``block``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast, get_args

from cosyedge.errors import SpeechError
from cosyedge.speech.manifest import Section
from cosyedge.speech.mel import HOP, MEL, SAMPLE_RATE, MelContract
from cosyedge.speech.onnx_header import OnnxHeader, read_header
from cosyedge.text.spans import Lang
from cosyedge.text.symbols import INVENTORY_VERSION, SYMBOLS, inventory_hash

FORMAT: Final = 1
MANIFEST: Final = "bundle.yaml"
#: Operator sets that were tried with the oldest onnxruntime that is allowed; the empty domain is ONNX's own.
OPSETS: Final = {"": range(13, 24), "com.microsoft": range(1, 2)}

_LANGUAGES: Final = frozenset(get_args(Lang))


@dataclass(frozen=True, slots=True)
class Voice:
    """One speaker of a bundle.

    Attributes:
        id: what a say object calls it.
        index: row of the acoustic model's speaker table.
        languages: what it can speak, best first; ``native`` is the first of them.
        gain_db: makes all voices of the bundle equally loud.
    """

    id: str
    index: int
    description: str
    languages: tuple[Lang, ...]
    native: Lang
    gain_db: float


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle whose files are all there and belong together.

    Attributes:
        temperature_unvoiced, temperature_voiced: standard deviation of the vocoder's noise in hiss, in voice.
        languages: those that it can read.
        size_bytes: of all its files.
    """

    path: Path
    name: str
    version: str
    licence: str
    provenance: str
    sample_rate: int
    hop: int
    temperature_unvoiced: float
    temperature_voiced: float
    languages: frozenset[Lang]
    voices: tuple[Voice, ...]
    acoustic: Path
    vocoder: Path
    lexicons: tuple[Path, ...]
    size_bytes: int

    def choose_voice(self, voice: str, lang: Lang) -> Voice:
        """The voice of that name; for ``auto`` the one that speaks ``lang`` best, else the first.

        Raises:
            SpeechError: ``unknown_voice``.
        """
        if voice == "auto":
            speaking = [v for v in self.voices if lang in v.languages]
            return min(speaking, key=lambda v: v.languages.index(lang), default=self.voices[0])
        for known in self.voices:
            if known.id == voice:
                return known
        names = ", ".join(v.id for v in self.voices)
        raise SpeechError("unknown_voice", f"There is no voice {voice!r} in {self.name}; it has {names}.")


def load_bundle(path: Path) -> Bundle:
    """The bundle in the folder ``path``, checked: nothing of it is loaded into memory but the manifest.

    Raises:
        SpeechError: ``bundle_missing`` (the folder or one of its files), ``bundle_hash_mismatch`` (a file
            is not the one that was published) or ``bundle_invalid`` (the manifest, a model's operator set,
            another mel contract or symbol inventory). Each names the file.
    """
    if not path.is_dir():
        raise SpeechError("bundle_missing", f"There is no bundle at {path}.")
    manifest = Section.read(path / MANIFEST)
    if (number := manifest.whole("format")) != FORMAT:
        raise manifest.error(f"is {number}; this version reads {FORMAT}", "format")
    name, version = manifest.text("name"), manifest.text("version")
    licence, provenance = manifest.text("licence"), manifest.text("provenance")
    mel = _mel(manifest)
    _check_symbols(manifest.section("symbols"))
    temperature = manifest.section("temperature")
    unvoiced, voiced = temperature.number("unvoiced"), temperature.number("voiced")
    temperature.finish()
    languages = _languages(manifest)
    voices = tuple(_voice(section, languages) for section in manifest.sections("voices"))
    if not voices or len({v.id for v in voices}) < len(voices):
        raise manifest.error("are none, or two of one name", "voices")
    files = manifest.section("files")
    acoustic, vocoder = _file(path, files.section("acoustic")), _file(path, files.section("vocoder"))
    lexicons = tuple(_file(path, section) for section in files.sections("lexicons"))
    files.finish()
    manifest.finish()
    _check_model(acoustic, {"mel": mel.text, "symbols": inventory_hash()})
    _check_model(vocoder, {"mel": mel.text})
    return Bundle(
        path=path,
        name=name,
        version=version,
        licence=licence,
        provenance=provenance,
        sample_rate=SAMPLE_RATE,
        hop=HOP,
        temperature_unvoiced=unvoiced,
        temperature_voiced=voiced,
        languages=frozenset(languages),
        voices=voices,
        acoustic=acoustic,
        vocoder=vocoder,
        lexicons=lexicons,
        size_bytes=sum(file.stat().st_size for file in (path / MANIFEST, acoustic, vocoder, *lexicons)),
    )


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mel(manifest: Section) -> MelContract:
    rate, hop, section = manifest.whole("sample_rate"), manifest.whole("hop"), manifest.section("mel")
    mel = MelContract(
        sample_rate=rate,
        hop=hop,
        n_fft=section.whole("n_fft"),
        win=section.whole("win"),
        bands=section.whole("bands"),
        fmin=section.number("fmin"),
        fmax=section.number("fmax"),
        log=section.text("log"),
        floor=section.number("floor"),
    )
    section.finish()
    if mel != MEL:
        raise manifest.error(f"is {mel.text}; this version speaks {MEL.text}", "mel")
    return mel


def _check_symbols(section: Section) -> None:
    stated = section.whole("version"), section.whole("count"), section.text("sha256")
    section.finish()
    if stated != (INVENTORY_VERSION, len(SYMBOLS), inventory_hash()):
        raise section.error("are not this version's symbol inventory: the voice would say other sounds")


def _languages(section: Section) -> tuple[Lang, ...]:
    names = section.texts("languages")
    for name in names:
        if name not in _LANGUAGES:
            raise section.error(f"has the unknown language {name!r}", "languages")
    return cast(tuple[Lang, ...], names)


def _voice(section: Section, of_bundle: tuple[Lang, ...]) -> Voice:
    voice = Voice(
        id=section.text("id"),
        index=section.whole("index"),
        description=section.text("description"),
        languages=_languages(section),
        native=cast(Lang, section.text("native")),
        gain_db=section.number("gain_db"),
    )
    section.finish()
    if voice.native != voice.languages[0] or not set(voice.languages) <= set(of_bundle):
        raise section.error("speaks languages that do not fit its native one or the bundle's")
    if voice.index < 0 or voice.id == "auto":
        raise section.error("has an index below 0 or the name 'auto'")
    return voice


def _file(folder: Path, section: Section) -> Path:
    name, expected = section.text("path"), section.text("sha256")
    section.finish()
    if name != Path(name).name:
        raise section.error(f"leaves the bundle: {name!r}", "path")
    path = folder / name
    try:
        found = sha256_of(path)
    except OSError as error:
        raise SpeechError(
            "bundle_missing", f"The bundle's file {path} can't be read: {error.strerror}."
        ) from error
    if found != expected:
        raise SpeechError(
            "bundle_hash_mismatch", f"{path} has the hash {found}, not {expected} as published."
        )
    return path


def _check_model(path: Path, expected: dict[str, str]) -> None:
    try:
        header: OnnxHeader = read_header(path)
    except ValueError as error:
        raise SpeechError("bundle_invalid", f"{path} is not an ONNX model.") from error
    for domain, version in header.opsets.items():
        if version not in OPSETS.get(domain, ()):
            which = f"version {version} of the operator set {domain or 'ai.onnx'!r}"
            raise SpeechError("bundle_invalid", f"{path} needs {which}, which this version does not know.")
    for key, value in expected.items():
        if (found := header.metadata.get(key)) != value:
            raise SpeechError(
                "bundle_invalid",
                f"{path} was made for the {key} {found or 'of nobody'}; the bundle's is {value}.",
            )
