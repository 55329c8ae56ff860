# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads, callbacks that raise, and the end of the interpreter."""

import gc
import pathlib
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from mlir_tile.ir import (
    Context,
    F32Type,
    IndexType,
    InsertionPoint,
    Location,
    MLIRError,
    Module,
    WalkResult,
)  # fmt: skip
from mlir_tile.passmanager import PassManager

from mlir_tile import explain, layout
from mlir_tile._mlir_libs import _tile
from mlir_tile.dialects import arith, tile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def ptx_of(path, arch):
    """Builds a module in a context of the thread's own, and compiles it."""
    with Context(), Location.unknown():
        module = Module.parse(read(path))
        data, diagnostics = _tile.compile(module, arch=arch, output="ptx")
    assert data is not None, diagnostics
    return data


def test_several_threads_compile_at_once():
    jobs = [
        (f"examples/{name}.mlir", arch)
        for name in ("gemm", "softmax", "scale", "rmsnorm")
        for arch in ("sm_80", "sm_90a")
    ]
    alone = [ptx_of(*job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda job: ptx_of(*job), jobs))
    assert together == alone


def test_other_threads_run_while_one_compiles():
    """Compiling releases the interpreter's lock: this thread counts on meanwhile."""
    done = threading.Event()

    def compile_some():
        try:
            for _ in range(3):
                ptx_of("examples/attention.mlir", "sm_90a")
        finally:
            done.set()

    steps = 0
    with ThreadPoolExecutor(1) as pool:
        compiled = pool.submit(compile_some)
        while not done.wait(0.002):
            steps += 1
        compiled.result()
    assert steps > 10


def test_threads_build_and_explain_in_contexts_of_their_own():
    def work(number):
        with Context(), Location.unknown():
            module = Module.create()
            with InsertionPoint(module.body):
                vector = tile.memref_type([64 * number], F32Type.get())

                @tile.kernel(vector, grid=number, threads=64, name=f"k{number}")
                def kernel(x, b):
                    held = tile.alloc((64,), F32Type.get())
                    tile.fill(held, number)
                    tile.copy(
                        held, x, target_offsets=[arith.muli(b, arith.constant(IndexType.get(), 64))]
                    )

            module.operation.verify()
            return list(layout.layouts(module, "sm_80")), explain.explain(module, "sm_80").kernels[
                0
            ].name

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(1, 9)))
    assert [name for _, name in results] == [f"k{number}" for number in range(1, 9)]


def test_an_error_in_a_walk_leaves_the_module_usable():
    with Context():
        module = Module.parse(read("examples/gemm.mlir"))

        def visit(op):
            if op.name == "tile.gemm":
                raise KeyError("found")
            return WalkResult.ADVANCE

        with pytest.raises(Exception, match="found"):
            module.operation.walk(visit)
        assert module.operation.verify()
        PassManager.parse("builtin.module(canonicalize)").run(module.operation)


def test_an_error_in_a_body_builder_leaves_the_context_usable():
    with Context(), Location.unknown():
        module = Module.create()
        with InsertionPoint(module.body), pytest.raises(ZeroDivisionError):
            tile.KernelOp("f", [], grid=1, body_builder=lambda op: 1 // 0)
        with InsertionPoint(module.body):
            tile.KernelOp("g", [], grid=1).finish()
        with pytest.raises(ValueError, match="No current InsertionPoint"):
            _ = InsertionPoint.current


def test_a_failed_pass_leaves_the_context_usable():
    with Context(), Location.unknown():
        broken = Module.parse("tile.kernel @f(%x: memref<4xf32>) grid(%b) = (1) threads(32) {}")
        with pytest.raises(MLIRError):
            PassManager.parse("builtin.module(tile-to-nvvm{arch=sm_7})").run(broken.operation)
        PassManager.parse("builtin.module(tile-to-nvvm{arch=sm_80})").run(broken.operation)
        assert "llvm.func" in str(broken)
        data, diagnostics = _tile.compile("nonsense", arch="sm_80")
        assert data is None and "source:1:1: error" in diagnostics


def test_operations_keep_their_context_and_modules_their_operations():
    context = Context()
    with context, Location.unknown():
        module = Module.parse("tile.kernel @f() grid(%b) = (1) threads(32) {}")
    whole, kernel = module.operation, module.body.operations[0]
    del context
    assert kernel.argument_names == []
    del module
    gc.collect()
    assert "tile.kernel @f" in str(whole)


ENDS = {
    "live module": "m = Module.parse(text)",
    "entered context": "Context().__enter__(); m = Module.parse(text)",
    "handler": "m = Module.parse(text); h = m.context.attach_diagnostic_handler(lambda d: True)",
    "open insertion point": "m = Module.parse(text); InsertionPoint(m.body).__enter__()",
    "thread with a context": (
        "import threading\n"
        "def run():\n    global m2\n    with Context():\n        m2 = Module.parse(text)\n"
        "t = threading.Thread(target=run); t.start(); t.join()"
    ),
    "thread that left nothing": (
        "import threading\n"
        "def run():\n    Context().__enter__(); m = Module.parse(text)\n"
        "    Location.unknown().__enter__()\n"
        "for _ in range(3):\n    t = threading.Thread(target=run); t.start(); t.join()"
    ),
    "layout": "from mlir_tile import layout; a = layout.layouts(text, 'sm_80')",
    "unhandled error": "m = Module.parse(text)\nraise SystemExit(0)",
}


@pytest.mark.parametrize("what", ENDS)
def test_the_interpreter_ends_cleanly(what):
    program = (
        "from mlir_tile.ir import *\nfrom mlir_tile.dialects import tile\n"
        "text = open('examples/gemm.mlir').read()\nctx = Context(); ctx.__enter__()\n" + ENDS[what]
    )
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert (run.returncode, run.stderr, run.stdout) == (0, "", "")
