"""WaveRNN-Lite as one ONNX graph: the frame network, then a Loop over frames around a Loop over steps.

What makes it fast and exact, each point measured (LOG.md):

* All that holds for a frame is computed before the loops; the predictor M, the mixing matrix L and the
  gain become one matrix [K + S + N, N], so that a block is one product.
* Convolutions are written as one ``Gemm`` over gathered rows. Its result for a row does not depend on how
  many rows there are, which ``Conv`` does not promise: chunks of any size join without a seam, bit for bit.
* Weights of a step are constants *of the inner body*: onnxruntime packs constants ahead only there.
* The three products of a step may be 8-bit: a step reads 0.3 MB instead of 1.2 MB.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from features import N_MELS
from graph import BOOL, FLOAT, INT64, Graph, value
from numpy.typing import NDArray
from onnx import ModelProto, helper
from wavernn import (
    BLOCK,
    CHANNELS,
    CONTEXT,
    EMPHASIS,
    HIDDEN,
    HISTORY,
    LIMIT,
    LOCAL,
    LOG_SCALE,
    PAST,
    SEGMENT,
    STEPS,
    WaveRnnLite,
)
from workspace import SAMPLE_RATE

OPSET, IR_VERSION = 17, 9
FEATURES = N_MELS + 2
#: state name → shape; zeros at the start. Input ``X`` comes back as ``X_next``.
STATES: dict[str, list[int | str]] = {
    "hidden": [1, HIDDEN],
    "excitation": [1, BLOCK],
    "history": [1, HISTORY],
    "last_sample": [1, 1],
}
Weights = dict[str, NDArray[np.float32]]


def export_vocoder(model: WaveRnnLite, eight_bit: bool) -> ModelProto:
    """The graph of the bundle, checked by onnx."""
    weights = {
        name: tensor.detach().numpy().astype(np.float32) for name, tensor in model.state_dict().items()
    }
    main = Graph("main")
    conditioning = _frame_network(main, weights)
    per_frame = _frame_controls(main, weights, conditioning)
    body = _frame_body(weights, per_frame, eight_bit)
    frames = main.add("Gather", main.add("Shape", per_frame["matrix"]), main.scalar(0), axis=0)
    always = main.constant("always", True, np.bool_)
    outs = (*(f"{name}_next" for name in STATES), "blocks")
    main.add_many("Loop", frames, always, *STATES, outs=outs, body=body)
    main.add("Reshape", "blocks", main.ints(-1), out="samples")
    inputs = [
        value("features", FLOAT, ["frames_and_context", FEATURES]),
        value("noise", FLOAT, ["frames", STEPS, BLOCK]),
        *(value(name, FLOAT, shape) for name, shape in STATES.items()),
    ]
    outputs = [
        value("samples", FLOAT, ["samples"]),
        *(value(f"{name}_next", FLOAT, shape) for name, shape in STATES.items()),
    ]
    opsets = [
        helper.make_opsetid("", OPSET),
        *([helper.make_opsetid("com.microsoft", 1)] if eight_bit else []),
    ]
    exported = helper.make_model(main.finish(inputs, outputs), opset_imports=opsets, ir_version=IR_VERSION)
    helper.set_model_props(exported, {"context": str(CONTEXT), "steps": str(STEPS), "block": str(BLOCK)})
    onnx.checker.check_model(exported)
    return exported


def _frame_network(main: Graph, weights: Weights) -> str:
    """features [F + 2 * CONTEXT, 82] → conditioning [F, CHANNELS]."""
    scale = np.concatenate([np.full(N_MELS, 1 / 3), np.ones(2)])
    shift = np.concatenate([np.full(N_MELS, 4 / 3), np.zeros(2)])
    x = main.add("Mul", "features", main.constant("feature_scale", scale))
    x = main.add("Add", x, main.constant("feature_shift", shift))
    rows = main.add("Gather", main.add("Shape", "features"), main.scalar(0), axis=0)
    for i in (1, 2, 3):
        weight = weights[f"conv{i}.weight"]
        channels, width, taps = weight.shape
        rows = main.add("Sub", rows, main.scalar(taps - 1))
        first = main.add("Unsqueeze", main.add("Range", main.scalar(0), rows, main.scalar(1)), main.ints(1))
        window = main.add("Add", first, main.constant(f"taps{taps}", np.arange(taps)[None], np.int64))
        gathered = main.add("Reshape", main.add("Gather", x, window, axis=0), main.ints(-1, taps * width))
        by_row = np.ascontiguousarray(weight.transpose(0, 2, 1)).reshape(channels, taps * width)
        y = main.add(
            "LeakyRelu", main.linear(gathered, f"conv{i}", by_row, weights[f"conv{i}.bias"]), alpha=0.1
        )
        x = (
            y
            if i == 1
            else main.add("Add", main.add("Slice", x, main.ints(1), main.ints(-1), main.ints(0)), y)
        )
    return x


def _frame_controls(main: Graph, weights: Weights, conditioning: str) -> dict[str, str]:
    """What the loop over frames picks from, each [F, ...]."""

    def linear(name: str, source: str = conditioning, factor: float = 1.0) -> str:
        return main.linear(source, name, weights[f"{name}.weight"] * factor, weights[f"{name}.bias"] * factor)

    levels = main.add(
        "Exp", main.add("Clip", linear("levels"), main.constant("low", -9.0), main.constant("high", 9.0))
    )
    gain, of_samples, of_excitation = main.split(levels, 1, 1, 1)
    predictor = main.add(
        "Reshape", linear("predictor", linear("predictor_rank"), 0.1), main.ints(-1, PAST + SEGMENT, BLOCK)
    )
    # L^T for row vectors: the strictly lower triangle is learned, the diagonal is 1, above is 0.
    row, column = np.tril_indices(BLOCK, -1)
    weight = np.zeros((BLOCK, BLOCK, CHANNELS), np.float32)
    weight[column, row] = weights["mixing.weight"] * 0.1
    bias = np.eye(BLOCK, dtype=np.float32)
    bias[column, row] = weights["mixing.bias"] * 0.1
    mixing = main.linear(conditioning, "mixing", weight.reshape(-1, CHANNELS), bias.reshape(-1))
    mixing = main.add("Reshape", main.add("Mul", mixing, gain), main.ints(-1, BLOCK, BLOCK))
    scale = main.add(
        "Concat",
        main.add("Expand", of_samples, main.ints(1, PAST + SEGMENT)),
        main.add("Expand", of_excitation, main.ints(1, BLOCK)),
        axis=1,
    )
    from_frame = main.linear(
        conditioning, "gru_frame", weights["gru.weight_ih_l0"][:, :CHANNELS], weights["gru.bias_ih_l0"]
    )
    phase = np.ascontiguousarray(weights["gru.weight_ih_l0"][:, CHANNELS + LOCAL :].T)
    gates = main.add(
        "Add", main.add("Unsqueeze", from_frame, main.ints(1)), main.constant("phase", phase[None])
    )
    return {
        "matrix": main.add("Concat", predictor, mixing, axis=1),  # [F, K + S + N, N]
        "scale": main.add("Unsqueeze", scale, main.ints(1)),  # [F, 1, LOCAL]
        "gates": gates,  # [F, STEPS, 3 * HIDDEN]
        "head": main.add("Unsqueeze", linear("head_frame"), main.ints(1)),  # [F, 1, HEAD]
        "past": _past_index(main),  # [F, K + S] into the history
    }


def _past_index(main: Graph) -> str:
    """Where in the history the predictor looks: the last K samples, and S samples one period back."""
    middle = main.add("Slice", "features", main.ints(CONTEXT), main.ints(-CONTEXT), main.ints(0))
    voicing = main.add("Gather", middle, main.ints(N_MELS), axis=1)
    log_f0 = main.add("Gather", middle, main.ints(N_MELS + 1), axis=1)
    period = main.add("Exp", main.add("Mul", log_f0, main.constant("minus_third", -1 / 3)))
    period = main.add("Mul", period, main.constant("period_at_200_hz", SAMPLE_RATE / 200))
    voiced = main.add("Greater", voicing, main.constant("half", 0.5))
    period = main.add("Where", voiced, period, main.constant("period_at_100_hz", SAMPLE_RATE / 100))
    shortest, longest = main.constant("shortest", BLOCK + 3), main.constant("longest", HISTORY - 4)
    lag = main.add("Cast", main.add("Clip", main.add("Round", period), shortest, longest), to=INT64)
    at_zero_lag = np.concatenate([HISTORY - PAST + np.arange(PAST), HISTORY - 2 + np.arange(SEGMENT)])
    moves = np.concatenate([np.zeros(PAST), np.ones(SEGMENT)])
    back = main.add("Mul", lag, main.constant("moves", moves[None], np.int64))
    return main.add("Sub", main.constant("at_zero_lag", at_zero_lag[None], np.int64), back)


def _frame_body(weights: Weights, per_frame: dict[str, str], eight_bit: bool) -> Any:
    """One frame: the steps, then de-emphasis of the whole frame at once."""
    body = Graph("frame")
    mine = {name: body.add("Gather", source, "frame_number", axis=0) for name, source in per_frame.items()}
    noise = body.add("Gather", "noise", "frame_number", axis=0)
    step = _step_body(weights, mine, noise, eight_bit)
    names = ("hidden", "excitation", "history")
    outs = (*(f"frame.{name}_out" for name in names), "frame.blocks")
    always = body.constant("always", True, np.bool_)
    body.add_many("Loop", body.scalar(STEPS), always, *(f"frame.{n}" for n in names), outs=outs, body=step)
    # y[t] = x[t] + a y[t-1]. Within a block: a triangular matrix. From block to block only the last sample
    # is carried, which over the blocks of a frame is a small triangular matrix again.
    distance = np.subtract.outer(np.arange(BLOCK), np.arange(BLOCK))
    within = np.where(distance >= 0, EMPHASIS ** np.maximum(distance, 0), 0).T
    between = np.subtract.outer(np.arange(STEPS), np.arange(STEPS))
    carried = np.where(between >= 0, EMPHASIS ** (BLOCK * np.maximum(between, 0)), 0)
    blocks = body.add("Reshape", "frame.blocks", body.ints(STEPS, BLOCK))
    alone = body.add("MatMul", blocks, body.constant("within", within))
    ends = body.add("MatMul", body.constant("carried", carried), body.split(alone, BLOCK - 1, 1)[1])
    decay = body.constant("decay", EMPHASIS ** (BLOCK * np.arange(1, STEPS + 1)[:, None]))
    ends = body.add("Add", ends, body.add("Mul", decay, "frame.last_sample"))
    before, last = body.add_many(
        "Split", ends, body.ints(STEPS - 1, 1), outs=("frame.ends_before", "frame.last_sample_out"), axis=0
    )
    before = body.add("Concat", "frame.last_sample", before, axis=0)
    powers = body.constant("powers", EMPHASIS ** np.arange(1, BLOCK + 1)[None])
    samples = body.add("Add", alone, body.add("Mul", before, powers))
    body.add("Identity", "frame.go_on", out="frame.go_on_out")
    inputs = [
        value("frame_number", INT64, []),
        value("frame.go_on", BOOL, []),
        *(value(f"frame.{name}", FLOAT, shape) for name, shape in STATES.items()),
    ]
    outputs = [
        value("frame.go_on_out", BOOL, []),
        *(value(f"frame.{name}_out", FLOAT, shape) for name, shape in STATES.items()),
        value(samples, FLOAT, [STEPS, BLOCK]),
    ]
    assert last == "frame.last_sample_out"
    return body.finish(inputs, outputs)


def _step_body(weights: Weights, frame: dict[str, str], noise: str, eight_bit: bool) -> Any:
    """One block of N samples. The names in ``frame`` and ``noise`` are values of the body around."""
    body = Graph("step")
    product = _eight_bit_product if eight_bit else _product
    which = body.add("Unsqueeze", "step_number", body.ints(0))
    past = body.add("Gather", "step.history", frame["past"], axis=1)
    past = body.add("Reshape", past, body.ints(1, PAST + SEGMENT))
    seen = body.add("Concat", past, "step.excitation", axis=1)
    local = body.add("Softsign", body.add("Mul", seen, frame["scale"]))
    gates_in = body.add("Gather", frame["gates"], which, axis=0)
    to_gru = weights["gru.weight_ih_l0"][:, CHANNELS : CHANNELS + LOCAL]
    gates = product(body, local, "gru_local", to_gru, gates_in)
    recurrent = product(
        body,
        "step.hidden",
        "gru_recurrent",
        weights["gru.weight_hh_l0"],
        body.constant("gru_bias", weights["gru.bias_hh_l0"][None]),
    )
    gates_rz, gates_n = body.split(gates, 2 * HIDDEN, HIDDEN)
    recurrent_rz, recurrent_n = body.split(recurrent, 2 * HIDDEN, HIDDEN)
    reset, update = body.split(body.add("Sigmoid", body.add("Add", gates_rz, recurrent_rz)), HIDDEN, HIDDEN)
    new = body.add("Tanh", body.add("Add", body.add("Mul", reset, recurrent_n), gates_n))
    kept = body.add("Mul", update, body.add("Sub", "step.hidden", new))
    hidden = body.add("Add", new, kept, out="step.hidden_out")
    both = body.add("Concat", hidden, local, axis=1)
    head = body.add("Relu", product(body, both, "head_step", weights["head_step.weight"], frame["head"]))
    out = body.linear(head, "head_out", weights["head_out.weight"], weights["head_out.bias"])
    mean, log_scale = body.split(out, BLOCK, BLOCK)
    log_scale = body.add(
        "Clip", log_scale, body.constant("lowest", LOG_SCALE[0]), body.constant("highest", LOG_SCALE[1])
    )
    chance = body.add("Mul", body.add("Exp", log_scale), body.add("Gather", noise, which, axis=0))
    excitation = body.add("Add", mean, chance, out="step.excitation_out")
    block = body.add("MatMul", body.add("Concat", past, excitation, axis=1), frame["matrix"])
    block = body.add("Clip", block, body.constant("floor", -LIMIT), body.constant("ceiling", LIMIT))
    remembered = body.split("step.history", BLOCK, HISTORY - BLOCK)[1]
    body.add("Concat", remembered, block, axis=1, out="step.history_out")
    body.add("Identity", "step.go_on", out="step.go_on_out")
    names = ("hidden", "excitation", "history")
    inputs = [
        value("step_number", INT64, []),
        value("step.go_on", BOOL, []),
        *(value(f"step.{name}", FLOAT, STATES[name]) for name in names),
    ]
    outputs = [
        value("step.go_on_out", BOOL, []),
        *(value(f"step.{name}_out", FLOAT, STATES[name]) for name in names),
        value(block, FLOAT, [1, BLOCK]),
    ]
    return body.finish(inputs, outputs)


def _product(body: Graph, row: str, name: str, weight: NDArray[np.float32], bias: str) -> str:
    return body.add("Gemm", row, body.constant(f"{name}.weight", np.ascontiguousarray(weight.T)), bias)


def _eight_bit_product(body: Graph, row: str, name: str, weight: NDArray[np.float32], bias: str) -> str:
    """Weights of 8 bits, one scale a matrix: a scale a column costs a quarter more and hears no better."""
    scale = float(np.abs(weight).max()) / 127
    integers = np.clip(np.round(weight.T / scale), -127, 127)
    return body.add(
        "DynamicQuantizeMatMul",
        row,
        body.constant(f"{name}.weight_int8", integers, np.int8),
        body.constant(f"{name}.scale", scale),
        "",
        bias,
        domain="com.microsoft",
    )
