//===- TileRowMoveOps.td - im2col, gather, scatter --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves between a matrix and a global buffer in which each row of the matrix is
// a run along the last dimension, at a place of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ROW_MOVE_OPS_TD
#define TILE_ROW_MOVE_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_Im2colOp : Tile_TileOp<"im2col", [TileMoveOpInterface, TileSingleThreadOpInterface]> {
  let summary = "copies a tile of the matrix that a convolution multiplies";
  let description = !strconcat([{
    The source is a tensor of N images, each of one to three spatial dimensions
    and C channels, in this order: NWC, NHWC, NDHWC. A convolution with filters
    of extents `kernel` has, along a spatial dimension of size H,

        O = max(0, floor((H + pad_lower + pad_upper - dilation * (kernel - 1) - 1) / stride) + 1)

    outputs. Its pixels are numbered through, those of the last spatial
    dimension fastest, the image slowest. Row i, column j of the tile is what
    output pixel `pixel + i` multiplies by the weights at `filter` of channel
    `channel + j`: with the pixel at (n, p...), the source at

        (n, p * stride + filter * dilation - pad_lower, ..., channel + j)

    and zero where that lies outside of the source, or there is no such pixel.
    An implicit convolution is a gemm over all positions of the filter and all
    channels: rows are output pixels, columns channels.

    Strides and dilations are one, pads zero, where they are not stated. `plan`,
    `prefer`, `disable_tma`, `coalesced_width`, `eviction_policy`, `multicast` and
    `multicast_along` mean what they do on `tile.copy`, and stand where they do.

    Preconditions: `pixel` and `channel` are not negative; `filter` lies inside
    `kernel`.

    Constraints:
    - im2col-1: the source is a global buffer of rank 3 to 5, the target a whole
      tile of rank 2 in shared or fragment memory.
    - im2col-2: `filter`, `kernel` and what is stated of `strides`, `dilations`,
      `pad_lower` and `pad_upper` have an entry for each spatial dimension.
    - im2col-3: entries are at most 2^31 - 1; of `kernel`, `strides` and
      `dilations` at least 1.
    - im2col-4: element types convert into each other.
    - im2col-5: `filter`, as far as it is constant, lies inside `kernel`; `pixel`
      and `channel` are not negative.
    - im2col-6: `layout` has the target's shape and the kernel's thread count.
    - im2col-7: `coalesced_width` is a positive power of two.
    - im2col-8: `multicast` and `multicast_along` as copy-10.

    ```mlir
    tile.im2col %X pixel %p filter [%r, %s] channel %c to %As kernel [3, 3] pad_lower [1, 1] pad_upper [1, 1]
        : memref<?x?x?x64xf16> to memref<128x64xf16, #shared>
    ```
  }], Im2colAttributes);
  let arguments = (ins
    Arg<AnyMemRef, "">:$source, Index:$pixel, Variadic<Index>:$filter,
    Index:$channel, Arg<AnyMemRef, "">:$target,
    DenseI64ArrayAttr:$kernel,
    OptionalAttr<DenseI64ArrayAttr>:$strides,
    OptionalAttr<DenseI64ArrayAttr>:$dilations,
    OptionalAttr<DenseI64ArrayAttr>:$pad_lower,
    OptionalAttr<DenseI64ArrayAttr>:$pad_upper,
    OptionalAttr<Tile_MoveRequestAttr>:$request,
    OptionalAttr<Tile_MoveDecisionAttr>:$decision);
  let assemblyFormat = [{
    $source `pixel` $pixel `filter` `[` $filter `]` `channel` $channel `to` $target
    `kernel` $kernel (`strides` $strides^)? (`dilations` $dilations^)?
    (`pad_lower` $pad_lower^)? (`pad_upper` $pad_upper^)?
    `` custom<MoveAttributes>($request, $decision, attr-dict) `:` type($source) `to` type($target)
  }];
  let extraClassDeclaration = [{
    /// Spatial dimensions of the source: 1 to 3.
    unsigned getNumSpatial();
    /// What is stated, or its default, of a spatial dimension.
    int64_t getStride(unsigned spatial);
    int64_t getDilation(unsigned spatial);
    int64_t getPadLower(unsigned spatial);
    int64_t getPadUpper(unsigned spatial);
    /// Outputs along a spatial dimension of `size`.
    int64_t getNumOutputs(unsigned spatial, int64_t size);

    ::mlir::OperandRange getSourceOffsets();
    ::mlir::OperandRange getTargetOffsets();
    ::llvm::SmallVector<int64_t> getSourceExtents();
    ::llvm::SmallVector<int64_t> getTargetExtents();
    ::llvm::SmallVector<int64_t> getTileShape();
    MoveAddressing getAddressing() { return MoveAddressing::Im2col; }
    ::mlir::Value getRowStart() { return getChannel(); }
    bool runsOnOneThread();
  }];
}

