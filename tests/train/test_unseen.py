"""The evaluation sentences: unchanged since the training, enough of them, and none that the corpus says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import texts
import unseen


def test_nothing_changed_since_the_training_began() -> None:
    unseen.check_hashes()


def test_a_change_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in unseen.FOLDER.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "ja.txt").write_bytes((tmp_path / "ja.txt").read_bytes() + "雪です。\n".encode())
    monkeypatch.setattr(unseen, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"ja\.txt"):
        unseen.check_hashes()


@pytest.mark.parametrize("lang", unseen.LANGUAGES)
def test_enough_sentences_and_none_twice(lang: str) -> None:
    said = unseen.sentences(lang)
    assert len(said) >= 60
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("lang", unseen.LANGUAGES)
def test_no_template_makes_them(lang: str) -> None:
    made = [*texts.announcements(lang, 1500), *texts.mixed_announcements(lang, 400)]
    assert unseen.seen_in(made) == []


def test_what_the_corpus_has_said_is_found() -> None:
    sentence = unseen.sentences("ko")[3]
    assert unseen.seen_in(["안녕하세요?", sentence]) == [sentence]


def test_the_product_sentence_is_the_first_of_the_mixed() -> None:
    assert unseen.mixed()[0] == (
        "auto",
        "Hello，今天天气不错！你好呀～今日はいい天気ですね。你好嗎？안녕하세요！",
    )
    assert len(unseen.mixed()) >= 20


@pytest.mark.parametrize("lang", unseen.LANGUAGES)
def test_every_voice_speaks_every_language(lang: str) -> None:
    tasks = unseen.tasks(lang)
    voices = Counter(task.voice for task in tasks)
    assert set(voices) == set(unseen.VOICES)
    assert min(voices.values()) >= 15
    assert [task.text for task in tasks if task.turn] == unseen.sentences(lang)
    assert len(set(tasks)) == len(tasks)
