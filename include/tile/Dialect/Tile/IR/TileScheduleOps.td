//===- TileScheduleOps.td - rings: what pipelining becomes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A use of a ring is numbered by an index that counts uses since the ring was
// created: slot = use mod stages, phase = (use / stages) mod 2.
// docs/Rings.md is the protocol.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_SCHEDULE_OPS_TD
#define TILE_SCHEDULE_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_RingCreateOp : Tile_Op<"ring.create", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TileStorageOpInterface, ["getTileTypes", "getNumSlots",
      "getSharedLayouts", "hasMbarriers", "isFilledByPeers"]>]> {
  let summary = "a ring of buffers in shared or tensor memory";
  let description = !strconcat([{
    Constraints:
    - ring-1: one layout per buffer, or none before inference.
    - ring-2: the ring's type has at least one buffer; buffers are shared-memory
      memrefs of numbers, of static shape and positive extents; in a ring from
      `mma` to `threads` there is one, in tensor memory.
    - ring-4: the ring's type has 1 to 64 stages.
    - ring-6: a ring whose slots are signalled by mbarriers (`tma`,
      `cp_async_mbarrier`, `threads_mbarrier`, `mma`) is created in the kernel's
      top block: mbarriers are initialized once.
    - ring-7: `peers`, the blocks of a cluster that fill each other's slots, is
      the kernel's cluster size, and the producer `tma` or `mma`.
    - ring-8: the ring's type has one or more kinds of consumers, each once.
    - ring-10: `pair` has an entry for each buffer, -1 or a dimension whose extent
      is even, and goes with `peers = 2` and a ring `tma -> tcgen05` or
      `mma -> threads`; in the latter the entry is -1.

    `pair`: the two blocks of a cluster multiply as one (gemms whose plan says
    `pair`). A buffer with a dimension is held by both together, a half each
    along that dimension, the first by the block of rank 0; its layout is that
    of a half. What the views mean does not change: a block's view is the whole
    buffer. Who multiplies for both is the block of rank 0: the copies of both
    blocks complete there, and its gemms empty the slots of both.

    ```mlir
    %ring = tile.ring.create : !tile.ring<3 x [memref<128x32xf16, #shared>], cp_async -> threads>
    ```
  }], RingCreateAttributes);
  let arguments = (ins OptionalAttr<ArrayAttr>:$layouts, OptionalAttr<I64Attr>:$peers,
                       OptionalAttr<DenseI64ArrayAttr>:$pair);
  let results = (outs Tile_RingType:$ring);
  let assemblyFormat = "(`layouts` `(` $layouts^ `)`)? attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimension of buffer `i` that the blocks of a pair share out; -1 where
    /// each has all of it.
    int64_t getPairDim(unsigned i) { return getPair() ? (*getPair())[i] : -1; }
    /// Extents of buffer `i` that one block holds.
    ::llvm::SmallVector<int64_t> getHeldShape(unsigned i);
  }];
}

class Tile_RingViewOp<string mnemonic, bit fills, list<Trait> traits = []> : Tile_Op<mnemonic, !listconcat([
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TileOrderOpInterface,
    TileRingOpInterface], traits)> {
  let arguments = (ins Tile_RingType:$ring, Index:$use);
  let results = (outs Variadic<AnyMemRef>:$views);
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = "bool showsSlot() { return true; }\n" #
      !if(fills, "bool fillsSlots() { return true; }\n", "");
}

def Tile_RingAcquireOp : Tile_RingViewOp<"ring.acquire", /*fills=*/1, [
    DeclareOpInterfaceMethods<TileSingleThreadOpInterface, ["runsOnOneThread"]>]> {
  let summary = "waits until a slot is empty; gives the producer its buffers";
  let description = !strconcat(RingAcquireSyntax, [{
    Constraints:
    - ring-3: one view per buffer of the ring, of the buffer's type.

    ```mlir
    %a, %b = tile.ring.acquire %ring[%i] : !tile.ring<...>
    ```
  }]);
}
def Tile_RingWaitOp : Tile_RingViewOp<"ring.wait", /*fills=*/0> {
  let summary = "waits until a slot is full; gives the consumer its buffers";
  let description = !strconcat(RingWaitSyntax, [{
    For a `cp_async` producer, `in_flight` on the ring's waits counts the groups
    committed after this use's that may still be under way. `again` says that
    every thread of the agent has waited for this use before, in another wait:
    there is nothing to wait for, and no barrier.

    Constraints:
    - ring-3: as for `tile.ring.acquire`.
    - ring-5: `in_flight` is not negative.
    - ring-9: `again` goes without `in_flight`, and with another wait on the ring.
  }], RingWaitAttributes);
  let arguments = (ins Tile_RingType:$ring, Index:$use, OptionalAttr<I64Attr>:$in_flight,
                       UnitAttr:$again);
  let extraClassDeclaration = [{
    bool showsSlot() { return true; }
    ::std::optional<int64_t> getMeetingGroups();
  }];
}

