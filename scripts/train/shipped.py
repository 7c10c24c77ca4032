"""The weights of a bundle that ships, back in the networks they came from: where a training may begin.

What a bundle keeps in 8 bits comes back rounded; a training has forgotten that after a few updates. So a
machine without checkpoints need not begin from nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from acoustic import AcousticModel
from features import N_MELS
from numpy.typing import NDArray
from onnx import numpy_helper
from wavernn import BLOCK, CHANNELS, LOCAL, WaveRnnLite

Floats = NDArray[np.float32]
#: the export writes these layers already multiplied by this
_FACTOR = 0.1


def load_acoustic(model: AcousticModel, bundle: Path) -> None:
    """Raises RuntimeError where the bundle was made of another network."""
    graph = onnx.load(str(bundle / "acoustic.int8.onnx")).graph
    constants = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    found = {
        name.removeprefix("model."): value for name, value in constants.items() if name.startswith("model.")
    }
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        layer = node.name.removesuffix("/MatMul_quant").strip("/").replace("/", ".")
        integers = constants[node.input[1]].astype(np.float32) - constants[node.input[3]]
        scale = constants[node.input[1].removesuffix("_quantized") + "_scale"]
        found[f"{layer}.weight"] = (integers * scale).T
    _load(model, found)


def load_vocoder(model: WaveRnnLite, bundle: Path) -> None:
    """Raises RuntimeError where the bundle was made of another network."""
    constants = dict(_constants(onnx.load(str(bundle / "vocoder.onnx")).graph))
    found: dict[str, Floats] = {}
    for name in ("levels", "predictor_rank", "predictor", "head_frame", "head_out"):
        where = f"step.{name}" if name == "head_out" else f"main.{name}"
        factor = _FACTOR if name == "predictor" else 1.0
        found[f"{name}.weight"] = constants[f"{where}.weight"].T / factor
        found[f"{name}.bias"] = constants[f"{where}.bias"] / factor
    for i, width in ((1, N_MELS + 2), (2, CHANNELS), (3, CHANNELS)):
        by_row = constants[f"main.conv{i}.weight"].T
        found[f"conv{i}.weight"] = by_row.reshape(CHANNELS, -1, width).transpose(0, 2, 1)
        found[f"conv{i}.bias"] = constants[f"main.conv{i}.bias"]
    row, column = np.tril_indices(BLOCK, -1)
    mixing = constants["main.mixing.weight"].T.reshape(BLOCK, BLOCK, CHANNELS)
    found["mixing.weight"] = mixing[column, row] / _FACTOR
    found["mixing.bias"] = constants["main.mixing.bias"].reshape(BLOCK, BLOCK)[column, row] / _FACTOR
    from_frame, from_phase = constants["main.gru_frame.weight"].T, constants["main.phase"][0].T
    from_local = _eight_bit(constants, "gru_local")
    found["gru.weight_ih_l0"] = np.concatenate([from_frame, from_local, from_phase], 1)
    found["gru.weight_hh_l0"] = _eight_bit(constants, "gru_recurrent")
    found["gru.bias_ih_l0"] = constants["main.gru_frame.bias"]
    found["gru.bias_hh_l0"] = constants["step.gru_bias"][0]
    found["head_step.weight"] = _eight_bit(constants, "head_step")
    assert from_local.shape[1] == LOCAL
    _load(model, found)


def _eight_bit(constants: dict[str, Floats], name: str) -> Floats:
    weight: Floats = constants[f"step.{name}.weight_int8"].T * constants[f"step.{name}.scale"]
    return weight


def _constants(graph: onnx.GraphProto) -> Iterator[tuple[str, Floats]]:
    """Those of a graph and of the bodies of its loops."""
    for item in graph.initializer:
        yield item.name, numpy_helper.to_array(item).astype(np.float32)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _constants(attribute.g)


def _load(model: torch.nn.Module, found: dict[str, Floats]) -> None:
    state = {name: torch.tensor(np.ascontiguousarray(value)) for name, value in found.items()}
    model.load_state_dict(state)
