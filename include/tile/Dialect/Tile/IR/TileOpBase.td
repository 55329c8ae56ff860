//===- TileOpBase.td - base classes of tile operations ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TILE_OP_BASE_TD
#define TILE_OP_BASE_TD

include "tile/Dialect/Tile/IR/TileAttrs.td"
include "tile/Dialect/Tile/IR/TileInterfaces.td"
include "tile/Dialect/Tile/IR/TileTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

/// Refuses attributes without a dialect's name that the operation does not have
/// (TileOps.h): a misspelled one would change nothing, silently.
def Tile_KnownAttributes : NativeOpTrait<"KnownAttributes"> {
  let cppNamespace = "::mlir::tile";
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, !listconcat([Tile_KnownAttributes], traits)>;

/// An operation on whole tiles at block level.
class Tile_TileOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<TileOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)> {
  let hasVerifier = 1;
}

#endif // TILE_OP_BASE_TD
