//===- TileBarrierOps.td - where threads meet -------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--tile-insert-barriers` puts into a scheduled kernel. These operations
// have files of their own because only that pass and what runs after it know
// them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_BARRIER_OPS_TD
#define TILE_BARRIER_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

class Tile_MeetingOp<string mnemonic> : Tile_Op<mnemonic, [TileOrderOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

def Tile_BarrierOp : Tile_MeetingOp<"barrier"> {
  let hasVerifier = 1;
  let summary = "all threads of an agent wait for each other";
  let description = !strconcat([{
    What each thread wrote to shared and global memory before the barrier is
    visible to the other threads after it. The agent is the role that the
    barrier stands in, or the block outside roles. With `groups(n)`, the agent's
    warps are n groups of equally many consecutive warps, and the threads of each
    group wait for those of their own group only.

    The barrier orders neither copies in flight nor the asynchronous proxy
    (tensor copies, bulk copies, `wgmma`, `tcgen05`): `tile.fence` before it
    does. `--tile-insert-barriers` places both. In the meaning of a kernel on the
    CPU a barrier is nothing: an agent is one thread there.

    Constraints:
    - barrier-1: `groups` is at least 2, and each group has whole warpgroups
      (four warps), because the hardware's barriers are counted out for those.

    ```mlir
    tile.barrier
    tile.barrier groups(2)
    ```
  }], BarrierAttributes);
  let arguments = (ins OptionalAttr<I64Attr>:$groups);
  let assemblyFormat = "(`groups` `(` $groups^ `)`)? attr-dict";
  let extraClassDeclaration = [{
    ::std::optional<int64_t> getMeetingGroups() { return getGroups().value_or(1); }
  }];
}

def Tile_CommitCopiesOp : Tile_MeetingOp<"commit_copies"> {
  let summary = "the copies that a thread has begun become a group";
  let description = [{
    The thread's copies by `cp.async` since its last `tile.commit_copies` are a
    group, maybe an empty one. `tile.fence copies in_flight(n)` waits for all
    groups but the n newest.

    `--tile-insert-barriers` puts one behind each copy where a program copies
    ahead by itself. In the meaning of a kernel on the CPU it is nothing.

    ```mlir
    tile.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_FenceOp : Tile_MeetingOp<"fence"> {
  let hasVerifier = 1;
  let summary = "a thread makes visible what it did, before it meets others";
  let description = !strconcat([{
    With `copies`, each thread waits until its own copies by `cp.async` have
    landed; with `in_flight(n)` the newest n of the groups that
    `tile.commit_copies` has made of them may be under way. With `proxy`, the
    asynchronous proxy sees what the thread has written to shared memory so far,
    and writes there after what the thread has read. Nobody waits for other
    threads: a barrier, the wait or the release of a ring comes after the fence.

    In the meaning of a kernel on the CPU a fence is nothing.

    Constraints:
    - fence-1: at least one of `copies` and `proxy`.
    - fence-2: `in_flight` with `copies`, from 1 to 7.

    ```mlir
    tile.fence copies proxy
    tile.barrier
    tile.fence copies in_flight(2)
    ```
  }], FenceAttributes);
  let arguments = (ins UnitAttr:$copies, OptionalAttr<I64Attr>:$inFlight,
                       UnitAttr:$proxy);
  let assemblyFormat = [{
    (`copies` $copies^)? (`in_flight` `(` $inFlight^ `)`)? (`proxy` $proxy^)?
    attr-dict
  }];
}

#endif // TILE_BARRIER_OPS_TD
