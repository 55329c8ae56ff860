# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions and constructors that build operations of the tile dialect."""

import pytest
from mlir_tile.ir import (
    AffineExpr,
    AffineMap,
    Context,
    F16Type,
    F32Type,
    IndexType,
    InsertionPoint,
    IntegerType,
    Location,
    MLIRError,
    Module,
    UnitAttr,
)  # fmt: skip

from mlir_tile.dialects import arith, memref, tile


@pytest.fixture
def module():
    with Context(), Location.file("builders.py", 1, 1):
        module = Module.create()
        with InsertionPoint(module.body):
            yield module


def check(module, *fragments):
    """The module verifies, prints what is expected, and reads back as the same text."""
    assert module.operation.verify()
    text = str(module)
    for fragment in fragments:
        assert fragment in text, text
    assert str(Module.parse(text)) == text
    return text


def matrix(*shape, of=None, space="global"):
    return tile.memref_type(shape, of or F16Type.get(), space)


def test_kernel_of_a_function(module):
    @tile.kernel(
        matrix(None, None), matrix(None, None), matrix(None, None),
        grid=(tile.ceildiv(tile.dim("C", 1), 128), tile.dim("C", 0).ceildiv(128)),
        threads=128, arg_attrs=[{"tile.alignment": 16}, None, {"tile.may_alias": True}],
    )  # fmt: skip
    def gemm(A, B, C, bx, by):
        K = memref.DimOp(A, arith.constant(IndexType.get(), 1)).result
        m = arith.muli(by, arith.constant(IndexType.get(), 128))
        n = arith.muli(bx, arith.constant(IndexType.get(), 128))
        As = tile.alloc((128, 32), F16Type.get(), "shared")
        Bs = tile.alloc((32, 128), F16Type.get(), "shared")
        acc = tile.alloc((128, 128), F32Type.get())
        tile.assume(K, divisible_by=8)
        tile.fill(acc, 0)
        with tile.pipelined(0, K, 32, stages=3) as k:
            tile.copy(A, As, [m, k])
            tile.copy(B, Bs, [k, n])
            tile.gemm(As, Bs, acc, policy="full_row")
        tile.copy(acc, C, target_offsets=[m, n])

    check(
        module,
        "tile.kernel @gemm(%A: memref<?x?xf16> {tile.alignment = 16 : i64}",
        "%C: memref<?x?xf16> {tile.may_alias}",
        "(dim(%C, 1) ceildiv 128, dim(%C, 0) ceildiv 128) threads(128)",
        "stages(3)",
        "policy = #tile.warp_policy<full_row>",
        "tile.assume",
    )
    assert gemm.argument_names == ["A", "B", "C"]
    assert gemm.grid_rank == 2
    assert [str(block.type) for block in gemm.block_ids] == ["index", "index"]
    assert [value.get_name() for value in gemm.arguments] == ["%A", "%B", "%C"]


def test_the_kernel_compiles(module):
    from mlir_tile._mlir_libs import _tile

    @tile.kernel(matrix(256, of=F32Type.get()), matrix(256, of=F32Type.get()), grid=2, threads=128)
    def scale(x, y, b):
        with tile.parallel(128) as i:
            place = arith.addi(arith.muli(b, arith.constant(IndexType.get(), 128)), i)
            value = memref.load(x, [place])
            memref.store(arith.addf(value, value), y, [place])

    ptx, diagnostics = _tile.compile(module, arch="sm_80", output="ptx")
    assert diagnostics == ""
    assert b".entry scale" in ptx


def test_grid_as_a_map_and_as_numbers(module):
    symbol = AffineExpr.get_symbol(0)
    grid = AffineMap.get(0, 1, [AffineExpr.get_ceil_div(symbol, 32)])
    tile.KernelOp("f", [matrix(None)], grid=grid, grid_operands=[0, 0], names=["x"]).finish()
    tile.KernelOp("g", [], grid=(4, 5, 6), threads=64, cluster=(2, 1, 1), panel=2).finish()
    n = IntegerType.get_signless(32)
    tile.KernelOp("h", [n], grid=(tile.argument(0) * 2 + 1) % 7, body_builder=lambda op: None)
    check(
        module,
        "tile.kernel @f(%x: memref<?xf16>) grid(%bx) = (dim(%x, 0) ceildiv 32)",
        "= (4, 5, 6) threads(64) cluster(2, 1, 1)",
        "grid(%bx) = ((%arg0 * 2 + 1) mod 7)",
    )


def test_tunables(module):
    bm = tile.tunable("bm")

    @tile.kernel(
        matrix(None, 64), grid=tile.dim("A", 0).ceildiv(bm), threads=bm * 2,
        tunables={"bm": [64, 128], "s": [3, 4]}, tuned={"persistent": tile.tunable("s") - 2},
    )  # fmt: skip
    def open_sizes(A, b, bm, s):
        tile.alloc(matrix(None, 64, space="shared"), extents=[bm])
        with tile.pipelined(0, 64, 64, stages=s):
            pass
        with tile.parallel((bm, 64)):
            pass

    check(
        module,
        "tunable(%bm in [64, 128], %s in [3, 4])",
        "dim(%A, 0) ceildiv %bm",
        "threads(%bm * 2)",
        "tuned(persistent = %s - 2)",
        "stages(%s)",
    )
    assert open_sizes.threads.value == 128
    assert open_sizes.persistent.value == 1
    assert len(open_sizes.tunable_values) == 2


