//===- LayoutPasses.td - layouts, copies ----------------- -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that say which thread holds which element, and how elements move.
// In the order of the pipeline (lib/Pipelines/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_LAYOUTPASSES_TD
#define TILE_TRANSFORMS_LAYOUTPASSES_TD

include "tile/Dialect/Tile/Transforms/PassOptions.td"

def ExpandSparseGemmsPass : Pass<"tile-expand-sparse-gemms", "::mlir::ModuleOp"> {
  let summary = "Gives sparse operands their zeros back where no instruction reads them";
  let description = [{
    A gemm with `metadata` stays as it is where the target has an instruction for
    sparse operands that can read its tiles. Elsewhere threads write the whole A,
    with its zeros, to a tile in shared memory, and the gemm becomes one of that
    tile without `metadata`. A remark names the instruction, or says why there is
    none (docs/Rationale/Sparse.md).

    Before:

    ```mlir
    tile.gemm %As, %Bs, %acc metadata(%Es : memref<64x4xi16, #shared>)
        : memref<64x32xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    ```

    After, on a target without such an instruction:

    ```mlir
    %whole = tile.alloc : memref<64x64xf16, #shared>
    tile.parallel (%row, %group) in (64, 16) {
      ... // whole[row, 4 * group + 0 .. 3] = the kept values at their places
    }
    tile.gemm %whole, %Bs, %acc
        : memref<64x64xf16, #shared>, memref<64x64xf16, #shared>, memref<64x64xf32, #tile.fragment>
    ```

    Needs: `--tile-set-target`, `--tile-choose-tunables`.
    Leaves: gemms with `metadata` only where an instruction reads it.
  }];
  let options = [
    Remarks<"emit a remark for each gemm with metadata: what reads it, or why its A is expanded">];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of gemms whose A got its zeros back">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def InferLayoutsPass : Pass<"tile-infer-layouts", "::mlir::ModuleOp"> {
  let summary = "Decides which thread holds which element, and where tiles lie in shared memory";
  let description = [{
    Every fragment and shared tile gets a layout, every loop over a tile
    (`parallel`, `copy`, `fill`, `atomic`) the layout of its iterations, every
    `gemm` a plan. Exact demands of instructions come first, then propagation
    through loops and reductions, then free choices by a stated cost
    (docs/Rationale/LayoutInference.md). Where two operations need different
    layouts of one fragment a `tile.convert_layout` is inserted. Layouts and
    plans that are stated already are respected.

    Before:
    ```mlir
    %x = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %A[%i] to %x : memref<4096xf32> to memref<64xf32, #tile.fragment>
    ```
    After, with 32 threads:
    ```mlir
    %x = tile.alloc layout(#tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>) : memref<64xf32, #tile.fragment>
    tile.copy %A[%i] to %x decided {layout = #tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>} : memref<4096xf32> to memref<64xf32, #tile.fragment>
    ```

    Needs: `--tile-set-target`, `--tile-choose-tunables`, `--tile-lower-affine-accesses`.
    Leaves: layouts on tiles and loops over tiles, plans on gemms.
  }];
  let options = [
    Option<"printAnalysisOnly", "print-analysis-only", "bool", "false",
           "print each layout, its reason and cost on standard output; leave the IR as it is">,
    Option<"exhaustive", "exhaustive", "bool", "false",
           "try all combinations of free choices, and print with print-analysis-only what the best would cost; for kernels of a few loops">,
    Remarks<"emit a remark for each instruction chosen or refused and each conversion inserted">];
  let statistics = [
    Statistic<"numConversions", "num-conversions", "Number of layout conversions inserted">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def ShareResultsPass : Pass<"tile-share-results", "::mlir::ModuleOp"> {
  let summary = "Each block of a split tile finishes a part of it";
  let description = [{
    Where blocks of a cluster share a tile's loop (`--tile-split-reduction`),
    `tile.cluster_reduce` gives the sums to the last of them, and that one
    alone does what follows. Here each block gets a part of the sums, and does
    what follows for that part: columns, or rows after a product with swapped
    operands. That takes moves of whole fragments to or from global memory,
    fills, and loops over elements, and layouts of which each thread holds
    equal parts; `remarks` says what is in the way. What is stored does not
    depend on which block stores it, but for the order in which three blocks or
    more are added up.

    Before:

    ```mlir
    tile.cluster_reduce sum %acc blocks(2) stride(1) : memref<128x256xf32, #tile.fragment>
    scf.if %isLast {
      tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
    }
    ```

    After:

    ```mlir
    tile.cluster_reduce sum %acc blocks(2) stride(1) parts(1) : memref<128x256xf32, #tile.fragment>
    %first, %end = tile.cluster_parts blocks(2) stride(1)
    scf.for %p = %first to %end step %c1 {
      tile.cluster_part %acc[%p] to %part : memref<128x256xf32, #tile.fragment> to memref<128x128xf32, #tile.fragment>
      tile.copy %part to %C[%m, %n2] sizes [128, 128] : memref<128x128xf32, #tile.fragment> to memref<?x?xf16>
    }
    ```

    Needs: `--tile-choose-tunables`, `--tile-infer-layouts`.
    Leaves: no split tile that one block finishes, where others can help.
  }];
  let options = [Remarks<"say who finishes split tiles, and why">];
  let statistics = [
    Statistic<"sharedTiles", "shared-tiles", "split tiles of which each block finishes a part">];
}

def PlaceAccumulatorsPass : Pass<"tile-place-accumulators", "::mlir::ModuleOp"> {
  let summary = "Moves the accumulators of gemms by tcgen05 to tensor memory";
  let description = [{
    Such a gemm adds to tensor memory, threads compute in registers. Around the
    widest piece of program that touches a fragment by such gemms only, the
    fragment is replaced by a buffer in tensor memory: before it, its zeros are
    the buffer's (or its values are copied there), behind it the buffer is copied
    to the fragment. The copy has the fragment's layout, which is the one that
    `tcgen05.ld` gives (docs/Rationale/Tcgen05.md).

    Before:

    ```mlir
    tile.fill %acc with %zero : memref<128x256xf32, #tile.fragment>, f32
    tile.pipelined %k = %c0 to %K step %c64 stages(4) {
      tile.gemm %As, %Bs, %acc {plan = #tile.mma_plan<tcgen05, ...>} : ...
    }
    tile.parallel (%i, %j) in (128, 256) { ... %acc ... }
    ```

    After:

    ```mlir
    %t = tile.alloc : memref<128x256xf32, #tile.tmem>
    tile.fill %t with %zero : memref<128x256xf32, #tile.tmem>, f32
    tile.pipelined %k = %c0 to %K step %c64 stages(4) {
      tile.gemm %As, %Bs, %t {plan = #tile.mma_plan<tcgen05, ...>} : ...
    }
    tile.copy %t to %acc decided {layout = ...} : memref<128x256xf32, #tile.tmem> to memref<128x256xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 256) { ... %acc ... }
    ```

    Needs: `--tile-infer-layouts`.
    Leaves: accumulators of tcgen05 in tensor memory.
  }];
  let options = [Remarks<"say which accumulators are in tensor memory, and for how long">];
  let statistics = [
    Statistic<"placedAccumulators", "placed-accumulators", "pieces of program with an accumulator in tensor memory">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def StageLoadsPass : Pass<"tile-stage-loads", "::mlir::ModuleOp"> {
  let summary = "Loads fragments behind a loop through a tile in shared memory and TMA";
  let description = [{
    For targets with TMA and wgmma: a copy of global memory to a whole fragment
    that stands behind a pipelined loop with a gemm (the residual of an epilogue)
    goes through a swizzled tile of shared memory, when the kernel's own tiles
    leave room for it and the rules of `tile-select-copies` allow TMA. The
    pipeline then gives that tile a ring of one slot, and a role that copies fills
    it while the loop still multiplies. Without room, columns of it go through a
    tile with as many rows that the loop fills, one piece after the other: that
    tile's ring goes on behind the loop. `remarks` says why a copy stays.

    Before:

    ```mlir
    tile.copy %R[%m, %n] to %r : memref<?x?xf16> to memref<128x256xf16, #tile.fragment>
    ```

    After:

    ```mlir
    tile.copy %R[%m, %n] to %staging : memref<?x?xf16> to memref<128x256xf16, #shared>
    tile.copy %staging to %r decided {layout = ...} : memref<128x256xf16, #shared> to memref<128x256xf16, #tile.fragment>
    ```

    Needs: `--tile-set-target`, `--tile-infer-layouts`.
    Leaves: loads of an epilogue in two copies, through shared memory.
  }];
  let options = [Remarks<"say which loads are staged, and why others are not">];
  let statistics = [
    Statistic<"stagedLoads", "staged-loads", "loads that go through shared memory">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def StageStoresPass : Pass<"tile-stage-stores", "::mlir::ModuleOp"> {
  let summary = "Stores fragments through a tile in shared memory and TMA";
  let description = [{
    For targets with TMA: a copy of a whole fragment to global memory becomes
    conversions in registers, copies into a swizzled tile of shared memory, and
    stores of that tile, in as many pieces as the shared memory left needs:
    columns, or rows (at most four pieces) where warps divide the columns, as
    after a product with swapped operands. Where no piece fits beside the slots
    of pipelined loops, and the copy stands behind them outside of loops, the
    tile will lie in these slots (`tile-place-shared-memory`). A tile whose rows
    no span of 64 bytes divides has panels that a box each stores. The
    copy stays as it is where the rules of `tile-select-copies` do not allow TMA
    for the store; `remarks` says why.

    Before:

    ```mlir
    tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
    ```

    After, for each of two pieces:

    ```mlir
    tile.copy %acc[%c0, %c128] sizes [128, 128] to %half decided {layout = ...} : memref<128x256xf32, #tile.fragment> to memref<128x128xf16, #tile.fragment>
    tile.copy %half to %staging decided {layout = ...} : memref<128x128xf16, #tile.fragment> to memref<128x128xf16, #shared>
    tile.copy %staging to %C[%m, %n2] sizes [128, 128] : memref<128x128xf16, #shared> to memref<?x?xf16>
    ```

    Needs: `--tile-set-target`, `--tile-infer-layouts`.
    Leaves: stores by TMA in two copies, through shared memory.
  }];
  let options = [Remarks<"say which stores are staged, and why others are not">];
  let statistics = [
    Statistic<"stagedStores", "staged-stores", "stores that go through shared memory">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def SelectCopiesPass : Pass<"tile-select-copies", "::mlir::ModuleOp"> {
  let summary = "Chooses the instruction and the width of every copy";
  let description = [{
    Walks the table of lib/Analysis/Copy/CopyRules.cpp for each `tile.copy` and puts
    the first row that applies on it as `plan`. `prefer` on a copy restricts the
    table to one instruction; where it cannot be used that is an error that names
    each rule and its reason. With `remarks`, every copy says what was chosen and
    why the rows before it were not. Needs `tile.target` on the module.

    Before:

    ```mlir
    tile.copy %A[%m, %k] to %As : memref<4096x4096xf16> to memref<128x32xf16, #shared>
    ```

    After:

    ```mlir
    tile.copy %A[%m, %k] to %As decided {plan = #tile.copy_plan<cp_async, bytes = 16>}
        : memref<4096x4096xf16> to memref<128x32xf16, #shared>
    ```

    Needs: `--tile-set-target`, `--tile-infer-layouts`.
    Leaves: a plan on each copy and atomic.
  }];
  let options = [Remarks<"say for each copy what was chosen, and why not something faster">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def FindStreamsPass : Pass<"tile-find-streams", "::mlir::ModuleOp"> {
  let summary = "Finds arguments that a kernel only reads through, each block its own part";
  let description = [{
    Writes `tile.streams` on kernels: the arguments of which every block loads a
    part of its own by plain loads, while the kernel writes results of as many
    dimensions. Where such arguments have more bytes than `tile.stream_limits`
    says first, loads of them, and of arguments of which all blocks read the same
    (`tile.shared_reads`), ask the L2 cache to keep their lines before those of
    results, which DRAM takes 2 to 5 % faster. Of as many bytes of a stream as it
    says second, what the last blocks load, a block tells the cache when it ends
    that the lines are not needed. Kernels that are persistent, that have
    clusters or `tile.pipelined` loops have no streams.

    Writes `tile.read_once` on kernels of every kind: arguments of which each
    element is loaded once, or by blocks that run at the same time: those that
    differ along the dimensions named with the argument, where few enough blocks
    lie between them. The kernel writes less (`tile.results` names what it
    writes). The weights of a product with few rows are such an argument, and
    what a reduction reads. Up to as many bytes as `tile.stream_limits` says
    third, their lines leave the cache first: before those that another kernel
    has written, which would have to go to DRAM.

    The numbers are the device's (docs/Rationale/CopySelection.md). Copies that
    name an `eviction_policy` are left as they are.

    Before:

    ```mlir
    tile.kernel @f(%X: memref<?x4096xf16>, %W: memref<4096xf16>, %Y: memref<?x4096xf16>)
        grid(%m) = (dim(%X, 0)) threads(256) {
      tile.copy %X[%m, %c0] to %x decided {plan = #tile.copy_plan<vector, bytes = 16>} ...
      tile.copy %W[%c0] to %w decided {plan = #tile.copy_plan<vector, bytes = 16>} ...
      ...
      tile.copy %x to %Y[%m, %c0] ...
    ```

    After:

    ```mlir
    tile.kernel @f(...) grid(%m) = (dim(%X, 0)) threads(256)
        attributes {tile.results = array<i64: 2>, tile.shared_reads = array<i64: 1>,
                    tile.stream_limits = array<i64: 100000000, 50000000, 200000000, 132>, tile.streams = array<i64: 0>} {
    ```

    Needs: `--tile-set-target`, `--tile-select-copies`.
    Leaves: `tile.streams`, `tile.shared_reads`, `tile.read_once`, `tile.results` and `tile.stream_limits` on kernels that have some.
  }];
  let options = [Remarks<"say which arguments are streams or read once, and why others are no streams">];
  let statistics = [
    Statistic<"streams", "streams", "arguments that are streams">,
    Statistic<"readOnce", "read-once", "other arguments that are read once">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_LAYOUTPASSES_TD
