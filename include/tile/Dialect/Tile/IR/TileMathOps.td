//===- TileMathOps.td - gemm, reduce, scan, sort -----------*- tablegen -*-===//
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
    Whether all, or any, elements of type i1 are true is their `bitand`, or
    `bitor`. `tile.reduce_with` combines in ways that have no name here.

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
    source[..., i, ...] to the last one. With `exclusive` element i itself does not
    take part: the first result is then what changes nothing (0 of a sum). The
    target may be the source. Floats narrower than 32 bits are combined in f32, and
    each result is rounded once. `max` and `min` ignore NaN operands unless
    `propagate_nan`. Integers are signed unless `is_unsigned`.

    `carry` is for rows that are scanned piece by piece: it holds, for each row, the
    combination of all pieces before. It takes part in every result, and holds the
    combination of this piece, too, afterwards.

    Constraints:
    - scan-1: source and target are fragments or shared tiles of one shape,
      static, and one element type, of 8 bits or more.
    - scan-2: `dim` is a dimension of them.
    - scan-3: the kind is `sum`, `prod`, `max` or `min`.
    - scan-4: `propagate_nan` on floats, `is_unsigned` on integers.
    - scan-5: `layout` as copy-8.
    - scan-6: `carry` is a fragment or shared tile of the source's element type, of
      its shape without dimension `dim` (or with extent one there), and is neither
      source nor target.

    ```mlir
    tile.scan sum %x to %x dim(1) reverse
        : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
    tile.scan sum %x to %y dim(1) exclusive carry(%sofar : memref<64xf32, #tile.fragment>)
        : memref<64x64xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
    ```
  }], ScanAttributes);
  let arguments = (ins Tile_ReduceKindAttr:$kind, Arg<AnyMemRef, "">:$source,
    Arg<AnyMemRef, "">:$target, Arg<Optional<AnyMemRef>, "">:$carry,
    I64Attr:$dim, UnitAttr:$reverse, UnitAttr:$exclusive,
    UnitAttr:$propagate_nan, UnitAttr:$is_unsigned,
    OptionalAttr<Tile_FragmentLayoutAttr>:$layout);
  let assemblyFormat = [{
    custom<Keyword>($kind) $source `to` $target `dim` `(` $dim `)` (`reverse` $reverse^)?
    (`exclusive` $exclusive^)? (`carry` `(` $carry^ `:` type($carry) `)`)?
    attr-dict `:` type($source) `to` type($target)
  }];
}

/// Reductions and scans that a region combines.
class Tile_CombinerOp<string mnemonic, list<Trait> traits = []>
    : Tile_TileOp<mnemonic, !listconcat([
        AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">,
        RecursivelySpeculatable], traits)> {
  let regions = (region SizedRegion<1>:$combiner);
  let hasRegionVerifier = 1;
}

