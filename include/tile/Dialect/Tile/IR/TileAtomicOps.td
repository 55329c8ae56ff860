//===- TileAtomicOps.td - where blocks meet ----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses with a memory order, by which blocks wait for each other's flags,
// the barrier of the whole grid, and who arrives last.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ATOMIC_OPS_TD
#define TILE_ATOMIC_OPS_TD

include "tile/Dialect/Tile/IR/TileOpBase.td"

class Tile_AtomicAccessOp<string mnemonic, string value> : Tile_Op<mnemonic, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TileElementOpInterface,
    TypesMatchWith<"type of '" # value # "' is the buffer's element type", "memref", value,
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let hasVerifier = 1;
}

def Tile_AtomicLoadOp : Tile_AtomicAccessOp<"atomic_load", "result"> {
  let summary = "reads an element that other threads may be writing";
  let description = !strconcat([{
    Inside `tile.parallel`. `relaxed`: the element is read as a whole. `acquire`:
    what the thread reads afterwards is at least as new as what had been written
    before a `release` of the value that is read here. `seq_cst`: the same, and
    all `seq_cst` accesses have one order that every thread sees. Of global
    memory all threads of the GPU take part, of shared memory those of the block.

    A block may wait for what another one stores, in a loop. On a GPU the blocks
    that run at a time are as many as it holds, and start in the order of their
    numbers; on the CPU up to 1024 blocks run at a time, each on a thread of its
    own.

    Constraints:
    - atomic-access-1: an element of 32 or 64 bits, of a global or shared buffer;
      one index per dimension.
    - atomic-access-2: no `release`; of a store no `acquire`.
    - atomic-access-3: it stands inside `tile.parallel`.

    ```mlir
    %x = tile.atomic_load acquire %flags[%i] : memref<?xi32>
    ```
  }], AtomicAccessAttributes);
  let arguments = (ins Tile_MemoryOrderAttr:$order, MemRefOf<[AnyType]>:$memref, Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "custom<Keyword>($order) $memref `[` $indices `]` attr-dict `:` type($memref)";
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
    bool writesElement() { return false; }
  }];
}

def Tile_AtomicStoreOp : Tile_AtomicAccessOp<"atomic_store", "value"> {
  let summary = "writes an element that other threads may be reading";
  let description = !strconcat([{
    Inside `tile.parallel`. `relaxed`: the element is written as a whole.
    `release`: who reads the value by an `acquire` sees what the thread has
    written before; `seq_cst`: the same, in the one order of all `seq_cst`
    accesses. Other threads' writes come before it where a barrier stands
    between, as behind each `tile.parallel`.

    Constraints:
    - atomic-access-1 to atomic-access-3: as for `tile.atomic_load`.

    ```mlir
    tile.atomic_store release %one, %flags[%i] : memref<?xi32>
    ```
  }], AtomicAccessAttributes);
  let arguments = (ins Tile_MemoryOrderAttr:$order, AnyType:$value, MemRefOf<[AnyType]>:$memref,
                       Variadic<Index>:$indices);
  let assemblyFormat = "custom<Keyword>($order) $value `,` $memref `[` $indices `]` attr-dict `:` type($memref)";
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() { return ::llvm::cast<::mlir::MemRefType>(getMemref().getType()); }
    bool writesElement() { return true; }
  }];
}

def Tile_GridBarrierOp : Tile_Op<"grid_barrier", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "all blocks of the grid wait for each other";
  let description = [{
    What the blocks have written to global memory before the barrier is visible
    to all of them behind it. All blocks run it equally often, so conditions and
    loops around it have the same values in each. The kernel is launched
    cooperatively: the grid has no more blocks than the device holds at a time,
    which the launch checks.

    On the CPU each block runs on a thread of its own, at most 1024 blocks.

    Constraints:
    - grid-barrier-1: it stands in the kernel's body, or in `scf` loops and
      conditions there: what it waits for is the whole block.
    - grid-barrier-2: the kernel is neither `persistent`, where a block takes
      turns for several, nor has it clusters.

    ```mlir
    tile.grid_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_LastArrivalOp : Tile_Op<"last_arrival", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"type of 'weight' is the counter's element type", "counters", "weight",
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">,
    TypesMatchWith<"type of 'total' is the counter's element type", "counters", "total",
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "whether this block is the last one that arrives at a counter";
  let description = [{
    The block adds `weight` to a counter that was zero before any block came.
    The result is true in the block with which the sum becomes `total`, and the
    counter is zero again then. What all of the blocks have written to global
    memory before they arrived is visible to that block behind the operation.
    Nobody waits: blocks that come earlier go on with false. The result is the
    same for all threads of the block.

    With `if_last` a block that would not be the last one does not arrive, and the
    counter stays as it is: so a block that finds all others gone before it need
    not write its part to memory.

    With it blocks share out a sum: each writes its part to memory, and the last
    one combines the parts in an order of its own, whoever came last.

    Constraints:
    - last-arrival-1: the counters are 32-bit or 64-bit integers of global
      memory; one index per dimension.
    - last-arrival-2: it stands in the kernel's body, or in `scf` loops and
      conditions there: all threads of the block run it.

    ```mlir
    %last = tile.last_arrival %counters[%tile], %one of %blocks : memref<?xi32>
    %ends = tile.last_arrival if_last %counters[%tile], %one of %blocks : memref<?xi32>
    ```
  }];
  let arguments = (ins MemRefOf<[AnyInteger]>:$counters, Variadic<Index>:$indices,
                       AnyInteger:$weight, AnyInteger:$total, UnitAttr:$if_last);
  let results = (outs I1:$last);
  let assemblyFormat = [{
    (`if_last` $if_last^)? $counters `[` $indices `]` `,` $weight `of` $total attr-dict `:` type($counters)
  }];
  let hasVerifier = 1;
}

#endif // TILE_ATOMIC_OPS_TD
