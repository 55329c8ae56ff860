# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on the CPU, by the dialect's meaning and as checked lowered code."""

import array
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import exchange_support
import ml_dtypes
import numpy as np
import pytest

from mlir_tile import cache, execution, ir
from mlir_tile.errors import ArgumentError, CompileError, Error, LaunchError
from mlir_tile.execution import CompileOptions

TARGETS = ["cpu", "lowered:sm_90a"]
COPY = """
tile.kernel @copy(%X: memref<?x{type}>, %Y: memref<?x{type}>) grid(%b) = (dim(%X, 0)) threads(32) {{
  tile.parallel (%i) in (1) {{
    %x = memref.load %X[%b] : memref<?x{type}>
    memref.store %x, %Y[%b] : memref<?x{type}>
  }}
}}
"""
SCALE = """
tile.kernel @scale(%X: memref<?x?xf32, strided<[?, ?]>>, %Y: memref<?x32xf32>, %s: f32)
    grid(%b) = (dim(%X, 0)) threads(32) {
  tile.parallel (%i) in (32) {
    %x = memref.load %X[%b, %i] : memref<?x?xf32, strided<[?, ?]>>
    %y = arith.mulf %x, %s : f32
    memref.store %y, %Y[%b, %i] : memref<?x32xf32>
  }
}
"""
SCALAR = """
tile.kernel @put(%Y: memref<1x{type}>, %s: {type}) grid(%b) = (1) threads(32) {{
  %c0 = arith.constant 0 : index
  tile.parallel (%i) in (1) {{
    memref.store %s, %Y[%c0] : memref<1x{type}>
  }}
}}
"""


@pytest.fixture(autouse=True)
def no_disk(monkeypatch):
    monkeypatch.setattr(cache, "_state", cache._State())
    cache.configure(disk=False)


@pytest.fixture
def arrays():
    x = np.arange(4 * 32, dtype=np.float32).reshape(4, 32)
    return x, np.full((4, 32), np.nan, np.float32)


@pytest.mark.parametrize("target", TARGETS)
def test_runs(target, arrays):
    x, y = arrays
    run = execution.compile(SCALE, target=target)
    run(x, y, 2.5)
    np.testing.assert_array_equal(y, x * np.float32(2.5))
    assert run.name == "scale" and str(run.target) == target
    assert [a["name"] for a in run.arguments] == ["X", "Y", "s"]
    assert run.arguments[1]["access"] == "w" and run.arguments[0]["access"] == "r"


@pytest.mark.parametrize("target", TARGETS)
def test_views_are_not_copied(target, arrays):
    x, y = arrays
    run = execution.compile(SCALE, target=target)
    for view in (
        np.arange(64 * 9, dtype=np.float32).reshape(9, 64)[1::2, ::2],
        np.arange(32 * 4, dtype=np.float32).reshape(32, 4).T,
        x[:, ::-1],
        np.broadcast_to(x[:1], (4, 32)),
    ):
        run(view, y, 1.0)
        np.testing.assert_array_equal(y, view)


@pytest.mark.parametrize("target", TARGETS)
def test_no_elements(target):
    run = execution.compile(SCALE, target=target)
    empty = np.zeros((0, 32), np.float32)
    run(empty, empty, 1)
    run(np.zeros((0, 64), np.float32)[:, ::2], empty[:, ::-1], 1)


@pytest.mark.parametrize(
    "name, dtype, values",
    [
        ("f64", np.float64, [1.5, -2]),
        ("f16", np.float16, [1.5, -2]),
        ("i8", np.int8, [1, -128]),
        ("i8", np.uint8, [1, 255]),
        ("i16", np.int16, [1, -2]),
        ("i32", np.int32, [7, -2]),
        ("i64", np.int64, [2**62, -2]),
        ("i64", np.uint64, [2**63, 2]),
        ("i1", np.bool_, [True, False]),
        ("bf16", ml_dtypes.bfloat16, [1.5, -2]),
        ("bf16", np.uint16, [0x3FC0, 0xC000]),
        ("f8E4M3FN", ml_dtypes.float8_e4m3fn, [1.5, -2]),
        ("f8E4M3FN", np.uint8, [0x3C, 0xC0]),
        ("f8E5M2", ml_dtypes.float8_e5m2, [1.5, -2]),
        ("i4", np.int8, [0x12, 0x34]),
    ],
)
def test_element_types(name, dtype, values):
    x = np.array(values).astype(dtype)
    y = np.zeros_like(x)
    execution.compile(COPY.format(type=name), target="cpu")(x, y)
    assert x.tobytes() == y.tobytes()