def test_moves_and_arithmetic(module):
    f32, i32 = F32Type.get(), IntegerType.get_signless(32)

    @tile.kernel(
        matrix(None, 64), matrix(None, of=i32), matrix(1, 32, 32, 64), matrix(64, 64, of=f32),
        grid=1, threads=128,
    )  # fmt: skip
    def moves(X, indices, images, out, b):
        tiles = tile.alloc((64, 64), F16Type.get(), "shared")
        acc = tile.alloc((64, 64), f32)
        rows = tile.alloc((64,), f32)
        tile.view(X, (None, 2, 32))
        tile.gather(X, indices, tiles, first=4)
        tile.im2col(
            images, tiles, pixel=0, filter=[1, 1], channel=0, kernel=[3, 3], pad_lower=[1, 1]
        )
        tile.gemm(tiles, tiles, acc, transpose_b=True, clear=True)
        halves = tile.alloc((64, 32), F16Type.get(), "shared")
        places = tile.alloc((64, 4), IntegerType.get_signless(16), "shared")
        tile.gemm(halves, tiles, acc, metadata=places)
        tile.reduce("max", acc, rows, propagate_nan=True)
        tile.reduce(tile.ReduceKind.Sum, acc, rows, dim=0, accumulate=True)
        tile.scan("sum", acc, reverse=True)
        tile.reduce("max", tile.view(rows, (8, 8)), tile.alloc((8,), f32))
        tile.scan("max", rows, rows, dim=0)
        carry = tile.alloc((1,), f32)
        tile.scan("prod", rows, dim=0, exclusive=True, carry=carry)
        tile.sort(rows, descending=True)
        best = tile.alloc((4,), f32)
        tile.topk(rows, best, tile.alloc((4,), i32), smallest=True)
        zero = arith.constant(f32, 0.0)
        tile.reduce_with([rows], [carry], [zero], lambda x, y: [arith.addf(x[0], y[0])])
        tile.scan_with([rows], [rows], [zero], lambda x, y: [arith.addf(x[0], y[0])], reverse=True)
        tile.atomic("add", acc, out)
        tile.print_("rows", rows)
        tile.assert_(arith.constant(IntegerType.get_signless(1), 1), "never")
        tile.copy(acc, tiles)
        tile.scatter(tiles, X, indices)
        tile.copy(X, tiles, source_sizes=[64, 64], pad=1.5, inside=True, eviction_policy="last")
        tile.copy(
            X, tiles, prefer=tile.CopyInstructionAttr.get("vector"), disable_tma=UnitAttr.get(),
            coalesced_width=4, plan="#tile.copy_plan<vector, bytes = 8>",
        )  # fmt: skip
        tile.convert_layout(acc, tile.alloc((64, 64), f32))

    check(
        module,
        "tile.gather %X[",
        "filter[",
        "{clear, transpose_b}",
        "tile.reduce max",
        "dim(1) {propagate_nan}",
        "tile.reduce sum",
        "dim(0) accumulate",
        "dim(1) reverse",
        "tile.view %2 : memref<64xf32, #tile.fragment> to memref<8x8xf32, #tile.fragment>",
        "tile.view %X : memref<?x64xf16> to memref<?x2x32xf16>",
        "tile.scan max",
        "dim(0) exclusive carry(%",
        "tile.sort %",
        "dim(0) smallest",
        "tile.reduce_with(%",
        "dim(0) neutral(%",
        "tile.scan_with(%",
        "tile.atomic add",
        'tile.print "rows"',
        '"never"',
        "tile.scatter",
        "sizes [64, 64]",
        "{eviction_policy = #tile.eviction_policy<last>} decided {inside}",
        "{coalesced_width = 4 : i64, disable_tma, prefer = #tile.copy_instruction<vector>} "
        "decided {plan = #tile.copy_plan<vector, bytes = 8>}",
        "tile.convert_layout",
    )


def test_errors_name_what_was_expected(module):
    with pytest.raises(ValueError, match="an argument of the kernel among .'x'., got 'y'"):
        tile.KernelOp("f", [matrix(None)], grid=tile.dim("y", 0), names=["x"])
    with pytest.raises(ValueError, match="expected 1 names, one per argument, got 2"):
        tile.KernelOp("f", [matrix(None)], grid=1, names=["x", "y"])
    with pytest.raises(TypeError, match="expected a number, tile.dim"):
        tile.KernelOp("f", [], grid="4")
    with pytest.raises(ValueError, match="expected a memory space among global, shared"):
        tile.alloc((4,), F32Type.get(), "texture")
    with pytest.raises(ValueError, match="inside of a tile.kernel"):
        tile.block_coordinates(0)
    assert len(module.body.operations) == 0
    tile.KernelOp("f", [], grid=1, threads=33).finish()
    with pytest.raises(MLIRError, match="kernel-2"):
        module.operation.verify()


