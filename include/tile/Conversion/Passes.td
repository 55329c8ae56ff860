//===- Passes.td - conversions out of the tile dialect ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_PASSES_TD
#define TILE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// TileToCPU
//===----------------------------------------------------------------------===//

def ConvertTileToCPUPass : Pass<"convert-tile-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Gives each kernel its meaning as a function over memrefs";
  let description = [{
    Each `tile.kernel` becomes a function that runs some of its blocks, one
    after the other: `@name(arguments..., %worker, %workers, %context)` runs the
    blocks `worker, worker + workers, ...` of the grid, numbered with the first
    grid dimension fastest. Tiles become buffers that a call allocates once;
    `parallel` becomes loops in order; `gemm` accumulates in increasing k.
    Layouts, plans and barriers have no meaning here and are dropped; rings become
    buffers with one copy per stage, and roles functions that take turns. What
    waits and what a wrong schedule breaks is up to the functions that are called
    (`tile_cpu_*`). docs/Rationale/CpuMeaning.md defines them, and what each
    operation does to each element type.

    Before:
    ```mlir
    tile.kernel @zero(%A: memref<?xf32>) grid(%bx) = (dim(%A, 0) ceildiv 64) threads(32) {
      %c64 = arith.constant 64 : index
      %z = arith.constant 0.0 : f32
      %m = arith.muli %bx, %c64 : index
      tile.fill %A[%m] sizes [64] with %z : memref<?xf32>, f32
    }
    ```
    After, in outline:
    ```mlir
    func.func @zero(%A: memref<?xf32>, %worker: index, %workers: index, %context: index) {
      %blocks = ...
      scf.for %block = %worker to %blocks step %workers {
        %m = arith.muli %block, %c64 : index
        scf.for %i = ... { memref.store %z, %A[%e] : memref<?xf32> }
      }
      return
    }
    ```
  }];
  let options = [
    Option<"widen", "widen", "bool", "false",
           "compute and store every float as f64: what results are compared with">,
    Option<"checkAssumptions", "check-assumptions", "bool", "false",
           "turn tile.assume into an assertion">,
    Option<"checkAccesses", "check-accesses", "bool", "false",
           "assert that indices lie inside their buffers, steps are positive and divisions defined">,
    Option<"lazyAsync", "lazy-async", "bool", "false",
           "execute asynchronous gemms and stores when they are awaited, not when issued">,
    Option<"poison", "poison", "bool", "false",
           "overwrite tiles where they are allocated, and slots of rings at first and when they are released">,
    Option<"poisonPattern", "poison-pattern", "unsigned", "0",
           "what overwrites: 0 NaN in floats and 0x7f7f... in integers; 1 and 2 numbers that differ between the two">,
    Option<"backwards", "backwards", "bool", "false",
           "run the iterations of `tile.parallel` in decreasing order">,
    Option<"blocks", "blocks", "int64_t", "0",
           "blocks that are launched of a kernel with block ranges (0: one for each of the grid)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandSmallFloatsPass : Pass<"tile-expand-small-floats"> {
  let summary = "Expands casts of bf16, fp8 and fp4 into integer arithmetic";
  let description = [{
    Narrowing rounds to nearest even and saturates to the largest finite number
    for fp8 and fp4 (infinities too); NaN stays NaN where the format has one and
    becomes the largest number otherwise. Casts from f64 round once, through an
    f32 rounded to odd. Scalars and vectors.

    Before: `%y = arith.truncf %x : f32 to f8E4M3FN`; after: integer arithmetic
    on the bits of `%x`, ending in `arith.bitcast %code : i8 to f8E4M3FN`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

//===----------------------------------------------------------------------===//
// TileToNVVM
//===----------------------------------------------------------------------===//

def CountQuotientsPass : Pass<"tile-count-quotients", "::mlir::ModuleOp"> {
  let summary = "Counts in loops that divide their index by a number of run time";
  let description = [{
    A loop from 0 by steps of 1 that divides its index by a value from outside
    carries the quotient and the remainder as counters. Divisions by constants
    stay: they are multiplications.

    Before:
    ```mlir
    scf.for %i = %c0 to %n step %c1 {
      %head = arith.divui %i, %steps : index
      %step = arith.remui %i, %steps : index
      ...
    }
    ```
    After:
    ```mlir
    scf.for %i = %c0 to %n step %c1 iter_args(%head = %c0, %step = %c0) -> (index, index) {
      ...
      %more = arith.addi %step, %c1 : index
      %wraps = arith.cmpi eq, %more, %steps : index
      %up = arith.addi %head, %c1 : index
      %head_next = arith.select %wraps, %up, %head : index
      %step_next = arith.select %wraps, %c0, %more : index
      scf.yield %head_next, %step_next : index, index
    }
    ```

    Needs: nothing. The proof of a schedule reads divisions, not counters, so
    that it stands behind `--tile-verify-rings`.
    Leaves: loops with counters.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "say which loops count">];
  let statistics = [
    Statistic<"countedDivisors", "counted-divisors", "divisors whose quotients are counted">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PlaceSharedMemoryPass : Pass<"tile-place-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Decides what lies where in a block's shared memory";
  let description = [{
    Runs after the schedule. Tiles and rings get offsets (`tile.offset`) by their
    lives: those that are never alive together share bytes, the largest is placed
    first, each at the lowest offset that is free during its life. Where that
    does not fit, two tiles of one iteration of a loop may follow each other, too,
    and a role may keep tiles in the slots of a ring that it has read to the end,
    which costs barriers. Behind them lie mbarriers of rings (`tile.mbarriers`),
    of clusters and of tcgen05, and last the scratch memory in which operations
    exchange values between threads: small users of an agent have two places by
    turns, so that the meeting inside of one serves the next. For each
    `tile.cluster_reduce` it is decided how many registers the blocks exchange
    at a time, and whether through a ring that nobody needs any more. A kernel
    that needs more shared memory than a block may have is an error.

    An accumulator in tensor memory that no gemm writes any more, because a branch
    was folded away, becomes a fragment.

    With `remarks`, each tile and ring says which bytes it has, from which
    operation to which it is needed, and which others have the same bytes;
    `tile-translate --tile-layout-to-svg --arena` draws it.

    Before:
    ```mlir
    tile.kernel @twice(%A: memref<64x64xf32>, %B: memref<64x64xf32>) grid(%bx) = (1) threads(128) {
      %s = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
      %t = tile.alloc layout(#rows) : memref<64x64xf32, #shared>
      tile.copy %A to %s ...
      tile.copy %s to %B ...
      tile.copy %A to %t ...
      tile.copy %t to %B ...
    }
    ```
    After: the tiles share their bytes.
    ```mlir
    tile.kernel @twice(...) ... attributes {tile.shared_bytes = 16384 : i64} {
      %s = tile.alloc layout(#rows) {tile.offset = 0 : i64} : memref<64x64xf32, #shared>
      %t = tile.alloc layout(#rows) {tile.offset = 0 : i64} : memref<64x64xf32, #shared>
      ...
    ```

    Needs: `--tile-set-target`, layouts of tiles and rings.
    Leaves: places in shared memory, as attributes.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "say where tiles and rings lie, and how long they are needed">];
  let statistics = [
    Statistic<"placedBuffers", "placed-buffers", "tiles and rings placed">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def InsertBarriersPass : Pass<"tile-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Inserts barriers and fences between accesses that conflict";
  let description = [{
    Runs after `tile-place-shared-memory`: tiles that share bytes conflict. An
    operation of tiles runs on all threads of its agent, in order per thread only.
    A barrier (`tile.barrier`) stands before the first operation that touches
    what another one touched since the last barrier, on any path, where one of
    both writes: bytes of shared memory, scratch memory included, or elements of
    global memory that the same thread need not have touched. The meeting inside
    of an operation that exchanges values through scratch memory counts, too.
    Between operations that deal a tile out alike among groups of warps, each group
    meets on its own. Where what comes before a loop is all that conflicts, threads
    meet once in front of the loop.
    Rings order their producers against their consumers, so that no barrier is
    needed for them.

    A fence (`tile.fence`) stands where threads have written to shared memory
    what the asynchronous proxy touches next, or read what it overwrites
    (`proxy`), and where copies by `cp.async` have to land that no ring waits for
    (`copies`).

    With `remarks`, each barrier names an access that made it necessary.

    Before:
    ```mlir
    tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.copy %s to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
    ```
    After:
    ```mlir
    tile.copy %A to %s : memref<64x64xf32> to memref<64x64xf32, #shared>
    tile.barrier
    tile.copy %s to %B : memref<64x64xf32, #shared> to memref<64x64xf32>
    ```

    Needs: `--tile-place-shared-memory`.
    Leaves: `tile.barrier` and `tile.fence`; `tile.has_barriers` on the kernel.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "say what makes a barrier or a fence necessary">];
  let statistics = [
    Statistic<"insertedBarriers", "inserted-barriers", "barriers inserted">,
    Statistic<"insertedFences", "inserted-fences",
              "fences inserted where threads do not meet">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

def SkipRowsPass : Pass<"tile-skip-rows", "::mlir::ModuleOp"> {
  let summary = "Lets warps skip what matters for rows of other warps only";
  let description = [{
    Where a program promises which rows the rest of an iteration matters for
    (`tile.assume_rows`), groups of warps that hold none of them skip it: what
    stands between the operations on rings, on which all warps still wait and
    which all release. Behind `tile-insert-barriers`: nothing that meets threads
    of several groups is skipped. Where the first of the rows moves on with the
    loop's index, by a known step, and the end does not, the loop ends for a group
    that has none of them any more (`tile.row_iterations`), and one follows in
    which the group waits and releases: nothing is asked in an iteration.

    Groups are warpgroups, since wgmma is an instruction of one. What is skipped
    multiplies by wgmma, awaits its own products, and works on fragments whose
    rows are divided among the groups in order. A pass that computes for another
    iteration than the program does (`tile-overlap-gemms`,
    `tile-prefetch-operands`) takes the promise out of its loop.

    With `remarks`, says what is skipped, or why nothing is.

    Before:
    ```mlir
    %slot = tile.ring.wait %ring[%use]
    tile.assume_rows %seen to %c192 of 192
    %token = tile.gemm %q, %slot, %s {clear}
    tile.await %token
    tile.ring.release %ring[%use]
    ```
    After:
    ```mlir
    %any = tile.any_row %seen to %c192 of 192 groups 3
    %slot = tile.ring.wait %ring[%use]
    scf.if %any {
      %token = tile.gemm %q, %slot, %s {clear}
      tile.await %token
    }
    tile.ring.release %ring[%use]
    ```

    Needs: `--tile-insert-barriers`.
    Leaves: no `tile.assume_rows`; `tile.any_row` and `tile.row_iterations`.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "say what is skipped, and why nothing is">];
  let statistics = [
    Statistic<"skippedParts", "skipped-parts", "parts of loops that warps skip">,
    Statistic<"dividedLoops", "divided-loops", "loops that warps leave early">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

def ConvertTileToNVVMPass : Pass<"convert-tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lowers kernels to functions of the llvm and nvvm dialects";
  let description = [{
    A full conversion: what comes out holds no operation, type or attribute of
    the tile dialect. Each `tile.kernel` becomes an `llvm.func` whose parameters
    follow docs/Artifact.md; fragments become arrays of registers, and shared
    tiles parts of one arena. Nothing is decided here: layouts and plans must be
    there (`tile-infer-layouts`, `tile-select-copies`), loops scheduled
    (`tile-pipeline`), shared memory placed (`tile-place-shared-memory`) and
    barriers inserted (`tile-insert-barriers`). What is missing is an error that
    names the pass.

    Before:
    ```mlir
    tile.kernel @k(%A: memref<64xf32>) grid(%bx) = (1) threads(32)
        attributes {tile.has_barriers, tile.shared_bytes = 0 : i64} {
      tile.return
    }
    ```
    After:
    ```mlir
    llvm.func @k(%arg0: !llvm.ptr<1> {llvm.noalias})
        attributes {mlir_tile.shared_bytes = 0 : i64, nvvm.kernel, nvvm.maxntid = array<i32: 32, 1, 1>} {
      llvm.return
    }
    ```
  }];
  let options = [Option<"fastMath", "fast-math", "bool", "false",
                        "treat every math function as approximate and "
                        "flushing (docs/Rationale/Math.md has the bounds)">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// ExpandMath
//===----------------------------------------------------------------------===//

def ExpandMathPass : Pass<"tile-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replaces math functions by arithmetic that NVPTX has code for";
  let description = [{
    Runs on scalar and vector code after tile operations are gone, before arith
    and math become LLVM. No device library is needed afterwards. Functions are
    accurate to the bounds in docs/Rationale/Math.md and keep denormals; those
    with `fastmath<afn>`, or all under `fast-math`, use the approximate
    instructions of PTX. f16 and bf16 compute in f32. Casts to fp8 and fp4
    saturate and round to nearest even: by `cvt` from sm_89 on, else by integer
    arithmetic. What has no expansion (80- and 128-bit floats, scalable
    vectors) is an error.

    Before: `%y = math.exp %x fastmath<afn> : f32`; after:
    ```mlir
    %c = arith.constant 1.44269502 : f32
    %0 = arith.mulf %x, %c : f32
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%0) : (f32) -> f32
    ```
  }];
  let options = [Option<"fastMath", "fast-math", "bool", "false",
                        "treat every function as approximate and flushing">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // TILE_CONVERSION_PASSES_TD
