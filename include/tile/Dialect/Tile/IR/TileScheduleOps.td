//===- TileScheduleOps.td - rings: what pipelining becomes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A use of a ring is numbered by an index that counts uses since the ring was
// created: slot = use mod stages, phase = (use / stages) mod 2.
// docs/Rationale/Schedules.md writes the known schedules in these operations.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SCHEDULE_OPS_TD
#define TILE_SCHEDULE_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_RingCreateOp : Tile_Op<"ring.create", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a ring of buffers in shared memory";
  let description = [{
    Constraints:
    - ring-1: one layout per buffer, or none before inference.
    - ring-2: the ring's type has at least one buffer; buffers are shared-memory
      memrefs of numbers, of static shape and positive extents.
    - ring-4: the ring's type has 1 to 64 stages.

    ```mlir
    %ring = tile.ring.create : !tile.ring<3 x [memref<128x32xf16, #shared>], cp_async -> threads>
    ```
  }];
  let arguments = (ins OptionalAttr<ArrayAttr>:$layouts);
  let results = (outs Tile_RingType:$ring);
  let assemblyFormat = "(`layouts` `(` $layouts^ `)`)? attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

class Tile_RingViewOp<string mnemonic> : Tile_Op<mnemonic, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Tile_RingType:$ring, Index:$use);
  let results = (outs Variadic<AnyMemRef>:$views);
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
}

def Tile_RingAcquireOp : Tile_RingViewOp<"ring.acquire"> {
  let summary = "waits until a slot is empty; gives the producer its buffers";
  let description = [{
    Constraints:
    - ring-3: one view per buffer of the ring, of the buffer's type.

    ```mlir
    %a, %b = tile.ring.acquire %ring[%i] : !tile.ring<...>
    ```
  }];
}
def Tile_RingWaitOp : Tile_RingViewOp<"ring.wait"> {
  let summary = "waits until a slot is full; gives the consumer its buffers";
  let description = [{
    For a `cp_async` producer, `in_flight` on the ring's waits counts the groups
    committed after this use's that may still be under way.

    Constraints:
    - ring-3: as for `tile.ring.acquire`.
    - ring-5: `in_flight` is not negative.
  }];
  let arguments = (ins Tile_RingType:$ring, Index:$use, OptionalAttr<I64Attr>:$in_flight);
}

class Tile_RingSignalOp<string mnemonic> : Tile_Op<mnemonic, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Tile_RingType:$ring, Index:$use);
  let assemblyFormat = "$ring `[` $use `]` attr-dict `:` qualified(type($ring))";
}
def Tile_RingCommitOp : Tile_RingSignalOp<"ring.commit"> {
  let summary = "the producer has issued everything that fills a slot";
}
def Tile_RingReleaseOp : Tile_RingSignalOp<"ring.release"> {
  let summary = "the consumer has finished reading a slot";
}

def Tile_RingDrainOp : Tile_Op<"ring.drain", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "ends a ring: nothing is in flight, and nobody uses its memory";
  let description = [{
    Every copy that was issued into the ring has landed, and every consumer has
    finished with every slot. The ring is not used afterwards, so its memory may
    hold something else. Between threads it is a wait for all groups and a
    barrier: without it a thread that is still reading the last slot would race
    with one that runs the loop a second time.

    ```mlir
    tile.ring.drain %ring : !tile.ring<...>
    ```
  }];
  let arguments = (ins Tile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}

#endif // TILE_SCHEDULE_OPS_TD