def test_an_error_in_the_body_leaves_the_context_usable(module):
    with pytest.raises(ZeroDivisionError):

        @tile.kernel(grid=1)
        def broken(b):
            with tile.parallel(4):
                raise ZeroDivisionError

    assert InsertionPoint.current.block == module.body


def test_every_operation_has_a_builder():
    """Functions that are generated ask for result types; those of this module infer them."""
    from mlir_tile.dialects import _tile_atomics, _tile_barriers, _tile_builders, _tile_kernel
    from mlir_tile.dialects import _tile_ops_gen, _tile_schedule

    modules = _tile_kernel, _tile_builders, _tile_schedule, _tile_barriers, _tile_atomics
    own = {name: value for module in modules for name, value in vars(module).items()}
    made = {
        each.OPERATION_NAME
        for each in vars(_tile_ops_gen).values()
        if hasattr(each, "OPERATION_NAME")
    }
    names = {name.removeprefix("tile.").replace(".", "_") for name in made}
    terminators = {"return", "yield", "role_end"}
    assert len(names) > 30
    assert [
        name for name in sorted(names - terminators) if not {name, f"{name}_"} & own.keys()
    ] == []


def test_warps_and_barriers_by_hand(module):
    words = tile.memref_type([None], IntegerType.get_signless(32))

    @tile.kernel(words, grid=1, threads=256)
    def parts(flags, block):
        ready = tile.mbarrier_create(2, 128)
        tile.mbarrier_create(2, [128, 256])
        with tile.on_warps(0, 4):
            tile.mbarrier_arrive(ready, 1)
        with tile.on_warps(4, 4, registers=232):
            tile.mbarrier_wait(ready, 0, index=1)
        size = memref.DimOp(flags, arith.constant(IndexType.get(), 0)).result
        tile.assume(size, equals=size)
        with tile.parallel([8]) as i:
            seen = tile.atomic_load("acquire", flags, [i])
            tile.atomic_store("release", seen, flags, [i])
        tile.grid_barrier()
        address = arith.constant(IntegerType.get_signless(64), 4096)
        rows = tile.from_address(address, (None, 8), F32Type.get(), [size], alignment=16)
        assert str(rows.type) == "memref<?x8xf32>"
        tile.from_address(address, (4,), F32Type.get())
        sums = tile.workspace((8, 4), F32Type.get(), per_block=2)
        assert str(sums.type) == "memref<?x8x4xf32>"
        i32 = IntegerType.get_signless(32)
        arrived = tile.workspace((), i32, zeroed=True)
        one = arith.constant(i32, 1)
        tile.last_arrival(arrived, [block], one, one)
        tile.last_arrival(arrived, [0], one, one, if_last=True)

    check(
        module,
        "tile.grid_barrier",
        "{tile.alignment = 16 : i64} : memref<?x8xf32>",
        "tile.from_address",
        "tile.workspace per_block(2) : memref<?x8x4xf32>",
        "tile.workspace per_block(1) zeroed : memref<?xi32>",
        "tile.last_arrival %",
        "tile.last_arrival if_last %",
        "tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>",
        "tile.mbarrier.create arrivals [128, 256] : !tile.mbarrier<2>",
        "tile.on_warps 0 count 4 {",
        "tile.on_warps 4 count 4 registers 232 {",
        "tile.mbarrier.wait",
        "equals",
        "tile.atomic_load acquire",
        "tile.atomic_store release",
    )


def test_blocks_of_a_cluster_by_hand(module):
    @tile.kernel(grid=4, threads=128, cluster=(4,))
    def blocks(block):
        half = tile.alloc((8, 32), F16Type.get(), "shared")
        own = tile.alloc((8, 32), F32Type.get(), "shared")
        every = tile.alloc((4, 8, 32), F32Type.get(), "shared")
        ready = tile.mbarrier_create(2, [4, 128], cluster=True)
        tile.cluster_barrier()
        tile.cluster_copy(half, own, 1)
        sizes = dict(source_sizes=[8, 16], target_sizes=[1, 8, 16])
        tile.cluster_copy(own, every, 3, [0, 0], [block, 0, 8], barriers=ready, index=1, **sizes)
        tile.mbarrier_arrive(ready, 1, block=block)

    check(
        module,
        "cluster(4)",
        "tile.mbarrier.create arrivals [4, 128] cluster : !tile.mbarrier<2>",
        "tile.cluster_barrier",
        "sizes [8, 16] to",
        "sizes [1, 8, 16] block(",
        "] : !tile.mbarrier<2>) :",
        "block(%bx) : !tile.mbarrier<2>",
    )
