"""The id by which a house knows a node, whatever it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from cosyedge.host.identity import FILE_NAME, node_id


def test_it_is_made_once_and_kept(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    made = node_id(folder)
    assert len(made) == 16
    assert int(made, 16) >= 0
    assert node_id(folder) == made
    assert node_id(tmp_path / "other") != made
    assert [file.name for file in folder.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("content", [b"", b"0123\n", b"../../etc/passwd", b"\xff" * 16, b"g" * 16])
def test_what_is_no_id_is_replaced(tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    made = node_id(tmp_path)
    assert "node-id" in caplog.text
    assert node_id(tmp_path) == made
    assert (tmp_path / FILE_NAME).read_text() == made + "\n"


def test_without_a_place_to_keep_it_it_follows_from_the_machine(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file where the folder should be")
    machine = tmp_path / "machine-id"
    machine.write_text("4b0cb1e0a5a04c0a8a8a6c7d0a1b2c3d\n")
    made = node_id(taken / "state", machine)
    assert node_id(taken / "state", machine) == made
    assert node_id(taken / "another", machine) != made
    machine.write_text("00000000000000000000000000000001\n")
    assert node_id(taken / "state", machine) != made
    assert len(node_id(taken / "state", tmp_path / "missing")) == 16
