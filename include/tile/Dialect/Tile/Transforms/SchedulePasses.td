//===- SchedulePasses.td - rings, roles, tokens ---------- -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that say what runs when, and in which warps.
// In the order of the pipeline (lib/Pipelines/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_SCHEDULEPASSES_TD
#define TILE_TRANSFORMS_SCHEDULEPASSES_TD

include "tile/Dialect/Tile/Transforms/PassOptions.td"

def PipelinePass : Pass<"tile-pipeline", "::mlir::ModuleOp"> {
  let summary = "Turns pipelined loops into ring loops whose copies run ahead";
  let description = [{
    Each `tile.pipelined` becomes an `scf.for`. Copies in its body that dependence
    analysis lets run ahead fill a ring: `stages - 1` iterations early where the
    threads that multiply issue them as `cp.async` or store them from registers,
    `stages` early where TMA or a role fills a slot as soon as it has been read. The
    rest of the body stays in order and reads the ring's views. A loop without such
    copies, or with one stage, becomes the plain sequential loop; `remarks` says
    for each copy from global to shared memory why it was left, and what to write
    so that it is not. Any trip count works.
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
    // uses 0 and 1: acquire; if the loop has such an iteration, copy; commit
    scf.for %i = %c0 to %T step %c1 {
      %a = tile.ring.wait %ring[%i] {in_flight = 1 : i64} : ...
      %use = arith.addi %i, %c2 : index
      %b = tile.ring.acquire %ring[%use] : ...
      %more = tile.iteration ahead(2) of %i in %c0 to %T step %c1
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
    Leaves: rings and plain loops, no `tile.pipelined`; `tile.roles` where warps get roles;
    `tile.resident = n` where n blocks share a multiprocessor with registers that roles
    give each other (the launch bounds follow it), `tile.keeps_registers` where several
    have room as they are.
  }];
  let options = [Option<"roles", "roles", "::mlir::tile::RoleChoice",
                        "::mlir::tile::RoleChoice::Auto",
                        "whether warps are divided into roles in kernels that do not say so "
                        "themselves (`specialize`): on, off, or auto, where it pays",
                        [{::llvm::cl::values(
                          clEnumValN(::mlir::tile::RoleChoice::Auto, "auto", "where it pays"),
                          clEnumValN(::mlir::tile::RoleChoice::On, "on", "or an error"),
                          clEnumValN(::mlir::tile::RoleChoice::Off, "off", "never"))}]>,
                 Remarks<"say which copies run ahead, and why others do not">];
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
    tile.copy %B[%k, %n] to %b decided {multicast = 2, ...} : ...
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
  let options = [Remarks<"say which gemms are paired, and why others are not">];
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
  let options = [Remarks<"say which accumulators are rings, and why others are not">];
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
    %runs = tile.iteration exists(0) in %c0 to %T step %c1
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
      %more = tile.iteration ahead(1) of %i in %c0 to %T step %c1
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
  let options = [Remarks<"say which gemms are taken apart, and why others are not">];
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
    where a launch gives fewer than a thread can use, for as many blocks on a
    multiprocessor as `tile.resident` says, and not at all with
    `tile.keeps_registers`; how many copying takes is estimated
    (docs/Rationale/ProducerWarps.md).

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
    Leaves: `tile.warp_specialize` in kernels with `tile.roles`.
  }];
  let options = [Remarks<"say which kernels are divided">];
  let statistics = [
    Statistic<"specializedKernels", "specialized-kernels", "kernels divided into roles">];
  let dependentDialects = ["::mlir::tile::TileDialect", "::mlir::scf::SCFDialect"];
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
    it carry the token to the next write of the tile.

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
