//===- SchedulePasses.td - order within roles, tokens ---- -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that say what the warps of each role do when: what is issued
// earlier, stays in flight or waits until later. The last ones count the
// arrivals of this order, and prove it.
// In the order of the pipeline (lib/Pipelines/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_SCHEDULEPASSES_TD
#define TILE_TRANSFORMS_SCHEDULEPASSES_TD

include "tile/Dialect/Tile/Transforms/PassOptions.td"

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
    differences; not where a thread has about as many factors as elements. Only in
    roles of kernels that run one block on a multiprocessor: the question costs
    registers, and where several blocks share a multiprocessor, or could, fewer of
    them then fit (docs/Rationale/Hopper.md).

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

    Needs: `--tile-specialize-warps`.
    Leaves: conditions in loops over fragments.
  }];
  let options = [
    Remarks<"emit a remark for each loop that a warp may skip">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
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
        %now = tile.iteration is(4) of %i in %c0 to %T step %c1
        scf.if %now { /* acquire, copy, commit of %residual */ }
        /* acquire, copy, commit */
      }
      %reached = tile.iteration exists(4) in %c0 to %T step %c1
      %missed = arith.xori %reached, %true : i1
      scf.if %missed { /* acquire, copy, commit of %residual */ }
    }
    ```

    Needs: `--tile-pipeline`, `--tile-specialize-warps`.
    Leaves: productions inside the loop before them.
  }];
  let options = [Remarks<"say which copies are issued earlier">];
  let statistics = [
    Statistic<"advancedLoads", "advanced-loads", "productions moved into the loop before them">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def OverlapGemmsPass : Pass<"tile-overlap-gemms", "::mlir::ModuleOp"> {
  let summary = "Issues the first product of an iteration before the last one of the iteration before";
  let description = [{
    Acts on loops of a role that multiply by wgmma, compute with the result, and
    multiply again, as attention does. Alone, each product is waited for at once:
    the tensor cores have nothing to do while the warps compute. The pass lets the
    first products of an iteration, and what is computed with their results, stand
    before the last products of the iteration before. These then run beside that
    arithmetic. The first iteration has no last products before it, and those of
    the last one follow the loop.

    What touches the operands or the accumulators of the last products stays behind
    them, in its order. A loop over a tile that stores such an operand beside other
    results is divided into two.

    Only where both products wait for rings of their own (`--tile-pipeline` makes
    these where each copy has one of the products for a reader), nothing orders
    accesses between the products, at most two warpgroups compute (three hide each
    other's arithmetic), and a thread of the role has registers for all fragments
    of the loop at a time and 24 more (docs/Rationale/Hopper.md).

    Before:

    ```mlir
    scf.for %i = %c0 to %T step %c1 {
      %k = tile.ring.wait %keys[%i] : ...
      tile.gemm %Q, %k, %S {clear, ...} : ...
      tile.ring.release %keys[%i] : ...
      // the softmax: reads %S, writes %P, multiplies %O
      %v = tile.ring.wait %values[%i] : ...
      tile.gemm %P, %v, %O : ...
      tile.ring.release %values[%i] : ...
    }
    ```

    After:

    ```mlir
    // %S of iteration 0, and its softmax
    scf.for %i = %c1 to %T step %c1 {
      %k = tile.ring.wait %keys[%i] : ...
      tile.gemm %Q, %k, %S {clear, ...} : ...
      %before = arith.subi %i, %c1 : index
      %v = tile.ring.wait %values[%before] : ...
      tile.gemm %P, %v, %O : ...
      tile.ring.release %keys[%i] : ...
      // the softmax on %S
      tile.ring.release %values[%before] : ...
      // what of it writes %P and multiplies %O
    }
    // the product of the last iteration's %P
    ```

    Needs: `--tile-infer-layouts`, `--tile-pipeline`, `--tile-specialize-warps`.
    Leaves: loops whose products come from two iterations.
  }];
  let options = [
    Remarks<"say which loops multiply beside their arithmetic, and why others do not">];
  let statistics = [
    Statistic<"overlappedLoops", "overlapped-loops", "loops with products beside arithmetic">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect"];
}

def OrderGemmsPass : Pass<"tile-order-gemms", "::mlir::ModuleOp"> {
  let summary = "Issues products that are waited for before others";
  let description = [{
    Groups of wgmma end in the order of their issue. A product whose result the
    block reads is issued before products in front of it whose results nothing
    reads there. Where threads store an operand of it, the first of the others
    stays in front: it runs while they meet.

    Before:

    ```mlir
    tile.gemm %p, %dO, %dV {plan = #tile.mma_plan<wgmma, ...>} : ...
    tile.gemm %ds, %Q, %dK {plan = #tile.mma_plan<wgmma, ...>} : ...
    tile.copy %ds to %dS : ...
    tile.gemm %dS, %K, %dQ {clear, plan = #tile.mma_plan<wgmma, ...>} : ...
    tile.atomic add %dQ to %sum : ...
    ```

    After:

    ```mlir
    tile.gemm %p, %dO, %dV {plan = #tile.mma_plan<wgmma, ...>} : ...
    tile.copy %ds to %dS : ...
    tile.gemm %dS, %K, %dQ {clear, plan = #tile.mma_plan<wgmma, ...>} : ...
    tile.gemm %ds, %Q, %dK {plan = #tile.mma_plan<wgmma, ...>} : ...
    tile.atomic add %dQ to %sum : ...
    ```

    Needs: `--tile-pipeline`, `--tile-specialize-warps`.
    Leaves: the same products, some in another order.
  }];
  let options = [Remarks<"say which products are issued before others">];
  let statistics = [
    Statistic<"movedGemms", "moved-gemms", "products issued behind others">];
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
    %runs = tile.iteration exists(0) in %c0 to %T step %c1
    scf.if %runs {
      %t:2 = scf.for %i = %c0 to %T step %c1 iter_args(%last = %done, %use = %c0) -> (!tile.token, index) {
        %a, %b = tile.ring.wait %ring[%i] : ...
        %token = tile.gemm %a, %b, %acc {plan = #tile.mma_plan<wgmma, ...>} : ... -> !tile.token
        %later = tile.iteration past(1) of %i in %c0 to %T step %c1
        tile.await %last
        scf.if %later { tile.ring.release %ring[%use] : ... }
        scf.yield %token, %i : !tile.token, index
      }
      tile.await %t#0
      tile.ring.release %ring[%t#1] : ...
    }
    ```

    Needs: `--tile-pipeline`, `--tile-specialize-warps`.
    Leaves: a token on each gemm by wgmma or tcgen05.
  }];
  let options = [Remarks<"say which loops keep gemms in flight">];
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

    A gemm by wgmma that comes directly after zeros in its accumulator, with
    nothing between that uses it, becomes one with `clear`.

    Before:

    ```mlir
    tile.fill %acc with %zero : ...
    %runs = tile.iteration exists(0) in %c0 to %K step %c1
    scf.if %runs {
      scf.for %k = %c0 to %K step %c1 { tile.gemm %a, %b, %acc : ... }
    }
    ```

    After:

    ```mlir
    %runs = tile.iteration exists(0) in %c0 to %K step %c1
    scf.if %runs {
      scf.for %k = %c0 to %K step %c1 {
        %later = tile.iteration past(1) of %k in %c0 to %K step %c1
        tile.gemm %a, %b, %acc accumulate(%later) : ...
      }
    } else {
      tile.fill %acc with %zero : ...
    }
    ```

    Needs: `--tile-schedule-gemms`.
    Leaves: gemms with `accumulate(%later)` or `clear` in place of fills.
  }];
  let options = [Remarks<"say which accumulators are still filled, and why">];
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
    it carry the token to the next write of the tile. The last wait is for the
    store itself, or with `read` where nothing but the kernel's end follows.

    Before:

    ```mlir
    scf.for %t = %first to %end step %step {
      tile.copy %f to %staging : ...
      tile.copy %staging to %C[%m, %n] decided {plan = #tile.copy_plan<tma, bytes = 2>} : ...
    }
    ```

    After:

    ```mlir
    %last = scf.for %t = %first to %end step %step iter_args(%before = %done) -> (!tile.token) {
      tile.await read %before
      tile.copy %f to %staging : ...
      %token = tile.copy %staging to %C[%m, %n] decided {plan = #tile.copy_plan<tma, bytes = 2>} : ... -> !tile.token
      scf.yield %token : !tile.token
    }
    tile.await %last
    ```

    Needs: `--tile-pipeline`, `--tile-specialize-warps`.
    Leaves: a token on each store by TMA that need not be waited for at once.
  }];
  let options = [Remarks<"say which stores are waited for at once, and why">];
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
    Remarks<"explain decisions">];
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
    loop count from 0 to 2 * stages + 2, and checks rules R1 to R22 of
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
    Remarks<"say for which trip counts a kernel is proved">,
    Option<"budget", "budget", "int64_t", "30000000",
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

#endif // TILE_TRANSFORMS_SCHEDULEPASSES_TD