def test_other_buffers():
    run = execution.compile(COPY.format(type="f32"), target="cpu")
    x, y = array.array("f", [1.5, 2.5]), bytearray(8)
    run(x, memoryview(y).cast("f"))
    assert bytes(y) == x.tobytes()
    z = (ctypes.c_float * 2)()
    run(x, z)
    assert list(z) == [1.5, 2.5]
    with pytest.raises(ArgumentError, match=r"'Y'\): expected memory that may be written.*bytes"):
        execution.compile(COPY.format(type="i8"), target="cpu")(b"ab", b"cd")


class Dlpack:
    """A library with nothing but __dlpack__."""

    def __init__(self, array, old):
        self.array, self.old = array, old

    def __dlpack__(self, **options):
        if self.old and options:
            raise TypeError("unexpected keyword argument")
        return self.array.__dlpack__(**options)


@pytest.mark.parametrize("old", [False, True])
def test_dlpack(old, arrays):
    x, y = arrays
    run = execution.compile(SCALE, target="cpu")
    run(Dlpack(x, old), Dlpack(y, old), 3)
    np.testing.assert_array_equal(y, x * 3)
    if not old:
        y.flags.writeable = False
        with pytest.raises(ArgumentError, match="'Y'"):
            run(x, Dlpack(y, old), 3)


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("f32", 1, np.float32(1)),
        ("f32", np.float64(0.1), np.float32(0.1)),
        ("f64", 0.1, np.float64(0.1)),
        ("f16", 65504.0, np.float16(65504)),
        ("f16", 1e6, np.float16(np.inf)),
        ("f16", 3e-8, np.float16(3e-8)),
        ("f16", 2049.0, np.float16(2049)),
        ("bf16", 0.1, ml_dtypes.bfloat16(0.1)),
        ("f16", float("nan"), np.float16("nan")),
        ("i1", True, np.bool_(True)),
        ("f8E4M3FN", 448.0, ml_dtypes.float8_e4m3fn(448)),
        ("f8E4M3FN", 0.013, ml_dtypes.float8_e4m3fn(0.013)),
        ("f8E5M2", -1e9, ml_dtypes.float8_e5m2(-np.inf)),
        ("i32", -(2**31), np.int32(-(2**31))),
        ("i8", np.int64(-7), np.int8(-7)),
        ("i64", 2**63 - 1, np.int64(2**63 - 1)),
    ],
)
def test_scalars(name, value, expected):
    y = np.zeros(1, expected.dtype)
    execution.compile(SCALAR.format(type=name), target="cpu")(y, value)
    assert y.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "name, value, text",
    [
        ("i32", 2**31, "expected an integer that fits i32, from -2^31 to 2^31 - 1, got 2147483648"),
        ("i32", 2.0, r"expected an integer \(i32\), got float 2.0"),
        ("i32", None, "got None"),
        ("i1", 2, "expected an integer that fits i1, from 0 to 2^1 - 1, got 2"),
        ("i64", -(2**63) - 1, "expected an integer that fits i64"),
        ("f32", "1", r"expected a number \(f32\), got str 1"),
        ("f32", [1], "got list"),
    ],
)
def test_scalars_that_do_not_fit(name, value, text):
    run = execution.compile(SCALAR.format(type=name), target="cpu")
    dtype = {"i1": np.bool_, "i64": np.int64, "f32": np.float32}.get(name, np.int32)
    with pytest.raises(ArgumentError, match=r"argument 1 \('s'\): .*" + text.replace("^", r"\^")):
        run(np.zeros(1, dtype), value)