def Tile_ReduceWithOp : Tile_CombinerOp<"reduce_with"> {
  let summary = "combines the elements along one dimension by a region";
  let description = !strconcat([{
    As `tile.reduce`, but the region says how elements are combined, and elements of
    several tiles of one shape are combined together: a value and where it stands, a
    mean and the squares around it. The region's arguments are two tuples, first the
    elements of one, then those of the other; it yields their combination. Each
    argument has the type of its `neutral` value, in which results stay until they
    are rounded to the elements' type, once: that type, or f32 for narrower floats.

    A combination has to be associative and commutative, up to rounding: in which
    order elements are combined is decided by the layouts. It is the same in every
    run, and every thread that holds a result holds the same bits. The `neutral`
    values are a tuple that changes none that it is combined with; they may be
    combined any number of times.

    Constraints:
    - reduce_with-1: sources are fragments or shared tiles of one static shape, and
      there is a target and a neutral value for each; target i has the element type
      of source i.
    - reduce_with-2: `dim` is a dimension of the sources.
    - reduce_with-3: the targets' shape is the sources' without (or with one in)
      `dim`. No buffer is a target twice, or both source and target.
    - reduce_with-4: neutral values have the element types of the sources, or f32
      where those are narrower floats; the region takes and yields tuples of them.
    - reduce_with-5: the region computes scalars only: its operations are pure.
    - reduce_with-6: `layout` as copy-8.

    The largest value of each row, and the first place where it stands:

    ```mlir
    tile.reduce_with (%x, %column) to (%best, %where) dim(1) neutral(%lowest, %none : f32, i32)
        : (memref<64x64xf32, #tile.fragment>, memref<64x64xi32, #tile.fragment>)
        to (memref<64xf32, #tile.fragment>, memref<64xi32, #tile.fragment>) {
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %greater = arith.cmpf ogt, %a, %b : f32
      %equal = arith.cmpf oeq, %a, %b : f32
      %before = arith.cmpi slt, %i, %j : i32
      %first = arith.andi %equal, %before : i1
      %take = arith.ori %greater, %first : i1
      %value = arith.select %take, %a, %b : f32
      %place = arith.select %take, %i, %j : i32
      tile.yield %value, %place : f32, i32
    }
    ```
  }], ReduceWithAttributes);
  let arguments = (ins Arg<Variadic<AnyMemRef>, "">:$sources,
    Arg<Variadic<AnyMemRef>, "">:$targets, Variadic<AnyType>:$neutral,
    I64Attr:$dim, UnitAttr:$accumulate,
    OptionalAttr<Tile_FragmentLayoutAttr>:$layout);
  let assemblyFormat = [{
    `(` $sources `)` `to` `(` $targets `)` `dim` `(` $dim `)`
    `neutral` `(` $neutral `:` type($neutral) `)` (`accumulate` $accumulate^)?
    attr-dict `:` `(` type($sources) `)` `to` `(` type($targets) `)` $combiner
  }];
}

def Tile_ScanWithOp : Tile_CombinerOp<"scan_with"> {
  let summary = "combines each element with those before it by a region";
  let description = !strconcat([{
    As `tile.scan`, but the region says how elements are combined, and elements of
    several tiles of one shape are combined together, as in `tile.reduce_with`:
    segments that begin anew, products of 2 x 2 matrices, y = a x + b. The first
    tuple of the region's arguments combines elements that stand before those of the
    second one (with `reverse`: after them). A combination has to be associative, up
    to rounding, and need not be commutative. The targets may be the sources.

    Constraints:
    - scan_with-1: sources and targets are fragments or shared tiles of one static
      shape, as many of them as neutral values; target i has the element type of
      source i, of 8 bits or more.
    - scan_with-2: `dim` is a dimension of them.
    - scan_with-3: no buffer is a target twice; a source that is a target is its own.
    - scan_with-4: neutral values and the region as in reduce_with-4.
    - scan_with-5: the region computes scalars only: its operations are pure.
    - scan_with-6: `layout` as copy-8.
    - scan_with-7: none or as many carries as sources, each as in scan-6, all of
      one rank; no buffer is a carry twice.

    ```mlir
    tile.scan_with (%a, %b) to (%a, %b) dim(1) neutral(%one, %zero : f32, f32)
        : (memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.fragment>)
        to (memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.fragment>) {
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %both = arith.mulf %a0, %a1 : f32
      %moved = math.fma %a1, %b0, %b1 : f32
      tile.yield %both, %moved : f32, f32
    }
    ```
  }], ScanWithAttributes);
  let arguments = (ins Arg<Variadic<AnyMemRef>, "">:$sources,
    Arg<Variadic<AnyMemRef>, "">:$targets, Variadic<AnyType>:$neutral,
    Arg<Variadic<AnyMemRef>, "">:$carries,
    I64Attr:$dim, UnitAttr:$reverse, UnitAttr:$exclusive,
    OptionalAttr<Tile_FragmentLayoutAttr>:$layout);
  let assemblyFormat = [{
    `(` $sources `)` `to` `(` $targets `)` `dim` `(` $dim `)`
    `neutral` `(` $neutral `:` type($neutral) `)` (`reverse` $reverse^)?
    (`exclusive` $exclusive^)? (`carry` `(` $carries^ `:` type($carries) `)`)?
    attr-dict `:` `(` type($sources) `)` `to` `(` type($targets) `)` $combiner
  }];
}

