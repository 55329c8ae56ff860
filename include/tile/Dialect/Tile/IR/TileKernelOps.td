//===- TileKernelOps.td - kernel, alloc, return -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_KERNEL_OPS_TD
#define TILE_KERNEL_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    IsolatedFromAbove, Symbol, HasParent<"::mlir::ModuleOp">, SingleBlockImplicitTerminator<"ReturnOp">,
    AutomaticAllocationScope, AffineScope, DeclareOpInterfaceMethods<TileAgentsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "the program of one thread block";
  let description = !strconcat(KernelSyntax, [{
    The body runs once per block of the grid. Block arguments are the kernel's
    arguments followed by the block indices, one per grid dimension. Grid
    extents are expressions over `dim(%arg, d)` and integer scalar arguments, so
    that a launcher can compute them; an empty grid runs nothing.

    Constraints:
    - kernel-1: the grid has 1 to 3 dimensions.
    - kernel-2: `threads` is a multiple of 32 in [32, 1024].
    - kernel-3: arguments are memrefs in global memory with strided layouts
      without offset, or scalars (index, integers, floats).
    - kernel-4: grid operands name a dimension of a memref argument or an
      integer or index scalar argument, or a tunable (-2 in place of a
      dimension).
    - kernel-5: `cluster` has as many extents as the grid, each positive, their
      product at most 16. Where clusters do not divide the grid, the outer ones
      have blocks beyond it: these meet the others, copy and combine with them
      (a `tile.cluster_reduce` may leave its result to one of them), and what
      they write to global memory, print, assert or count is dropped.
    - kernel-6: argument attributes: `tile.alignment` is a power of two in
      bytes, at most 2^20, on a memref; `tile.may_alias` is a unit attribute on a memref;
      `tile.shape_hint` gives the sizes to choose tunables for, one positive
      number per dimension (those of static dimensions are theirs), or the value
      of an integer scalar; a list of them is of several problems. It promises
      nothing.
    - kernel-7: a constant grid extent is not negative.
    - kernel-8: `panel`, the rows of a panel of the rasterized grid, is positive
      and the grid has two dimensions or more. Blocks are then launched panel by
      panel, down the rows of a panel first, so that blocks which run together
      share operands in the L2 cache.
    - kernel-8: grid extents divide by positive constants and tunables only.
    - kernel-11: `persistent`, the most blocks that a multiprocessor is given,
      is 1 to 32. Each block then works off a range of the grid
      (`tile.block_range`); only as many blocks as fit the device are launched.

    - kernel-12: `split`, the blocks of a cluster that share the range of the
      kernel's pipelined loop, is at least 2, and at most 16 together with
      `cluster`. Each runs a part of the iterations; what they accumulate is
      combined in a fixed order (`--tile-split-reduction`).
    - kernel-18: `stream_k`, the parts that the range of a tile's pipelined loop
      is divided into, is 2 to 1024, with `persistent` and without `split`. Tiles
      that are left when all blocks have as many are shared by several blocks
      each; what these have accumulated is combined in a fixed order
      (`--tile-stream-reduction`).
    - kernel-13: tunables have names of their own, not empty and not an
      argument's, and 1 to 64 distinct values in [0, 65536]; there are at most
      4096 combinations, unless `tile.versions` lists those to try.
    - kernel-14: `tuned` names a kernel's integer attribute once, with one
      expression of the tunables (`cluster`: one per dimension).
    - kernel-15: attributes that are tuned stand at their values for the first
      value of every tunable.
    - kernel-16: what is no tile operation is one of arith, math, scf, cf,
      affine or vector, and reaches memory by `memref.load`, `memref.store`,
      `memref.atomic_rmw`, `affine.load` and `affine.store` only. Buffers are
      asked for by `memref.dim`, `memref.rank` and
      `memref.extract_strided_metadata`, and viewed by `memref.subview`,
      `memref.cast` and `memref.memory_space_cast`. A kernel calls nothing: a
      function, an address or inline assembly of another dialect could do
      anything. Tables are read by `memref.get_global`, on the CPU only; beside
      kernels a module holds nothing but such constant `memref.global`s.
    - kernel-17: at most 256 regions stand one in another. Passes walk them
      recursively.

    `specialize` says whether warps are divided into roles: wanted (true), which is
    an error where it is not possible, forbidden (false), or the compiler's choice
    (absent; or that of `--tile-pipeline=roles=on|off`). `pairs` says the same of
    gemms that two blocks of a cluster multiply together.

    - kernel-9: argument names are distinct and not empty.
    - kernel-10: code outside `tile.parallel` is block-uniform: it does not ask
      which thread runs it, exchanges nothing between threads, and does not load
      or store single elements of fragments or local memory.

    *Tunables* leave tile sizes, stages, threads, clusters and order open: block
    arguments behind the block indices, each with the values it may have. They
    may be used like any index, in grid extents, `threads`, `cluster`, the
    attributes in `tuned(...)` (where 0 leaves an optional attribute out),
    extents of `tile.alloc` and `tile.parallel`, and stages of
    `tile.pipelined`. A tile whose extents are open has dynamic ones in its
    type. `--tile-choose-tunables` replaces every tunable by a constant; no
    later pass takes a kernel that has any.

    ```mlir
    tile.kernel @gemm(%A: memref<?x?xf16>) tunable(%bm in [64, 128], %s in [3, 4])
        grid(%bx) = (dim(%A, 0) ceildiv %bm) threads(%bm * 2) tuned(persistent = 1) {
      %As = tile.alloc(%bm) : memref<?x64xf16, #shared>
      tile.pipelined %k = %c0 to %K step %c64 stages(%s) {
      }
    }
    ```

    ```mlir
    tile.kernel @scale(%A: memref<?x4096xf32>, %s: f32)
        grid(%bx, %by) = (4096 ceildiv 128, dim(%A, 0) ceildiv 64) threads(128) {
      tile.return
    }
    ```
  }], KernelAttributes);
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$arg_types,
                       StrArrayAttr:$arg_names, DictArrayAttr:$arg_attrs,
                       AffineMapAttr:$grid, DenseI64ArrayAttr:$grid_operands,
                       I64Attr:$threads, OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       OptionalAttr<I64Attr>:$panel,
                       OptionalAttr<I64Attr>:$persistent,
                       OptionalAttr<BoolAttr>:$specialize,
                       OptionalAttr<BoolAttr>:$pairs,
                       OptionalAttr<I64Attr>:$split,
                       OptionalAttr<I64Attr>:$stream_k,
                       OptionalAttr<Tile_TunableArrayAttr>:$tunables,
                       OptionalAttr<Tile_TunedArrayAttr>:$tuned);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumKernelArguments() { return getArgTypes().size(); }
    unsigned getGridRank() { return getGrid().getNumResults(); }
    ::mlir::BlockArgument getKernelArgument(unsigned i) { return getBody().getArgument(i); }
    ::mlir::BlockArgument getBlockId(unsigned i) {
      return getBody().getArgument(getNumKernelArguments() + i);
    }
    /// What the kernel leaves open; behind the block indices.
    unsigned getNumTunables() { return getTunables() ? getTunables()->size() : 0; }
    ::mlir::tile::TunableAttr getTunable(unsigned i) {
      return ::llvm::cast<::mlir::tile::TunableAttr>((*getTunables())[i]);
    }
    ::mlir::BlockArgument getTunableArgument(unsigned i) {
      return getBody().getArgument(getNumKernelArguments() + getGridRank() + i);
    }
    /// Marks a tunable among `grid_operands`, in place of a dimension.
    static constexpr int64_t kTunableOperand = -2;
    /// Byte alignment promised for a memref argument (`tile.alignment`, else the
    /// element's own size).
    int64_t getArgumentAlignment(unsigned i);
    bool mayAlias(unsigned i);
    int64_t getNumWarps() { return getThreads() / 32; }
    /// Blocks of a cluster; 1 without clusters.
    int64_t getClusterSize();
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "ends a kernel";
  let assemblyFormat = "attr-dict";
}

