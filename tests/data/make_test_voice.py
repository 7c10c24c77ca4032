"""Makes ``voice/tiny``: a bundle of a few kB that keeps every contract of a real one.

Usage, from the root of the repository::

    python -m tests.data.make_test_voice [FOLDER]

The graphs hold what the real ones hold: 8-bit products, a length regulator, frames with context, a loop
over frames around a loop over steps whose weights are 8-bit constants of the inner body, a history that
is read one pitch period back. Their weights are pseudo-random numbers of a generator that numpy promises
never to change. Vowels are louder than consonants and pauses are nearly silent, so that tests can tell
sound from silence.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import yaml
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

from cosyedge.speech.mel import BANDS, FEATURES, HOP, MEL, SAMPLE_RATE
from cosyedge.text.languages import LANGUAGES
from cosyedge.text.symbols import INVENTORY_VERSION, SYMBOLS, inventory_hash
from tests.data.tiny_lexicons import write_lexicons

HERE: Final = Path(__file__).parent
TINY: Final = HERE / "voice" / "tiny"

OPSETS: Final = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
IR_VERSION: Final = 9
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL

# the acoustic model
VOWELS: Final = frozenset("aɑɐɒæɔoeəɚɛɜɤiɪɨᵻɯuʊʌyøœAIOQWYᵊ")
PAUSES: Final = {" ": 2, ",": 12, ";": 12, ":": 12, "—": 12, "…": 16, ".": 16, "!": 16, "?": 16}
MARKS: Final = frozenset('ˈˌːʰʲ↓→↗↘̃"()“”')
VOICES: Final = 3
WIDTH: Final = 12

# the vocoder: other sizes than the real one's, so that nothing can count on those
CONTEXT, STEPS, BLOCK = 2, 3, 100
HIDDEN, PAST, HISTORY = 8, 20, 320


class Graph:
    """Nodes and constants of one graph; every call adds one and returns the name of its result."""

    def __init__(self, name: str, random: np.random.RandomState) -> None:
        self.name = name
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, TensorProto] = {}
        self._random = random

    def __call__(self, op: str, *inputs: str, out: str = "", domain: str = "", **attributes: Any) -> str:
        return self.many(
            op, *inputs, outs=[out or f"{self.name}.{op}{len(self.nodes)}"], domain=domain, **attributes
        )[0]

    def many(self, op: str, *inputs: str, outs: list[str], domain: str = "", **attributes: Any) -> list[str]:
        self.nodes.append(helper.make_node(op, inputs, outs, domain=domain, **attributes))
        return outs

    def constant(self, array: Any, dtype: Any = np.float32) -> str:
        value = np.asarray(array, dtype)
        content = f"{value.dtype}{value.shape}".encode() + value.tobytes()
        name = f"{self.name}.{hashlib.sha256(content).hexdigest()[:8]}"
        self.constants.setdefault(name, numpy_helper.from_array(value, name))
        return name

    def weights(self, *shape: int, size: float = 1.0) -> NDArray[np.float32]:
        drawn = self._random.standard_normal(shape) * size / np.sqrt(shape[0])
        return np.asarray(drawn, np.float32)

    def eight_bit(self, x: str, weight: NDArray[np.float32]) -> str:
        """x @ weight, both in 8 bits, the result in float."""
        scale = float(np.abs(weight).max()) / 127
        integers = np.round(weight / scale)
        constants = self.constant(integers, np.int8), self.constant(scale)
        return self("DynamicQuantizeMatMul", x, *constants, domain="com.microsoft")

    def finish(self, inputs: list[Any], outputs: list[Any]) -> GraphProto:
        return helper.make_graph(self.nodes, self.name, inputs, outputs, list(self.constants.values()))


def value(name: str, dtype: int, *shape: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, shape)


def acoustic_model() -> ModelProto:
    random = np.random.RandomState(1)
    g = Graph("acoustic", random)
    lengths = np.array([_frames_of(symbol) for symbol in SYMBOLS], np.float32)
    first = g.constant([0], np.int64)
    ids = g("Squeeze", "phonemes", first)
    length = g("Div", g("Gather", g.constant(lengths), ids), "speed")
    length = g("Max", g("Round", length), g.constant(1.0))
    durations = g("Cast", length, to=INT64)
    g("Unsqueeze", durations, g.constant([0], np.int64), out="durations")

    # Length regulator: frame t belongs to the symbol with as many ends at or before t as come before it.
    ends = g("CumSum", durations, g.constant(0, np.int64))
    total = g("ReduceSum", durations, keepdims=0)
    time = g("Range", g.constant(0, np.int64), total, g.constant(1, np.int64))
    ended = g("LessOrEqual", ends, g("Unsqueeze", time, g.constant([1], np.int64)))
    symbol = g("ReduceSum", g("Cast", ended, to=INT64), g.constant([1], np.int64), keepdims=0)

    table, speakers = (
        g.constant(g.weights(len(SYMBOLS), WIDTH, size=12)),
        g.constant(g.weights(VOICES, WIDTH)),
    )
    to_bands = g.weights(WIDTH, BANDS, size=2)
    language = g("Gather", g.constant(g.weights(len(LANGUAGES), WIDTH)), g("Squeeze", "languages", first))
    said = g("Add", g("Gather", table, ids), language)
    hidden = g("Tanh", g("Add", said, g("Gather", speakers, "voice")))
    shape = g.eight_bit(hidden, to_bands)
    level = np.array([[_level_of(symbol)] for symbol in SYMBOLS], np.float32)
    mel = g("Add", shape, g("Gather", g.constant(level), ids))
    g("Unsqueeze", g("Gather", mel, symbol), g.constant([0], np.int64), out="mel")

    voiced = np.array([[float(symbol in VOWELS)] for symbol in SYMBOLS], np.float32)
    octaves = g.constant(np.array([[-1.2], [0.3], [0.0]]))  # 3 ln(f0 / 200 Hz): a man, two women
    voicing = g("Gather", g.constant(voiced), ids)
    pitch = g("Concat", voicing, g("Mul", voicing, g("Gather", octaves, "voice")), axis=1)
    g("Unsqueeze", g("Gather", pitch, symbol), g.constant([0], np.int64), out="pitch")
    inputs = [
        value("phonemes", INT64, 1, "L"),
        value("languages", INT64, 1, "L"),
        value("voice", INT64, 1),
        value("speed", FLOAT, 1),
    ]
    outputs = [
        value("mel", FLOAT, 1, "T", BANDS),
        value("pitch", FLOAT, 1, "T", 2),
        value("durations", INT64, 1, "L"),
    ]
    return _model(g.finish(inputs, outputs), {"mel": MEL.text, "symbols": inventory_hash()})


def _frames_of(symbol: str) -> int:
    if symbol in PAUSES:
        return PAUSES[symbol]
    return 9 if symbol in VOWELS else 1 if symbol in MARKS else 5


def _level_of(symbol: str) -> float:
    return -0.5 if symbol in VOWELS else -5.0 if symbol in PAUSES or len(symbol) > 1 else -1.5


STATES: Final = {"hidden": (1, HIDDEN), "history": (1, HISTORY)}


def vocoder() -> ModelProto:
    random = np.random.RandomState(2)
    g = Graph("vocoder", random)
    # Each frame with its neighbours as one row: a product for a row does not depend on the other rows.
    rows = g(
        "Sub", g("Gather", g("Shape", "features"), g.constant(0, np.int64)), g.constant(2 * CONTEXT, np.int64)
    )
    first = g("Range", g.constant(0, np.int64), rows, g.constant(1, np.int64))
    window = g(
        "Add",
        g("Unsqueeze", first, g.constant([1], np.int64)),
        g.constant([range(2 * CONTEXT + 1)], np.int64),
    )
    around = g("Gather", "features", window)
    around = g("Reshape", around, g.constant([-1, (2 * CONTEXT + 1) * FEATURES], np.int64))
    middle = g(
        "Gather", around, g.constant(range(CONTEXT * FEATURES, (CONTEXT + 1) * FEATURES), np.int64), axis=1
    )

    mean = np.zeros((FEATURES, 1), np.float32)
    mean[:BANDS] = 0.9 / BANDS
    gain = g("Exp", g("Sub", g("MatMul", middle, g.constant(mean)), g.constant(1.2)))
    condition = g("Tanh", g("MatMul", around, g.constant(g.weights((2 * CONTEXT + 1) * FEATURES, HIDDEN))))

    log_f0 = g("Gather", middle, g.constant([BANDS + 1], np.int64), axis=1)
    period = g("Mul", g("Exp", g("Div", log_f0, g.constant(-3.0))), g.constant(SAMPLE_RATE / 200))
    lag = g("Cast", g("Clip", period, g.constant(float(PAST)), g.constant(float(HISTORY))), to=INT64)
    past = g("Sub", g.constant([range(HISTORY, HISTORY + PAST)], np.int64), lag)  # [F, PAST] into the history

    frame = _frame_body(random, gain, condition, past)
    again = g.constant(True, np.bool_)
    outs = [*(f"{name}_next" for name in STATES), "blocks"]
    g.many("Loop", rows, again, *STATES, outs=outs, body=frame)
    g("Reshape", "blocks", g.constant([-1], np.int64), out="samples")
    inputs = [
        value("features", FLOAT, "frames_and_context", FEATURES),
        value("noise", FLOAT, "frames", STEPS, BLOCK),
        *(value(name, FLOAT, *shape) for name, shape in STATES.items()),
    ]
    outputs = [
        value("samples", FLOAT, "samples"),
        *(value(f"{n}_next", FLOAT, *s) for n, s in STATES.items()),
    ]
    metadata = {"mel": MEL.text, "context": str(CONTEXT), "steps": str(STEPS), "block": str(BLOCK)}
    return _model(g.finish(inputs, outputs), metadata)


def _frame_body(random: np.random.RandomState, gain: str, condition: str, past: str) -> GraphProto:
    b = Graph("frame", random)
    mine = [
        b("Gather", b("Unsqueeze", per_frame, b.constant([1], np.int64)), "f")
        for per_frame in (gain, condition)
    ]
    step = _step_body(random, mine[0], mine[1], b("Gather", past, "f"), b("Gather", "noise", "f"))
    outs = [*(f"frame.{name}_out" for name in STATES), "frame.blocks"]
    states = [f"frame.{name}" for name in STATES]
    b.many("Loop", b.constant(STEPS, np.int64), b.constant(True, np.bool_), *states, outs=outs, body=step)
    b("Identity", "frame.on", out="frame.on_out")
    return b.finish(*_loop_values("f", "frame", value("frame.blocks", FLOAT, STEPS, 1, BLOCK)))


def _step_body(random: np.random.RandomState, gain: str, condition: str, past: str, noise: str) -> GraphProto:
    b = Graph("step", random)
    which = b("Unsqueeze", "s", b.constant([0], np.int64))
    excitation = b("Mul", b("Gather", noise, which), gain)
    seen = b("Softsign", b("Concat", b("Gather", "step.history", past, axis=1), "step.hidden", axis=1))
    new = b("Add", b.eight_bit(seen, b.weights(PAST + HIDDEN, HIDDEN)), condition)
    hidden = b("Tanh", new, out="step.hidden_out")
    voice = b("Mul", b("MatMul", hidden, b.constant(b.weights(HIDDEN, BLOCK, size=0.5))), gain)
    block = b("Clip", b("Add", voice, excitation), b.constant(-1.0), b.constant(1.0))
    rest = b.many(
        "Split",
        "step.history",
        b.constant([BLOCK, HISTORY - BLOCK], np.int64),
        outs=["step.gone", "step.rest"],
        axis=1,
    )[1]
    b("Concat", rest, block, axis=1, out="step.history_out")
    b("Identity", "step.on", out="step.on_out")
    assert hidden == "step.hidden_out"
    return b.finish(*_loop_values("s", "step", value(block, FLOAT, 1, BLOCK)))


def _loop_values(counter: str, name: str, last: onnx.ValueInfoProto) -> tuple[list[Any], list[Any]]:
    """Inputs and outputs of a loop's body: the counter, the condition and the states."""
    inputs = [value(counter, INT64), value(f"{name}.on", BOOL)]
    inputs += [value(f"{name}.{state}", FLOAT, *shape) for state, shape in STATES.items()]
    outputs = [value(f"{name}.on_out", BOOL)]
    outputs += [value(f"{name}.{state}_out", FLOAT, *shape) for state, shape in STATES.items()]
    return inputs, [*outputs, last]


