//===- MoveSyntax.h - syntax and constraints of moves -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the operations' syntax and verifiers.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_LIB_DIALECT_TILE_IR_MOVESYNTAX_H
#define TILE_LIB_DIALECT_TILE_IR_MOVESYNTAX_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Directives of the assembly format: the dictionary with what is asked for,
/// then `decided` and what is decided. A decision may stand in the dictionary,
/// too, where a program takes it.
ParseResult parseMoveAttributes(OpAsmParser &parser, MoveRequestAttr &request,
                                MoveDecisionAttr &decision,
                                NamedAttrList &attributes);
void printMoveAttributes(OpAsmPrinter &printer, Operation *op,
                         MoveRequestAttr request, MoveDecisionAttr decision,
                         DictionaryAttr);
/// With `is_unsigned` in the dictionary.
ParseResult parseCombineAttributes(OpAsmParser &parser, UnitAttr &isUnsigned,
                                   MoveRequestAttr &request,
                                   MoveDecisionAttr &decision,
                                   NamedAttrList &attributes);
void printCombineAttributes(OpAsmPrinter &printer, Operation *op,
                            UnitAttr isUnsigned, MoveRequestAttr request,
                            MoveDecisionAttr decision, DictionaryAttr);

/// The numbers of an operation's constraints on parts of its request and its
/// decision; empty where it has no such part.
struct MoveConstraints {
  StringRef layout, coalescedWidth, multicast, inside, groups, inFront;
};
LogicalResult verifyRequest(TileMoveOpInterface move,
                            const MoveConstraints &constraints);
LogicalResult verifyDecision(TileMoveOpInterface move,
                             const MoveConstraints &constraints);

/// Whether a load is issued by one thread: what the asynchronous proxy fills
/// nothing but a slot with is tracked by the slot's ring, so that nobody else
/// has to know of it.
bool fillsSlotByProxy(TileMoveOpInterface move);

} // namespace mlir::tile
#endif // TILE_LIB_DIALECT_TILE_IR_MOVESYNTAX_H