def Tile_AllocOp : Tile_Op<"alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TileStorageOpInterface, ["getTileTypes", "getSharedLayouts"]>]> {
  let summary = "a tile in shared memory, a fragment, or thread-local memory";
  let description = !strconcat([{
    The contents are undefined until written. `layout` is absent until layout
    inference, or states a choice inference must respect.

    Constraints:
    - alloc-1: the type has a static shape and no layout map; in a kernel with
      tunables extents may be dynamic, and each has an operand.
    - alloc-2: the memory space is shared, `#tile.fragment`, `#tile.local` or `#tile.tmem`.
    - alloc-3: the layout has the type's shape, and its kind fits the space.
    - alloc-4: a shared layout is injective, and its element width is the type's.
    - alloc-5: a fragment layout's thread count is the kernel's.
    - alloc-6: the element type is one the dialect stores.
    - alloc-7: extents are positive and their product is at most 2^24.

    ```mlir
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    %open = tile.alloc(%bm) : memref<?x128xf32, #tile.fragment>
    ```
  }], AllocAttributes);
  let arguments = (ins Variadic<Index>:$dynamic_extents,
                       OptionalAttr<AnyAttrOf<[Tile_FragmentLayoutAttr, Tile_SharedLayoutAttr]>>:$layout);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    (`(` $dynamic_extents^ `)`)? (`layout` `(` $layout^ `)`)? attr-dict `:` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "::mlir::Attribute":$layout), [{
    build($_builder, $_state, type, ::mlir::ValueRange(), layout);
  }]>];
  let hasVerifier = 1;
}