@pytest.mark.parametrize("target", TARGETS)
def test_arguments_that_do_not_fit(target, arrays):
    x, y = arrays
    run = execution.compile(SCALE, target=target)
    unaligned = np.frombuffer(bytearray(4 * 128 + 1), np.uint8)[1:].view(np.float32).reshape(4, 32)
    half = np.zeros((4, 32), np.complex64).view(np.float32)[:, :32]
    for args, text in [
        ((x, y), "expected 3 arguments (X, Y, s), got 2"),
        ((None, y, 1), "argument 0 ('X'): expected a tensor of f32, got None"),
        (([1.0], y, 1), "argument 0 ('X'): expected a tensor of f32 on the CPU, got list"),
        ((x.astype(np.float16), y, 1), "argument 0 ('X'): expected element type f32, got f16"),
        (
            (x.astype(np.complex64), y, 1),
            "argument 0 ('X'): expected element type f32, got complex64",
        ),
        ((x.astype(">f4"), y, 1), "argument 0 ('X'): expected element type f32, got"),
        ((x[0], y, 1), "argument 0 ('X'): expected shape *x*, got 32"),
        ((x, y[:, :31], 1), "argument 1 ('Y'): expected shape *x32, got 4x31"),
        ((x, y.reshape(32, 4).T, 1), "argument 1 ('Y'): expected strides [32, 1], got [1, 4]"),
        ((x, y[:, ::-1], 1), "argument 1 ('Y'): expected strides [32, 1], got [32, -1]"),
        ((x, half, 1), "argument 1 ('Y'): expected strides [32, 1], got [64, 1]"),
        ((unaligned, y, 1), "argument 0 ('X'): expected an address aligned to 4 bytes"),
        ((x, np.broadcast_to(y[0], (4, 32)), 1), "argument 1 ('Y'): expected memory that may be"),
        ((y, y, 1), "argument 1 ('Y'): expected memory of its own"),
    ]:
        with pytest.raises(ArgumentError) as caught:
            run(*args)
        assert text in str(caught.value)
    run(x, y, 2)
    np.testing.assert_array_equal(y, x * 2)


def test_bytes_between_elements(arrays):
    run = execution.compile(SCALE, target="cpu")
    record = np.zeros((4, 32), np.dtype([("value", "f4"), ("flag", "u1")]))
    with pytest.raises(
        ArgumentError, match=r"'X'\): expected strides of whole elements \(4 bytes\)"
    ):
        run(record["value"], arrays[1], 1)


def test_what_fails_while_it_runs():
    source = """
    tile.kernel @f(%X: memref<?xf32>, %n: index) grid(%b) = (1) threads(32) {
      tile.parallel (%i) in (32) {
        %j = arith.addi %i, %n : index
        %x = memref.load %X[%j] : memref<?xf32>
        memref.store %x, %X[%i] : memref<?xf32>
      }
    }"""
    x = np.zeros(32, np.float32)
    checked = execution.compile(source, target="cpu")  # by default
    lowered = execution.compile(source, target="lowered:sm_80")
    for run in (checked, lowered):
        with pytest.raises(LaunchError, match="kernel 'f': "):
            run(x, 1)
        run(x, 0)


def test_output(capsys):
    source = """
    tile.kernel @p(%n: i32) grid(%b) = (2) threads(32) {
      tile.print "n" %n : i32
    }"""
    execution.compile(source, target="cpu")(42)
    assert capsys.readouterr().out.count("42") == 2


def test_errors_of_the_compiler():
    with pytest.raises(CompileError, match=r"source:2:\d+: error: ") as caught:
        execution.compile("\ntile.kernel @f(%X: memref<?xf32>) grid(", target="cpu")
    assert "warning" not in str(caught.value)
    for target in ("cpu", "cuda:sm_90a", "lowered:sm_90a"):
        with pytest.raises(CompileError, match="at least one"):
            execution.compile("module {}", target=target)
    with pytest.raises(CompileError, match="expected an architecture among"):
        execution.compile(SCALE, target="cuda:sm_1")
    with pytest.raises(ArgumentError, match="expected auto, cpu, .* got 'gpu'"):
        execution.compile(SCALE, target="gpu")
    with pytest.raises(ArgumentError, match="target: expected a string, got NoneType"):
        execution.compile(SCALE, target=None)
    with pytest.raises(ArgumentError, match="source: expected an ir.Module"):
        execution.compile(3, target="cpu")
    with pytest.raises(ArgumentError, match=r"expected a kernel of the module \(scale\), got 'x'"):
        execution.compile(SCALE, target="cpu", name="x")
    with pytest.raises(ArgumentError, match=r"\(scale, copy\), got none"):
        execution.compile(SCALE + COPY.format(type="f32"), target="cpu")
    assert issubclass(CompileError, Error) and issubclass(ArgumentError, (ValueError, TypeError))


