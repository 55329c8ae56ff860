# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler decided, as data, as text, as HTML; the pipeline's slots; each pass."""

import pathlib
import xml.etree.ElementTree as xml

import pytest

from mlir_tile import explain as explaining
from mlir_tile import ir, layout
from mlir_tile.errors import CompileError
from mlir_tile.explain import explain, ir_after_each_pass, timeline

GEMM = "examples/gemm.mlir"


ROOT = pathlib.Path(__file__).resolve().parents[2]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def gemm():
    sizes = [4096, 4096]
    return explain(read(GEMM), "sm_90a", shape_hints={"A": sizes, "B": sizes, "C": sizes})


def test_decisions_stand_at_lines_and_operations(gemm):
    plan = next(each for each in gemm.at(29) if each.decision.startswith("chose plan"))
    assert plan.operation == "tile.gemm"
    assert plan.decision.startswith("chose plan #tile.mma_plan<wgmma, m = 64, n = 128")
    assert "warpgroups" in plan.reason
    assert plan.change == "`policy` or `plan` on the gemm states another"
    copy = gemm.at(27)[0]
    assert (copy.operation, copy.decision) == ("tile.copy", "global to shared copy: tma")
    assert "`prefer`" in copy.change
    loop = [each.decision for each in gemm.at(26)]
    assert any(
        decision.startswith("pipelined: 2 of 2 copies run 3 iterations ahead") for decision in loop
    )
    assert len(set(gemm.decisions)) == len(gemm.decisions)


def test_resources(gemm):
    (kernel,) = gemm.kernels
    assert (kernel.name, kernel.threads) == ("gemm", 256)
    assert kernel.shared_bytes > 3 * 16384
    if kernel.registers is None:
        assert "registers not known (no assembler)" in str(gemm)
        return
    assert 32 < kernel.registers <= 255
    assert kernel.spill_bytes == 0
    assert kernel.blocks_per_multiprocessor >= 1
    assert 0 < kernel.occupancy <= 1
    assert kernel.limited_by in ("threads", "registers", "shared memory", "the number of blocks")


def test_estimates_and_roofline(gemm):
    (kernel,) = gemm.kernels
    assert kernel.estimate["blocks"] == 1024
    # 2 * 4096^3 operations at 989 Tflop/s are 139 us.
    assert 139 < kernel.estimate["microseconds"] < 1000
    parts = {name: part for name, _, part in kernel.roofline}
    assert parts["tensor cores"] > parts["device memory"] > 0
    assert all(part <= 1.05 for part in parts.values())


def test_text_and_html(gemm):
    text = str(gemm)
    assert "source:29: tile.gemm %As, %Bs, %acc" in text
    assert "to change it: `policy` or `plan` on the gemm states another" in text
    assert "registers a thread" in text
    page = gemm._repr_html_()
    assert "<table>" in page and "<svg" in page
    assert "memref&lt;128x32xf16" in page  # escaped
    xml.fromstring(page)


def test_another_architecture_says_why_not():
    other = explain(read(GEMM), "sm_80")
    copy = other.at(27)[0]
    assert copy.decision.startswith("global to shared copy: cp_async")
    assert "tma not taken: sm_80 has no tensor memory accelerator" in copy.reason


def test_what_is_not_done_says_what_to_write():
    result = explain(read("examples/gemm_hopper.mlir"), "sm_80")
    said = {each.decision: each for each in result.decisions}
    fewer = said["3 stages instead of 4"]
    assert fewer.reason.startswith("rings, tiles and scratch memory take 196608 bytes")
    assert fewer.change == "smaller tiles leave room for more"
    roles = said["warps not specialized"]
    assert roles.change == "`specialize = true` on the kernel asks for roles all the same"


def test_roles_may_be_switched_off():
    without = explain(read(GEMM), "sm_90a", roles="off")
    assert without.kernels[0].threads == 128
    assert "role" not in without.timeline()


def test_the_modules_own_target_and_python_locations():
    text = read(GEMM).replace("#shared = #gpu.address_space<workgroup>", "")
    text = text.replace("#shared", "#gpu.address_space<workgroup>")
    with ir.Context():
        head = 'module attributes {tile.target = #tile.target<"sm_90a">} {'
        module = ir.Module.parse(f"{head}{text}}}")
        result = explain(module)
    assert result.arch == "sm_90a"
    assert result.kernels[0].name == "gemm"
    with pytest.raises(ValueError, match="expected an architecture"):
        explain(read(GEMM))


def test_tunables_are_chosen():
    text = read("examples/gemm_tunable.mlir")
    result = explain(text, "sm_90a", shape_hints={"A": [1024, 1024], "B": [1024, 1024]})
    assert isinstance(result.kernels[0].estimate, dict)
    assert any("tunables" in each.change for each in result.decisions)


