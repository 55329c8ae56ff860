//===- ElementPasses.td - elements and their loops ------- -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes between the grid and layouts: what loops say of single elements
// becomes safe, and where it can be, copies, products, reductions and tiles.
// In the order of the pipeline (lib/Pipelines/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_ELEMENTPASSES_TD
#define TILE_TRANSFORMS_ELEMENTPASSES_TD

include "tile/Dialect/Tile/Transforms/PassOptions.td"

def LowerAffineAccessesPass : Pass<"tile-lower-affine-accesses"> {
  let summary = "Turns affine accesses, loops and conditions into those of memref and scf";
  let description = [{
    Index maps become arithmetic, so that layout inference and lowering know one
    form of access to an element.

    Before: `%x = affine.load %A[%i * 2 + 1] : memref<?xf32>`; after, with
    `%c1 = 1` and `%c2 = 2`:

    ```mlir
    %0 = arith.muli %i, %c2 overflow<nsw> : index
    %1 = arith.addi %0, %c1 : index
    %x = memref.load %A[%1] : memref<?xf32>
    ```

    Affine loops and conditions become those of scf, of whose bounds later passes
    ask.

    Needs: nothing.
    Leaves: no affine loads, stores, loops and conditions.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def GuardOverhangPass : Pass<"tile-guard-overhang", "::mlir::ModuleOp"> {
  let summary = "Guards what blocks outside the grid would do";
  let description = [{
    Acts on kernels whose clusters are not known to divide the grid: outer blocks
    of a cluster then lie outside it, and run, because their peers rely on them.
    Loads and stores of single elements of global memory, prints and assertions
    become conditional; what is read outside is zero. A region that is written
    needs no guard where it starts outside of its buffer in such blocks, and is
    dropped: where its offset is the block's index times at least as many elements
    as the grid has a block for. Other copies and atomics to global memory start
    behind the end of their buffer there; a scatter becomes conditional.

    Before, in a grid of `dim(%X, 0)` blocks and clusters of 2:

    ```mlir
    memref.store %v, %X[%bx] : memref<?xf32>
    ```

    After:

    ```mlir
    %dim = memref.dim %X, %c0 : memref<?xf32>
    %inside = arith.cmpi slt, %bx, %dim : index
    scf.if %inside {
      memref.store %v, %X[%bx] : memref<?xf32>
    }
    ```

    Needs: `--tile-choose-tunables`, `--tile-make-persistent`.
    Leaves: nothing that a block outside the grid would do to memory.
  }];
  let options = [Remarks<"say in which kernels blocks can lie outside the grid">];
  let statistics = [
    Statistic<"guardedOps", "guarded-ops", "operations under a condition">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def GuardAccessesPass : Pass<"tile-guard-accesses", "::mlir::ModuleOp"> {
  let summary = "Guards elements of tiles in shared memory that may not exist";
  let description = [{
    A tile in shared memory lies between others. Where the program does not show
    that an index is inside of it, `memref.load`, `memref.store`,
    `memref.atomic_rmw`, `tile.atomic_load` and `tile.atomic_store` become
    conditional: what lies outside reads as zero and is not written. Bounds follow
    from loops, the grid, arithmetic that cannot wrap around, `tile.assume` and the
    conditions of enclosing branches. A constant outside of a tile is an error,
    unless it stands in a branch, in a fragment, too, whose other indices are those
    of loops over it. Copies and views at an offset that the program computes are
    not looked at: an element of a view is one of the view's extents. The CPU runs
    the same pass first, but where it checks accesses.

    Before:
    ```mlir
    %old = memref.load %count[%bin] : memref<256xi32, #shared>
    ```
    After, where nothing bounds `%bin`:
    ```mlir
    %inside = arith.cmpi ult, %bin, %c256 : index
    %old = scf.if %inside -> (i32) {
      %0 = memref.load %count[%bin] : memref<256xi32, #shared>
      scf.yield %0 : i32
    } else {
      scf.yield %c0_i32 : i32
    }
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no access to one element outside of the tile or view that it names.
  }];
  let options = [
    Option<"guards", "guards", "bool", "true",
           "add conditions; without, the program promises that indices are inside">,
    Remarks<"say which accesses get a condition">];
  let statistics = [
    Statistic<"guardedAccesses", "guarded-accesses", "accesses under a condition">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def FoldComparisonsPass : Pass<"tile-fold-comparisons", "::mlir::ModuleOp"> {
  let summary = "Decides comparisons of indices that bounds decide";
  let description = [{
    A block's index is not negative and below the grid's extent; a counter lies in
    the bounds of its loop; extents of arguments are not negative, and equal where
    `tile.assume` promises it; in a branch its condition holds, of arithmetic that
    cannot wrap around. Comparisons of 64-bit integers and of indices that hold for
    all such numbers become `true`, those that hold for none `false`. A
    canonicalization behind this pass removes the branches.

    Before, in a grid of `dim(%A, 0) * 2` blocks:

    ```mlir
    %row = arith.divui %bx, %c2 : index
    %rows = memref.dim %A, %c0 : memref<?x64xf16>
    %inside = arith.cmpi slt, %row, %rows : index
    ```

    After:

    ```mlir
    %inside = arith.constant true
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no such comparison.
  }];
  let statistics = [
    Statistic<"foldedComparisons", "folded-comparisons", "comparisons that became constants">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def UnswitchLoopsPass : Pass<"tile-unswitch-loops", "::mlir::ModuleOp"> {
  let summary = "Puts branches that a loop does not change around the loop";
  let description = [{
    Acts on loops in the code of one thread (`tile.parallel`) with a branch that
    decides about accesses to global memory and whose condition is the same in all
    rounds. The branch goes around the loop, which is written twice; so loads of
    several rounds stand behind each other and are on their way at the same time.
    A loop stays as it is where it has more than 256 operations, or any but
    arithmetic, loads, stores and atomic updates (ordered accesses, for example).

    Before:

    ```mlir
    scf.for %i = %c0 to %c16 step %c1 {
      scf.if %inside {
        %x = memref.load %A[%i, %j] : memref<?x576xf32>
        memref.store %x, %row[%t, %i] : memref<256x16xf32, #tile.fragment>
      }
    }
    ```

    After:

    ```mlir
    scf.if %inside {
      scf.for %i = %c0 to %c16 step %c1 {
        %x = memref.load %A[%i, %j] : memref<?x576xf32>
        memref.store %x, %row[%t, %i] : memref<256x16xf32, #tile.fragment>
      }
    }
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no such branch in such a loop.
  }];
  let options = [Remarks<"say which loops were written twice">];
  let statistics = [
    Statistic<"unswitchedLoops", "unswitched-loops", "loops written twice">];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def ForwardStoresPass : Pass<"tile-forward-stores", "::mlir::ModuleOp"> {
  let summary = "Takes values that an iteration stores and reads again from registers";
  let description = [{
    Acts on loads of shared and global memory in parallel loops whose element the
    same iteration has stored before, with the same indices: the load gives way to
    the value. Between the two stands nothing that may write the buffer, and
    nothing behind which another thread may have written it (barriers, atomics,
    loops). Threads that repeat an iteration, because they all hold the fragment
    that it writes, then read nothing that only one of them stores.

    Before:

    ```mlir
    tile.parallel (%i) in (256) {
      memref.store %x, %s[%i] : memref<256xf16, #gpu.address_space<workgroup>>
      %y = memref.load %s[%i] : memref<256xf16, #gpu.address_space<workgroup>>
      memref.store %y, %f[%i] : memref<256xf16, #tile.fragment>
    }
    ```

    After:

    ```mlir
    tile.parallel (%i) in (256) {
      memref.store %x, %s[%i] : memref<256xf16, #gpu.address_space<workgroup>>
      memref.store %x, %f[%i] : memref<256xf16, #tile.fragment>
    }
    ```

    Needs: nothing.
    Leaves: no such load.
  }];
  let statistics = [
    Statistic<"numForwarded", "forwarded-stores", "loads that gave way to stored values">];
}

def FormCopiesPass : Pass<"tile-form-copies", "::mlir::ModuleOp"> {
  let summary = "Makes copies and atomics of parallel loops that only copy or add";
  let description = [{
    Acts on parallel loops that load an element of global memory and store it to
    shared memory, or the other way round, and do nothing else. Where the loop's
    indices run along dimensions of both buffers, one each and in one order, the
    loop becomes a `tile.copy` of the region: only a copy can run ahead of its
    iteration in a pipelined loop, and go by TMA or cp.async. A loop with a stated
    layout stays. A loop over rows that a buffer of integers names becomes a
    `tile.gather` (of views, where buffers have more dimensions); guards that keep
    rows in the source's bounds go away, since a gather reads others as zeros.
    Likewise a loop that combines the elements of a fragment or of a
    shared tile with global memory, each atomically, becomes a `tile.atomic`, where
    that has the combination (sums; of integers minimum and maximum) and nothing
    uses what was there before: it can go by TMA, or several elements at a time.

    Before:

    ```mlir
    tile.parallel (%i, %k) in (128, 32) {
      %row = arith.addi %m, %i : index
      %a = memref.load %A[%row, %k] : memref<1024x32xf16>
      memref.store %a, %As[%i, %k] : memref<128x32xf16, #gpu.address_space<workgroup>>
    }
    ```

    After:

    ```mlir
    tile.copy %A[%m, %c0] sizes [128, 32] to %As : memref<1024x32xf16> to memref<128x32xf16, #gpu.address_space<workgroup>>
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no such loop without a stated layout.
  }];
  let options = [Remarks<"say which loops became copies or atomics, and why others did not">];
  let statistics = [
    Statistic<"formedCopies", "formed-copies", "loops that became copies">,
    Statistic<"formedGathers", "formed-gathers", "loops that became gathers">,
    Statistic<"formedAtomics", "formed-atomics", "loops that became atomics">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def MergeGemmsPass : Pass<"tile-merge-gemms", "::mlir::ModuleOp"> {
  let summary = "Makes one product of products of slices along K";
  let description = [{
    Acts on loops from zero by one that do nothing but multiply slices of two tiles
    of rank two, all of their K in steps of one size. The product of the tiles
    themselves steps through K in the same order, from where the tiles are.

    Before:

    ```mlir
    scf.for %k = %c0 to %c2 step %c1 {
      %at = arith.muli %k, %c16 : index
      %a = memref.subview %As[0, %at] [128, 16] [1, 1] : ...
      %b = memref.subview %Bs[0, %at] [128, 16] [1, 1] : ...
      tile.gemm %a, %b, %C {transpose_b} : ...
    }
    ```

    After:

    ```mlir
    tile.gemm %As, %Bs, %C {transpose_b} : memref<128x32xf16, #shared>, memref<128x32xf16, #shared>, memref<128x128xf32, #tile.fragment>
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no such loop.
  }];
  let options = [Remarks<"say which loops became one product">];
  let statistics = [
    Statistic<"mergedGemms", "merged-gemms", "loops that became one product">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def NestGuardsPass : Pass<"tile-nest-guards", "::mlir::ModuleOp"> {
  let summary = "Lets copies of iterations run ahead over iterations that are skipped";
  let description = [{
    Acts on pipelined loops of several stages in which all that an iteration does
    stands under one condition, computed from what the loop does not write: a
    block-sparse product, a list of blocks that may be empty. The loop becomes an
    ordinary one around a pipelined loop of one iteration or none, whose ring is
    counted through the outer one: the role that copies computes the condition,
    too, and runs ahead over the iterations that do something. Only on targets
    where a role copies (TMA).

    Before:

    ```mlir
    tile.pipelined %k = %c0 to %c32 step %c1 stages(2) {
      %is = memref.load %Mask[%bx, %k] : memref<8x32xi1>
      scf.if %is {
        tile.copy %A[%m, %k] to %As : ...
        tile.gemm %As, %Bs, %C : ...
      }
    }
    ```

    After:

    ```mlir
    scf.for %k = %c0 to %c32 step %c1 {
      %is = memref.load %Mask[%bx, %k] : memref<8x32xi1>
      %n = arith.select %is, %c1, %c0 : index
      tile.pipelined %once = %c0 to %n step %c1 stages(2) {
        tile.copy %A[%m, %k] to %As : ...
        tile.gemm %As, %Bs, %C : ...
      }
    }
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no pipelined loop of one condition that could run ahead and does not.
  }];
  let options = [Remarks<"say which loops skip iterations, and why others cannot">];
  let statistics = [
    Statistic<"nestedGuards", "nested-guards", "conditions that became loops">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def CombineUpdatesPass : Pass<"tile-combine-updates", "::mlir::ModuleOp"> {
  let summary = "Combines atomic updates of one element before one of them is made";
  let description = [{
    Acts on parallel loops with one atomic update whose old value nobody uses, of
    an element that does not depend on all of the loop's indices. The updates
    become a fragment, which `tile.reduce` combines along the other indices: in
    registers of a thread, then in its warp. One update an element is left. Not
    for elements of fewer than 32 bits, whose sums round once an update, nor where
    a thread has no registers for the fragment.

    Programs also write an update as a load, an operation and a store of one
    element. Where the element's indices leave out indices of the loop, or have
    quotients or remainders, several iterations of a loop name one element, and
    such a triple becomes an atomic update first, unless stated layouts give all
    of these iterations to one thread. Updates under a condition are combined,
    too: iterations that make none have the value that changes nothing. One
    update of each element of a fragment is left, which is no atomic one then.

    Other loops that read an element and write it in several iterations, whose
    indices leave out indices of the loop, get a layout in which one thread has
    all of these iterations, in the order of the indices: other operations, sums
    of fewer than 32 bits, an element that a condition reads. Where the indices
    have quotients or remainders that is an error.

    Before:

    ```mlir
    tile.parallel (%i, %j) in (64, 128) {
      %old = memref.atomic_rmw addf %x, %sums[%i] : (f32, memref<64xf32>) -> f32
    }
    ```

    After:

    ```mlir
    %all = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 128) {
      memref.store %x, %all[%i, %j] : memref<64x128xf32, #tile.fragment>
    }
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.reduce sum %all to %sum dim(1) : memref<64x128xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    tile.parallel (%i) in (64) {
      %x = memref.load %sum[%i] : memref<64xf32, #tile.fragment>
      %old = memref.atomic_rmw addf %x, %sums[%i] : (f32, memref<64xf32>) -> f32
    }
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no such loop.
  }];
  let options = [Remarks<"say which updates are combined or put in order, and why others are not">];
  let statistics = [
    Statistic<"combinedUpdates", "combined-updates", "loops whose updates are combined">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def PrivatizeFragmentsPass : Pass<"tile-privatize-fragments", "::mlir::ModuleOp"> {
  let summary = "Gives fragments to the threads whose iterations alone use them";
  let description = [{
    Acts on fragments that one parallel loop of one index uses, each iteration
    its own row, by indices within the row that are not all constants. They
    become local memory of a thread, from which LLVM makes registers where it
    unrolls the loops around the accesses. Fragment and loop stand in one block:
    what the fragment holds in front of the loop is undefined.

    Before:

    ```mlir
    %a = tile.alloc : memref<128x4xi8, #tile.fragment>
    tile.parallel (%i) in (128) {
      scf.for %k = %c0 to %c4 step %c1 {
        memref.store %v, %a[%i, %k] : memref<128x4xi8, #tile.fragment>
      }
      ...
    ```

    After:

    ```mlir
    %a = tile.alloc : memref<4xi8, #tile.local>
    tile.parallel (%i) in (128) {
      scf.for %k = %c0 to %c4 step %c1 {
        memref.store %v, %a[%k] : memref<4xi8, #tile.local>
      }
      ...
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no fragment that only one loop's iterations use so.
  }];
  let options = [Remarks<"say which fragments became local memory">];
  let statistics = [
    Statistic<"privateFragments", "private-fragments", "fragments that became local memory">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::memref::MemRefDialect"];
}

def WidenBlocksPass : Pass<"tile-widen-blocks", "::mlir::ModuleOp"> {
  let summary = "Doubles the threads of kernels whose fragments do not fit in registers";
  let description = [{
    Adds up the fragments of gemms that are alive together, each divided evenly
    among the block's threads. Where they leave fewer than 16 of the registers
    that a launch of so many gives a thread, the block gets twice as many, up to
    512, provided that fragments fit there and all gemms can be divided among
    those threads: whole warpgroups for wgmma, whole warps for mma.sync. Programs
    whose layouts, plans or roles count on a number of threads keep it, and so do
    those for tensor memory, which holds their accumulators.

    Before, for sm_90a, where 128 threads would need 320 registers:

    ```mlir
    tile.kernel @f(%A: memref<128x128xf16>) grid(%b) = (1) threads(128) {
      %s = tile.alloc : memref<128x128xf32, #tile.fragment>
      %p = tile.alloc : memref<128x128xf16, #tile.fragment>
      %o = tile.alloc : memref<128x128xf32, #tile.fragment>
      ...
    ```

    After:

    ```mlir
    tile.kernel @f(%A: memref<128x128xf16>) grid(%b) = (1) threads(256) {
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: `threads` as layouts take it.
  }];
  let options = [Remarks<"say where a block has other threads than the program says, and why not">];
  let statistics = [
    Statistic<"widenedKernels", "widened-kernels", "kernels with more threads">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def KeepRowsPass : Pass<"tile-keep-rows", "::mlir::ModuleOp"> {
  let summary = "Keeps rows in shared memory that several loops read piece by piece";
  let description = [{
    Acts on `scf.for` loops of one block, with constant bounds, that copy the same
    rows of a buffer into fragments, a piece in each iteration, where the kernel
    does not write the buffer. One copy in front of the first loop brings the rows
    into a shared tile, all at once, and the loops read them there. The rows take
    at least 32 KB, as the caches have smaller ones when they are read again, and
    fit in the shared memory that the kernel's own tiles leave. Kernels with
    `tile.pipelined` loops are left as they are.

    Before:

    ```mlir
    scf.for %n = %c0 to %c65536 step %c4096 {
      tile.copy %X[%m, %n] to %x : memref<?x65536xf16> to memref<1x4096xf32, #tile.fragment>
      ...
    }
    scf.for %n = %c0 to %c65536 step %c4096 {
      tile.copy %X[%m, %n] to %x : memref<?x65536xf16> to memref<1x4096xf32, #tile.fragment>
      ...
    ```

    After:

    ```mlir
    %k = tile.alloc : memref<1x65536xf16, #gpu.address_space<workgroup>>
    tile.copy %X[%m, %c0] sizes [1, 65536] to %k : memref<?x65536xf16> to memref<1x65536xf16, #gpu.address_space<workgroup>>
    scf.for %n = %c0 to %c65536 step %c4096 {
      tile.copy %k[%c0, %n] sizes [1, 4096] to %x : memref<1x65536xf16, #gpu.address_space<workgroup>> to memref<1x4096xf32, #tile.fragment>
      ...
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: no rows of at least 32 KB, of those that fit, that two such loops read from global memory.
  }];
  let options = [Remarks<"say which rows stay in shared memory, and why not">];
  let statistics = [
    Statistic<"keptRows", "kept-rows", "rows, or groups of rows, that stay in shared memory">,
    Statistic<"keptWalks", "kept-walks", "loops that read them there">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

#endif // TILE_TRANSFORMS_ELEMENTPASSES_TD