class Tile_RowsByIndexOp<string mnemonic> : Tile_TileOp<mnemonic, [TileMoveOpInterface, TileSingleThreadOpInterface]> {
  code rowDeclarations = [{
    ::mlir::OperandRange getSourceOffsets();
    ::mlir::OperandRange getTargetOffsets();
    ::llvm::SmallVector<int64_t> getSourceExtents();
    ::llvm::SmallVector<int64_t> getTargetExtents();
    ::llvm::SmallVector<int64_t> getTileShape();
    MoveAddressing getAddressing() { return MoveAddressing::Indexed; }
    ::mlir::Value getRowStart() { return getColumn(); }
    bool runsOnOneThread();
  }];
  let extraClassDeclaration = rowDeclarations;
}

def Tile_GatherOp : Tile_RowsByIndexOp<"gather"> {
  let summary = "copies rows of a matrix, named by a buffer of indices, to a tile";
  let description = !strconcat([{
    Row i of the tile is row `indices[first + i]` of the source, from `column`
    on. Rows that the source does not have (a negative index, too) and columns
    beyond its last read as zeros, and so do rows that a global buffer of
    indices is too short to name.

    Preconditions: `first` and `column` are not negative; indices in shared or
    fragment memory are as many as the tile's rows from `first` on.

    Constraints:
    - gather-1: the source is a global buffer of rank 2, the target a whole tile
      of rank 2 in shared or fragment memory.
    - gather-2: `indices` has rank 1 and elements of type i32, i64 or index, in
      global, shared or fragment memory; in a fragment `first` is constant.
    - gather-3: element types convert into each other.
    - gather-4: `first`, as far as it is constant, keeps the rows inside of
      `indices` in shared and fragment memory; it and `column` are not negative.
    - gather-5: `layout` has the tile's shape and the kernel's thread count.
    - gather-6: `coalesced_width` is a positive power of two.
    - gather-7: `multicast` and `multicast_along` as copy-10.

    ```mlir
    tile.gather %X[%k] rows %indices[%zero] to %As
        : memref<?x?xf16>, memref<128xi32, #shared> to memref<128x64xf16, #shared>
    ```
  }], GatherAttributes);
  let arguments = (ins
    Arg<AnyMemRef, "">:$source, Index:$column,
    Arg<AnyMemRef, "">:$indices, Index:$first, Arg<AnyMemRef, "">:$target,
    OptionalAttr<Tile_MoveRequestAttr>:$request,
    OptionalAttr<Tile_MoveDecisionAttr>:$decision);
  let assemblyFormat = [{
    $source `[` $column `]` `rows` $indices `[` $first `]` `to` $target
    `` custom<MoveAttributes>($request, $decision, attr-dict) `:` type($source) `,` type($indices) `to` type($target)
  }];
}

def Tile_ScatterOp : Tile_RowsByIndexOp<"scatter"> {
  let summary = "copies the rows of a tile to rows of a matrix, named by a buffer of indices";
  let description = !strconcat([{
    Row i of the tile goes to row `indices[first + i]` of the target, from
    `column` on. Rows that the target does not have (a negative index, too) and
    columns beyond its last are not stored, and neither are rows that a global
    buffer of indices is too short to name. Where two rows have one index, either
    may remain.

    Preconditions: as of `tile.gather`.

    Constraints:
    - scatter-1: the source is a whole tile of rank 2 in shared or fragment
      memory, the target a global buffer of rank 2.
    - scatter-2 to scatter-6: as gather-2 to gather-6.

    ```mlir
    tile.scatter %tile to %Y[%n] rows %indices[%zero]
        : memref<128x64xf16, #tile.fragment> to memref<?x?xf16>, memref<?xi32>
    ```
  }], ScatterAttributes);
  let arguments = (ins
    Arg<AnyMemRef, "">:$source, Arg<AnyMemRef, "">:$target, Index:$column,
    Arg<AnyMemRef, "">:$indices, Index:$first,
    OptionalAttr<Tile_MoveRequestAttr>:$request,
    OptionalAttr<Tile_MoveDecisionAttr>:$decision);
  let assemblyFormat = [{
    $source `to` $target `[` $column `]` `rows` $indices `[` $first `]`
    `` custom<MoveAttributes>($request, $decision, attr-dict) `:` type($source) `to` type($target) `,` type($indices)
  }];
}

#endif // TILE_ROW_MOVE_OPS_TD
