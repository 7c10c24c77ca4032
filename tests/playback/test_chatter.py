from __future__ import annotations

import logging
import os
import sys

from cosyedge.playback.chatter import alsa_words, captured_chatter

SYNTAX = "ALSA lib conf.c:2055:(_snd_config_load_with_include) _toplevel_:3:9:Unexpected char"


def test_chatter_is_caught_and_the_rest_is_passed_on(capfd, caplog):
    caplog.set_level(logging.DEBUG)
    with captured_chatter() as lines:
        os.write(2, b"ALSA lib pcm.c:2666:(snd_pcm_open_noupdate) Unknown PCM cards.pcm.front\n\n")
        print("a line of the log", file=sys.stderr, flush=True)
        os.write(2, b"jack server is not running or cannot be started\nExpression 'ret' failed in 'x.c'\n")
        os.write(2, b"Cannot create thread res = 1\nJackMessageBuffer::Create cannot start thread\n")
        os.write(2, "ein Wort ü \n".encode())
    assert capfd.readouterr().err == "a line of the log\nein Wort ü \n"
    assert lines == [
        "ALSA lib pcm.c:2666:(snd_pcm_open_noupdate) Unknown PCM cards.pcm.front",
        "jack server is not running or cannot be started",
        "Expression 'ret' failed in 'x.c'",
        "Cannot create thread res = 1",
        "JackMessageBuffer::Create cannot start thread",
    ]
    assert [record.message for record in caplog.records] == lines
    os.write(2, b"ALSA lib afterwards\n")
    assert capfd.readouterr().err == "ALSA lib afterwards\n"


def test_standard_error_comes_back_after_an_exception(capfd):
    try:
        with captured_chatter():
            os.write(2, b"kept\n")
            raise OSError
    except OSError:
        os.write(2, b"after\n")
    assert capfd.readouterr().err == "kept\nafter\n"


def test_the_second_at_a_time_catches_nothing(capfd):
    with captured_chatter() as first, captured_chatter() as second:
        os.write(2, b"ALSA lib x\n")
    assert first == ["ALSA lib x"]
    assert second == []


def test_no_descriptor_is_left_open():
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        with captured_chatter():
            pass
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_alsa_says_of_its_configuration():
    assert alsa_words(["jack", SYNTAX, "ALSA lib conf.c:1:(x) y"]) == "_toplevel_:3:9:Unexpected char"
    assert alsa_words(["ALSA lib pcm.c:1:(x) Unknown PCM"]) is None


def test_without_standard_error_there_is_nothing_to_do():
    saved = os.dup(2)
    os.close(2)
    try:
        with captured_chatter() as lines:
            pass
    finally:
        os.dup2(saved, 2)
        os.close(saved)
    assert lines == []
