//===- StagedStores.cpp - results on their way out ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tile/Analysis/StagedStores.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tile/Dialect/Tile/IR/Buffers.h"
#include "tile/Dialect/Tile/IR/Instructions.h"
#include "tile/Dialect/Tile/IR/Tokens.h"
#include "tile/Target/ThreadBudget.h"

using namespace mlir;
using namespace mlir::tile;

/// Each piece waits until the one before has been read: of many small ones the
/// waits take longer than stores by threads.
static constexpr int64_t kMaxRowPieces = 4;
/// A row of a piece is whole sectors of 32 bytes.
static constexpr int64_t kSectorBits = 256;

FailureOr<StoredTile> tile::storedTile(TileMoveOpInterface store, Reason &why) {
  auto no = [&](std::string reason, std::string advice) {
    why = {std::move(reason), std::move(advice)};
    return failure();
  };
  bool isAskedFor = store.getCombining() && store.getPrefer() &&
                    traitsOf(*store.getPrefer()).usesTensorMap;
  if (store.getDisableTma() || (store.getPrefer() && !isAskedFor))
    return no("the program states how to copy",
              "without `prefer` and `disable_tma` the compiler decides");
  auto type = cast<MemRefType>(store.getSource().getType());
  if (type.getRank() != 2 || !store.getSourceOffsets().empty() ||
      store.getSourceExtents() != SmallVector<int64_t>(type.getShape()))
    return no("the source is not a whole fragment of rank two",
              "a store of a matrix out of a fragment of its shape can go "
              "through shared memory");
  StoredTile tile{type.getDimSize(0), type.getDimSize(1),
                  storageBitsOf(store.getTarget())};
  if (tile.rows * (tile.columns * tile.bits / 8) < kSmallBytes)
    return no("the tile has less than " + std::to_string(kSmallBytes) +
                  " bytes",
              "a larger one can go through shared memory");
  if (tile.columns * tile.bits % kSectorBits)
    return no("its rows are no multiple of 32 bytes",
              "a tile whose rows are can go through shared memory");
  if (getStorageBits(type.getElementType()) < 8 || tile.bits < 8)
    return no("elements are smaller than a byte",
              "elements of a byte or more can go through shared memory");
  return tile;
}

bool tile::mayLeaveThroughSlots(const TargetInfo &target) {
  return !target.hasTcgen05();
}

/// What storedPiece() does where a kernel takes `with(bytes)` together with a
/// piece of so many bytes.
static std::optional<StoredPiece>
pieceWithin(const StoredTile &tile, int64_t blocks, const TargetInfo &target,
            llvm::function_ref<int64_t(int64_t bytes)> with,
            llvm::function_ref<bool(unsigned dim, int64_t extent)> isPossible) {
  constexpr int64_t kAlignment = 1024; // of swizzled tiles
  std::optional<StoredPiece> smallest;
  /// True once no smaller piece is wanted.
  auto take = [&](StoredPiece piece) {
    int64_t rows = piece.dim == 0 ? piece.extent : tile.rows;
    int64_t columns = piece.dim == 1 ? piece.extent : tile.columns;
    int64_t bytes =
        with(llvm::alignTo(rows * columns * tile.bits / 8, kAlignment));
    if (bytes > target.sharedPerBlock)
      return false;
    smallest = piece;
    // What a multiprocessor runs at once counts for more than fewer pieces.
    return blocks == 0 || target.sharedPerSm / bytes >= blocks;
  };
  for (int64_t pieces = 1; tile.columns % pieces == 0; pieces *= 2) {
    int64_t columns = tile.columns / pieces;
    if (columns * tile.bits % kSectorBits || !isPossible(1, columns))
      break;
    if (take({1, columns}))
      return smallest;
  }
  // By the layout of a product with swapped operands, warps divide the columns.
  if (smallest)
    return smallest;
  for (int64_t pieces = 2; pieces <= kMaxRowPieces; ++pieces)
    if (tile.rows % pieces == 0 && isPossible(0, tile.rows / pieces) &&
        take({0, tile.rows / pieces}))
      break;
  return smallest;
}

std::optional<StoredPiece> tile::storedPiece(
    const StoredTile &tile, SharedRoom room, int64_t blocks,
    const TargetInfo &target,
    llvm::function_ref<bool(unsigned dim, int64_t extent)> isPossible) {
  auto beside = [&](int64_t bytes) { return room.used + bytes; };
  auto inIdle = [&](int64_t bytes) {
    return std::max(room.used, room.used - room.idle + bytes);
  };
  if (auto piece = pieceWithin(tile, blocks, target, beside, isPossible))
    return piece;
  return pieceWithin(tile, blocks, target, inIdle, isPossible);
}

bool tile::waitInWholeRegisters(int64_t bits, bool storesMatrices) {
  return bits == 32 || storesMatrices;
}

int64_t tile::registersForResults(int64_t registers, int64_t alive) {
  return registers - kRegistersBesideFragments - alive;
}

//===----------------------------------------------------------------------===//
// As they are scheduled
//===----------------------------------------------------------------------===//

/// The tile in shared memory out of which all that `await` waits for stores;
/// null where there is no such tile.
static Value awaitedTile(AwaitOp await) {
  SmallVector<Operation *> issues;
  if (!await.getRead() || collectIssues(await, issues) || issues.empty())
    return {};
  Value tile;
  for (Operation *issue : issues) {
    auto store = dyn_cast<TileMoveOpInterface>(issue);
    if (!store || (tile && store.getSource() != tile))
      return {};
    tile = store.getSource();
  }
  return isShared(tile) ? tile : Value();
}

std::optional<StagedStore> tile::stagedStoreAt(AwaitOp await) {
  Value tile = awaitedTile(await);
  if (!tile || await.getTokens().size() != 1)
    return std::nullopt;
  StagedStore found{await, {}, {}};
  for (Operation *op = await->getNextNode(); op && !found.store;
       op = op->getNextNode()) {
    if (!llvm::is_contained(op->getOperands(), tile))
      continue;
    auto copy = dyn_cast<TileMoveOpInterface>(op);
    if (!copy || !copy.isPlain())
      return std::nullopt;
    bool isStage = copy.getTarget() == tile;
    if (isStage && !found.stage)
      found.stage = copy;
    else if (!isStage)
      found.store = copy;
  }
  if (!found.stage || !found.store || !found.store.isAsync() ||
      !isFragment(found.stage.getSource()) || !found.fragment())
    return std::nullopt;
  return found;
}

bool StagedStore::waitsInWholeRegisters() {
  Type element = fragment().getType().getElementType();
  return waitInWholeRegisters(getStorageBits(element),
                              traitsOf(stage).movesMatrices);
}

/// Whether every use of a buffer, or of a view of it, copies; `fromFloats` is
/// set where one brings f32.
static bool isOnlyCopied(Value buffer, bool &fromFloats) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return isOnlyCopied(view.getViewDest(), fromFloats);
    auto copy = dyn_cast<TileMoveOpInterface>(user);
    fromFloats |=
        copy && copy.getTarget() == buffer && isFragment(copy.getSource()) &&
        cast<MemRefType>(copy.getSource().getType()).getElementType().isF32();
    return copy && copy.isPlain();
  });
}

bool tile::isPlainResult(AllocOp alloc) {
  Type element = cast<MemRefType>(alloc.getResult().getType()).getElementType();
  bool fromFloats = false;
  return isFragment(alloc.getResult()) &&
         (element.isF16() || element.isBF16()) &&
         isOnlyCopied(alloc.getResult(), fromFloats) && fromFloats;
}
