"""Sessions: what can't be loaded is named, out of memory is told apart, and one thread does it all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from cosyedge.errors import SpeechError
from cosyedge.speech import runtime
from cosyedge.speech.acoustic import AcousticModel
from cosyedge.speech.voice import Bundle, load_bundle
from tests.speech.conftest import edit_model


def test_a_model_whose_header_is_fine_and_whose_graph_is_not(folder: Path) -> None:
    def break_graph(model: onnx.ModelProto) -> None:
        model.graph.node[0].op_type = "Sqeeze"

    edit_model(folder, "acoustic.int8.onnx", break_graph)
    bundle = load_bundle(folder)
    with pytest.raises(SpeechError, match=r"acoustic\.int8\.onnx") as caught:
        AcousticModel(bundle.acoustic)
    assert caught.value.code == "model_unreadable"


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x08\x09nonsense")
    with pytest.raises(SpeechError, match=r"model\.onnx") as caught:
        runtime.session(path)
    assert caught.value.code == "model_unreadable"
    assert "\n" not in caught.value.sentence


def test_running_out_of_memory_is_told_apart(tmp_path: Path) -> None:
    """A real allocation that no machine can serve, as onnxruntime reports it."""
    node = helper.make_node("ConstantOfShape", ["shape"], ["zeros"])
    shape = helper.make_tensor_value_info("shape", TensorProto.INT64, [1])
    zeros = helper.make_tensor_value_info("zeros", TensorProto.FLOAT, ["n"])
    graph = helper.make_graph([node], "big", [shape], [zeros])
    path = tmp_path / "big.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    for arena in (False, True):
        session = runtime.session(path, arena=arena)
        with pytest.raises(Exception, match=r".") as caught:
            session.run(None, {"shape": np.array([1 << 60])})
        assert runtime.out_of_memory(caught.value)
        assert runtime.run_failed("model", caught.value).code == "overloaded"
        assert session.run(None, {"shape": np.array([3])})[0].tolist() == [0, 0, 0]


def test_an_error_is_told_once(test_bundle: Bundle, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SpeechError):
        AcousticModel(test_bundle.acoustic).frames((5,), 99)
    assert capfd.readouterr() == ("", "")


def test_what_is_no_matter_of_memory() -> None:
    assert runtime.out_of_memory(MemoryError())
    assert not runtime.out_of_memory(RuntimeError("index out of bounds"))
    assert runtime.run_failed("model", RuntimeError("a\nb")).code == "synthesis_failed"


def in_a_new_process(program: str, home: Path, *arguments: str) -> list[str]:
    """The words that a program prints; its environment is what a login shell would have."""
    names = ("PATH", "LANG", "LD_LIBRARY_PATH")
    environment = {name: os.environ[name] for name in names if name in os.environ}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(
        command,
        env=environment | {"HOME": str(home), "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


IMPORT = """
import os
from cosyedge.speech import runtime
import onnxruntime
print(len(os.listdir("/proc/self/task")))
"""


def test_onnxruntime_starts_no_thread_and_writes_no_file_when_it_is_imported(tmp_path: Path) -> None:
    # numpy's own threads are another matter, held by cosyedge.host.limits.
    program = "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'\n" + IMPORT
    assert in_a_new_process(program, tmp_path) == ["1"]
    assert list(tmp_path.rglob("*")) == []


SPEAK = """
import os, sys
from pathlib import Path
from cosyedge.host.limits import prepare_environment
prepare_environment()
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import load_bundle

def threads():
    return len(os.listdir("/proc/self/task"))

print(threads())
synthesizer = Synthesizer(load_bundle(Path(sys.argv[1])))
synthesizer.load()
print(threads())
synthesizer.warm_up()
print(threads())
synthesizer.close()
print(threads())
"""


def test_exactly_one_thread_of_the_process_does_inference(any_bundle: Bundle, tmp_path: Path) -> None:
    """The interpreter's own thread calls; after import, load, a long clause and unload it is the only one."""
    assert in_a_new_process(SPEAK, tmp_path, str(any_bundle.path)) == ["1"] * 4
    assert list(tmp_path.rglob("*")) == []


UNDER_A_LIMIT = """
import resource, sys
from pathlib import Path
from cosyedge.host.limits import prepare_environment
prepare_environment()
from cosyedge.errors import SpeechError
from cosyedge.speech.synthesizer import Synthesizer
from cosyedge.speech.voice import load_bundle
from cosyedge.text.reader import Phonemes
from cosyedge.text.symbols import to_ids

def used():
    return int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0]) * 1024

synthesizer = Synthesizer(load_bundle(Path(sys.argv[1])))
voice = synthesizer.bundle.voices[0]
def say(times):
    clause = Phonemes(to_ids("a" * times), (), 0.0, ())
    return sum(len(chunk) for chunk in synthesizer.stream(clause, voice, 0.5))

usual = say(5)
# Room for small things; a clause as long as can be needs more than that.
resource.setrlimit(resource.RLIMIT_DATA, (used() + 400_000, resource.RLIM_INFINITY))
try:
    say(260)
except SpeechError as error:
    print(error.code)
print(say(5) == usual)
"""


def test_a_clause_that_finds_no_memory_fails_alone(test_bundle: Bundle, tmp_path: Path) -> None:
    assert in_a_new_process(UNDER_A_LIMIT, tmp_path, str(test_bundle.path)) == ["overloaded", "True"]
