//===- TileMoveOps.td - copy, fill, atomic, convert_layout -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_MOVE_OPS_TD
#define TILE_MOVE_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_CopyOp : Tile_TileOp<"copy", [AttrSizedOperandSegments, TileMoveOpInterface, TileMbarrierUseOpInterface,
    DeclareOpInterfaceMethods<TileSingleThreadOpInterface, ["runsOnOneThread"]>]> {
  let summary = "copies one region to another, in any pair of memory spaces";
  let description = !strconcat([{
    A region is a buffer, the offsets of its first element (zero when absent)
    and its extents. Extents default to the other side's, right-aligned and
    preceded by ones; a whole tile when neither side states them. Elements are
    converted when the element types differ (as `arith` casts; fp8 saturates).
    A region may overhang a global buffer: loads give `pad` (zero when absent), stores are
    dropped. Source and target do not overlap; a copy of a region to itself is a prefetch of it.

    Where a value says how many rows there are (the last rows of a sequence, a
    group of a grouped product), the global side is a view that ends there, and
    the tile overhangs it: what a load finds behind the end is `pad`, what a
    store or `tile.atomic` has behind it is dropped, and zero rows are right, too.

    Constraints:
    - copy-1: a side has as many offsets as dimensions, or none.
    - copy-2: extents are positive, one per dimension, of product at most 2^24.
    - copy-3: the extents of both sides agree once ones are dropped.
    - copy-4: a region stays inside a shared, fragment or local buffer, as far
      as its offsets are constant.
    - copy-5: element types convert into each other.
    - copy-6: `pad` has the target's element type.
    - copy-7: extents can be derived (a dynamic global buffer cannot give them).
    - copy-8: `layout` has the tile's shape (extents other than one; [1] for one
      element) and the kernel's thread count.
    - copy-9: `coalesced_width` is a positive power of two.
    - copy-10: `multicast` is 2 to 16; the target is a slot of a ring.
      `multicast_along`, dimensions of the kernel's cluster in increasing order,
      goes with a `multicast` to as many blocks as the cluster has along them;
      without it that is all of the cluster.
    - copy-11: only a copy from shared to global memory returns a token: what
      fills a slot of a ring is tracked by the ring.
    - copy-12: `inside` only where a side is a global buffer.
    - copy-13: `groups` has one entry per dimension of the one side in shared
      memory, at least 1, exactly one of them more, and divides the extent.
    - copy-14: `completes` only where global memory is copied to shared memory, and
      an index that is a constant is one of a barrier.
    - copy-15: `in_front` only where the target is a global buffer.
    - copy-16: regions of one buffer that begin at constants do not overlap, or
      are the same.

    What a program asks for (`#tile.move_request`) stands in the dictionary, what
    is decided (`#tile.move_decision`) behind `decided`. Passes write decisions
    only. A program that decides something itself may write it in either place.

    A copy that returns a token is asynchronous: it has been issued, and
    `tile.await` says when its source may be overwritten or its effects are
    done. `multicast = n` shares a copy among the n blocks of a cluster: each
    moves its n-th part of the region, along the dimension that takes fewest boxes,
    into the slot of every block. With `multicast_along` these are the blocks that
    differ from each other in those dimensions of the cluster only: in a cluster of
    2×2, `multicast = 2, multicast_along = array<i64: 0>` is shared by the two blocks
    of each row. `inside` promises that the regions overhang
    nothing, so that nobody has to check. With `in_front` the target's region may
    begin at a negative index; a tensor copy may not, so threads make it there,
    an element at a time. `groups` divides the warps of the agent
    into equal groups of consecutive warps and the tile evenly among them, along
    one dimension: each group reads and writes its own part of the shared buffer
    only, and waits for nobody else's.

    With `completes`, the elements are there for who has waited for the barrier's
    phase, and for nobody else: the phase is not complete before. The copy does
    not arrive, `tile.mbarrier.arrive` does, behind it. So one thread may issue a
    tensor copy that completes on the barrier, and the others go on.

    ```mlir
    tile.copy %A[%m, %k] to %As : memref<4096x4096xf16> to memref<128x32xf16, #shared>
    tile.copy %A[%m, %k] to %As {disable_tma} decided {plan = #tile.copy_plan<cp_async, bytes = 16>} : memref<4096x4096xf16> to memref<128x32xf16, #shared>
    tile.copy %A[%m, %k] to %As completes(%ready[%c0] : !tile.mbarrier<1>) : memref<4096x4096xf16> to memref<128x32xf16, #shared>
    tile.copy %Q[%b, %m, %c0] sizes [1, 64, 128] to %Qs : memref<?x?x128xf16> to memref<64x128xf16, #shared>
    // %rows rows of X from %start on, at most 64; zeros behind them
    %part = memref.subview %X[%start, 0] [%rows, 128] [1, 1] : memref<?x128xf16> to memref<?x128xf16, strided<[128, 1], offset: ?>>
    tile.copy %part[%c0, %c0] to %Xs : memref<?x128xf16, strided<[128, 1], offset: ?>> to memref<64x128xf16, #shared>
    ```
  }], CopyAttributes);
  let arguments = (ins
    Arg<AnyMemRef, "">:$source, Variadic<Index>:$source_offsets,
    Arg<AnyMemRef, "">:$target, Variadic<Index>:$target_offsets,
    Optional<AnyType>:$pad,
    Optional<Tile_MbarrierType>:$completion, Optional<Index>:$completion_index,
    OptionalAttr<DenseI64ArrayAttr>:$source_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$target_sizes,
    OptionalAttr<Tile_MoveRequestAttr>:$request,
    OptionalAttr<Tile_MoveDecisionAttr>:$decision);
  let results = (outs Optional<Tile_TokenType>:$token);
  let builders = [
    /// A copy without attributes, of regions given by offsets and, where they
    /// are not the other side's, extents.
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::ValueRange":$sourceOffsets,
                   "::mlir::Value":$target, "::mlir::ValueRange":$targetOffsets,
                   CArg<"::llvm::ArrayRef<int64_t>", "{}">:$sourceSizes,
                   CArg<"::llvm::ArrayRef<int64_t>", "{}">:$targetSizes)>];
  let assemblyFormat = [{
    $source (`[` $source_offsets^ `]`)? (`sizes` $source_sizes^)? `to`
    $target (`[` $target_offsets^ `]`)? (`sizes` $target_sizes^)?
    (`pad` `(` $pad^ `:` type($pad) `)`)?
    (`completes` `(` $completion^ `[` $completion_index `]` `:` qualified(type($completion)) `)`)?
    `` custom<MoveAttributes>($request, $decision, attr-dict) `:` type($source) `to` type($target) (`->` type($token)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::Value getMbarriers() { return getCompletion(); }
    ::mlir::OpOperand &getMbarrierIndexMutable() {
      return *getCompletionIndexMutable().begin();
    }
    /// Whether the copy returns a token.
    bool isAsync() { return static_cast<bool>(getToken()); }
    void dropPad() { getPadMutable().clear(); }
    bool setRegions(
        ::mlir::Value source, ::mlir::ValueRange sourceOffsets,
        ::llvm::ArrayRef<int64_t> sourceExtents, ::mlir::Value target,
        ::mlir::ValueRange targetOffsets, ::llvm::ArrayRef<int64_t> targetExtents);
    /// Extents of either region, one per dimension of its buffer.
    ::llvm::SmallVector<int64_t> getSourceExtents();
    ::llvm::SmallVector<int64_t> getTargetExtents();
    /// The common tile: extents other than one (empty means one element).
    ::llvm::SmallVector<int64_t> getTileShape();
  }];
}