def Tile_SortOp : Tile_TileOp<"sort"> {
  let summary = "sorts rows in place";
  let description = !strconcat([{
    Puts the keys along dimension `dim` into increasing order (decreasing with
    `descending`), each row by itself. Payloads move with their keys. Equal keys keep
    their order (the sort is stable, descending ones, too). Integers are signed
    unless `is_unsigned`. Floats: -0 is less than +0, every NaN is greater than any
    number, NaNs are equal and come out as the quiet NaN.

    `tile-expand-operations` makes of it a bitonic network (Batcher, "Sorting networks
    and their applications", 1968) over shared memory, whose steps take eight elements
    at a time into registers. It takes the bytes of rows, extended to a power of two,
    of a key and, with payloads, its place. A row of 4,096 takes 30 such steps.

    Constraints:
    - sort-1: keys and payloads are fragments or shared tiles of one static shape; keys
      are integers or floats of 8, 16, 32 or 64 bits, elements of payloads have 8
      bits or more.
    - sort-2: `dim` is a dimension of them, of at most 65,536 elements.
    - sort-3: no buffer stands twice.
    - sort-4: `is_unsigned` on integers.

    ```mlir
    tile.sort %keys, %payload dim(1) descending
        : memref<4x1024xf32, #tile.fragment>, memref<4x1024xi32, #tile.fragment>
    ```
  }], SortAttributes);
  let arguments = (ins Arg<AnyMemRef, "">:$keys, Arg<Variadic<AnyMemRef>, "">:$payloads,
    I64Attr:$dim, UnitAttr:$descending, UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    $keys (`,` $payloads^)? `dim` `(` $dim `)` (`descending` $descending^)?
    attr-dict `:` type($keys) (`,` type($payloads)^)?
  }];
}

def Tile_TopKOp : Tile_TileOp<"topk"> {
  let summary = "the largest elements of rows, and where they stand";
  let description = !strconcat([{
    `values` gets the k largest elements along dimension `dim` in decreasing order
    (with `smallest`, the k smallest in increasing order), `places` their indices
    there; k is the targets' extent in `dim`. Of equal elements the first come first.
    Integers and floats are ordered as in `tile.sort`: NaN counts as the greatest.

    `tile-expand-operations` makes of it k reductions where k is at most 8 and a key
    fits 64 bits together with its place. Elsewhere it sorts runs of k elements and
    drops the greater half of each two.

    Constraints:
    - topk-1: source, values and places are fragments or shared tiles of static shapes;
      values have the source's element type, integers or floats of 8, 16, 32 or 64
      bits, places have elements of i32 or i64.
    - topk-2: `dim` is a dimension of the source, of at most 65,536 elements.
    - topk-3: the targets' shape is the source's but for `dim`, where it is 1 or more
      and at most the source's extent.
    - topk-4: source, values and places are three buffers.
    - topk-5: `is_unsigned` on integers.

    ```mlir
    tile.topk %logits to %values, %experts dim(1)
        : memref<16x64xf32, #tile.fragment> to memref<16x6xf32, #tile.fragment>, memref<16x6xi32, #tile.fragment>
    ```
  }], TopKAttributes);
  let arguments = (ins Arg<AnyMemRef, "">:$source, Arg<AnyMemRef, "">:$values,
    Arg<AnyMemRef, "">:$places, I64Attr:$dim, UnitAttr:$smallest,
    UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    $source `to` $values `,` $places `dim` `(` $dim `)` (`smallest` $smallest^)?
    attr-dict `:` type($source) `to` type($values) `,` type($places)
  }];
}

