//===- KernelPasses.td - target, open numbers, grids ----- -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes before layouts: they choose a target, give open numbers values
// and shape the grid.
// In the order of the pipeline (lib/Pipelines/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_KERNELPASSES_TD
#define TILE_TRANSFORMS_KERNELPASSES_TD

include "tile/Dialect/Tile/Transforms/PassOptions.td"

def SetTargetPass : Pass<"tile-set-target", "::mlir::ModuleOp"> {
  let summary = "States the architecture a module is compiled for";
  let description = [{
    Puts `tile.target = #tile.target<ARCH>` on the module. Other passes read the
    architecture from there and from nowhere else. `device=H100-PCIe` names the
    GPU whose multiprocessors, clocks and memory choices are made for
    (docs/Rationale/Devices.md); without it that is the architecture's first in
    the table.

    Before: `module {}`; after `--tile-set-target=arch=sm_90a`:
    `module attributes {tile.target = #tile.target<"sm_90a">} {}`.

    Needs: nothing.
    Leaves: `tile.target` on the module.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "",
           "architecture, by LLVM's -mcpu names (sm_80, sm_90a, ...); default: "
           "the newest that the device runs, else that of the module, else sm_80">,
    Option<"device", "device", "std::string", "",
           "GPU that choices are made for (H100-PCIe, ...); default: the "
           "architecture's">
  ];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def ChooseTunablesPass : Pass<"tile-choose-tunables", "::mlir::ModuleOp"> {
  let summary = "Replaces the tunables of kernels by the values that a cost model picks";
  let description = [{
    Each combination of a kernel's tunables is a candidate program: tunables
    replaced by constants, tiles given their shapes. Candidates that the verifier
    or the target refuses are left out; of the others the one with the least time
    by the model (docs/Rationale/TileChoice.md) replaces the kernel. Sizes come
    from static types, `hints`, the arguments' `tile.shape_hint`; where nothing is
    known a dimension counts as 4096. Needs `tile.target` on the module.

    With `tile.versions = N` on the kernel and sizes of several problems up to N
    combinations are compiled (with `tile.versions = [array<i64: 128, 4>, ...]`
    those that it lists, a value for each tunable): the best for all problems in the kernel's place,
    the others behind all kernels, as `NAME__VALUE_VALUE...`. Each has what
    predicts its time for any sizes (`tile.cost`), by which the launcher takes
    one.

    Before:

    ```mlir
    tile.kernel @f(%A: memref<1048576xf32>) tunable(%b in [64, 128]) grid(%bx) = (1048576 ceildiv %b) threads(64) {
      %m = arith.muli %bx, %b : index
      %As = tile.alloc(%b) : memref<?xf32, #shared>
      tile.copy %A[%m] to %As : memref<1048576xf32> to memref<?xf32, #shared>
    }
    ```

    After:

    ```mlir
    tile.kernel @f(%A: memref<1048576xf32>) grid(%bx) = (8192) threads(64) attributes {tile.chosen = {b = 128 : i64}} {
      %b = arith.constant 128 : index
      %m = arith.muli %bx, %b : index
      %As = tile.alloc : memref<128xf32, #shared>
      tile.copy %A[%m] to %As : memref<1048576xf32> to memref<128xf32, #shared>
    }
    ```

    Needs: `--tile-set-target`.
    Leaves: kernels without tunables.
  }];
  let options = [
    ListOption<"hints", "hints", "std::string",
               "sizes to choose for: A=8192x4096,s=4 (an argument's sizes, a scalar's value); "
               "A=1x4096:64x4096 of several problems">,
    ListOption<"values", "values", "std::string",
               "tunables that are decided: bm=128,stages=4; the model chooses the others">,
    Option<"versions", "versions", "bool", "true",
           "compile as many combinations as `tile.versions` says">,
    ListOption<"without", "without", "std::string",
               "versions that are not made, by name: f__128_256_64">,
    Remarks<"say what was chosen, what came next, with predicted times, and what was excluded">];
  let statistics = [
    Statistic<"candidates", "candidates", "combinations considered">,
    Statistic<"excluded", "excluded", "combinations that are not possible">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def FormRolesPass : Pass<"tile-form-roles", "::mlir::ModuleOp"> {
  let summary = "Turns parts of a kernel that only some warps run into roles";
  let description = [{
    What stands in `tile.on_warps` and the control flow around it becomes
    `tile.warp_specialize`: each range of warps gets the loops and branches with its
    own parts in them, and runs them at its own pace. Loops and branches in
    which an operation on tiles stands outside of `tile.on_warps` stay the block's,
    with roles in them. `tile.pipelined` around `tile.on_warps` becomes a plain loop: the
    program waits by hand. With S `stages`, the tiles in shared memory and the
    barriers that it uses get S slots each, and iteration i takes slot i mod S:
    the program's own waits let copies run S iterations ahead then. It keeps one
    slot, and a remark says why, where the waits would not mean the same in each
    slot: where a parity is not that of i plus a constant, an iteration does not
    complete one phase of each barrier, a tile is not overwritten first, or is
    used outside of the loop. The CPU runs the same pass first.

    Before, with 8 warps:

    ```mlir
    scf.for %k = %c0 to %n step %c1 {
      tile.on_warps 0 count 4 {
        tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
      }
      tile.on_warps 4 count 4 {
        tile.mbarrier.wait %ready[%c0] parity %k : !tile.mbarrier<1>
      }
    }
    ```

    After:

    ```mlir
    tile.warp_specialize
    role "warps 0 to 3" warps(4) {
      scf.for %k = %c0 to %n step %c1 {
        tile.mbarrier.arrive %ready[%c0] : !tile.mbarrier<1>
      }
    }
    role "warps 4 to 7" warps(4) {
      scf.for %k = %c0 to %n step %c1 {
        tile.mbarrier.wait %ready[%c0] parity %k : !tile.mbarrier<1>
      }
    }
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: kernels without `tile.on_warps`.
  }];
  let options = [Remarks<"say which roles there are">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

def VersionKernelsPass : Pass<"tile-version-kernels", "::mlir::ModuleOp"> {
  let summary = "Compiles kernels once more, on promises that the launcher checks";
  let description = [{
    Whether tiles can be moved 16 bytes at a time, or by tensor copies, depends
    on the alignment of addresses and on the length of rows. Where a program says
    nothing of them for an argument that it copies tiles from or to, its kernel
    is copied behind the others, as `NAME__aligned`, with the promises. Both go
    into the artifact; the launcher takes the copy where the promises hold.

    Before:

    ```mlir
    tile.kernel @f(%A: memref<?x?xf16>) ... {
      tile.copy %A[%m, %k] to %As : ...
    }
    ```

    After, beside it:

    ```mlir
    tile.kernel @f__aligned(%A: memref<?x?xf16> {tile.alignment = 16 : i64}) ... {
      %columns = memref.dim %A, %c1 : memref<?x?xf16>
      tile.assume %columns {divisible_by = 8 : i64} : index
      tile.copy %A[%m, %k] to %As : ...
    }
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: a second kernel beside those that promise little.
  }];
  let options = [Remarks<"say which kernels are compiled twice">,
                 ListOption<"without", "without", "std::string",
                            "versions that are not made, by name: f__aligned">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def SplitReductionPass : Pass<"tile-split-reduction", "::mlir::ModuleOp"> {
  let summary = "Deals the range of a kernel's pipelined loop out to a cluster";
  let description = [{
    Acts on kernels with `split = S`. The grid gets one more dimension of S, and
    so does the cluster (a grid of three dimensions has its last one multiplied).
    Block s of a cluster runs the s-th part of the loop's iterations, in whole
    iterations, some of them perhaps none; `tile.cluster_reduce` then combines
    what the loop accumulates into the last block, which alone runs what follows.

    - split-1: the target has clusters.
    - split-2: the kernel has one `tile.pipelined`, directly in its body, and
      asks for no ranges itself.
    - split-3: what the loop leaves behind is accumulated: by gemms without
      `clear`, or by `tile.reduce ... accumulate` of one kind (`sum`, `max`,
      `min`), into fragments that nothing else in the loop touches.
    - split-4: the loop and what precedes it write no global memory.
    - split-5: the blocks of a cluster do not meet by hand (`tile.cluster_barrier`,
      `tile.cluster_copy`, mbarriers of a `cluster`).

    Before, with `split = 2`:

    ```mlir
    tile.fill %acc with %zero : ...
    tile.pipelined %k = %c0 to %K step %c64 stages(4) { ... tile.gemm %As, %Bs, %acc : ... }
    tile.copy %acc to %C[%m, %n] : ...
    ```

    After, with %bz the new block index and T iterations:

    ```mlir
    %last = arith.cmpi eq, %bz, %c1 : index
    tile.fill %acc with %zero : ...
    // from %bz * T / 2 to (%bz + 1) * T / 2
    tile.pipelined %k = %first to %end step %c64 stages(4) { ... tile.gemm %As, %Bs, %acc : ... }
    tile.cluster_reduce sum %acc blocks(2) stride(1) : ...
    scf.if %last {
      tile.copy %acc to %C[%m, %n] : ...
    }
    ```

    Needs: `--tile-set-target`, `--tile-choose-tunables`.
    Leaves: kernels without `split`.
  }];
  let options = [Remarks<"say what is combined">];
  let statistics = [
    Statistic<"splitLoops", "split-loops", "loops dealt out to a cluster">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def MakePersistentPass : Pass<"tile-make-persistent", "::mlir::ModuleOp"> {
  let summary = "Lets each block of a persistent kernel work off several blocks of the grid";
  let description = [{
    Acts on kernels with the attribute `persistent`. Their body, but for what does
    not depend on the block, becomes a loop over the block's part of the grid.
    Where the bounds of a loop in it depend on the block, blocks take long and
    short: every second round of blocks then goes through its numbers from the
    last to the first, so that each block gets some of both, unless the kernel has
    `stream_k`, which needs numbers in their order.

    Before:

    ```mlir
    tile.kernel @k(...) grid(%bx, %by) = (...) threads(256) attributes {persistent = 1 : i64} {
      %m = arith.muli %by, %c128 : index
      // ...
    }
    ```

    After:

    ```mlir
    tile.kernel @k(...) grid(%bx, %by) = (...) threads(256) attributes {persistent = 1 : i64} {
      %first, %end, %step = tile.block_range
      scf.for %t = %first to %end step %step {
        %x, %y = tile.block_coordinates %t : index, index
        %m = arith.muli %y, %c128 : index
        // ...
      }
    }
    ```

    Needs: `--tile-choose-tunables`, and to stand before `--tile-infer-layouts`.
    Leaves: a loop over the block's part of the grid.
  }];
  let options = [Remarks<"say which kernels loop over their part of the grid, and why others do not">];
  let statistics = [
    Statistic<"persistentKernels", "persistent-kernels", "kernels with a loop over tiles">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

def StreamReductionPass : Pass<"tile-stream-reduction", "::mlir::ModuleOp"> {
  let summary = "Has blocks share the tiles that are left beyond whole rounds (stream-K)";
  let description = [{
    Acts on kernels with `stream_k = S`. Of t tiles and G blocks that are launched
    each block works off t / G whole tiles; what is left, fewer tiles than blocks,
    is shared. Where there are two blocks or more for each of these, so many (at
    most 8) run an equal part of its iterations each; else the iterations of all
    of them, in S parts a tile, are dealt out to all blocks, which have the end of
    a tile that another block began, and the beginning of one that another block
    ends. Who has a part of a tile leaves what it has accumulated in global memory
    (`tile.workspace`) and arrives (`tile.last_arrival`); the last one to arrive
    combines all of them, in the order of parts, and runs what follows the loop.
    Nobody waits, and results do not depend on who comes when. Tiles are not
    shared, and some blocks have one more than others, where that saves fewer
    iterations than sums through memory cost (`tile.stream_least`).

    - stream-1: the kernel has one `tile.pipelined`, directly in its body, and
      asks for no ranges itself.
    - stream-2: along a third dimension of the grid, clusters have one block.
    - stream-3: the blocks of a cluster do not meet by hand.
    - stream-4: what the loop accumulates has elements of 32 bits or more.
    - split-3, split-4: as for `--tile-split-reduction`.

    Before, with `stream_k = 8`:

    ```mlir
    %first, %end, %step = tile.block_range
    scf.for %t = %first to %end step %step {
      %x, %y = tile.block_coordinates %t : index, index
      tile.fill %acc with %zero : ...
      tile.pipelined %k = %c0 to %K step %c64 stages(4) { ... tile.gemm %As, %Bs, %acc : ... }
      tile.copy %acc to %C[%m, %n] : ...
    }
    ```

    After, with T iterations a tile, of which the block runs parts %p to %q (of the
    two blocks of a tile that two share, the second one to arrive adds what the
    other has left to its own; this is the form for more):

    ```mlir
    %partial = tile.workspace per_block(2) : memref<?x128x128xf32>
    %arrived = tile.workspace per_block(1) zeroed : memref<?xi32>
    scf.for %i = %c0 to %count step %c1 {
      %t = arith.select %is_whole, %whole_tile, %shared_tile : index
      %x, %y, %z = tile.block_coordinates %t : index, index, index
      tile.fill %acc with %zero : ...
      // from %p * T / 8 to %q * T / 8
      tile.pipelined %k = ... { ... tile.gemm %As, %Bs, %acc : ... }
      %goes_on = scf.if %whole -> (i1) {
        scf.yield %true : i1
      } else {
        tile.copy %acc to %partial[%own, %c0, %c0] sizes [1, 128, 128] {disable_tma} : ...
        %last = tile.last_arrival %arrived[%tile], %weight of %c8_i32 : memref<?xi32>
        scf.if %last {
          // sums of all blocks
        }
        scf.yield %last : i1
      }
      scf.if %goes_on {
        tile.copy %acc to %C[%m, %n] : ...
      }
    }
    ```

    Needs: `--tile-choose-tunables`, `--tile-make-persistent`, and to stand before
    `--tile-infer-layouts`.
    Leaves: kernels without `stream_k`.
  }];
  let options = [Remarks<"say what is shared">];
  let statistics = [
    Statistic<"streamedLoops", "streamed-loops", "loops whose iterations are dealt out">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def ExpandOperationsPass : Pass<"tile-expand-operations", "::mlir::ModuleOp"> {
  let summary = "Writes sorts, selections and carries as other tile operations";
  let description = [{
    `tile.sort` becomes a bitonic network over shared memory. `tile.topk` of at most
    eight elements becomes that many reductions of keys that have their places in
    their lower bits, and a sort elsewhere. The carry of a scan becomes a reduction
    of the piece beside its scan. A remark says which.

    Before:

    ```mlir
    tile.scan sum %x to %y dim(1) carry(%sofar : memref<8xf32, #tile.fragment>)
        : memref<8x64xf32, #tile.fragment> to memref<8x64xf32, #tile.fragment>
    ```

    After:

    ```mlir
    tile.copy %x to %piece : ...
    tile.reduce sum %piece to %total dim(1) : ...
    tile.scan sum %piece to %piece dim(1) : ...
    tile.parallel (%i, %j) in (8, 64) {
      ... // y[i, j] = sofar[i] + piece[i, j]
    }
    tile.parallel (%i) in (8) {
      ... // sofar[i] = sofar[i] + total[i]
    }
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no `tile.sort`, no `tile.topk`, and no scan with a carry.
  }];
  let options = [
    Remarks<"emit a remark for each operation that is expanded: what it becomes">];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of operations that were expanded">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // TILE_TRANSFORMS_KERNELPASSES_TD
