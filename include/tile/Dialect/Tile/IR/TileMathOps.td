//===- TileMathOps.td - gemm, reduce, scan ----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_MATH_OPS_TD
#define TILE_MATH_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_GemmOp : Tile_TileOp<"gemm", [AttrSizedOperandSegments]> {
  let summary = "C = A * B + C on tiles";
  let description = !strconcat([{
    A is M x K (K x M under `transpose_a`), B is K x N (N x K under
    `transpose_b`), C is M x N. `clear` starts from zero instead of C, and so does
    `accumulate(%flag)` where the flag is false: C is not read then. The
    meaning is accumulation in increasing k in C's element type. An f32 gemm
    multiplies in tf32 unless `precision` says `ieee`. Integer operands are
    signed unless `unsigned_a`/`unsigned_b`.

    With `metadata(%e)` A is sparse, 2 of 4: it holds the values that are kept, half
    of its K columns, and `metadata` says where they stand. Each group of four
    columns (of two, where elements have 32 bits) keeps two values (one) and has
    four bits, the group with the lowest columns in the lowest bits of a row's first
    element. Of these the lower two are the place of the first value, the upper two
    that of the second, which is the larger. Places in groups of two are counted in
    halves: 0b0100 is the first element, 0b1110 the second.

    Constraints:
    - gemm-1: A, B and C are rank 2 with static shapes.
    - gemm-2: K of A equals K of B, or half of it with `metadata`; M and N are C's.
    - gemm-3: A and B are in shared memory or fragments; C is a fragment, or in
      tensor memory under a plan by tcgen05 (or none).
    - gemm-4: element types are one of: f16 x f16 or bf16 x bf16 into f32 (f16
      also into f16), f32 x f32 into f32, f64 into f64, i8 x i8 into i32, fp8 x fp8
      into f32 or f16.
    - gemm-5: `precision` is stated for f32 only; signedness for i8 only.
    - gemm-6: C is neither A nor B.
    - gemm-7: `promote_every` is positive, of fp8 operands into f32 only.
    - gemm-8: `accumulate(...)` goes with a plan by wgmma, without `clear` and
      `promote_every`.
    - gemm-9: `metadata` is a buffer of its own in shared memory or a fragment, of
      integers of 8, 16 or 32 bits, with M rows (columns under
      `transpose_metadata`) of four bits for each group; elements of A have 8, 16
      or 32 bits, and f32 is multiplied in tf32.
    - gemm-10: `transpose_metadata` goes with `metadata`; a plan by an instruction
      for sparse operands goes with `metadata`, every other plan without.

    A gemm that returns a token is asynchronous: C, A and B in fragments may not
    be touched, and operands in shared memory not be written, until a
    `tile.await` of the token; other gemms may accumulate into the same C.
    `metadata` in a fragment has been read when the gemm has been issued.
    `promote_every = n` adds partial sums of n elements of K to C in full f32:
    fp8 instructions accumulate with fewer bits.

    ```mlir
    tile.gemm %As, %Bs, %acc {policy = #tile.warp_policy<square>}
        : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    tile.gemm %kept, %Bs, %acc metadata(%e : memref<128x4xi16, #shared>)
        : memref<128x32xf16, #shared>, memref<64x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
    ```
  }], GemmAttributes);
  let arguments = (ins Arg<AnyMemRef, "">:$a, Arg<AnyMemRef, "">:$b, Arg<AnyMemRef, "">:$c,
    Optional<I1>:$accumulate, Arg<Optional<AnyMemRef>, "">:$metadata,
    UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$transpose_metadata, UnitAttr:$clear,
    DefaultValuedAttr<Tile_WarpPolicyAttr, "::mlir::tile::WarpPolicy::Square">:$policy,
    OptionalAttr<Tile_PrecisionAttr>:$precision,
    UnitAttr:$unsigned_a, UnitAttr:$unsigned_b,
    OptionalAttr<I64Attr>:$promote_every,
    OptionalAttr<Tile_MmaPlanAttr>:$plan);
  let results = (outs Optional<Tile_TokenType>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`accumulate` `(` $accumulate^ `)`)?
    (`metadata` `(` $metadata^ `:` type($metadata) `)`)? attr-dict
    `:` type($a) `,` type($b) `,` type($c) (`->` type($token)^)?
  }];
  let extraClassDeclaration = [{
    bool isAsync() { return static_cast<bool>(getToken()); }
    ::std::optional<ReduceKind> getAccumulation(::mlir::Value buffer);
    int64_t getM();
    int64_t getN();
    /// Of the product: A has half as many columns where it is sparse.
    int64_t getK();
    bool isSparse() { return static_cast<bool>(getMetadata()); }
  }];
}