def test_spills_are_reported():
    text = """
    tile.kernel @big(%x: memref<256x256xf32>, %y: memref<256x256xf32>) grid(%b) = (1) threads(32) {
      %a = tile.alloc : memref<31x256xf32, #tile.fragment>
      %s = tile.alloc : memref<31xf32, #tile.fragment>
      tile.copy %x sizes [31, 256] to %a : memref<256x256xf32> to memref<31x256xf32, #tile.fragment>
      tile.reduce sum %a to %s dim(1)
          : memref<31x256xf32, #tile.fragment> to memref<31xf32, #tile.fragment>
      tile.parallel (%i, %j) in (31, 256) {
        %v = memref.load %a[%i, %j] : memref<31x256xf32, #tile.fragment>
        %w = memref.load %s[%i] : memref<31xf32, #tile.fragment>
        %z = arith.divf %v, %w : f32
        memref.store %z, %a[%i, %j] : memref<31x256xf32, #tile.fragment>
      }
      tile.copy %a to %y sizes [31, 256] : memref<31x256xf32, #tile.fragment> to memref<256x256xf32>
    }"""
    result = explain(text, "sm_90a")
    (kernel,) = result.kernels
    if kernel.registers is None:
        assert "registers not known (no assembler)" in str(result)
        return
    assert kernel.spill_bytes > 0
    assert "bytes of spills" in str(result)


def test_timelines():
    svg = timeline(read(GEMM), "sm_90a")
    xml.fromstring(svg)
    assert (
        "3 slots of 128x32xf16, 32x128xf16; role 'load' fill by tma, role 'mma' read by wgmma"
        in svg
    )
    assert "slot 2" in svg and "slot 3" not in svg
    same_agent = timeline(read(GEMM), "sm_80")
    assert "all threads fill by cp_async" in same_agent
    assert "no rings" in timeline(read("examples/scale.mlir"), "sm_80")


def test_slots_are_reused_only_when_free():
    times = explaining._timeline.schedule(3, 9)
    for i, (issued, full, read_at, free) in enumerate(times):
        assert issued < full <= read_at < free
        if i >= 3:
            assert issued >= times[i - 3][3]


def test_the_program_after_each_pass():
    steps = ir_after_each_pass(read(GEMM), "tile-to-nvvm", "sm_90a")
    names = [name for name, _ in steps]
    assert (
        names.index("tile-infer-layouts")
        < names.index("tile-select-copies")
        < names.index("tile-pipeline")
    )
    by_name = dict(steps)
    assert "layout(#tile.fragment_layout" in by_name["tile-infer-layouts"]
    assert "tile.ring.create" in by_name["tile-pipeline"]
    assert "llvm.func" in steps[-1][1]
    everything = ir_after_each_pass(
        read(GEMM), "builtin.module(canonicalize,cse)", only_changes=False
    )
    assert [name for name, _ in everything] == ["canonicalize", "cse"]


def scaled(n):
    import mlir_tile.language as T

    @T.prim_func
    def kernel(A: T.Tensor((n, n), "float16"), C: T.Tensor((n, n), "float16")):
        with T.Kernel(n // 64, n // 64, threads=128) as (bx, by):
            held = T.alloc_shared((64, 64), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            for k in T.Pipelined(n // 64, num_stages=2):
                T.copy(A[by * 64, k * 64], held)
                T.gemm(held, held, acc)
            T.copy(acc, C[by * 64, bx * 64])

    return kernel


def test_kernels_in_the_language_are_explained_at_their_python_lines():
    kernel = scaled(512)
    first = scaled.__code__.co_firstlineno
    found = explain(kernel, "sm_90a")
    (copy,) = found.at(first + 10)
    assert copy.place.file == __file__
    assert (copy.operation, copy.decision) == ("tile.copy", "global to shared copy: tma")
    assert copy.change == "`prefer_instruction=` or `disable_tma=True` of T.copy"
    (plan,) = found.at(first + 11)
    assert plan.change == "`policy=T.GemmWarpPolicy...` of T.gemm"
    assert "T.gemm(held, held, acc)" in str(found)
    assert set(layout.layouts(kernel, "sm_90a")) == {"held", "acc"}


def test_texts_have_the_name_of_their_file():
    text = str(explain(read(GEMM), "sm_80", name=GEMM))
    assert "examples/gemm.mlir:29: tile.gemm %As" in text
    with pytest.raises(CompileError, match="bad.mlir:1:1: error"):
        layout.layouts("nonsense", "sm_80", name="bad.mlir")


def test_refusals():
    with pytest.raises(Exception, match="source:1:1: error: .*kernel-2"):
        explain("tile.kernel @f(%x: memref<4xf32>) grid(%b) = (1) threads(33) {\n}", "sm_80")
    with pytest.raises(ValueError, match="sm_1"):
        explain(read(GEMM), "sm_1")
