"""The header of a model, read without onnxruntime."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from cosyedge.speech.onnx_header import read_header
from cosyedge.speech.voice import Bundle


def test_it_says_what_onnx_says(any_bundle: Bundle) -> None:
    for path in (any_bundle.acoustic, any_bundle.vocoder):
        header, model = read_header(path), onnx.load(path)
        assert header.opsets == {entry.domain: entry.version for entry in model.opset_import}
        assert header.metadata == {entry.key: entry.value for entry in model.metadata_props}


def test_a_file_cut_anywhere_is_refused_or_still_names_its_operator_sets(
    test_bundle: Bundle, tmp_path: Path
) -> None:
    whole = test_bundle.acoustic.read_bytes()
    complete = read_header(test_bundle.acoustic)
    cut = tmp_path / "cut.onnx"
    refused = 0
    for length in (*range(0, len(whole) - 400, 701), *range(len(whole) - 400, len(whole))):
        cut.write_bytes(whole[:length])
        try:
            header = read_header(cut)
        except ValueError:
            refused += 1
        else:
            assert header.opsets.items() <= complete.opsets.items()
            assert header.metadata.items() <= complete.metadata.items()
    assert refused > 200


@pytest.mark.parametrize(
    "content",
    [
        b"\xff" * 100,  # a number without end
        b"\x42\x02\x08\x07",  # an operator set whose name is a number
        b"\x42\x03\x12\x01\x11",  # an operator set whose version is a text
        b"\x72\x03\x0a\x01\xff",  # a metadata key that is no text
        b"\x43",  # a kind of field that ONNX does not use
    ],
)
def test_what_is_no_model_is_a_value_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"ONNX model|utf-8|operator set"):
        read_header(path)
