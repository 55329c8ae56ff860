//===- TileDebugOps.td - print, assert, assume ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_DEBUG_OPS_TD
#define TILE_DEBUG_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_PrintOp : Tile_TileOp<"print"> {
  let summary = "prints a scalar, or every element of a tile with its coordinates";
  let description = !strconcat([{
    Outside `tile.parallel`, once per block: `message: value`. For a buffer one
    line per element: `message[i, j]: value`.

    Constraints:
    - print-1: the operand is an integer, index or float scalar, or a shared or
      fragment buffer of such elements.

    ```mlir
    tile.print "x" %x : f32
    ```
  }], PrintAttributes);
  let arguments = (ins StrAttr:$message, AnyType:$value);
  let assemblyFormat = "$message $value attr-dict `:` type($value)";
}

def Tile_AssertOp : Tile_Op<"assert", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "stops the program with a message when the condition is false";
  let description = !strconcat([{
    Canonicalization erases an assertion of a constant that is true.

    ```mlir
    tile.assert %ok, "n is even"
    ```
  }], AssertAttributes);
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
}

def Tile_AssumeOp : Tile_Op<"assume", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TileSingleThreadOpInterface]> {
  let summary = "promises divisibility or a range of an index, or that two are equal";
  let description = !strconcat([{
    The compiler may rely on the promise. Where the value is a kernel argument,
    or a dimension of one, the launcher checks it before each launch; elsewhere a false
    promise is undefined behaviour. Behind a promise that two values are equal the
    compiler uses the first for both: `A.shape[1]` and `B.shape[0]` of a product are
    one size then.

    Constraints:
    - assume-1: at least one of `equals`, `divisible_by`, `min`, `max`.
    - assume-2: `divisible_by` is positive; min <= max.
    - assume-3: with `equals` the value is an index, and another one.

    Canonicalization erases a promise about a constant that keeps it, and puts the
    value in place of what equals it where the promise dominates.

    ```mlir
    tile.assume %n {divisible_by = 8 : i64, min = 1 : i64, max = 65536 : i64} : index
    tile.assume %k equals %kb : index
    ```
  }], AssumeAttributes);
  let arguments = (ins AnyTypeOf<[Index, AnySignlessInteger]>:$value,
    OptionalAttr<I64Attr>:$divisible_by, OptionalAttr<I64Attr>:$min, OptionalAttr<I64Attr>:$max,
    Optional<Index>:$equals);
  let assemblyFormat = "$value (`equals` $equals^)? attr-dict `:` type($value)";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def Tile_AssumeRowsOp : Tile_Op<"assume_rows", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "promises which rows of its tiles the rest of a region matters for";
  let description = [{
    Of tiles with `rows` rows (their first dimension), what stands behind this
    operation in its region matters for those from `first` on, in front of `end`:
    what it does to fragments in other rows changes nothing that the kernel's
    results depend on. So it may be left out for them, and warps that hold no
    other rows skip it (`--tile-skip-rows`); nothing says that it is. Numbers
    below 0 and beyond `rows` are right, too.

    In an iteration of attention over a block of keys, rows in front of the first
    query that sees one of them have only weights of 0 to add.

    Constraints:
    - assume-rows-1: `rows` is positive.

    ```mlir
    tile.pipelined %n = %c0 to %length step %c128 stages(2) {
      // Query %m + i sees the keys up to its own.
      %seen = arith.subi %n, %m : index
      tile.assume_rows %seen to %c192 of 192
    }
    ```
  }];
  let arguments = (ins Index:$first, Index:$end, I64Attr:$rows);
  let assemblyFormat = "$first `to` $end `of` $rows attr-dict";
  let hasVerifier = 1;
}

#endif // TILE_DEBUG_OPS_TD
