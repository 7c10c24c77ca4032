"""Writing an ONNX graph by hand: nodes in the order in which they run, constants by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


class Graph:
    """One graph or loop body. Every method returns the name of the value that it adds."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, TensorProto] = {}

    def constant(self, name: str, value: Any, dtype: Any = np.float32) -> str:
        array = np.asarray(value, dtype)
        unique = f"{self._name}.{name}"
        if unique not in self._constants:
            self._constants[unique] = numpy_helper.from_array(array, unique)
        return unique

    def ints(self, *values: int) -> str:
        return self.constant("i" + "_".join(map(str, values)), values, np.int64)

    def scalar(self, value: int) -> str:
        return self.constant(f"s{value}", value, np.int64)

    def add(self, op: str, *inputs: str, out: str = "", domain: str = "", **attributes: Any) -> str:
        return self.add_many(
            op, *inputs, outs=(out or f"{self._name}.{op}{len(self._nodes)}",), domain=domain, **attributes
        )[0]

    def add_many(
        self, op: str, *inputs: str, outs: tuple[str, ...], domain: str = "", **attributes: Any
    ) -> tuple[str, ...]:
        self._nodes.append(helper.make_node(op, inputs, outs, domain=domain, **attributes))
        return outs

    def split(self, value: str, *sizes: int) -> tuple[str, ...]:
        """Along the last of two axes."""
        outs = tuple(f"{self._name}.Split{len(self._nodes)}.{i}" for i in range(len(sizes)))
        return self.add_many("Split", value, self.ints(*sizes), outs=outs, axis=1)

    def linear(
        self, value: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32] | None = None
    ) -> str:
        """value [rows, in] by torch's weight [out, in]. One product for all rows, each computed alike."""
        w = self.constant(f"{name}.weight", np.ascontiguousarray(weight.T))
        if bias is None:
            return self.add("MatMul", value, w)
        return self.add("Gemm", value, w, self.constant(f"{name}.bias", bias))

    def finish(self, inputs: list[ValueInfoProto], outputs: list[ValueInfoProto]) -> GraphProto:
        return helper.make_graph(self._nodes, self._name, inputs, outputs, list(self._constants.values()))


def value(name: str, dtype: int, shape: list[int | str]) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, shape)
