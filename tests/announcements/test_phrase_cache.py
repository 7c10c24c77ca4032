"""What is kept of finished speech: when, for how long, and that nobody hears anything else for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cosyedge.announcements import phrase_cache
from cosyedge.announcements.announcement import Priority
from cosyedge.announcements.phrase import Phrase
from cosyedge.announcements.phrase_cache import MemoryStore, PhraseCache, Recording, Store
from cosyedge.announcements.phrase_folder import FolderStore
from cosyedge.host.limits import Admission
from cosyedge.speech.voice import Bundle
from tests.announcements.phrases import OTHER, TEXT, Counting, cache_in, phrase, sizes
from tests.announcements.stage import Stage, as_pcm, on_stage


@pytest.fixture(params=["memory", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else FolderStore(tmp_path / "phrases")


@pytest.fixture
def stage_with(test_bundle: Bundle, tmp_path: Path) -> Iterator[Callable[[PhraseCache], Stage]]:
    """A stage before a cache, ended with the test."""
    running = []

    def start(cache: PhraseCache) -> Stage:
        context = on_stage(test_bundle, tmp_path, synthesizer=Counting(test_bundle), cache=cache)
        running.append(context)
        return context.__enter__()

    yield start
    for context in running:
        context.__exit__(None, None, None)


# --- what is heard


def test_what_was_said_is_said_again_without_synthesis_and_sounds_the_same(store, stage_with):
    cache = cache_in(store)
    stage = stage_with(cache)
    text = f"{TEXT} 안녕"
    first = stage.hear(text)
    made = stage.synthesizer.made
    again = stage.hear(text)
    assert stage.synthesizer.made == made == 2
    heard, same = stage.sink.heard()
    np.testing.assert_array_equal(same, heard)
    np.testing.assert_array_equal(heard, as_pcm(stage.speech(text)))
    assert (again.state, again.audio_s) == ("finished", first.audio_s)
    assert (again.lang, again.voice, again.skipped) == (first.lang, first.voice, "unknown characters: 2")
    assert again.rtf is None, "nothing was made"
    assert again.first_audio_ms is not None
    assert (cache.figures()["hits"], cache.figures()["misses"]) == (1, 1)


def test_voice_text_language_and_speed_make_another_phrase(store, stage_with):
    stage = stage_with(cache_in(store))
    others = [{}, {"voice": "xiaoyan"}, {"speed": 1.5}, {"lang": "zh"}]
    for other in others * 2:
        stage.hear(OTHER, **other)
    assert stage.synthesizer.made == len(others)
    heard = stage.sink.heard()
    for first, again in zip(heard[: len(others)], heard[len(others) :], strict=True):
        np.testing.assert_array_equal(first, again)
    assert len({sound.tobytes() for sound in heard}) == 3, "here, zh is what auto finds"


def test_another_fingerprint_is_another_phrase(store):
    key = cache_in(store).key("a", "b", "c", 1.0)
    assert key == cache_in(store).key("a", "b", "c", 1)
    others = {
        PhraseCache(1, store, fingerprint="other").key("a", "b", "c", 1.0),
        cache_in(store).key("ab", "", "c", 1.0),
        cache_in(store).key("a", "b", "c", 1.1),
        cache_in(store).key("a", "c", "b", 1.0),
    }
    assert len(others | {key}) == 5
    assert len(key) == 32


def test_volume_and_chime_are_no_part_of_it(store, stage_with):
    stage = stage_with(cache_in(store))
    stage.hear(TEXT, volume=0.5, chime="short")
    stage.hear(TEXT)
    made = stage.synthesizer.made
    stage.hear(TEXT, volume=0.5, chime="short")
    assert stage.synthesizer.made == made == 2
    soft, plain, again = stage.sink.heard()
    np.testing.assert_array_equal(plain, as_pcm(stage.speech(TEXT)))
    np.testing.assert_allclose(again, soft, atol=1)


def test_a_rendered_announcement_fills_it_and_is_served_from_it(store, stage_with):
    stage = stage_with(cache_in(store))
    stage.hear(TEXT, render=True)
    assert stage.sink.files() == []
    stage.hear(TEXT)
    stage.hear(TEXT, render=True)
    assert stage.synthesizer.made == 2
    np.testing.assert_array_equal(stage.sink.heard()[0], as_pcm(stage.speech(TEXT)))


def test_what_was_interrupted_or_failed_is_not_kept(store, stage_with):
    cache = cache_in(store)
    stage = stage_with(cache)
    stage.sink.hold_after = 2
    id_ = stage.say(TEXT)
    stage.wait_until_held()
    stage.speaker.stop()
    assert stage.end_of(id_).state == "cancelled"
    stage.sink.hold_after = None
    assert sizes(cache) == (0, 0)

    stage.synthesizer.fails_at = 2
    assert stage.hear(TEXT).state == "failed"
    assert sizes(cache) == (0, 0)
    stage.synthesizer.fails_at = None
    assert stage.hear("!!!").skipped == "empty"
    assert sizes(cache) == (0, 0)
    stage.hear(TEXT)
    assert sizes(cache)[0] == 1


def test_an_interrupted_one_that_was_kept_goes_on_at_its_clause(store, test_bundle, tmp_path):
    cache = cache_in(store)
    synthesizer = Counting(test_bundle)
    queue = {"resume": "continue"}
    with on_stage(test_bundle, tmp_path, synthesizer=synthesizer, cache=cache, queue=queue) as stage:
        text = "今天天气不错。晚饭好了。你好！"
        stage.hear(text)
        made = synthesizer.made
        clauses = [len(stage.speech(part)) for part in ("今天天气不错。", "晚饭好了。")]
        stage.sink.hold_after = clauses[0] // 2400 + 3  # in the second clause
        id_ = stage.say(text)
        stage.wait_until_held()
        urgent = stage.say(OTHER, priority=Priority.URGENT)
        stage.sink.hold_after = None
        stage.end_of(urgent)
        stage.end_of(id_)
        assert synthesizer.made == made + 1, "the urgent one"
        whole, *_, rest = stage.sink.heard()
        np.testing.assert_array_equal(rest, whole[-len(rest) :])
        assert len(whole) - len(rest) == clauses[0] + 6000, "its second clause, after a pause of 0.25 s"


def test_what_is_too_long_is_not_kept(store, stage_with, monkeypatch):
    monkeypatch.setattr(phrase_cache, "LONGEST_S", 0.3)
    cache = cache_in(store)
    stage = stage_with(cache)
    for _ in range(2):
        assert stage.hear("今天天气不错。" * 3).state == "finished"
    assert stage.synthesizer.made == 6
    assert sizes(cache) == (0, 0)


# --- how much is kept


def test_it_is_bounded_in_bytes_and_the_one_unused_longest_goes_first(store):
    size = len(phrase().to_bytes())
    cache = cache_in(store, limit=3 * size)
    keys = [f"{number:032x}" for number in range(5)]
    for number in range(3):
        cache.put(keys[number], phrase(seed=number))
    assert cache.get(keys[0]) is not None
    cache.put(keys[3], phrase(seed=3))
    assert cache.get(keys[1]) is None
    assert [cache.get(keys[number]).unknown for number in (0, 2, 3)] == [0, 2, 3]
    cache.put(keys[3], phrase(0.05))
    assert sizes(cache) == (3, 2 * size + len(phrase(0.05).to_bytes())), "it takes its own place"
    cache.put(keys[4], phrase(0.5))
    assert sizes(cache)[0] == 3, "what is larger than all of it is not kept"
    assert [key for key, _ in store.listing()] != []


def test_it_is_emptied_when_memory_is_short(store):
    cache = cache_in(store)
    cache.put("0" * 32, phrase())
    admits = Admission(1, cache.clear)
    assert not admits()
    assert sizes(cache) == (0, 0)
    assert store.listing() == []
    cache.put("0" * 32, phrase())
    assert Admission(100_000, cache.clear)()
    assert sizes(cache)[0] == 1


def test_where_memory_ends_the_phrase_is_lost_and_the_announcement_is_not(store, stage_with, monkeypatch):
    def no_memory(*_: Any) -> Any:
        raise MemoryError

    cache = cache_in(store)
    stage = stage_with(cache)
    stage.hear(OTHER)
    assert sizes(cache)[0] == 1
    monkeypatch.setattr(Phrase, "to_bytes", no_memory)
    assert stage.hear(TEXT).state == "finished"
    assert sizes(cache) == (0, 0), "and what was kept makes room"
    monkeypatch.undo()
    monkeypatch.setattr(phrase_cache.np, "rint", no_memory)
    recording = Recording(cache, "0" * 32)
    for part in (np.zeros(10, np.float32), np.zeros(10, np.float32)):
        recording.add(part)
        monkeypatch.undo()
    recording.end()
    recording.keep(0)
    assert sizes(cache) == (0, 0)


def test_a_phrase_is_what_it_was(store):
    cache = cache_in(store)
    first = phrase(0.35, seed=7)
    cache.put("a" * 32, first)
    found = cache.get("a" * 32)
    np.testing.assert_array_equal(found.pcm, first.pcm)
    np.testing.assert_array_equal(found.clauses, first.clauses)
    assert found.unknown == 7
    pieces = [piece.copy() for piece in found.pieces(100)]
    assert [len(piece) for piece in pieces] == [2400, 2400, 2400, 1100]
    np.testing.assert_array_equal(as_pcm(np.concatenate(pieces)), first.pcm[100:])
