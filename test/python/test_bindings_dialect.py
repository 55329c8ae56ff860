# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types and attributes of the tile dialect as Python classes."""

import pathlib
import re

import pytest
from mlir_tile.ir import (
    AffineExpr,
    AffineMap,
    ArrayAttr,
    Attribute,
    Context,
    F16Type,
    F32Type,
    IndexType,
    InsertionPoint,
    Location,
    MLIRError,
    Module,
    Type,
)  # fmt: skip

from mlir_tile.dialects import tile


@pytest.fixture(autouse=True)
def context():
    with Context(), Location.unknown():
        yield


def same(attribute, text):
    """The attribute prints as the text, and the text is read as an attribute of its class."""
    assert str(attribute) == text
    read = Attribute.parse(text) if text.startswith("#") else Type.parse(text)
    assert read == attribute
    assert type(read) is type(attribute)
    assert type(attribute).isinstance(read)
    return read


def test_memory_spaces():
    same(tile.FragmentSpaceAttr.get(), "#tile.fragment")
    same(tile.LocalSpaceAttr.get(), "#tile.local")
    same(tile.TensorMemorySpaceAttr.get(), "#tile.tmem")
    assert isinstance(
        tile.memref_type([4], F32Type.get(), "tmem").memory_space, tile.TensorMemorySpaceAttr
    )
    assert tile.memref_type([4], F32Type.get()).memory_space is None


def test_enumerations_are_read_by_case_number_and_word():
    for value in (tile.WarpPolicy.FullRow, 1, "full_row"):
        policy = same(tile.WarpPolicyAttr.get(value), "#tile.warp_policy<full_row>")
        assert policy.value is tile.WarpPolicy.FullRow
    assert tile.ReduceKindAttr.get("absmax").value is tile.ReduceKind.AbsMax
    assert tile.AtomicKindAttr.get("add").value is tile.AtomicKind.Add
    assert tile.PrecisionAttr.get("ieee").value is tile.Precision.Ieee
    assert tile.CopyInstructionAttr.get("cp_async").value is tile.CopyInstruction.CpAsync
    assert tile.MmaInstructionAttr.get("wgmma").value is tile.MmaInstruction.Wgmma
    assert tile.EvictionPolicyAttr.get("last").value is tile.EvictionPolicy.Last
    with pytest.raises(
        ValueError, match="expected a WarpPolicy .square, full_row, full_col., got 'row'"
    ):
        tile.WarpPolicyAttr.get("row")
    with pytest.raises(ValueError, match="got 7"):
        tile.WarpPolicyAttr.get(7)


def test_targets():
    target = same(
        tile.TargetAttr.get("sm_90a", "H100-PCIe"), '#tile.target<"sm_90a", device = "H100-PCIe">'
    )
    assert (target.arch, target.device) == ("sm_90a", "H100-PCIe")
    assert tile.TargetAttr.get("sm_80").device == ""
    with pytest.raises(ValueError, match="sm_99"):
        tile.TargetAttr.get("sm_99")
    with pytest.raises(ValueError, match="H100"):
        tile.TargetAttr.get("sm_100a", "H100-PCIe")


def test_tunables():
    tunable = same(tile.TunableAttr.get("bm", [64, 128]), '#tile.tunable<"bm" in[64, 128]>')
    assert (tunable.name, tunable.values) == ("bm", [64, 128])
    double = AffineMap.get(0, 1, [AffineExpr.get_symbol(0) * 2])
    tuned = same(
        tile.TunedAttr.get("threads", double),
        '#tile.tuned<"threads" = affine_map<()[s0] -> (s0 * 2)>>',
    )
    assert (tuned.attribute, tuned.value) == ("threads", double)


