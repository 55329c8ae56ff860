//===- TileMbarrierOps.td - warps and barriers by hand -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program says itself about which warps run what, and who waits for
// whom. docs/Rationale/Mbarriers.md has the design.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_MBARRIER_OPS_TD
#define TILE_MBARRIER_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_MbarrierCreateOp : Tile_Op<"mbarrier.create", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TileStorageOpInterface]> {
  let summary = "barriers that count arrivals of threads, in shared memory";
  let description = !strconcat([{
    A barrier is in a phase, the first is phase 0. A phase is complete once as
    many threads have arrived as `arrivals` says; the next one begins then, with
    the same count. Threads of other blocks may arrive at barriers of a
    `cluster` (the kernel's): all of its blocks have theirs before any goes on.

    Constraints:
    - mbarrier-1: `arrivals` is one number for all barriers or one for each, from
      1 to 1048575.
    - mbarrier-2: it stands in the kernel's top block, and the kernel is not
      `persistent`: barriers are initialized once, and phases count from there.
    - mbarrier-4: the kernel has clusters, where the barriers are those of a
      `cluster`.

    ```mlir
    %ready = tile.mbarrier.create arrivals [128] : !tile.mbarrier<2>
    %full = tile.mbarrier.create arrivals [1] cluster : !tile.mbarrier<1>
    ```
  }], MbarrierCreateAttributes);
  let arguments = (ins DenseI64ArrayAttr:$arrivals, UnitAttr:$cluster);
  let results = (outs Tile_MbarrierType:$barriers);
  let assemblyFormat = "`arrivals` $arrivals (`cluster` $cluster^)? attr-dict `:` qualified(type($barriers))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Arrivals of threads that complete a phase of barrier `i`.
    int64_t getArrivalsOf(int64_t i) {
      ::llvm::ArrayRef<int64_t> counts = getArrivals();
      return counts.size() == 1 ? counts.front() : counts[i];
    }
    bool hasMbarriers() { return true; }
  }];
}

class Tile_MbarrierUserOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic,
    !listconcat([DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TileMbarrierUseOpInterface], traits)> {
  let hasVerifier = 1;
  code useDeclarations = [{
    ::mlir::Value getMbarriers() { return getBarriers(); }
    ::mlir::OpOperand &getMbarrierIndexMutable() { return getIndexMutable(); }
  }];
}

def Tile_MbarrierArriveOp : Tile_MbarrierUserOp<"mbarrier.arrive", [TileOrderOpInterface]> {
  let summary = "every thread that runs it arrives at a barrier once";
  let description = [{
    Inside `tile.on_warps` these are the threads of its warps, otherwise those of
    the block. What they have read and written before, copies included, has
    ended for who waits for the phase. With `block`, the barrier is that of the
    block with this place in the cluster (x first, from 0). With `after_copies` a
    thread goes on at once: its arrival is complete when its own asynchronous
    copies are (`cp.async.mbarrier.arrive`).

    Constraints:
    - mbarrier-3: an index that is a constant is one of a barrier.
    - mbarrier-5: with `block`, the barriers are those of a `cluster`, and a
      constant is one of its blocks.
    - mbarrier-6: no `after_copies` with `block`: copies complete at barriers of
      the block itself.

    ```mlir
    tile.mbarrier.arrive %ready[%slot] : !tile.mbarrier<2>
    tile.mbarrier.arrive %full[%c0] block(%rank) : !tile.mbarrier<1>
    tile.mbarrier.arrive %full[%c0] after_copies : !tile.mbarrier<1>
    ```
  }];
  let arguments = (ins Tile_MbarrierType:$barriers, Index:$index, Optional<Index>:$block,
                       UnitAttr:$after_copies);
  let assemblyFormat = "$barriers `[` $index `]` (`block` `(` $block^ `)`)? (`after_copies` $after_copies^)? attr-dict `:` qualified(type($barriers))";
  let extraClassDeclaration = !strconcat(useDeclarations, [{
    bool handsOver() { return true; }
    bool arrives() { return true; }
    ::mlir::Value getMbarrierBlock() { return getBlock(); }
  }]);
}

def Tile_MbarrierWaitOp : Tile_MbarrierUserOp<"mbarrier.wait", [TileOrderOpInterface]> {
  let summary = "waits until a phase of a barrier is complete";
  let description = [{
    Waits while the barrier is in a phase whose number is even for an even
    `parity`, odd for an odd one. So a wait with parity 1 passes while the first
    phase is not complete.

    Constraints:
    - mbarrier-3: as for `tile.mbarrier.arrive`.

    ```mlir
    tile.mbarrier.wait %ready[%slot] parity %round : !tile.mbarrier<2>
    ```
  }];
  let arguments = (ins Tile_MbarrierType:$barriers, Index:$index, Index:$parity);
  let assemblyFormat = "$barriers `[` $index `]` `parity` $parity attr-dict `:` qualified(type($barriers))";
  let extraClassDeclaration = !strconcat(useDeclarations, [{
    ::mlir::OpOperand *getAwaitedParity() { return &getParityMutable(); }
  }]);
}

def Tile_OnWarpsOp : Tile_Op<"on_warps", [
    RecursiveMemoryEffects, NoRegionArguments, SingleBlock, NoTerminator]> {
  let summary = "a part of the program that only some of the block's warps run";
  let description = !strconcat([{
    The `count` warps from `first` on run the region; the others pass it, and
    nobody waits at its end. Inside it "all threads" are those warps'. Warps meet
    by `tile.mbarrier.arrive` and `tile.mbarrier.wait`, and where an operation
    outside of `tile.on_warps` works on tiles: all warps are there then.

    `registers` is the budget of a thread of these warps, 0 to leave it as
    launched; the largest that a range of warps states counts. The pass
    `tile-form-roles` makes `tile.warp_specialize` of it.

    Constraints:
    - on-warps-1: the warps are the kernel's, at least one; four or more start at
      a multiple of four.
    - on-warps-2: two ranges of a kernel are equal or disjoint.
    - on-warps-3: it stands neither in another one nor in a role.
    - on-warps-4: `registers` is 0, or a multiple of 8 from 24 to 256.

    ```mlir
    tile.on_warps 4 count 4 {
      tile.mbarrier.wait %ready[%c0] parity %k : !tile.mbarrier<1>
    }
    ```
  }], OnWarpsAttributes);
  let arguments = (ins I64Attr:$first, I64Attr:$count,
                       DefaultValuedAttr<I64Attr, "0">:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$first `count` $count (`registers` $registers^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

#endif // TILE_MBARRIER_OPS_TD
