"""What a bundle has to be before the daemon says that it is ready, and which of its files is to blame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cosyedge.errors import SpeechError
from cosyedge.speech.mel import MEL
from cosyedge.speech.voice import Bundle, load_bundle
from cosyedge.text.spans import Lang
from tests.speech.conftest import edit_manifest, edit_model, publish

FILES = ["acoustic.int8.onnx", "vocoder.onnx", "zh.lexicon", "en.lexicon"]
MODELS = FILES[:2]


def test_a_bundle_says_what_it_is(any_bundle: Bundle) -> None:
    assert (any_bundle.sample_rate, any_bundle.hop) == (24000, 300)
    assert any_bundle.languages >= {"zh", "en"}
    assert {voice.id for voice in any_bundle.voices} >= {"zhitian", "xiaoyan", "en_us"}
    files = (any_bundle.acoustic, any_bundle.vocoder, *any_bundle.lexicons)
    assert any_bundle.size_bytes == sum(f.stat().st_size for f in (*files, any_bundle.path / "bundle.yaml"))
    assert {lexicon.name for lexicon in any_bundle.lexicons} >= {f"{lang}.lexicon" for lang in ("zh", "en")}


@pytest.mark.parametrize(
    ("voice", "lang", "chosen"),
    [
        ("auto", "zh", "zhitian"),
        ("auto", "en", "en_us"),
        ("auto", "ja", "zhitian"),
        ("xiaoyan", "en", "xiaoyan"),
        ("en_us", "zh", "en_us"),
    ],
)
def test_choose_voice(test_bundle: Bundle, voice: str, lang: Lang, chosen: str) -> None:
    assert test_bundle.choose_voice(voice, lang).id == chosen


def test_auto_takes_a_voice_that_speaks_the_language_if_it_has_no_native(folder: Path) -> None:
    def change(values: dict[str, Any]) -> None:
        values["languages"].append("ko")
        values["voices"][1]["languages"].append("ko")

    edit_manifest(folder, change)
    assert load_bundle(folder).choose_voice("auto", "ko").id == "xiaoyan"


def test_auto_takes_the_voice_in_whose_list_the_language_comes_first(folder: Path) -> None:
    def change(values: dict[str, Any]) -> None:
        values["languages"].append("ko")
        values["voices"][0]["languages"].append("ko")
        values["voices"][2]["languages"].insert(1, "ko")

    edit_manifest(folder, change)
    assert load_bundle(folder).choose_voice("auto", "ko").id == "en_us"


def test_an_unknown_voice_is_named_with_those_that_exist(test_bundle: Bundle) -> None:
    with pytest.raises(SpeechError, match="'bella' in tiny; it has zhitian, xiaoyan, en_us") as caught:
        test_bundle.choose_voice("bella", "en")
    assert caught.value.code == "unknown_voice"


def refused(folder: Path, code: str, *words: str) -> None:
    with pytest.raises(SpeechError) as caught:
        load_bundle(folder)
    assert caught.value.code == code
    for word in words:
        assert word in caught.value.sentence


def test_a_missing_folder(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere", "bundle_missing", str(tmp_path / "nowhere"))


@pytest.mark.parametrize("name", ["bundle.yaml", *FILES])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refused(folder, "bundle_missing", name)


@pytest.mark.parametrize("name", FILES)
def test_one_changed_bit_is_found_and_its_file_named(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    refused(folder, "bundle_hash_mismatch", name)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("content", [b"", b"not a model at all", None], ids=["empty", "text", "cut short"])
def test_a_file_that_is_no_model_is_named(folder: Path, name: str, content: bytes | None) -> None:
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2] if content is None else content)
    publish(folder)
    refused(folder, "bundle_invalid", name, "not an ONNX model")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("domain", "version"), [("", 99), ("org.example", 1)])
def test_an_unknown_operator_set_is_named(folder: Path, name: str, domain: str, version: int) -> None:
    def change(model: Any) -> None:
        model.opset_import[0].domain, model.opset_import[0].version = domain, version

    edit_model(folder, name, change)
    refused(folder, "bundle_invalid", name, domain or "ai.onnx", str(version))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("made_for", [MEL.text.replace("hop=300", "hop=256"), None])
def test_a_model_of_another_mel_is_named(folder: Path, name: str, made_for: str | None) -> None:
    edit_model(folder, name, lambda model: set_metadata(model, "mel", made_for))
    refused(folder, "bundle_invalid", name, "mel", made_for or "nobody")


@pytest.mark.parametrize("made_for", ["0" * 64, None])
def test_an_acoustic_model_of_another_inventory_is_named(folder: Path, made_for: str | None) -> None:
    edit_model(folder, MODELS[0], lambda model: set_metadata(model, "symbols", made_for))
    refused(folder, "bundle_invalid", MODELS[0], "symbols")


def set_metadata(model: Any, key: str, value: str | None) -> None:
    """Change an entry, or take it away."""
    for i, entry in enumerate(model.metadata_props):
        if entry.key == key:
            if value is None:
                del model.metadata_props[i]
            else:
                entry.value = value
            return
    raise AssertionError(f"no {key} in the metadata")


def put(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    """A change of one value of the manifest."""

    def change(values: Any) -> None:
        for key in path[:-1]:
            values = values[key]
        values[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("format", value=2), ["format", "2"]),
        (put("colour", value="red"), ["colour"]),
        (put("mel", "power", value=2), ["mel.power"]),
        (put("mel", "bands", value=100), ["bands=100"]),
        (put("mel", "log", value="10"), ["log=10"]),
        (put("hop", value=256), ["hop=256"]),
        (put("sample_rate", value=22050), ["sample_rate=22050"]),
        (put("symbols", "sha256", value="0" * 64), ["symbols"]),
        (put("symbols", "count", value=161), ["symbols"]),
        (put("name", value=7), ["name", "text"]),
        (put("voices", value=[]), ["voices"]),
        (put("voices", value="zhitian"), ["voices", "list"]),
        (put("voices", 1, "id", value="zhitian"), ["voices"]),
        (put("voices", 1, "id", value="auto"), ["voices[1]", "auto"]),
        (put("voices", 1, "index", value=True), ["voices[1].index"]),
        (put("voices", 1, "index", value=-1), ["voices[1]"]),
        (put("voices", 1, "native", value="ko"), ["voices[1]"]),
        (put("voices", 1, "languages", value=["zh", "fr"]), ["voices[1].languages", "'fr'"]),
        (put("voices", 1, "gain_db", value="loud"), ["voices[1].gain_db"]),
        (put("temperature", value=0.7), ["temperature"]),
        (put("files", "vocoder", "path", value="../vocoder.onnx"), ["files.vocoder.path", "../vocoder.onnx"]),
        (put("files", "vocoder", "path", value="/etc/passwd"), ["files.vocoder.path"]),
        (lambda values: values.pop("licence"), ["licence", "missing"]),
        (lambda values: values["files"].pop("acoustic"), ["files.acoustic", "missing"]),
    ],
)
def test_a_wrong_manifest_names_the_key(
    folder: Path, change: Callable[[dict[str, Any]], object], words: list[str]
) -> None:
    edit_manifest(folder, change)
    refused(folder, "bundle_invalid", "bundle.yaml", *words)


@pytest.mark.parametrize("text", ["[", "just words", "", "\x00", "a: &a [*a", "[" * 5000])
def test_a_manifest_that_is_no_mapping(folder: Path, text: str) -> None:
    (folder / "bundle.yaml").write_text(text)
    refused(folder, "bundle_invalid", "bundle.yaml")


def test_a_manifest_that_is_no_text(folder: Path) -> None:
    (folder / "bundle.yaml").write_bytes(b"\xff\xfe\xff")
    refused(folder, "bundle_invalid", "bundle.yaml")