def Tile_ReduceOp : Tile_TileOp<"reduce"> {
  let summary = "combines the elements along one dimension";
  let description = !strconcat([{
    `target` has the source's shape without dimension `dim`, or with extent 1
    there. Without `accumulate` the target is overwritten; with it, the result
    is combined with what the target holds. `max`, `min` and `absmax` ignore NaN
    operands unless `propagate_nan`. Integers are signed unless `is_unsigned`.

    Constraints:
    - reduce-1: source and target are fragments or shared tiles of one element type.
    - reduce-2: `dim` is a dimension of the source.
    - reduce-3: the target's shape is the source's without (or with one in) `dim`.
    - reduce-4: `propagate_nan` on floats, `is_unsigned` on integers.
    - reduce-5: `bitand`, `bitor` and `bitxor` on integers.

    ```mlir
    tile.reduce max %scores to %rowmax dim(1) accumulate
        : memref<64x64xf32, #tile.fragment> to memref<64xf32, #tile.fragment>
    ```
  }], ReduceAttributes);
  let arguments = (ins Tile_ReduceKindAttr:$kind, Arg<AnyMemRef, "">:$source,
    Arg<AnyMemRef, "">:$target, I64Attr:$dim, UnitAttr:$accumulate,
    UnitAttr:$propagate_nan, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    custom<Keyword>($kind) $source `to` $target `dim` `(` $dim `)` (`accumulate` $accumulate^)?
    attr-dict `:` type($source) `to` type($target)
  }];
  let extraClassDeclaration = [{
    ::std::optional<ReduceKind> getAccumulation(::mlir::Value buffer);
  }];
}

def Tile_ScanOp : Tile_TileOp<"scan"> {
  let summary = "combines each element with those before it along one dimension";
  let description = !strconcat([{
    target[..., i, ...] is the combination of source[..., 0, ...] to
    source[..., i, ...] along `dim`, both included; with `reverse`, of
    source[..., i, ...] to the last one. The target may be the source. Floats
    narrower than 32 bits are combined in f32, and each result is rounded once.
    `max` and `min` ignore NaN operands unless `propagate_nan`. Integers are
    signed unless `is_unsigned`.

    Constraints:
    - scan-1: source and target are fragments or shared tiles of one shape,
      static, and one element type, of 8 bits or more.
    - scan-2: `dim` is a dimension of them.
    - scan-3: the kind is `sum`, `max` or `min`.
    - scan-4: `propagate_nan` on floats, `is_unsigned` on integers.
    - scan-5: `layout` as copy-8.

    ```mlir
    tile.scan sum %x to %x dim(1) reverse
        : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
    ```
  }], ScanAttributes);
  let arguments = (ins Tile_ReduceKindAttr:$kind, Arg<AnyMemRef, "">:$source,
    Arg<AnyMemRef, "">:$target, I64Attr:$dim, UnitAttr:$reverse,
    UnitAttr:$propagate_nan, UnitAttr:$is_unsigned,
    OptionalAttr<Tile_FragmentLayoutAttr>:$layout);
  let assemblyFormat = [{
    custom<Keyword>($kind) $source `to` $target `dim` `(` $dim `)` (`reverse` $reverse^)?
    attr-dict `:` type($source) `to` type($target)
  }];
}

def Tile_ClusterReduceOp : Tile_TileOp<"cluster_reduce"> {
  let summary = "combines a fragment over blocks of a cluster, into the last one";
  let description = !strconcat([{
    The `blocks` of a cluster whose ranks are `stride` apart, first, first +
    stride, ..., hold a fragment each. Afterwards the last of them holds the
    combination of all, taken in the order of their ranks, so that the result
    does not depend on timing; the others' contents are undefined. Floats
    narrower than 32 bits are combined in f32 and rounded once. All blocks of a
    cluster run the operation equally often. `max` and `min` ignore NaN operands.

    Constraints:
    - cluster_reduce-1: the target is a fragment of numbers of static shape, of
      32 or 64 bits an element, or narrower floats or integers.
    - cluster_reduce-2: the kind is `sum`, `max` or `min`; `is_unsigned` on
      integers.
    - cluster_reduce-3: `blocks` is 2 or more, `stride` 1 or more, and
      `blocks` * `stride` divides the size of the kernel's cluster.

    ```mlir
    tile.cluster_reduce sum %acc blocks(4) stride(1) : memref<64x128xf32, #tile.fragment>
    ```
  }], ClusterReduceAttributes);
  let arguments = (ins Tile_ReduceKindAttr:$kind, Arg<AnyMemRef, "">:$target,
    I64Attr:$blocks, I64Attr:$stride, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    custom<Keyword>($kind) $target `blocks` `(` $blocks `)` `stride` `(` $stride `)`
    attr-dict `:` type($target)
  }];
}

#endif // TILE_MATH_OPS_TD
