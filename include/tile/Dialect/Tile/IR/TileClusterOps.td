//===- TileClusterOps.td - blocks of a cluster by hand -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the blocks of a cluster meet, and how one writes into the shared memory
// of another. docs/Rationale/Mbarriers.md has the design.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CLUSTER_OPS_TD
#define TILE_CLUSTER_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_ClusterBarrierOp : Tile_Op<"cluster_barrier", [TileOrderOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "all blocks of a cluster wait for each other";
  let description = [{
    What the blocks of the cluster have written before the barrier, to global
    memory and to the shared memory of any of them, is visible to all of them
    behind it, and what they have read may be overwritten. All blocks of a
    cluster run it equally often, so conditions and loops around it have the same
    values in each.

    Constraints:
    - cluster-barrier-1: it stands in the kernel's body, or in `scf` loops and
      conditions there: what it waits for is the whole block.
    - cluster-barrier-2: the kernel has clusters and is not `persistent`.

    ```mlir
    tile.cluster_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool handsOver() { return true; }
    ::std::optional<int64_t> getMeetingGroups() { return 1; }
  }];
}

def Tile_ClusterCopyOp : Tile_TileOp<"cluster_copy", [
    AttrSizedOperandSegments, TileMoveOpInterface]> {
  let summary = "copies a tile into the shared memory of a block of the cluster";
  let description = !strconcat([{
    Regions are those of `tile.copy`. The source is a tile or a fragment of this
    block, the target is the same tile's in the block whose place in the cluster
    is `block` (x first, from 0), which may be this block itself. That block sees
    the elements behind a `tile.cluster_barrier`; with `arrives`, behind a
    `tile.mbarrier.wait` on its own barrier, at which the copy arrives once.

    It writes while the other block does what it does: who reads or writes the
    target there in the meantime is ordered by nothing else. The other block has
    to be there still, so it does not end before it has waited.

    Constraints:
    - cluster-copy-1 to cluster-copy-5: as copy-1 to copy-5.
    - cluster-copy-6: the source is a fragment or in shared memory, the target in
      shared memory, made by `tile.alloc` in the kernel's top block.
    - cluster-copy-7: the kernel has clusters, is not `persistent`, and a `block`
      that is a constant is one of the cluster.
    - cluster-copy-8: the barriers of `arrives` are those of a `cluster`, and an
      index that is a constant is one of a barrier.
    - cluster-copy-9: extents can be derived, as copy-7.
    - cluster-copy-10: `layout` as copy-8.
    - cluster-copy-11: `coalesced_width` as copy-9.

    ```mlir
    tile.cluster_copy %sum to %parts[%rank, %c0, %c0] sizes [1, 64, 64] block(%c0) arrives(%ready[%c0] : !tile.mbarrier<1>) : memref<64x64xf32, #shared> to memref<4x64x64xf32, #shared>
    ```
  }], ClusterCopyAttributes);
  let arguments = (ins
    Arg<AnyMemRef, "">:$source, Variadic<Index>:$source_offsets,
    Arg<AnyMemRef, "">:$target, Variadic<Index>:$target_offsets,
    Index:$block, Optional<Tile_MbarrierType>:$barriers, Optional<Index>:$index,
    OptionalAttr<DenseI64ArrayAttr>:$source_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$target_sizes,
    OptionalAttr<Tile_MoveRequestAttr>:$request,
    OptionalAttr<Tile_MoveDecisionAttr>:$decision);
  let assemblyFormat = [{
    $source (`[` $source_offsets^ `]`)? (`sizes` $source_sizes^)? `to`
    $target (`[` $target_offsets^ `]`)? (`sizes` $target_sizes^)? `block` `(` $block `)`
    (`arrives` `(` $barriers^ `[` $index `]` `:` qualified(type($barriers)) `)`)?
    `` custom<MoveAttributes>($request, $decision, attr-dict) `:` type($source) `to` type($target)
  }];
  let extraClassDeclaration = [{
    /// Extents of either region, one per dimension of its buffer.
    ::llvm::SmallVector<int64_t> getSourceExtents();
    ::llvm::SmallVector<int64_t> getTargetExtents();
    /// The common tile: extents other than one (empty means one element).
    ::llvm::SmallVector<int64_t> getTileShape();
  }];
}

def Tile_ClusterGatherOp : Tile_TileOp<"cluster_gather"> {
  let summary = "gives each block of a cluster the tiles of all";
  let description = !strconcat([{
    Afterwards `target`[r, ...] is in each block what `source` is in the block
    whose place in the cluster is r (x first, from 0), its own included. In MPI
    this is an all-gather. What the blocks then make of it is theirs: a
    `tile.reduce` along dimension 0 gives all of them the same sum or maximum, in
    the order of ranks, so that the result does not depend on timing; so does
    `tile.reduce_with`, and `tile.scan` gives what the blocks in front hold.

    It is for few elements, as the sums of rows are whose parts the blocks hold:
    each block stores its elements in the shared memory of all others, and waits
    for all of them. All blocks of a cluster run it equally often. Without
    clusters the block is the only one.

    Constraints:
    - cluster-gather-1: both sides are whole fragments or shared tiles of static
      shape and of one type of numbers of 8 bits or more; a part of a tile is
      copied into a tile of its own before.
    - cluster-gather-2: the target has one dimension more, the first one, whose
      extent is the size of the kernel's cluster.
    - cluster-gather-3: it stands in the kernel's body, or in `scf` loops and
      conditions there: what it waits for is the whole block.
    - cluster-gather-4: the kernel is not `persistent`.

    ```mlir
    tile.reduce sum %x to %own dim(1) : memref<1x4096xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    tile.cluster_gather %own to %all : memref<1xf32, #tile.fragment> to memref<4x1xf32, #tile.fragment>
    tile.reduce sum %all to %sum dim(0) : memref<4x1xf32, #tile.fragment> to memref<1xf32, #tile.fragment>
    ```
  }], ClusterGatherAttributes);
  let arguments = (ins Arg<AnyMemRef, "">:$source, Arg<AnyMemRef, "">:$target);
  let assemblyFormat = "$source `to` $target attr-dict `:` type($source) `to` type($target)";
}

#endif // TILE_CLUSTER_OPS_TD