def Tile_ClusterReduceOp : Tile_TileOp<"cluster_reduce"> {
  let summary = "combines a fragment over blocks of a cluster, into the last one or a part into each";
  let description = !strconcat([{
    The `blocks` of a cluster whose ranks are `stride` apart, first, first +
    stride, ..., hold a fragment each. Afterwards the last of them holds the
    combination of all, taken in the order of their ranks, so that the result
    does not depend on timing; the others' contents are undefined. Floats
    narrower than 32 bits are combined in f32 and rounded once. All blocks of a
    cluster run the operation equally often. `max` and `min` ignore NaN operands.

    With `parts(D)` the combination is shared out: dimension D is divided into
    as many parts as there are blocks, and `tile.cluster_parts` says which of
    them a block finishes. Only `tile.cluster_part` reads the fragment then.
    What belongs to a part is taken in the order of ranks from the block that
    finishes it on, around the end.

    Constraints:
    - cluster_reduce-1: the target is a fragment of numbers of static shape, of
      32 or 64 bits an element, or narrower floats or integers.
    - cluster_reduce-2: the kind is `sum`, `max` or `min`; `is_unsigned` on
      integers.
    - cluster_reduce-3: `blocks` is 2 or more, `stride` 1 or more, and
      `blocks` * `stride` divides the size of the kernel's cluster.
    - cluster_reduce-4: `parts` names a dimension of the target, whose extent
      `blocks` divides.
    - cluster_reduce-5: with `parts`, on a GPU, each thread holds equal shares
      of all parts.

    ```mlir
    tile.cluster_reduce sum %acc blocks(4) stride(1) : memref<64x128xf32, #tile.fragment>
    tile.cluster_reduce sum %acc blocks(2) stride(1) parts(1) : memref<64x128xf32, #tile.fragment>
    ```
  }], ClusterReduceAttributes);
  let arguments = (ins Tile_ReduceKindAttr:$kind, Arg<AnyMemRef, "">:$target,
    I64Attr:$blocks, I64Attr:$stride, OptionalAttr<I64Attr>:$parts,
    UnitAttr:$is_unsigned);
  let assemblyFormat = [{
    custom<Keyword>($kind) $target `blocks` `(` $blocks `)` `stride` `(` $stride `)`
    (`parts` `(` $parts^ `)`)? attr-dict `:` type($target)
  }];
}

def Tile_ClusterPartsOp : Tile_Op<"cluster_parts", [Pure]> {
  let summary = "which parts of shared-out results this block finishes";
  let description = !strconcat([{
    Of the parts that `tile.cluster_reduce ... parts` shares out among `blocks`
    blocks, those from the first result on, up to the second one, are this
    block's. Each part is one block's. On a GPU, where the blocks of a cluster
    run at the same time, that is the part of the block's own place among them;
    where they run one after the other, all parts are the last one's.

    Constraints:
    - cluster_parts-1: `blocks` is 2 or more, `stride` 1 or more, and
      `blocks` * `stride` divides the size of the kernel's cluster.

    ```mlir
    %first, %end = tile.cluster_parts blocks(2) stride(1)
    scf.for %p = %first to %end step %c1 { ... }
    ```
  }], ClusterPartsAttributes);
  let arguments = (ins I64Attr:$blocks, I64Attr:$stride);
  let results = (outs Index:$first, Index:$end);
  let assemblyFormat = "`blocks` `(` $blocks `)` `stride` `(` $stride `)` attr-dict";
  let hasVerifier = 1;
}

def Tile_ClusterPartOp : Tile_TileOp<"cluster_part"> {
  let summary = "copies a part of a shared-out result";
  let description = !strconcat([{
    Part `part` of what `tile.cluster_reduce ... parts` has combined in `source`,
    into a fragment of its own. `part` is one that `tile.cluster_parts` gives to
    this block.

    Constraints:
    - cluster_part-1: both sides are fragments of the same rank and element type;
      the target has a part of the source along one dimension, and all of it
      along the others.
    - cluster_part-2: on a GPU each thread holds the same elements of a part as
      of the source.

    ```mlir
    tile.cluster_part %acc[%p] to %half : memref<64x128xf32, #tile.fragment> to memref<64x64xf32, #tile.fragment>
    ```
  }], ClusterPartAttributes);
  let arguments = (ins Arg<AnyMemRef, "">:$source, Index:$part,
    Arg<AnyMemRef, "">:$target);
  let assemblyFormat = [{
    $source `[` $part `]` `to` $target attr-dict `:` type($source) `to` type($target)
  }];
  let extraClassDeclaration = [{
    /// The dimension that is divided; none where both shapes are the same.
    std::optional<unsigned> getDividedDim();
  }];
}

#endif // TILE_MATH_OPS_TD