def test_plans():
    copy = same(tile.CopyPlanAttr.get("tma", 16), "#tile.copy_plan<tma, bytes = 16>")
    assert (copy.instruction, copy.bytes) == (tile.CopyInstruction.Tma, 16)
    with pytest.raises(ValueError, match="positive bytes, got 0"):
        tile.CopyPlanAttr.get("tma", 0)
    mma = same(
        tile.MmaPlanAttr.get("tcgen05", 128, 256, 16, (4, 1), pair=True),
        "#tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 1], pair>",
    )
    assert mma.instruction is tile.MmaInstruction.Tcgen05
    assert (mma.shape, mma.warps, mma.pair) == ((128, 256, 16), (4, 1), True)
    assert not mma.swapped
    with pytest.raises(ValueError, match="expected `pair` of tcgen05 only, got wgmma"):
        tile.MmaPlanAttr.get("wgmma", 64, 64, 16, (4, 1), pair=True)
    swapped = same(
        tile.MmaPlanAttr.get("wgmma", 64, 16, 16, (8, 1), swapped=True),
        "#tile.mma_plan<wgmma, m = 64, n = 16, k = 16, warps = [8, 1], swapped>",
    )
    assert (swapped.shape, swapped.pair, swapped.swapped) == ((64, 16, 16), False, True)
    with pytest.raises(ValueError, match="expected `swapped` of wgmma only, got tcgen05"):
        tile.MmaPlanAttr.get("tcgen05", 128, 64, 16, (4, 1), swapped=True)


def test_what_is_asked_of_a_move_and_what_is_decided():
    request = same(
        tile.MoveRequestAttr.get("tma", True, 8, tile.EvictionPolicy.Last),
        "#tile.move_request<{coalesced_width = 8 : i64, disable_tma, "
        "eviction_policy = #tile.eviction_policy<last>, prefer = #tile.copy_instruction<tma>}>",
    )
    assert (request.prefer, request.disable_tma) == (tile.CopyInstruction.Tma, True)
    assert (request.coalesced_width, request.eviction_policy) == (8, tile.EvictionPolicy.Last)
    request = tile.MoveRequestAttr.get(disable_tma=True)
    assert (request.prefer, request.coalesced_width, request.eviction_policy) == (None,) * 3
    with pytest.raises(ValueError, match="expected a request, got none"):
        tile.MoveRequestAttr.get()
    with pytest.raises(ValueError, match="expected a positive coalesced_width, got 0"):
        tile.MoveRequestAttr.get(coalesced_width=0)
    with pytest.raises(ValueError, match="expected a CopyInstruction .*, got 'warp'"):
        tile.MoveRequestAttr.get("warp")
    layout = tile.FragmentLayoutAttr.get([32], [], [(32, 0, 1)])
    plan = tile.CopyPlanAttr.get("tma", 2)
    decision = same(
        tile.MoveDecisionAttr.get(layout, plan, 2, [0], True, [2, 1]),
        "#tile.move_decision<{groups = array<i64: 2, 1>, inside, "
        "layout = #tile.fragment_layout<shape [32] reg [] lane [(32, 0:1)] warp []>, "
        "multicast = 2 : i64, multicast_along = array<i64: 0>, "
        "plan = #tile.copy_plan<tma, bytes = 2>}>",
    )
    assert (decision.layout, decision.plan, decision.multicast) == (layout, plan, 2)
    assert (decision.multicast_along, decision.inside, decision.groups) == ([0], True, [2, 1])
    decision = tile.MoveDecisionAttr.get(plan=plan)
    assert (decision.layout, decision.multicast, decision.inside) == (None, None, False)
    assert (decision.multicast_along, decision.groups) == ([], [])
    with pytest.raises(ValueError, match="expected a decision, got none"):
        tile.MoveDecisionAttr.get()
    with pytest.raises(ValueError, match="expected `plan` to be a #tile.copy_plan, got #tile.frag"):
        tile.MoveDecisionAttr.get(plan=layout)