def Tile_ViewOp : Tile_Op<"view", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "the same memory, with another shape or element type";
  let description = [{
    The result is the source's memory: what is written through one is read
    through the other. Elements are counted in row-major order, or, where the
    element type changes, bytes are. Where a tile lies in shared memory, and who
    holds which element of a fragment, is chosen so that both are layouts of one
    place; where no layout that deals a fragment's elements out has both shapes,
    every thread holds the whole fragment. A shared tile with a view does not
    become slots of a ring.

    Constraints:
    - view-1: source and result are memrefs of one memory space, global, shared
      or `#tile.fragment`, without layout maps, and the source is no slot of a
      ring. Extents are static, but in global memory the first one, which in
      the result takes what is left.
    - view-2: they have equally many bits, as far as extents are static.
    - view-3: a fragment keeps its element type; other element types change
      between those of 8 bits or more.

    ```mlir
    %rows = tile.view %flat : memref<4096xf32, #shared> to memref<64x64xf32, #shared>
    %heads = tile.view %s : memref<64x128xf32, #tile.fragment> to memref<64x4x32xf32, #tile.fragment>
    ```
  }];
  let arguments = (ins AnyMemRef:$source);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_FromAddressOp : Tile_Op<"from_address", [Pure]> {
  let summary = "the global memory that begins at an address";
  let description = [{
    A buffer whose first element lies at `address`, which the program has from a
    table of addresses. Elements lie in row-major order; dynamic extents have an
    operand each.

    The program promises that the memory is as large as the type says, that the
    address is a multiple of `tile.alignment` bytes (an element's without), and
    that it overlaps no argument of the kernel that is not `may_alias`, and
    nothing whose address another argument holds, unless both arguments are
    `may_alias`. Tensor copies are made of arguments only.

    Constraints:
    - from-address-1: the result is a memref of global memory without a layout
      map, of elements of whole bytes.
    - from-address-2: an operand for each dynamic extent.

    ```mlir
    %B = tile.from_address %address : memref<64x64xf16>
    %A = tile.from_address %address(%m) {tile.alignment = 16} : memref<?x64xf16>
    ```
  }];
  let arguments = (ins I64:$address, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$address (`(` $sizes^ `)`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_WorkspaceOp : Tile_Op<"workspace", [Pure]> {
  let summary = "global memory of a launch, which all of its blocks share";
  let description = [{
    Memory that the launcher provides, beside the kernel's arguments: `per_block`
    entries for each block that is launched, entries being the first dimension.
    Launches that run at the same time have memory of their own.

    The contents are undefined when the launch begins. With `zeroed` they are
    zero, and the kernel leaves them so: the next launch finds what this one has
    left. Each operation is memory of its own, which overlaps nothing else.

    Constraints:
    - workspace-1: a memref of global memory without a layout map, of elements of
      whole bytes; the first extent is dynamic, the others are static.
    - workspace-2: `per_block` is 1 or more, and an entry is of at most 2^24
      bytes.
    - workspace-3: it stands in the kernel's body.

    ```mlir
    %partial = tile.workspace per_block(2) : memref<?x128x128xf32>
    %arrived = tile.workspace per_block(1) zeroed : memref<?xi32>
    ```
  }];
  let arguments = (ins I64Attr:$per_block, UnitAttr:$zeroed);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    `per_block` `(` $per_block `)` (`zeroed` $zeroed^)? attr-dict `:` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getResult().getType()); }
    /// Bytes of a block's entries.
    int64_t getBytesPerBlock();
  }];
  let hasVerifier = 1;
}

def Tile_BlockRangeOp : Tile_Op<"block_range", [Pure]> {
  let summary = "the part of the grid that a block of a persistent kernel works off";
  let description = [{
    Numbers `first`, `first + step`, ... below `end` are this block's; the
    blocks of a cluster share a number. `tile.block_coordinates` says which
    block of the grid a number stands for.

    ```mlir
    %first, %end, %step = tile.block_range
    scf.for %t = %first to %end step %step {
      %x, %y = tile.block_coordinates %t : index, index
    }
    ```
  }];
  let results = (outs Index:$first, Index:$end, Index:$step);
  let assemblyFormat = "attr-dict";
}

def Tile_BlockCoordinatesOp : Tile_Op<"block_coordinates", [Pure]> {
  let summary = "the block indices that a number of a block range stands for";
  let description = [{
    Numbers go through the grid in the order of the kernel's `panel`, cluster by
    cluster; the result is the current block's place within its cluster. It may
    lie outside a grid that clusters do not divide.

    Constraints:
    - coordinates-1: one result per dimension of the kernel's grid.

    ```mlir
    %x, %y = tile.block_coordinates %t : index, index
    ```
  }];
  let arguments = (ins Index:$number);
  let results = (outs Variadic<Index>:$coordinates);
  let assemblyFormat = "$number attr-dict `:` type($coordinates)";
  let hasVerifier = 1;
}

#endif // TILE_KERNEL_OPS_TD
