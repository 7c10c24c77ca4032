"""The acoustic student as an ONNX graph, in float and with its linear layers in INT8."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from acoustic import AcousticModel, Export
from onnxruntime.quantization import QuantType, quantize_dynamic

from cosyedge.text.languages import LANGUAGES

OPSET = 17


def export_acoustic(model: AcousticModel, path: Path) -> None:
    """phonemes and languages int64[1, L], voice int64[1], speed float32[1] → mel, pitch, durations."""
    model.eval()
    phonemes = torch.tensor([[0, 5, 30, 40, 50, 16, 60, 4, 0]])
    example = (phonemes, phonemes % len(LANGUAGES), torch.tensor([1]), torch.tensor([1.0]))
    torch.onnx.export(
        Export(model),
        example,
        str(path),
        input_names=["phonemes", "languages", "voice", "speed"],
        output_names=["mel", "pitch", "durations"],
        dynamic_axes={
            "phonemes": {1: "symbols"},
            "languages": {1: "symbols"},
            "mel": {1: "frames"},
            "pitch": {1: "frames"},
            "durations": {1: "symbols"},
        },
        opset_version=OPSET,
        dynamo=False,
    )
    onnx.checker.check_model(onnx.load(str(path)))


def quantise(source: Path, target: Path) -> None:
    """Dynamic INT8, one scale per output channel, of products with constant weights alone.

    Convolutions stay in float: ``ConvInteger`` is slower than float on every processor that matters here.
    """
    quantize_dynamic(
        source, target, op_types_to_quantize=["MatMul", "Gemm"], per_channel=True, weight_type=QuantType.QInt8
    )
