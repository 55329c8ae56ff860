//===- Passes.td - tile to tile passes --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_PASSES_TD
#define TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Kernel passes: target, open numbers, grids
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Kernel passes: target, open numbers, grids
//===----------------------------------------------------------------------===//

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
           "the newest that the device runs, else sm_80">,
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
               "sizes to choose for: A=8192x4096,s=4 (an argument's sizes, a scalar's value)">,
    ListOption<"values", "values", "std::string",
               "tunables that are decided: bm=128,stages=4; the model chooses the others">,
    Option<"remarks", "remarks", "bool", "false",
           "say what was chosen, what came next, with predicted times, and what was excluded">];
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
    program says itself what is in flight. The CPU runs the same pass first.

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
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which roles there are">];
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
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which kernels are compiled twice">,
                 ListOption<"once", "once", "std::string",
                            "kernels that are compiled as they are only">];
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
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say what is combined">];
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
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which kernels loop over their part of the grid, and why others do not">];
  let statistics = [
    Statistic<"persistentKernels", "persistent-kernels", "kernels with a loop over tiles">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

def LowerAffineAccessesPass : Pass<"tile-lower-affine-accesses"> {
  let summary = "Turns affine loads and stores into those of the memref dialect";
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

    Needs: nothing.
    Leaves: no affine loads and stores.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def GuardOverhangPass : Pass<"tile-guard-overhang", "::mlir::ModuleOp"> {
  let summary = "Guards what blocks outside the grid would do";
  let description = [{
    Acts on kernels whose clusters are not known to divide the grid: outer blocks
    of a cluster then lie outside it, and run, because their peers rely on them.
    Loads and stores of single elements of global memory, atomics, prints and
    assertions become conditional; what is read outside is zero. Copies need no
    guard: regions outside a buffer are padded or dropped.

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
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say in which kernels blocks can lie outside the grid">];
  let statistics = [
    Statistic<"guardedOps", "guarded-ops", "operations under a condition">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

//===----------------------------------------------------------------------===//
// Layout passes: layouts, copies
//===----------------------------------------------------------------------===//

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
    tile.copy %A[%i] to %x {layout = #tile.fragment_layout<shape [64] reg [(2, 0:1)] lane [(32, 0:2)] warp []>} : memref<4096xf32> to memref<64xf32, #tile.fragment>
    ```

    Needs: `--tile-set-target`, `--tile-choose-tunables`, `--tile-lower-affine-accesses`.
    Leaves: layouts on tiles and loops over tiles, plans on gemms.
  }];
  let options = [
    Option<"printAnalysisOnly", "print-analysis-only", "bool", "false",
           "print each layout, its reason and cost on standard output; leave the IR as it is">,
    Option<"remarks", "remarks", "bool", "false",
           "emit a remark for each instruction chosen or refused and each conversion inserted">];
  let statistics = [
    Statistic<"numConversions", "num-conversions", "Number of layout conversions inserted">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def SkipRescalingPass : Pass<"tile-skip-rescaling", "::mlir::ModuleOp"> {
  let summary = "Lets a warp skip a multiplication of accumulators by factors that are all one";
  let description = [{
    An online softmax multiplies what a gemm has summed by a factor for each row,
    the exponential of the old maximum less the new one. The more keys a row has
    seen, the more often its maximum stays, and the factor is one. The pass puts
    the store under the condition that it is not. The lowering compares the few
    factors of a thread, lets the warp vote, and branches. The results stay the
    same, bit for bit.

    Acts on loops over a fragment that do nothing else, inside of a loop that
    sums to this fragment by a gemm and computes the factors as exponentials of
    differences; not where a thread has about as many factors as elements.

    Before:

    ```mlir
    tile.parallel (%i, %j) in (128, 128) {
      %x = memref.load %acc[%i, %j] : ...
      %f = memref.load %factor[%i] : ...
      %y = arith.mulf %x, %f : f32
      memref.store %y, %acc[%i, %j] : ...
    }
    ```

    After:

    ```mlir
    tile.parallel (%i, %j) in (128, 128) {
      %x = memref.load %acc[%i, %j] : ...
      %f = memref.load %factor[%i] : ...
      %y = arith.mulf %x, %f : f32
      %differs = arith.cmpf une, %f, %one : f32
      scf.if %differs {
        memref.store %y, %acc[%i, %j] : ...
      }
    }
    ```

    Needs: `--tile-infer-layouts`.
    Leaves: conditions in loops over fragments.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "emit a remark for each loop that a warp may skip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
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
    tile.copy %t to %acc {layout = ...} : memref<128x256xf32, #tile.tmem> to memref<128x256xf32, #tile.fragment>
    tile.parallel (%i, %j) in (128, 256) { ... %acc ... }
    ```

    Needs: `--tile-infer-layouts`.
    Leaves: accumulators of tcgen05 in tensor memory.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which accumulators are in tensor memory, and for how long">];
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
    tile.copy %staging to %r {layout = ...} : memref<128x256xf16, #shared> to memref<128x256xf16, #tile.fragment>
    ```

    Needs: `--tile-set-target`, `--tile-infer-layouts`.
    Leaves: loads of an epilogue in two copies, through shared memory.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which loads are staged, and why others are not">];
  let statistics = [
    Statistic<"stagedLoads", "staged-loads", "loads that go through shared memory">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def StageStoresPass : Pass<"tile-stage-stores", "::mlir::ModuleOp"> {
  let summary = "Stores fragments through a tile in shared memory and TMA";
  let description = [{
    For targets with TMA: a copy of a whole fragment to global memory becomes
    conversions in registers, copies into a swizzled tile of shared memory, and
    stores of that tile, in as many pieces as the shared memory left needs. The
    copy stays as it is where the rules of `tile-select-copies` do not allow TMA
    for the store; `remarks` says why.

    Before:

    ```mlir
    tile.copy %acc to %C[%m, %n] : memref<128x256xf32, #tile.fragment> to memref<?x?xf16>
    ```

    After, for each of two pieces:

    ```mlir
    tile.copy %acc[%c0, %c128] sizes [128, 128] to %half {layout = ...} : memref<128x256xf32, #tile.fragment> to memref<128x128xf16, #tile.fragment>
    tile.copy %half to %staging {layout = ...} : memref<128x128xf16, #tile.fragment> to memref<128x128xf16, #shared>
    tile.copy %staging to %C[%m, %n2] sizes [128, 128] : memref<128x128xf16, #shared> to memref<?x?xf16>
    ```

    Needs: `--tile-set-target`, `--tile-infer-layouts`.
    Leaves: stores by TMA in two copies, through shared memory.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which stores are staged, and why others are not">];
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
    tile.copy %A[%m, %k] to %As {plan = #tile.copy_plan<cp_async, bytes = 16>}
        : memref<4096x4096xf16> to memref<128x32xf16, #shared>
    ```

    Needs: `--tile-set-target`, `--tile-infer-layouts`.
    Leaves: a plan on each copy and atomic.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say for each copy what was chosen, and why not something faster">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

//===----------------------------------------------------------------------===//
// Schedule passes: rings, roles, tokens
//===----------------------------------------------------------------------===//

def PipelinePass : Pass<"tile-pipeline", "::mlir::ModuleOp"> {
  let summary = "Turns pipelined loops into ring loops whose copies run ahead";
  let description = [{
    Each `tile.pipelined` becomes an `scf.for`. Copies in its body that dependence
    analysis lets run ahead fill a ring `stages - 1` iterations early; the rest
    of the body stays in order and reads the ring's views. A loop without such
    copies, or with one stage, becomes the plain sequential loop; `remarks` says
    for each copy from global to shared memory why it was left. Any trip count works.
    docs/Rationale/Pipelining.md says why the order is what it is.

    Before:

    ```mlir
    tile.pipelined %k = %c0 to %K step %c32 stages(3) {
      tile.copy %A[%m, %k] to %As : memref<?x?xf16> to memref<128x32xf16, #shared>
      tile.gemm %As, %Bs, %acc : ...
    }
    ```

    After, for T iterations:

    ```mlir
    %ring = tile.ring.create : !tile.ring<3 x [memref<128x32xf16, #shared>], cp_async -> threads>
    // uses 0 and 1: acquire; if use < T, copy; commit
    scf.for %i = %c0 to %T step %c1 {
      %a = tile.ring.wait %ring[%i] {in_flight = 1 : i64} : ...
      %use = arith.addi %i, %c2 : index
      %b = tile.ring.acquire %ring[%use] : ...
      %more = arith.cmpi slt, %use, %T : index
      scf.if %more {
        tile.copy %A[%m, %k2] to %b : ...
      }
      tile.ring.commit %ring[%use] : ...
      tile.gemm %a, %Bs, %acc : ...
      tile.ring.release %ring[%i] : ...
    }
    tile.ring.drain %ring : ...
    ```

    Needs: `--tile-choose-tunables`; without `--tile-select-copies` no copy can be TMA.
    Leaves: rings and plain loops, no `tile.pipelined`; `tile.roles` where warps get roles.
  }];
  let options = [Option<"roles", "roles", "::mlir::tile::RoleChoice",
                        "::mlir::tile::RoleChoice::Auto",
                        "whether warps are divided into roles in kernels that do not say so "
                        "themselves (`specialize`): on, off, or auto, where it pays",
                        [{::llvm::cl::values(
                          clEnumValN(::mlir::tile::RoleChoice::Auto, "auto", "where it pays"),
                          clEnumValN(::mlir::tile::RoleChoice::On, "on", "or an error"),
                          clEnumValN(::mlir::tile::RoleChoice::Off, "off", "never"))}]>,
                 Option<"remarks", "remarks", "bool", "false",
                        "say which copies run ahead, and why others do not">];
  let statistics = [
    Statistic<"ringLoops", "ring-loops", "loops turned into ring loops">,
    Statistic<"plainLoops", "plain-loops", "loops left sequential">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def PairGemmsPass : Pass<"tile-pair-gemms", "::mlir::ModuleOp"> {
  let summary = "Lets the two blocks of a cluster multiply as a pair";
  let description = [{
    Gemms by tcgen05 in blocks of a cluster of two that differ in A and share B:
    one instruction of twice the rows multiplies for both, and each block loads
    its own A and one half of B's columns only, instead of all of B. All gemms of
    the kernel become pairs, or none: PTX has one form of tcgen05 per kernel.
    Rings then say who holds what (`pair`); what views mean stays as it is. With
    `remarks`, a kernel says why its gemms are not paired; the kernel's attribute
    `pairs` forbids or demands it.

    Before:

    ```mlir
    %r = tile.ring.create layouts([#a, #b]) {peers = 2} : !tile.ring<4 x [memref<128x64xf16, #shared>, memref<64x256xf16, #shared>], tma -> tcgen05>
    tile.copy %B[%k, %n] to %b {multicast = 2, ...} : ...
    tile.gemm %x, %y, %acc {plan = #tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 1]>} : ...
    ```

    After:

    ```mlir
    %r = tile.ring.create layouts([#a, #half]) {pair = array<i64: -1, 1>, peers = 2} : !tile.ring<4 x [memref<128x64xf16, #shared>, memref<64x256xf16, #shared>], tma -> tcgen05>
    tile.copy %B[%k, %n] to %b {...} : ...
    tile.gemm %x, %y, %acc {plan = #tile.mma_plan<tcgen05, m = 128, n = 256, k = 16, warps = [4, 1], pair>} : ...
    ```

    Needs: `--tile-pipeline`.
    Leaves: plans and rings with `pair`.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which gemms are paired, and why others are not">];
  let statistics = [
    Statistic<"pairedGemms", "paired-gemms", "gemms that two blocks multiply together">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def RingAccumulatorsPass : Pass<"tile-ring-accumulators", "::mlir::ModuleOp"> {
  let summary = "Makes accumulators in tensor memory a ring, so that an epilogue overlaps the next tile";
  let description = [{
    In a loop over tiles that fills an accumulator in tensor memory by gemms and
    then copies it to a fragment, the accumulator becomes a ring of two slots from
    `mma` to `threads`: `--tile-specialize-warps` gives the two sides to different
    warps, and the gemms of the next tile run while a tile is stored.

    Before:

    ```mlir
    %t = tile.alloc : memref<128x256xf32, #tile.tmem>
    scf.for %tile = ... {
      tile.fill %t with %zero : ...
      scf.for %k = ... { ... tile.gemm %a, %b, %t ... }
      tile.copy %t to %acc : ...
      ...
    }
    ```

    After:

    ```mlir
    %r = tile.ring.create : !tile.ring<2 x [memref<128x256xf32, #tile.tmem>], mma -> threads>
    scf.for %tile = ... iter_args(%use = %c0) {
      %t = tile.ring.acquire %r[%use] : ...
      tile.fill %t with %zero : ...
      scf.for %k = ... { ... tile.gemm %a, %b, %t ... }
      tile.ring.commit %r[%use] : ...
      %d = tile.ring.wait %r[%use] : ...
      tile.copy %d to %acc : ...
      tile.ring.release %r[%use] : ...
      ...
    }
    ```

    Needs: `--tile-pipeline`.
    Leaves: rings from `mma` to `threads`.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which accumulators are rings, and why others are not">];
  let statistics = [
    Statistic<"ringedAccumulators", "ringed-accumulators", "accumulators that became rings">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PrefetchOperandsPass : Pass<"tile-prefetch-operands", "::mlir::ModuleOp"> {
  let summary = "Loads the operands of a gemm by mma.sync a k step ahead";
  let description = [{
    Acts on loops of rings filled by cp.async or TMA whose gemm reads both operands
    from the ring through ldmatrix. The gemm becomes its k steps, on two sets of
    fragments; the first step of the next iteration is loaded, behind the wait for
    its slot, before the last multiplication of this one. With cp.async, the
    iterations whose production needs neither a guard nor bounds checks get a loop
    of their own, where the copies stand among the multiplications. `remarks` says
    why a gemm is left whole. Any trip count and any shape works.

    Before:

    ```mlir
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] {in_flight = 1 : i64} : ...
      // production of use i + 2: acquire; if use < T, copy; commit
      tile.gemm %a, %b, %acc : ...
      tile.ring.release %ring[%i] : ...
    }
    ```

    After, with two k steps:

    ```mlir
    scf.if %runs {
      %a, %b = tile.ring.wait %ring[%c0] {in_flight = 1 : i64} : ...
      // load step 0 of %a, %b into %a0, %b0
    }
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] {again} : ...
      // production of use i + 2
      // load step 1 of %a, %b into %a1, %b1
      tile.gemm %a0, %b0, %acc : ...
      tile.ring.release %ring[%i] : ...
      scf.if %more {
        %a2, %b2 = tile.ring.wait %ring[%i1] {in_flight = 1 : i64} : ...
        // load step 0 of %a2, %b2 into %a0, %b0
      }
      tile.gemm %a1, %b1, %acc : ...
    }
    ```

    Needs: `--tile-set-target`, `--tile-pipeline`.
    Leaves: gemms by mma.sync as their k steps.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which gemms are taken apart, and why others are not">];
  let statistics = [
    Statistic<"prefetchedGemms", "prefetched-gemms", "gemms whose operands are loaded ahead">,
    Statistic<"splitLoops", "split-loops", "loops with a part that needs no checks">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def SpecializeWarpsPass : Pass<"tile-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Divides a kernel into a role that copies and one that computes";
  let description = [{
    Acts on kernels with `tile.roles`, which `tile-pipeline` writes where roles are
    possible and pay or the program asks for them (`specialize`), and whose copies
    fill rings signalled by mbarriers. One
    warpgroup is added: it keeps the acquires, copies and commits and the control
    flow around them; the kernel's own threads keep the rest. Copies that tensor
    maps make are issued by one of its threads, others are dealt out to all of
    them, with a loop layout for as many. Registers move from the one to the other
    where a launch gives fewer than a thread can use; how many copying takes is
    estimated (docs/Rationale/ProducerWarps.md). Where that lets two blocks share
    a multiprocessor, `tile.resident = 2` says so, and the launch bounds follow it.

    Before:

    ```mlir
    tile.kernel @k(...) grid(...) threads(256) attributes {tile.roles} {
      %ring = tile.ring.create : !tile.ring<4 x [memref<128x64xf16, #shared>], tma -> wgmma>
      scf.for %i = %c0 to %T step %c1 {
        %a = tile.ring.acquire %ring[%i] : ...
        tile.copy %A[%m, %k] to %a : ...
        tile.ring.commit %ring[%i] : ...
        %b = tile.ring.wait %ring[%i] : ...
        tile.gemm %b, %Bs, %acc : ...
        tile.ring.release %ring[%i] : ...
      }
    }
    ```

    After:

    ```mlir
    tile.kernel @k(...) grid(...) threads(384) attributes {tile.roles} {
      %ring = tile.ring.create : ...
      tile.warp_specialize
      role "load" warps(4) registers(40) {
        scf.for %i = %c0 to %T step %c1 { /* acquire, copy, commit */ }
      }
      role "mma" warps(8) registers(232) {
        scf.for %i = %c0 to %T step %c1 { /* wait, gemm, release */ }
      }
    }
    ```

    Needs: `--tile-pipeline`.
    Leaves: `tile.warp_specialize` in kernels with `tile.roles`; `tile.resident` where
    several blocks share a multiprocessor.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which kernels are divided">];
  let statistics = [
    Statistic<"specializedKernels", "specialized-kernels", "kernels divided into roles">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

def AdvanceLoadsPass : Pass<"tile-advance-loads", "::mlir::ModuleOp"> {
  let summary = "Issues what follows a loop from within it";
  let description = [{
    In a role that copies, a production behind a loop (acquire, copies, commit:
    what an epilogue reads) moves into that loop, to the first iteration that
    waits for a slot of the loop's own ring, and stays behind the loop where
    there is no such iteration. Only where the production needs nothing of the
    loop, its ring is filled nowhere else in the role, and its readers are
    threads, so that its slot is empty by then.

    Before:

    ```mlir
    role "load" warps(4) registers(40) {
      scf.for %i = %c0 to %T step %c1 { /* acquire, copy, commit: 4 slots */ }
      %r = tile.ring.acquire %residual[%tile] : !tile.ring<1 x [memref<128x256xf16, #shared>], tma -> threads>
      tile.copy %R[%m, %n] sizes [128, 256] to %r : ...
      tile.ring.commit %residual[%tile] : ...
    }
    ```

    After:

    ```mlir
    role "load" warps(4) registers(40) {
      scf.for %i = %c0 to %T step %c1 {
        %now = arith.cmpi eq, %i, %c4 : index
        scf.if %now { /* acquire, copy, commit of %residual */ }
        /* acquire, copy, commit */
      }
      %missed = arith.cmpi sge, %c4, %T : index
      scf.if %missed { /* acquire, copy, commit of %residual */ }
    }
    ```

    Needs: `--tile-pipeline`, `--tile-specialize-warps`.
    Leaves: productions inside the loop before them.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which copies are issued earlier">];
  let statistics = [
    Statistic<"advancedLoads", "advanced-loads", "productions moved into the loop before them">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ScheduleGemmsPass : Pass<"tile-schedule-gemms", "::mlir::ModuleOp"> {
  let summary = "Leaves gemms in flight as long as nothing needs them";
  let description = [{
    Each gemm by wgmma returns a token. Its `tile.await` stands where something
    touches the result, overwrites an operand or frees its slot; in a loop of a
    role where that is the end of the iteration, it moves behind the gemms of the
    next one, with the releases it was in front of; not in loops of products alone
    whose slots are so few that loads would start too late.

    Before:

    ```mlir
    scf.for %i = %c0 to %T step %c1 {
      %a, %b = tile.ring.wait %ring[%i] : ...
      tile.gemm %a, %b, %acc {plan = #tile.mma_plan<wgmma, ...>} : ...
      tile.ring.release %ring[%i] : ...
    }
    ```

    After:

    ```mlir
    %t:2 = scf.for %i = %c0 to %T step %c1 iter_args(%last = %done, %use = %c0) -> (!tile.token, index) {
      %a, %b = tile.ring.wait %ring[%i] : ...
      %token = tile.gemm %a, %b, %acc {plan = #tile.mma_plan<wgmma, ...>} : ... -> !tile.token
      tile.await %last
      scf.if %notFirst { tile.ring.release %ring[%use] : ... }
      scf.yield %token, %i : !tile.token, index
    }
    tile.await %t#0
    scf.if %ran { tile.ring.release %ring[%t#1] : ... }
    ```

    Needs: `--tile-pipeline`, `--tile-specialize-warps`.
    Leaves: a token on each gemm by wgmma or tcgen05.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which loops keep gemms in flight">];
  let statistics = [
    Statistic<"rotatedLoops", "rotated-loops", "loops with gemms in flight across iterations">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

def ClearAccumulatorsPass : Pass<"tile-clear-accumulators", "::mlir::ModuleOp"> {
  let summary = "Lets the first product of a loop start from zero, instead of filling accumulators";
  let description = [{
    Acts on loops of gemms by wgmma whose accumulators were filled with zeros in
    front of them, and that run for certain or stand under the condition that
    they do. The fill stays where the loop does not run.

    Before:

    ```mlir
    tile.fill %acc with %zero : ...
    scf.if %runs {
      scf.for %k = %c0 to %K step %c1 { tile.gemm %a, %b, %acc : ... }
    }
    ```

    After:

    ```mlir
    scf.if %runs {
      scf.for %k = %c0 to %K step %c1 {
        %later = arith.cmpi ne, %k, %c0 : index
        tile.gemm %a, %b, %acc accumulate(%later) : ...
      }
    } else {
      tile.fill %acc with %zero : ...
    }
    ```

    Needs: `--tile-schedule-gemms`.
    Leaves: gemms with `accumulate(%later)` in place of fills.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which accumulators are still filled, and why">];
  let statistics = [
    Statistic<"clearedAccumulators", "cleared-accumulators", "accumulators that a first product overwrites">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tile::TileDialect",
                           "::mlir::scf::SCFDialect"];
}

def ScheduleStoresPass : Pass<"tile-schedule-stores", "::mlir::ModuleOp"> {
  let summary = "Waits for stores by TMA where their source is written again";
  let description = [{
    Acts on shared tiles that are only written as a whole and stored by TMA, to
    memory that the kernel does not read. The store returns a token; loops around
    it carry the token to the next write of the tile.

    Before:

    ```mlir
    scf.for %t = %first to %end step %step {
      tile.copy %f to %staging : ...
      tile.copy %staging to %C[%m, %n] {plan = #tile.copy_plan<tma, bytes = 2>} : ...
    }
    ```

    After:

    ```mlir
    %last = scf.for %t = %first to %end step %step iter_args(%before = %done) -> (!tile.token) {
      tile.await read %before
      tile.copy %f to %staging : ...
      %token = tile.copy %staging to %C[%m, %n] {plan = #tile.copy_plan<tma, bytes = 2>} : ... -> !tile.token
      scf.yield %token : !tile.token
    }
    tile.await %last
    ```

    Needs: `--tile-pipeline`, `--tile-specialize-warps`.
    Leaves: a token on each store by TMA that need not be waited for at once.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "say which stores are waited for at once, and why">];
  let statistics = [
    Statistic<"scheduledStores", "scheduled-stores", "tiles whose stores are not waited for at once">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

def DelayStoresPass : Pass<"tile-delay-stores", "::mlir::ModuleOp"> {
  let summary = "Stores one tile while the products of the next one run";
  let description = [{
    Acts on a role whose loop over tiles holds a loop that leaves gemms by wgmma
    in flight, and behind it results that go from fragments through a shared
    tile to memory by TMA. As many of the last of them as the role's registers
    hold beside the accumulators stay in their fragments, and leave in the first
    iterations of the next tile's loop, one in each. The last tile, and all tiles
    where the loop is too short, are stored where they end.

    Before:

    ```mlir
    scf.for %t = %first to %end step %step iter_args(%before = %done) -> (!tile.token) {
      scf.for %k = %c0 to %K step %c1 { ... tile.gemm ... }
      tile.copy %acc to %f : ...
      tile.await read %before
      tile.copy %f to %staging : ...
      %token = tile.copy %staging to %C[%m, %n] : ... -> !tile.token
      scf.yield %token : !tile.token
    }
    ```

    After:

    ```mlir
    scf.for %t = %first to %end step %step
        iter_args(%before = %done, %pm = %c0, %pn = %c0) -> (!tile.token, index, index) {
      %reached = scf.for %k = %c0 to %K step %c1 iter_args(%p = %before) -> (!tile.token) {
        ... tile.gemm ...
        scf.if %isSecondAndAnotherTile -> (!tile.token) {
          tile.await read %p
          tile.copy %f to %staging : ...
          %token = tile.copy %staging to %C[%pm, %pn] : ... -> !tile.token
        }
      }
      tile.copy %acc to %f : ...
      scf.if %isLastOrShort -> (!tile.token) { ... the same at [%m, %n] ... }
    }
    ```

    Needs: `--tile-schedule-gemms`, `--tile-schedule-stores`.
    Leaves: stores of a tile inside the next tile's loop.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "explain decisions">];
  let statistics = [
    Statistic<"delayedStores", "delayed-stores", "pieces that are stored during the next tile">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tile::TileDialect",
                           "::mlir::scf::SCFDialect"];
}

def CountArrivalsPass : Pass<"tile-count-arrivals", "::mlir::ModuleOp"> {
  let summary = "Writes what the mbarriers of each ring count, and who arrives";
  let description = [{
    For each ring that is signalled by mbarriers the pass counts the arrivals of
    all agents and blocks on the full and on the empty mbarrier of a slot, and
    decides which threads of a consumer arrive at a release (`tile.arrivals`).
    Where one thread of a warpgroup arrives for threads that have read, the
    release says that the warps of the warpgroup meet before (`tile.meet`). What
    is already stated is respected. `--tile-verify-rings` compares the numbers
    with what the agents do (R9), and `--convert-tile-to-nvvm` reads them.

    Before, and after, in a kernel with a role of eight warps that multiplies:

    ```mlir
    %r = tile.ring.create : !tile.ring<4 x [...], tma -> wgmma>

    %r = tile.ring.create {tile.arrivals = {by = "warpgroup", empty = 2 : i64, full = 1 : i64}}
        : !tile.ring<4 x [...], tma -> wgmma>
    ```

    Needs: `--tile-choose-tunables`, and all passes that move waits, releases or
    readers of rings before it.
    Leaves: `tile.arrivals` on every ring with mbarriers.
  }];
  let statistics = [
    Statistic<"countedRings", "counted-rings", "rings whose arrivals were counted">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def VerifyRingsPass : Pass<"tile-verify-rings", "::mlir::ModuleOp"> {
  let summary = "Proves, or refutes with a trace, that a schedule of rings is right";
  let description = [{
    Executes what the roles of each kernel do with rings and tokens, for every
    loop count from 0 to 2 * stages + 2, and checks rules R1 to R23 of
    docs/Rings.md: numbering, pairing, views, asynchronous reads,
    accumulators in flight, tokens, deadlock, overwrite, early read, phases. A
    broken rule is an error, with the operations that lead to it and the sizes;
    what cannot be explored is a warning "not proved". The IR stays as it is.
    `--tile-to-nvvm` runs it last before the lowering, with a budget of some
    milliseconds; what that does not decide is a remark.
    docs/Rationale/VerifyRings.md says what is modelled.

    Before and after, for a release that comes too early:

    ```mlir
    %a = tile.ring.wait %r[%i] : !ring
    %t = tile.gemm %a, %b, %c : ... -> !tile.token
    tile.ring.release %r[%i] : !ring   // error: [R5] ring[0] is released while ...
    tile.await %t
    ```

    Needs: `--tile-choose-tunables`.
    Leaves: the IR as it is.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "say for which trip counts a kernel is proved">,
    Option<"budget", "budget", "int64_t", "20000000",
           "steps after which the verdict is \"not proved\"">,
    Option<"exhaustive", "exhaustive", "bool", "false",
           "explore every interleaving with the guards of hardware (small cases)">,
    Option<"maxStates", "max-states", "int64_t", "1000000",
           "states after which `exhaustive` gives up">,
    Option<"lenient", "lenient", "bool", "false",
           "\"not proved\" is a remark, under `remarks`, and no warning">];
  let statistics = [
    Statistic<"checkedVectors", "checked-vectors", "combinations of sizes explored">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_PASSES_TD
