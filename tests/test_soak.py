"""The soak itself, short: what it counts, and that it would notice."""

from __future__ import annotations

from pathlib import Path

from tests.soak import Plan, Soak


def test_a_short_one_accounts_for_everything(tmp_path: Path) -> None:
    report = Soak(Plan(count=40, card="null", broker_every=25), tmp_path).run()
    assert report.wrong == []
    assert report.announcements == 40
    assert report.broker_restarts == 1
    assert sum(report.finals.values()) - report.finals["duplicate"] == 40
    assert report.rss_end_mb > 20
    assert report.threads[0] >= 4


def test_what_is_told_wrong_is_noticed(tmp_path: Path) -> None:
    soak = Soak(Plan(count=0), tmp_path)
    for id_, states in (
        ("a", ["finished"]),
        ("b", ["finished", "failed"]),
        ("c", []),
        ("d", ["expired"] * 2),
    ):
        soak._finals[id_] = []
        for state in states:
            soak._hear({"id": id_, "state": state})
    soak._bad_told["bad_json"] = 2
    soak._hear({"id": "x", "state": "failed", "error": "bad_json"})
    soak._health = {"underruns": 3, "results_dropped": 1}
    soak._conclude()
    assert soak._report.wrong == [
        "b ended as ['finished', 'failed']",
        "c ended as []",
        "2 payloads were bad_json, 1 were told of",
        "3 underruns",
        "1 results were dropped",
    ]
    assert soak._report.told_twice == 2