class Tile_RingSignalOp<string mnemonic, list<Trait> traits> : Tile_Op<mnemonic, !listconcat([
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TileRingOpInterface], traits)> {
  let arguments = (ins Tile_RingType:$ring, Index:$use);
  let assemblyFormat = "$ring `[` $use `]` attr-dict `:` qualified(type($ring))";
}
def Tile_RingCommitOp : Tile_RingSignalOp<"ring.commit", [TileOrderOpInterface,
    DeclareOpInterfaceMethods<TileSingleThreadOpInterface, ["runsOnOneThread"]>]> {
  let summary = "the producer has issued everything that fills a slot";
  let description = [{
    Every thread of an agent that fills a ring by cp.async or by stores executes
    it; one speaks for an agent whose copies complete on the ring's mbarrier by
    themselves (`tma`).
  }];
  let extraClassDeclaration = "bool fillsSlots() { return true; }\n";
}
def Tile_RingReleaseOp : Tile_RingSignalOp<"ring.release", [
    DeclareOpInterfaceMethods<TileOrderOpInterface, ["freesSlotOf"]>]> {
  let summary = "the consumer has finished reading a slot";
  let description = [{
    Gemms of consumers of the kind `tcgen05` may still be in flight: the slot is
    empty once every gemm has ended that the agent issued before, which the
    hardware signals by itself (`tcgen05.commit`). Other reads have ended.

    ```mlir
    %a, %b = tile.ring.wait %ring[%i] : !tile.ring<4 x [...], tma -> tcgen05>
    %t = tile.gemm %a, %b, %acc {plan = #tile.mma_plan<tcgen05, ...>} : ... -> !tile.token
    tile.ring.release %ring[%i] : !tile.ring<4 x [...], tma -> tcgen05>
    ```
  }];
  let extraClassDeclaration = "bool releasesSlot() { return true; }\n";
}