def test_several_kernels(arrays):
    x, y = arrays
    source = SCALE + COPY.format(type="f32")
    for target in TARGETS:
        execution.compile(source, target=target, name="copy")(x[0], y[0])
        np.testing.assert_array_equal(x[0], y[0])


def test_modules_and_what_they_become(arrays):
    x, y = arrays
    with ir.Context():
        module = ir.Module.parse(SCALE)
        run = execution.compile(module, target="cpu")
        again = execution.compile(module, target="cpu")
        gpu = execution.compile(module, target="cuda:sm_90a")
    assert again is run  # out of the memory's cache
    run(x, y, -1)
    np.testing.assert_array_equal(y, -x)
    assert ".target sm_90a" in gpu.ptx and ".entry scale" in gpu.ptx
    assert ".target sm_80" in run.ptx  # what it would be on a GPU
    assert gpu.artifact.startswith(b"\x8fTILE") and gpu.manifest["threads"] == 32
    assert "tile.kernel @scale" in run.ir and "tile.kernel @scale" in gpu.ir
    assert "remark" in gpu.remarks and "registers" in gpu.remarks
    assert b"target" in gpu.emit("llvmir")
    run.close()
    with pytest.raises(LaunchError, match="closed"):
        run(x, y, 1)


def test_options():
    source = """
    tile.kernel @g(%X: memref<?xf32>) tunable(%b in [32, 64, 96])
        grid(%bx) = (dim(%X, 0) ceildiv %b) threads(32) {
      %zero = arith.constant 0.0 : f32
      %m = arith.muli %bx, %b : index
      %t = tile.alloc(%b) : memref<?xf32, #tile.fragment>
      tile.fill %t with %zero : memref<?xf32, #tile.fragment>, f32
      tile.copy %t to %X[%m] : memref<?xf32, #tile.fragment> to memref<?xf32>
    }"""
    x = np.ones(100, np.float32)
    for target in (*TARGETS, "cuda:sm_80"):
        options = CompileOptions(tunables={"b": 96}, shape_hints={"X": (100,)})
        run = execution.compile(source, target=target, options=options)
        assert run.manifest["chosen"] == [{"name": "b", "value": 96}] or "96" in str(
            run.manifest["chosen"]
        )
        if target != "cuda:sm_80":
            run(x)
            assert not x.any()
            x[:] = 1
    with pytest.raises(CompileError, match="33"):
        execution.compile(source, target="cpu", options=CompileOptions(tunables="b=33"))
    with pytest.raises(ArgumentError, match="options: expected CompileOptions, got dict"):
        execution.compile(source, target="cpu", options={})


def test_guards():
    """An index that nothing bounds gets a condition on a GPU, which `guards=False` leaves out; the
    CPU says where it is wrong."""
    source = """
    tile.kernel @k(%I: memref<64xi32>, %Y: memref<64xf32>) grid(%b) = (1) threads(64) {
      %zero = arith.constant 0.0 : f32
      %s = tile.alloc : memref<64xf32, #gpu.address_space<workgroup>>
      tile.fill %s with %zero : memref<64xf32, #gpu.address_space<workgroup>>, f32
      tile.parallel (%i) in (64) {
        %j = memref.load %I[%i] : memref<64xi32>
        %k = arith.index_cast %j : i32 to index
        %x = memref.load %s[%k] : memref<64xf32, #gpu.address_space<workgroup>>
        memref.store %x, %Y[%i] : memref<64xf32>
      }
    }"""
    compiled = {
        guards: execution.compile(
            source, target="cuda:sm_90a", options=CompileOptions(guards=guards)
        )
        for guards in (True, False)
    }
    conditions = {guards: kernel.ptx.count("setp.gt.u32") for guards, kernel in compiled.items()}
    assert conditions == {True: 1, False: 0}
    assert "guarded: index 0 is not known to be below 64" in compiled[True].remarks
    assert "guarded" not in compiled[False].remarks
    kernel = execution.compile(source, target="cpu")
    with pytest.raises(Exception, match="expected indices inside the buffer"):
        kernel(np.full(64, 64, np.int32), np.empty(64, np.float32))


