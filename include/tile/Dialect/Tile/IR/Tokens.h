//===- Tokens.h - from issues to awaits and back ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation that returns a token only issues its work: it reads its operands
// and writes its results until a `tile.await` of the token. Whoever asks for
// the last reader of a buffer has to ask for these awaits. Tokens pass through
// loops and branches; both directions are followed here.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECT_TILE_IR_TOKENS_H
#define TILE_DIALECT_TILE_IR_TOKENS_H

#include "tile/Dialect/Tile/IR/TileOps.h"

namespace mlir::tile {

/// Whether `token` is that of nothing (`tile.token.done`).
bool isDoneToken(Value token);

/// The token that `op` returns; null where it returns none.
Value getToken(Operation *op);

/// Adds the operations that await the token of `op`, each once; none where it
/// returns no token. Returns the operation that the token passes to and that is
/// not understood; null where there is none.
Operation *collectAwaits(Operation *op, SmallVectorImpl<Operation *> &awaits);

/// The tokens of the operations that have ended after `op`; none for most.
ValueRange awaitedBy(Operation *op);

/// Adds the operations whose tokens `await` may be given, each once. Returns
/// the operation that a token comes from and that is not understood; null where
/// there is none.
Operation *collectIssues(Operation *await,
                         SmallVectorImpl<Operation *> &issues);

} // namespace mlir::tile
#endif // TILE_DIALECT_TILE_IR_TOKENS_H
