//===- TileDialect.td - the tile dialect ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TD
#define TILE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "tile/Dialect/Tile/IR/TileReference.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mlir::tile";
  let summary = "What one thread block does with tiles";
  let description = !strconcat([{
    The tile dialect describes the work of one thread block on *tiles*: copy
    this tile, multiply these two, run this element-wise, keep N copies in
    flight. Buffers are `memref`s; the memory space says where a tile lives:

    | space | written | meaning |
    |---|---|---|
    | global | none | device memory, shared by all blocks |
    | shared | `#gpu.address_space<workgroup>` | one copy per block |
    | fragment | `#tile.fragment` | registers, spread over the block's threads |
    | local | `#tile.local` | private to a thread |
    | tensor memory | `#tile.tmem` | Blackwell's tensor memory |

    **Execution.** Code outside `tile.parallel` runs once per block, in order,
    with block-uniform values; a store outside `tile.parallel` happens once.
    Iterations of `tile.parallel` are unordered. Barriers are the compiler's
    business. Kernel arguments do not overlap unless both are marked `tile.may_alias`.
  }], ScheduleFacts);
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::arith::ArithDialect"
  ];
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Attributes are defined in their own file; called by initialize().
    void registerAttributes();
  }];
}

#endif // TILE_DIALECT_TD
