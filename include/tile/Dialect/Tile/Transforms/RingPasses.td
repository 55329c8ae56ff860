//===- RingPasses.td - rings, roles ---------------------- -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes that say what runs ahead through rings, and which warps fill and
// read them. They end when roles stand.
// In the order of the pipeline (lib/Pipelines/Pipelines.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TRANSFORMS_RINGPASSES_TD
#define TILE_TRANSFORMS_RINGPASSES_TD

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

    Copies that are filled alike share a ring. In a kernel with roles whose loop
    has two products, copies by TMA that the first one reads, and those that the
    second one reads, have rings of their own where `--tile-overlap-gemms` has the
    registers to run both at a time: the first product then needs not wait for the
    tiles of the second.
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
    (docs/Rationale/ProducerWarps.md). Where no registers move and one thread
    issues all copies, one warp is added in place of the warpgroup, behind the
    others, which start at multiples of four warps.

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

#endif // TILE_TRANSFORMS_RINGPASSES_TD