def test_fragment_layouts():
    layout = same(
        tile.FragmentLayoutAttr.get([16, 8], [(2, 1, 1), (2, 0, 8)], [(4, 1, 2), (8, 0, 1)]),
        "#tile.fragment_layout<shape [16, 8] reg [(2, 1:1), (2, 0:8)] "
        "lane [(4, 1:2), (8, 0:1)] warp []>",
    )
    assert layout.shape == [16, 8]
    assert layout.reg == [(2, 1, 1), (2, 0, 8)]
    assert layout.sizes == [4, 32, 1, 1]
    assert (layout.replication, layout.is_bijective, layout.overshoots) == (1, True, False)
    assert layout.owners([9, 3]) == [(3, 5, 0, 0)]
    assert layout.element(3, 5) == (9, 3)
    with pytest.raises(IndexError, match=r"inside of \[16, 8\], got \[16, 0\]"):
        layout.owners([16, 0])
    with pytest.raises(IndexError, match="below 4, 32, 1 and 1"):
        layout.element(4, 0)
    with pytest.raises(ValueError, match="lane modes of extent 32"):
        tile.FragmentLayoutAttr.get([16, 8], [(2, 1, 1), (4, 0, 4)], [(4, 1, 2), (4, 0, 1)])


def test_shared_layouts():
    layout = same(
        tile.SharedLayoutAttr.get([128, 32], 16, [(32, 1, 1), (128, 0, 32)], [2, 4, 3]),
        "#tile.shared_layout<shape [128, 32] bits 16 "
        "modes [(32, 1:1), (128, 0:32)] swizzle(2, 4, 3)>",
    )
    assert layout.element_bits == 16
    assert layout.swizzle == [2, 4, 3]
    assert layout.modes == [(32, 1, 1), (128, 0, 32)]
    assert layout.size_in_bytes == 8192
    assert layout.byte_offset([2, 0]) == 128 + 16
    with pytest.raises(ValueError, match="element bits in .1, 64., got 0"):
        tile.SharedLayoutAttr.get([4], 0, [(4, 0, 1)])


def test_rings_and_tokens():
    f16 = F16Type.get()
    a, b = tile.memref_type([128, 64], f16, "shared"), tile.memref_type([64], f16, "shared")
    ring = tile.RingType.get(4, [a, b], "tma", ["wgmma", tile.RingConsumer.Threads])
    same(ring, f"!tile.ring<4 x [{a}, {b}], tma -> (wgmma, threads)>")
    assert (ring.stages, ring.buffers, ring.producer) == (4, [a, b], tile.RingProducer.Tma)
    assert ring.consumers == [tile.RingConsumer.Wgmma, tile.RingConsumer.Threads]
    assert ring.uses_mbarriers
    assert not tile.RingType.get(2, [a], "cp_async", "threads").uses_mbarriers
    with pytest.raises(ValueError, match="64 stages"):
        tile.RingType.get(100, [a], "tma", "wgmma")
    same(tile.TokenType.get(), "!tile.token")
    same(tile.MbarrierType.get(2), "!tile.mbarrier<2>")
    assert tile.MbarrierType.get(2).count == 2


def test_casts_of_other_attributes_are_refused():
    with pytest.raises(ValueError, match="Cannot cast attribute to TargetAttr"):
        tile.TargetAttr(tile.FragmentSpaceAttr.get())
    assert not tile.TargetAttr.isinstance(tile.FragmentSpaceAttr.get())


def test_attributes_of_operations_have_their_classes():
    module = Module.parse(
        """
        tile.kernel @f(%A: memref<64xf32>) grid(%b) = (1) threads(64) attributes {tunables = []} {
          %x = tile.alloc
              layout(#tile.fragment_layout<shape [64] reg [] lane [(32, 0:1)] warp [(2, 0:32)]>)
              : memref<64xf32, #tile.fragment>
          tile.copy %A to %x {plan = #tile.copy_plan<vector, bytes = 4>}
              : memref<64xf32> to memref<64xf32, #tile.fragment>
        }
        """.replace("attributes {tunables = []} ", "")
    )
    alloc, copy, _ = module.body.operations[0].entry_block.operations
    assert isinstance(alloc.layout, tile.FragmentLayoutAttr)
    assert copy.decision.plan.instruction is tile.CopyInstruction.Vector