@pytest.mark.skipif(execution.gpu_count() > 0, reason="there is a GPU")
def test_no_gpu():
    assert execution.resolve("auto").kind == "cpu"
    with pytest.raises(LaunchError, match="cannot open the CUDA driver"):
        execution.compile(SCALE, target="cuda")


def test_threads(arrays):
    """Compiles and runs in several threads at once; others run meanwhile."""
    x, _ = arrays
    failures = []

    def work(number):
        try:
            for target in ("cpu", "lowered:sm_80"):
                y = np.zeros((4, 32), np.float32)
                source = SCALE.replace("@scale", f"@scale{number}")
                run = execution.compile(source, target=target)
                for _ in range(3):
                    run(x, y, number)
                np.testing.assert_array_equal(y, x * np.float32(number))
        except Exception as error:  # noqa: BLE001: reported by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def _fork_work(queue):
    x = np.arange(128, dtype=np.float32).reshape(4, 32)
    y = np.zeros_like(x)
    execution.compile(SCALE, target="cpu")(x, y, 4)
    queue.put(bool((y == x * 4).all()))


def test_fork(arrays):
    """A child goes on with what was imported and compiled, and compiles anew."""
    execution.compile(SCALE, target="cpu")(*arrays, 1)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_fork_work, args=(queue,))
    process.start()
    assert queue.get(timeout=60)
    process.join(60)
    assert process.exitcode == 0


def test_interrupted_compile(arrays, interruptible):
    """Ctrl-C while compiling is one KeyboardInterrupt, and everything works after it."""
    body = "".join(
        f"    %v{i + 1} = math.exp %v{i} : f32\n    %w{i} = arith.mulf %v{i + 1}, %x : f32\n"
        for i in range(400)
    )
    source = f"""
    tile.kernel @slow(%X: memref<?xf32>) grid(%b) = (1) threads(32) {{
      tile.parallel (%i) in (32) {{
        %x = memref.load %X[%i] : memref<?xf32>
        %v0 = arith.addf %x, %x : f32
    {body}
        memref.store %v400, %X[%i] : memref<?xf32>
      }}
    }}"""
    timer = threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        execution.compile(source, target="cuda:sm_90a")
        time.sleep(10)  # the signal may come after a fast compile
    x, y = arrays
    execution.compile(SCALE, target="cpu")(x, y, 2)
    np.testing.assert_array_equal(y, x * 2)


def test_exit_with_kernels_alive():
    """Kernels that are globals, or run in daemon threads, do not disturb the end."""
    program = f"""
import threading, numpy as np
from mlir_tile import cache, execution
cache.configure(disk=False)
run = execution.compile('''{SCALE}''', target="cpu")
lowered = execution.compile('''{SCALE}''', target="lowered:sm_80")
x = np.ones((4, 32), np.float32); y = np.zeros_like(x)
run(x, y, 1); lowered(x, y, 1)
def loop():
    while True: run(x, y, 2)
threading.Thread(target=loop, daemon=True).start()
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_what_the_package_imports():
    """Arrays of NumPy are read without importing it; PyTorch is never imported."""
    program = """
import sys, array
from mlir_tile import execution, cache
cache.configure(disk=False)
run = execution.compile(sys.argv[1], target="cpu")
run(array.array("f", [1]), array.array("f", [2]))
assert not {"numpy", "torch", "cupy", "jax"} & set(sys.modules), sorted(sys.modules)
"""
    source = COPY.format(type="f32")
    subprocess.run([sys.executable, "-c", program, source], check=True)


def test_exchange_functions(arrays):
    """Tensors of the CPU by DLPack's exchange functions, as PyTorch's are."""
    x, y = arrays
    exchange = exchange_support.build()

    def tensor(array, device=(1, 0)):
        strides = tuple(stride // 4 for stride in array.strides)
        return exchange.Tensor(array.ctypes.data, array.shape, strides, (2, 32, 1), device)

    run = execution.compile(SCALE, target="cpu")
    run(tensor(x[:, ::-1]), tensor(y), 2)
    np.testing.assert_array_equal(y, x[:, ::-1] * 2)
    run(tensor(x, (3, 0)), tensor(y), 3)  # pinned
    np.testing.assert_array_equal(y, x * 3)
    with pytest.raises(
        ArgumentError, match=r"'X'\): expected memory of the CPU, got a tensor on GPU 1"
    ):
        run(tensor(x, (2, 1)), tensor(y), 3)