def Tile_FillOp : Tile_TileOp<"fill"> {
  let summary = "writes one value to every element of a region";
  let description = !strconcat([{
    Constraints:
    - fill-1: the value has the buffer's element type.
    - fill-2: as many offsets and sizes as dimensions, or none; extents are
      positive, of product at most 2^24.
    - fill-3: without sizes the buffer has a static shape.
    - fill-4: the region stays inside a shared, fragment or local buffer, as far
      as its offsets are constant.
    - fill-5: `layout` as copy-8.

    ```mlir
    tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>
    ```
  }], FillAttributes);
  let arguments = (ins Arg<AnyMemRef, "">:$target, Variadic<Index>:$offsets,
                       AnyType:$value, OptionalAttr<DenseI64ArrayAttr>:$sizes,
                       OptionalAttr<Tile_FragmentLayoutAttr>:$layout);
  let assemblyFormat = [{
    $target (`[` $offsets^ `]`)? (`sizes` $sizes^)? `with` $value attr-dict
    `:` type($target) `,` type($value)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> getExtents();
    ::mlir::Value getFillValue() { return getValue(); }
  }];
}

def Tile_AtomicOp : Tile_TileOp<"atomic", [AttrSizedOperandSegments, TileMoveOpInterface]> {
  let summary = "combines a region into another, each element atomically";
  let description = !strconcat([{
    target[e] = kind(target[e], source[e]) for each element, atomically at the
    scope of the device. Parts that overhang a global target are dropped.

    A shared tile can be combined into global memory by the asynchronous proxy
    (`cp.reduce.async.bulk.tensor`): `plan`, `prefer`, `disable_tma` and
    `eviction_policy` mean what they do on `tile.copy`. One that returns a token
    has been issued; `tile.await` says when its source may be overwritten or its
    effects are done.

    Constraints:
    - atomic-1 to atomic-4: as copy-1 to copy-4.
    - atomic-5: element types are equal.
    - atomic-6: the target is in global or shared memory.
    - atomic-7: the element type has the atomic (add: f16, bf16, f32, f64, i32,
      i64; max, min: i32, i64, f32); `is_unsigned` on integers.
    - atomic-8: extents can be derived, as copy-7.
    - atomic-9: `layout` as copy-8.
    - atomic-10: a token is returned as of copy-11; `plan` and `prefer` are `tma`,
      `vector` or `scalar`.
    - atomic-11: `groups` as copy-13.
    - atomic-12: `in_front` as copy-15.

    ```mlir
    tile.atomic add %acc to %C[%m, %n] : memref<64x64xf32, #tile.fragment> to memref<?x?xf32>
    ```
  }], AtomicAttributes);
  let arguments = (ins
    Tile_AtomicKindAttr:$kind,
    Arg<AnyMemRef, "">:$source, Variadic<Index>:$source_offsets,
    Arg<AnyMemRef, "">:$target, Variadic<Index>:$target_offsets,
    OptionalAttr<DenseI64ArrayAttr>:$source_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$target_sizes,
    OptionalAttr<Tile_MoveRequestAttr>:$request,
    OptionalAttr<Tile_MoveDecisionAttr>:$decision, UnitAttr:$is_unsigned);
  let results = (outs Optional<Tile_TokenType>:$token);
  let builders = [
    /// An atomic without attributes, of regions as in a copy.
    OpBuilder<(ins "::mlir::tile::AtomicKind":$kind, "::mlir::Value":$source,
                   "::mlir::ValueRange":$sourceOffsets, "::mlir::Value":$target,
                   "::mlir::ValueRange":$targetOffsets,
                   CArg<"::llvm::ArrayRef<int64_t>", "{}">:$sourceSizes,
                   CArg<"::llvm::ArrayRef<int64_t>", "{}">:$targetSizes)>];
  let assemblyFormat = [{
    custom<Keyword>($kind) $source (`[` $source_offsets^ `]`)? (`sizes` $source_sizes^)? `to`
    $target (`[` $target_offsets^ `]`)? (`sizes` $target_sizes^)?
    `` custom<CombineAttributes>($is_unsigned, $request, $decision, attr-dict)
    `:` type($source) `to` type($target) (`->` type($token)^)?
  }];
  let extraClassDeclaration = [{
    bool isAsync() { return static_cast<bool>(getToken()); }
    ::std::optional<AtomicKind> getCombining() { return getKind(); }
    /// Whether elements of a type can be combined atomically (atomic-7).
    static bool combines(AtomicKind kind, ::mlir::Type element);
    bool setRegions(
        ::mlir::Value source, ::mlir::ValueRange sourceOffsets,
        ::llvm::ArrayRef<int64_t> sourceExtents, ::mlir::Value target,
        ::mlir::ValueRange targetOffsets, ::llvm::ArrayRef<int64_t> targetExtents);
    ::llvm::SmallVector<int64_t> getSourceExtents();
    ::llvm::SmallVector<int64_t> getTargetExtents();
    ::llvm::SmallVector<int64_t> getTileShape();
  }];
}

def Tile_ConvertLayoutOp : Tile_TileOp<"convert_layout"> {
  let summary = "copies a fragment into a fragment with another layout";
  let description = [{
    Inserted by layout inference where two operations need different layouts of
    the same values.

    Constraints:
    - convert-1: both sides are fragments of the same shape and element type.

    ```mlir
    tile.convert_layout %p to %q : memref<64x64xf16, #tile.fragment> to memref<64x64xf16, #tile.fragment>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "">:$source, Arg<AnyMemRef, "">:$target);
  let assemblyFormat = "$source `to` $target attr-dict `:` type($source) `to` type($target)";
}

#endif // TILE_MOVE_OPS_TD
