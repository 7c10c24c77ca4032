"""The only maker of onnxruntime sessions: one thread, no spinning, no telemetry, little memory.

Measured on x86-64 with onnxruntime 1.32 (acoustic model of 4 MB, a clause of 12 s):

* Optimisation: below ``extended`` the acoustic model takes twice the time (its 8-bit products are not
  fused). The vocoder's loop does not care.
* Memory arena: the vocoder runs as fast without. The acoustic model without it leaves glibc's heap
  fragmented at 108 MB resident, with it at 90 MB; with it and shrunk after each run, and free pages then
  given back to the kernel (:func:`release_memory`), at 79 MB, for 5 ms a clause.
* Memory pattern: 10 MB more, no faster.
* Prepacking of constant weights stays on. Results of one-row products would change without it, and with
  them the promise that chunks of any size join bit for bit.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, Final

# Read by onnxruntime while it is imported: later it has a thread and files in $HOME already.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime as ort

from cosyedge.errors import SpeechError

_libc: Final = ctypes.CDLL(None)  # once: each call makes a class anew, which only the collector takes away
#: Only what is fatal is logged: an error comes as an exception and is told once, by whoever catches it.
_FATAL: Final = 4
_CONFIG: Final = {
    "session.intra_op.allow_spinning": "0",
    "session.inter_op.allow_spinning": "0",
    # A decaying recurrent state would reach denormal numbers, which some processors compute slowly.
    "session.set_denormal_as_zero": "1",
}


def session(model: Path, *, arena: bool = False) -> Any:
    """A session of the model at ``model`` that computes on the calling thread and no other.

    Args:
        model: the ONNX file.
        arena: let onnxruntime keep the memory of intermediate results: for big ones, with :func:`shrinking`.

    Raises:
        SpeechError: ``model_unreadable``, naming the file; ``overloaded`` where memory ran out.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.enable_cpu_mem_arena = arena
    options.enable_mem_pattern = False
    options.log_severity_level = _FATAL
    for key, value in _CONFIG.items():
        options.add_session_config_entry(key, value)
    try:
        return ort.InferenceSession(os.fspath(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        if out_of_memory(error):
            raise SpeechError("overloaded", f"There is not enough memory for {model}.") from error
        raise SpeechError("model_unreadable", f"onnxruntime can't load {model}: {_line(error)}.") from error


def shrinking() -> Any:
    """Options for one run of a session with an arena that gives its memory back at the end of the run."""
    options = ort.RunOptions()
    options.log_severity_level = _FATAL
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def run_failed(model: str, error: Exception) -> SpeechError:
    """For what came out of a run: ``overloaded`` if memory ran out, else ``synthesis_failed``."""
    if out_of_memory(error):
        return SpeechError("overloaded", f"The {model} ran out of memory.")
    return SpeechError("synthesis_failed", f"The {model} failed: {_line(error)}.")


def out_of_memory(error: Exception) -> bool:
    """Whether an allocation failed. onnxruntime has no exception of its own for it: its words must do."""
    said = str(error).lower()
    words = "bad_alloc", "bad allocation", "failed to allocate"
    return isinstance(error, MemoryError) or any(word in said for word in words)


def release_memory() -> None:
    """Hand pages that malloc holds free back to the kernel: they count as resident memory otherwise."""
    if hasattr(_libc, "malloc_trim"):  # not in musl
        _libc.malloc_trim(0)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300].rstrip(".")