def test_schedules():
    f16, f32 = F16Type.get(), F32Type.get()
    module = Module.create()
    with InsertionPoint(module.body):
        matrix = tile.memref_type([1024, 1024], f16)

        @tile.kernel(matrix, matrix, grid=1, threads=256)
        def scheduled(A, B, block):
            a, b = (
                tile.memref_type([128, 64], f16, "shared"),
                tile.memref_type([64, 128], f16, "shared"),
            )
            ring = tile.ring_create(3, [a, b], "tma", "wgmma")
            roles = tile.warp_specialize([("load", 4, 40), ("mma", 4)])
            with roles.role("load"):
                first, second = tile.ring_acquire(ring, 0)
                tile.copy(A, first)
                tile.copy(B, second)
                tile.ring_commit(ring, 0)
            with roles.role("mma"):
                acc = tile.alloc((128, 128), f32)
                full = tile.ring_wait(ring, 0)
                done = tile.gemm(
                    *full,
                    acc,
                    asynchronous=True,
                    plan=tile.MmaPlanAttr.get("wgmma", 64, 128, 16, (4, 1)),
                )
                tile.await_(done)
                tile.await_(tile.token_done(), read=True)
                tile.ring_release(ring, 0)
                tile.ring_drain(ring)
            with pytest.raises(ValueError, match="a role among .'load', 'mma'., got 'store'"):
                roles.block("store")

    module.operation.verify()
    text = str(module)
    assert 'role "load" warps(4) registers(40)' in text
    assert "tile.ring.wait" in text and "-> !tile.token" in text
    assert str(Module.parse(text)) == text


def test_questions_about_iterations():
    module = Module.create()
    with InsertionPoint(module.body):

        @tile.kernel(IndexType.get(), grid=1, threads=32)
        def asks(n, block):
            tile.assert_(tile.iteration("exists", 1, 0, n), "two")
            with tile.pipelined(0, 64, 16) as i:
                more = tile.iteration(tile.IterationQuestion.Ahead, 2, 0, 64, 16, of=i)
                tile.assert_(more, "two more")

    text = str(module)
    assert "tile.iteration exists(1) in" in text and "tile.iteration ahead(2) of" in text
    module.operation.verify()
    with InsertionPoint(module.body):

        @tile.kernel(IndexType.get(), grid=1, threads=32)
        def asks_nobody(n, block):
            tile.iteration("is", 0, 0, n)

    with pytest.raises(MLIRError, match="iteration-1.*`of %i`, got none"):
        module.operation.verify()


def test_rows_that_matter():
    module = Module.create()
    with InsertionPoint(module.body):

        @tile.kernel(IndexType.get(), grid=1, threads=384)
        def rows(n, block):
            tile.assume_rows(0, n, 192)
            tile.assert_(tile.any_row(n, 192, 192, 3), "one")
            tile.assume(tile.row_iterations(0, 128, n, 192, 3, 0, n), min=0)

    text = str(module)
    assert re.search(r"tile.assume_rows %\S+ to %\S+ of 192", text)
    assert re.search(r"tile.any_row %\S+ to %\S+ of 192 groups 3", text)
    assert re.search(r"tile.row_iterations %\S+ step 128 to %\S+ of 192 groups 3 in", text)
    module.operation.verify()


def test_persistent_blocks():
    module = Module.create()
    with InsertionPoint(module.body):

        @tile.kernel(grid=(4, 4), threads=128, persistent=1)
        def persistent(bx, by):
            first, end, step = tile.block_range()
            x, y = tile.block_coordinates(first)
            assert tile.block_coordinates(end, 2) != (x, y)

    module.operation.verify()


