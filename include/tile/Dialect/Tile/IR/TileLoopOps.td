//===- TileLoopOps.td - parallel, pipelined, yield --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_LOOP_OPS_TD
#define TILE_LOOP_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_ParallelOp : Tile_TileOp<"parallel", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursivelySpeculatable, AffineScope,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "runs a scalar body for each element of a tile, in any order";
  let description = !strconcat(ParallelSyntax, [{
    The body is scalar code: `memref.load`/`memref.store` with affine or other
    indices, `memref.atomic_rmw`, arith, math, `scf.if`/`scf.for` over scalars.
    Two iterations that write one element are an error unless by an atomic. An
    element outside of a tile in shared memory reads as zero and is not written
    (`--tile-guard-accesses`); a constant index outside is an error, unless it
    stands in a branch. `tile-run` on the CPU, which checks accesses, says where
    such an index is and ends. Global memory is the program's own business, and Python
    guards it.

    Constraints:
    - parallel-1: one index per extent, rank at least 1, extents not negative,
      their product at most 2^24.
    - parallel-2: no tile operation inside but `assert`, `assume` and the `print`
      of a scalar; every other operation is pure or accesses memrefs.
    - parallel-3: `layout` has the loop's shape and the kernel's thread count.
    - parallel-4: a store that runs in every iteration uses, in its indices, every
      loop index of extent above one (local memory excepted). Updates need not,
      stores of what is made of the element's value before: several iterations
      may make one element's sum or maximum, and other updates of one element
      happen in the order of the indices (`tile-run --check`, which runs loops the
      other way round, too, takes those for dependences).
    - parallel-5: `coalesced_width` is a positive power of two.
    - parallel-6: open extents, only in a kernel with tunables, have an operand
      each.

    Canonicalization erases a loop with an extent of zero.

    ```mlir
    tile.parallel (%i, %j) in (128, 128) {
      %x = memref.load %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
      %y = arith.maximumf %x, %zero : f32
      memref.store %y, %acc[%i, %j] : memref<128x128xf32, #tile.fragment>
    }
    ```
  }], ParallelAttributes);
  let arguments = (ins Variadic<Index>:$dynamic_extents,
                       DenseI64ArrayAttr:$extents,
                       OptionalAttr<Tile_FragmentLayoutAttr>:$layout,
                       OptionalAttr<I64Attr>:$coalesced_width);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizeMethod = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$extents,
    CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>", "nullptr">:$bodyBuilder)>];
}

def Tile_PipelinedOp : Tile_Op<"pipelined", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects, AffineScope,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, [
      "getLoopInductionVars", "getLoopLowerBounds", "getLoopSteps",
      "getLoopUpperBounds"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a loop whose copies may run ahead of its arithmetic";
  let description = !strconcat(PipelinedSyntax, [{
    Means exactly what the sequential loop means; `stages` is how many
    iterations' buffers may be alive at once (1: no overlap). Any trip count
    works. The pass `tile-pipeline` turns it into ring operations when the
    dependences allow it, and says why when they do not. Around `tile.on_warps`,
    where the program says which warps copy ahead, `stages` are slots of the
    tiles and barriers that the loop uses (`tile-form-roles`).

    Constraints:
    - pipelined-1: `stages` is at least 1 and at most 64.
    - pipelined-2: a constant step is positive.
    - pipelined-3: stages that are a value stand only in a kernel with tunables;
      the attribute is 1 then.

    Canonicalization erases a loop of constant bounds that runs no iteration.

    ```mlir
    tile.pipelined %k = %c0 to %c4096 step %c32 stages(3) {
    }
    ```
  }], PipelinedAttributes);
  let arguments = (ins Index:$lower_bound, Index:$upper_bound, Index:$step,
                       Optional<Index>:$open_stages, I64Attr:$stages);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVariable() { return getBody().getArgument(0); }
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["ParallelOp", "PipelinedOp", "ReduceWithOp", "ScanWithOp"]>]> {
  let summary = "ends the body of a tile loop, or gives a combination";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins)>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // TILE_LOOP_OPS_TD
