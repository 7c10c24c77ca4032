"""That the options of the configuration reach what they are for."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cosyedge.config import load_config
from cosyedge.options import Config
from cosyedge.playback.alsa import AlsaSink
from cosyedge.playback.sink_kind import LEAD_IN_S
from cosyedge.speech.voice import Bundle
from cosyedge.stages import ahead_s, cache_folder, make_cache, make_reader, make_sink


def configured(**flags: object) -> Config:
    return load_config(None, {key.replace("__", "."): str(value) for key, value in flags.items()}, {})


def alsa(**flags: object) -> AlsaSink:
    sink = make_sink(configured(**flags))
    assert isinstance(sink, AlsaSink)
    return sink


def test_the_lead_ins_are_those_of_the_kinds_and_each_is_an_option() -> None:
    assert alsa()._lead_in_s is None
    assert alsa()._lead_ins == LEAD_IN_S
    for kind in LEAD_IN_S:
        sink = alsa(**{f"audio__lead_in_{kind}_s": 3.5})
        assert sink._lead_ins == {**LEAD_IN_S, kind: 3.5}
    assert alsa(audio__lead_in_s=0.4)._lead_in_s == 0.4


def test_a_card_that_is_kept_alive_is_not_closed() -> None:
    assert not alsa().keep_alive
    assert alsa(audio__idle_close_s=7)._card._idle_close_s == 7
    kept = alsa(audio__keep_alive="true")
    assert kept.keep_alive
    assert kept._card._idle_close_s == math.inf


def test_the_pause_between_sentences_is_an_option(test_bundle: Bundle) -> None:
    text = "好。你好！\n\n晚饭好了。[1 s]"
    for seconds in (0.25, 0.7):
        config = configured(text__sentence_pause_s=seconds)
        pauses = [clause.pause_s for clause in make_reader(config, test_bundle).read(text)]
        assert pauses[:2] == [seconds, 2 * seconds]


def test_finished_speech_is_on_a_tmpfs_of_the_service_in_memory_or_nowhere(
    test_bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = {"RUNTIME_DIRECTORY": f"{tmp_path}/run:/run/other"}
    assert cache_folder(configured(), {}) is None
    assert cache_folder(configured(), service) == tmp_path / "run" / "phrases"
    assert cache_folder(configured(cache__dir="/var/phrases"), service) == Path("/var/phrases")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    kept = make_cache(configured(), test_bundle, print)
    assert kept is not None
    assert kept.limit_bytes == 8 << 20
    assert make_cache(configured(cache__max_mb=0), test_bundle, print) is None


def test_what_reads_differently_is_another_phrase(test_bundle: Bundle) -> None:
    asked = (
        {},
        {"text__sentence_pause_s": 0.5},
        {"text__default_lang": "en"},
        {"text__traditional_chinese": "zh"},
    )
    caches = [make_cache(configured(**flags), test_bundle, print) for flags in asked]
    assert len({cache and cache.key("a", "好。", "zh", 1.0) for cache in caches}) == len(asked)


@pytest.mark.parametrize(
    ("flags", "seconds"),
    [
        ({}, 4.0),
        ({"audio.lead_in_s": "3"}, 5.5),
        ({"audio.lead_in_usb_s": "5"}, 7.5),
        ({"audio.keep_alive": "true"}, 2.5),
        ({"audio.output": "wav", "audio.lead_in_s": "3"}, 2.5),
    ],
)
def test_what_has_a_time_is_taken_up_before_the_card_has_to_wake(
    flags: dict[str, str], seconds: float
) -> None:
    assert ahead_s(load_config(None, flags, {})) == seconds