def test_lists_of_layouts_may_be_texts():
    module = Module.create()
    with InsertionPoint(module.body):

        @tile.kernel(grid=1, threads=32)
        def f(b):
            buffer = tile.memref_type([32, 64], F16Type.get(), "shared")
            layouts = ArrayAttr.get([tile.SharedLayoutAttr.swizzled([32, 64], 16)])
            tile.ring_create(2, [buffer], layouts=layouts)
            tile.alloc(
                (32, 64),
                F16Type.get(),
                "shared",
                layout=str(tile.SharedLayoutAttr.row_major([32, 64], 16)),
            )

    module.operation.verify()


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_figures_of_targets(arch):
    from mlir_tile._mlir_libs import _tile

    assert arch in _tile.archs()
    figures = _tile.target_figures(arch)
    assert figures["arch"] == arch
    assert figures["threads_per_sm"] >= 1024
    assert figures["multiprocessors"] > 0
    with pytest.raises(ValueError, match="sm_1"):
        _tile.target_figures("sm_1")


def test_estimates():
    from mlir_tile._mlir_libs import _tile

    example = pathlib.Path(__file__).resolve().parents[2] / "examples/gemm.mlir"
    module = Module.parse(example.read_text())
    estimate = _tile.kernel_estimate(
        module.body.operations[0], "sm_90a", hints="A=4096x4096,B=4096x4096,C=4096x4096"
    )
    assert estimate["blocks"] == 1024
    assert estimate["microseconds"] > 10
    assert estimate["limit"]
    with pytest.raises(ValueError, match="tile.kernel"):
        _tile.kernel_estimate(module.operation, "sm_90a")


def test_passes_and_pipelines_are_registered():
    from mlir_tile.passmanager import PassManager

    names = [
        "advance-loads", "choose-tunables", "clear-accumulators", "combine-updates", "delay-stores", "expand-math",
        "expand-small-floats", "expand-sparse-gemms", "fold-comparisons", "form-copies", "guard-overhang", "infer-layouts", "lower-affine-accesses",
        "make-persistent", "merge-gemms", "nest-guards", "pair-gemms", "pipeline", "place-accumulators", "prefetch-operands",
        "privatize-fragments", "ring-accumulators", "schedule-gemms", "schedule-stores", "select-copies", "set-target",
        "specialize-warps", "split-reduction", "stage-loads", "stage-stores", "unswitch-loops", "verify-nvvm",
        "verify-rings", "version-kernels", "widen-blocks",
    ]  # fmt: skip
    for name in [f"tile-{name}" for name in names] + [
        "convert-tile-to-nvvm",
        "convert-tile-to-cpu",
    ]:
        assert name in str(PassManager.parse(f"any({name})"))
    for name in (
        "tile-to-nvvm",
        "tile-to-cpu",
        "tile-to-schedule",
        "tile-to-layouts",
        "tile-to-copies",
    ):
        PassManager.parse(f"builtin.module({name})")
    PassManager.parse(
        "builtin.module(tile-to-nvvm{arch=sm_90a fast-math=true roles=off},canonicalize,cse)"
    )
    with pytest.raises(ValueError, match="tile-to-nowhere"):
        PassManager.parse("builtin.module(tile-to-nowhere)")


def test_errors_of_passes_name_the_place():
    from mlir_tile.passmanager import PassManager

    text = """tile.kernel @f(%x: memref<64xf32>) grid(%b) = (1) threads(32) {
      %a = tile.alloc : memref<8388608xf32, #gpu.address_space<workgroup>>
      %c = arith.constant 0.0 : f32
      tile.fill %a with %c : memref<8388608xf32, #gpu.address_space<workgroup>>, f32
    }"""
    module = Module.parse(text)
    with pytest.raises(MLIRError) as caught:
        PassManager.parse("builtin.module(tile-to-nvvm{arch=sm_80})").run(module.operation)
    assert "shared memory" in str(caught.value)
    assert caught.value.error_diagnostics[0].location.start_line in (1, 2)
