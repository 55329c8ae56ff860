//===- TileInterfaces.td - what passes ask of tile operations -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations join the compiler through these interfaces; no pass enumerates
// operation classes.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_INTERFACES_TD
#define TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TileOpInterface : OpInterface<"TileOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    An operation on tiles: which regions of which buffers it reads and writes.
    Dependence analysis, liveness of shared memory, barriers and pipelining use
    nothing else.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends every region the operation (its body included) may touch. An
        access whose extents are not known covers the whole buffer.
      }], "void", "getAccesses",
      (ins "::llvm::SmallVectorImpl<::mlir::tile::TileAccess> &":$accesses)>,
    InterfaceMethod<[{
        States what the operation demands of the layouts of the buffers it
        touches. Inference solves the demands of all operations together.
      }], "void", "getLayoutConstraints",
      (ins "::mlir::tile::LayoutConstraints &":$constraints),
      /*methodBody=*/"", /*defaultImplementation=*/"">
  ];
}

#endif // TILE_INTERFACES_TD