def _model(graph: GraphProto, metadata: dict[str, str]) -> ModelProto:
    model = helper.make_model(
        graph, opset_imports=OPSETS, ir_version=IR_VERSION, producer_name="cosyedge tests"
    )
    helper.set_model_props(model, metadata)
    return model


def make_voice(folder: Path) -> None:
    """Write the bundle into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(acoustic_model(), folder / "acoustic.int8.onnx")
    onnx.save(vocoder(), folder / "vocoder.onnx")
    lexicons = write_lexicons(folder)
    voices = [
        ("zhitian", 0, "Mandarin, a man, for tests", "zh", 0.0),
        ("xiaoyan", 1, "Mandarin, a woman, for tests", "zh", -1.5),
        ("en_us", 2, "American English, a woman, for tests", "en", 1.0),
    ]
    manifest = {
        "format": 1,
        "name": "tiny",
        "version": "1",
        "licence": "Apache-2.0",
        "provenance": "Pseudo-random weights, made by tests/data/make_test_voice.py.",
        "sample_rate": SAMPLE_RATE,
        "hop": HOP,
        "mel": {key: getattr(MEL, key) for key in ("n_fft", "win", "bands", "fmin", "fmax", "log", "floor")},
        "symbols": {"version": INVENTORY_VERSION, "count": len(SYMBOLS), "sha256": inventory_hash()},
        "temperature": {"unvoiced": 0.7, "voiced": 0.5},
        "languages": ["zh", "en"],
        "voices": [
            {
                "id": i,
                "index": n,
                "description": d,
                "languages": [lang, *({"zh", "en"} - {lang})],
                "native": lang,
                "gain_db": gain,
            }
            for i, n, d, lang, gain in voices
        ],
        "files": {
            "acoustic": _entry(folder / "acoustic.int8.onnx"),
            "vocoder": _entry(folder / "vocoder.onnx"),
            "lexicons": [_entry(path) for path in lexicons],
        },
    }
    text = yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True)
    (folder / "bundle.yaml").write_text(text, encoding="utf-8")


def _entry(path: Path) -> dict[str, str]:
    return {"path": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


if __name__ == "__main__":
    make_voice(Path(sys.argv[1]) if len(sys.argv) > 1 else TINY)