def Tile_RingDrainOp : Tile_Op<"ring.drain", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TileSingleThreadOpInterface,
    TileRingOpInterface,
    DeclareOpInterfaceMethods<TileOrderOpInterface, ["freesSlotOf"]>]> {
  let summary = "ends a loop over a ring: none of its uses is in flight";
  let description = [{
    Every copy that was issued into the ring has landed, and every consumer has
    finished with every slot. What follows depends on the producer:

    - A ring filled by cp.async is not used afterwards, so its memory may hold
      something else. The drain is a wait for all groups and a barrier: without
      it a thread that is still reading the last slot would race with one that
      runs the loop a second time, with a new ring.
    - A ring signalled by mbarriers is as old as the kernel. Its uses go on being
      counted, in the next tile of a persistent grid for one, and it keeps its
      memory. Between roles the drain is nothing, as the producer may be ahead;
      where the agent both fills and reads the ring it is a barrier.

    ```mlir
    tile.ring.drain %ring : !tile.ring<...>
    ```
  }];
  let arguments = (ins Tile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
  let extraClassDeclaration = "::std::optional<int64_t> getMeetingGroups();\n";
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

def Tile_AwaitOp : Tile_Op<"await", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TileOrderOpInterface]> {
  let summary = "waits until asynchronous operations have ended";
  let description = !strconcat([{
    With `read`, until their sources may be overwritten (copies from shared
    memory); otherwise until their effects are visible to the agent that waits.

    Constraints:
    - await-1: at least one token.
    - await-2: `read` on tokens of copies only, as far as they can be traced.
    - await-3: `groups` is at least 2, and with `read` only.

    With `groups = n`, the n groups of warps that the copies are dealt out to
    (see `tile.copy`) each wait for their own.

    ```mlir
    %t = tile.gemm %a, %b, %acc : ... -> !tile.token
    tile.await %t
    tile.await read %stored
    ```
  }], AwaitAttributes);
  let arguments = (ins Variadic<Tile_TokenType>:$tokens, UnitAttr:$read,
                       OptionalAttr<I64Attr>:$groups);
  let assemblyFormat = "(`read` $read^)? $tokens attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::ValueRange getAwaitedTokens() { return getTokens(); }\n";
}

def Tile_TokenDoneOp : Tile_Op<"token.done", [Pure]> {
  let summary = "a token of nothing: what a loop carries before its first issue";
  let results = (outs Tile_TokenType:$token);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

def Tile_IterationOp : Tile_Op<"iteration", [Pure]> {
  let summary = "asks a loop which iterations it has, and which of them this is";
  let description = !strconcat([{
    The values after `in` are the bounds and the step of a loop, the value after
    `of` is its induction variable. The step is positive. Iterations are counted
    from 0.

    | question | the result is true where |
    |---|---|
    | `exists(n)` | the loop has an iteration n; `exists(0)`: it runs at least once |
    | `ahead(n) of %i` | the loop has an iteration n after that of `%i` |
    | `past(n) of %i` | n iterations or more came before that of `%i`; `past(1)`: it is not the first |
    | `is(n) of %i` | that of `%i` is iteration n |

    Passes write the conditions of a schedule as this operation, and later passes
    ask it (Iterations.h). They recognize no comparisons, and need no attribute
    that could say something else than the condition. Both lowerings replace it
    by the comparison that it stands for.

    Constraints:
    - iteration-1: `exists` goes without an induction variable, the other
      questions with one.
    - iteration-2: the count is not negative.

    ```mlir
    scf.for %i = %c0 to %n step %c1 {
      %more = tile.iteration ahead(2) of %i in %c0 to %n step %c1
      scf.if %more {
      }
    }
    ```
  }], IterationAttributes);
  let arguments = (ins Tile_IterationQuestionAttr:$question, I64Attr:$count,
                       Optional<Index>:$index, Index:$lower, Index:$upper, Index:$step);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    `` $question `(` $count `)` (`of` $index^)? `in` $lower `to` $upper `step` $step attr-dict
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_AnyRowOp : Tile_Op<"any_row", [Pure]> {
  let summary = "asks a group of warps whether it holds one of some rows";
  let description = [{
    The warps of the agent are `groups` equal groups of consecutive warps, and
    each holds as many of the `rows` rows, in order. The result is true in the
    threads of a group that holds a row from `first` on, in front of `end`.
    The CPU has one thread for all rows: there it is true.

    `--tile-skip-rows` writes it as the condition of what the other groups skip.

    Constraints:
    - any-row-1: `groups` is positive and divides `rows`.

    ```mlir
    %any = tile.any_row %first to %end of 192 groups 3
    scf.if %any {
    }
    ```
  }];
  let arguments = (ins Index:$first, Index:$end, I64Attr:$rows, I64Attr:$groups);
  let results = (outs I1:$result);
  let assemblyFormat = "$first `to` $end `of` $rows `groups` $groups attr-dict";
  let hasVerifier = 1;
}

def Tile_RowIterationsOp : Tile_Op<"row_iterations", [Pure]> {
  let summary = "asks a group of warps up to which iteration it holds one of some rows";
  let description = [{
    The warps of the agent are groups as for `tile.any_row`. A loop with the
    bounds behind `in`, whose step is 1, is about rows from `first` on, in front of
    `end`, in iteration 0, and each iteration begins `step` rows later. The result
    is the first iteration for which the group has none of these rows, nor for
    later ones; within the bounds. On the CPU it is the upper bound.

    `--tile-skip-rows` ends a loop there, and goes on with one in which the group
    waits for slots of rings and releases them.

    Constraints:
    - row-iterations-1: `groups` is positive and divides `rows`.
    - row-iterations-2: `step` is not negative.

    ```mlir
    %last = tile.row_iterations %seen step 128 to %end of 192 groups 3 in %c0 to %n
    scf.for %i = %c0 to %last step %c1 {
    }
    ```
  }];
  let arguments = (ins Index:$first, I64Attr:$step, Index:$end, I64Attr:$rows, I64Attr:$groups,
                       Index:$lower, Index:$upper);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $first `step` $step `to` $end `of` $rows `groups` $groups `in` $lower `to` $upper attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

def Tile_WarpSpecializeOp : Tile_Op<"warp_specialize", [
    RecursiveMemoryEffects, NoRegionArguments,
    DeclareOpInterfaceMethods<TileAgentsOpInterface, ["getRegistersOfAgent"]>,
    DeclareOpInterfaceMethods<TileOrderOpInterface, ["freesSlotOf"]>,
    SingleBlockImplicitTerminator<"RoleEndOp">]> {
  let summary = "divides the warps of a block into roles that run side by side";
  let description = !strconcat(WarpSpecializeSyntax, [{
    Each region is the program of one role: of `warps` consecutive warps of the
    block, in the order written. Roles meet in rings and at mbarriers only.
    `registers` is the
    budget of a thread after redistribution, 0 to leave it as launched. Inside a
    role "all threads" are the role's. All roles end before what follows runs.

    Constraints:
    - specialize-1: one name, count of warps and register budget per region;
      names are distinct and not empty.
    - specialize-2: counts of warps are positive and sum up to the kernel's.
    - specialize-3: register budgets are 0, or multiples of 8 from 24 to 256 and
      the same for all warps of a warpgroup, which is whole; a role of four
      warps or more starts at a multiple of four.
    - specialize-4: it stands in no other one.

    ```mlir
    tile.warp_specialize
    role "load" warps(4) registers(40) {
    }
    role "mma" warps(8) registers(232) {
    }
    ```
  }], WarpSpecializeAttributes);
  let arguments = (ins StrArrayAttr:$names, DenseI64ArrayAttr:$warps,
                       DenseI64ArrayAttr:$registers);
  let regions = (region VariadicRegion<SizedRegion<1>>:$roles);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// First warp of role `i`.
    int64_t getFirstWarp(unsigned i) {
      int64_t first = 0;
      for (int64_t warps : getWarps().take_front(i))
        first += warps;
      return first;
    }
  }];
}

def Tile_RoleEndOp : Tile_Op<"role_end", [Pure, Terminator, TileSingleThreadOpInterface,
    HasParent<"WarpSpecializeOp">]> {
  let summary = "ends a role";
  let assemblyFormat = "attr-dict";
}

#endif // TILE_SCHEDULE_OPS_TD
