//===- StagedStoresTest.cpp - results on their way out --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Analysis/StagedStores.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "tile/Analysis/CostFacts.h"
#include "tile/Dialect/Tile/IR/TileDialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tile;

namespace {
const TargetInfo &hopper() { return *TargetInfo::get("sm_90a"); }

std::optional<int64_t> pieces(const StoredTile &tile, int64_t left,
                              int64_t narrowest = 1, int64_t blocks = 0,
                              int64_t idle = 0) {
  std::optional<StoredPiece> piece =
      storedPiece(tile, {hopper().sharedPerBlock - left, idle}, blocks,
                  hopper(), [&](unsigned dim, int64_t extent) {
                    return dim == 1 && extent >= narrowest;
                  });
  return piece ? std::optional(piece->extent) : std::nullopt;
}

/// The same where threads hold whole shares of any 8 rows, and of no part of
/// the columns.
std::optional<int64_t> pieceRows(const StoredTile &tile, int64_t left,
                                 int64_t blocks = 0) {
  std::optional<StoredPiece> piece =
      storedPiece(tile, {hopper().sharedPerBlock - left}, blocks, hopper(),
                  [&](unsigned dim, int64_t extent) {
                    return dim == 1 ? extent == tile.columns : extent % 8 == 0;
                  });
  if (!piece)
    return std::nullopt;
  return piece->dim == 0 ? piece->extent : tile.rows;
}

/// What the cost model reads of the store of a GEMM of tiles of 128
/// x `columns`, of elements of `type`, with `stages` of 128 x 64 and 64 x
/// `columns` halves.
cost::Work storeOf(int64_t columns, StringRef type, int64_t stages,
                   bool persistent = true) {
  MLIRContext context;
  context.loadDialect<TileDialect, arith::ArithDialect, gpu::GPUDialect,
                      memref::MemRefDialect>();
  std::string text = R"(
    #shared = #gpu.address_space<workgroup>
    tile.kernel @gemm(%A: memref<4096x4096xf16> {tile.alignment = 16},
                      %B: memref<4096x4096xf16> {tile.alignment = 16},
                      %C: memref<4096x4096xTYPE> {tile.alignment = 16})
        grid(%bx, %by) = (16, 32) threads(256) attributes {PERSISTENTspecialize = true} {
      %c0 = arith.constant 0 : index
      %step = arith.constant 64 : index
      %rows = arith.constant 128 : index
      %columns = arith.constant WIDTH : index
      %K = arith.constant 4096 : index
      %zero = arith.constant 0.0 : f32
      %m = arith.muli %by, %rows : index
      %n = arith.muli %bx, %columns : index
      %As = tile.alloc : memref<128x64xf16, #shared>
      %Bs = tile.alloc : memref<64xWIDTHxf16, #shared>
      %acc = tile.alloc : memref<128xWIDTHxf32, #tile.fragment>
      tile.fill %acc with %zero : memref<128xWIDTHxf32, #tile.fragment>, f32
      tile.pipelined %k = %c0 to %K step %step stages(STAGES) {
        tile.copy %A[%m, %k] to %As : memref<4096x4096xf16> to memref<128x64xf16, #shared>
        tile.copy %B[%k, %n] to %Bs : memref<4096x4096xf16> to memref<64xWIDTHxf16, #shared>
        tile.gemm %As, %Bs, %acc : memref<128x64xf16, #shared>, memref<64xWIDTHxf16, #shared>, memref<128xWIDTHxf32, #tile.fragment>
      }
      tile.copy %acc to %C[%m, %n] : memref<128xWIDTHxf32, #tile.fragment> to memref<4096x4096xTYPE>
    })";
  auto set = [&](StringRef name, const std::string &value) {
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), value);
  };
  set("WIDTH", std::to_string(columns));
  set("TYPE", type.str());
  set("STAGES", std::to_string(stages));
  set("PERSISTENT", persistent ? "persistent = 1, " : "");
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  auto kernel = *module->getOps<KernelOp>().begin();
  auto problems = cost::problemSizes(kernel, {});
  EXPECT_TRUE(succeeded(problems));
  cost::KernelFacts facts;
  cost::FactsReader reader(hopper(), DeviceInfo::of(hopper(), ""));
  EXPECT_EQ(reader.read(kernel, problems->front(), facts), std::nullopt);
  return facts.phases.front().work;
}
} // namespace

TEST(StagedStores, PiecesAreAsWideAsThereIsRoom) {
  StoredTile tile{128, 256, 16};
  EXPECT_EQ(pieces(tile, 64 << 10), 256);
  EXPECT_EQ(pieces(tile, (64 << 10) - 1), 128);
  EXPECT_EQ(pieces(tile, 16 << 10), 64);
  // A row of a piece is a sector at least.
  EXPECT_EQ(pieces(tile, 4 << 10), 16);
  EXPECT_EQ(pieces(tile, (4 << 10) - 1), std::nullopt);
  // Threads hold whole shares of so many columns and no fewer.
  EXPECT_EQ(pieces(tile, 16 << 10, 128), std::nullopt);
  // Rows that do not halve leave whole.
  EXPECT_EQ(pieces({64, 48, 16}, 64 << 10), 48);
  EXPECT_EQ(pieces({64, 48, 16}, 5 << 10), std::nullopt);
}

TEST(StagedStores, IdleBytesAreForWhatFitsNowhereElse) {
  StoredTile tile{128, 256, 16}; // 64 KB
  constexpr int64_t kSlots = 192 << 10;
  // Beside the slots where a piece fits there, however small.
  EXPECT_EQ(pieces(tile, 16 << 10, 1, 0, kSlots), 64);
  EXPECT_EQ(pieces(tile, 4 << 10, 1, 0, kSlots), 16);
  // Else in them, as wide as they are with what is left.
  EXPECT_EQ(pieces(tile, 2 << 10, 1, 0, kSlots), 256);
  EXPECT_EQ(pieces(tile, 2 << 10, 1, 0, 62 << 10), 256);
  EXPECT_EQ(pieces(tile, 2 << 10, 1, 0, (62 << 10) - 1), 128);
  EXPECT_EQ(pieces(tile, 16 << 10, 128, 0, kSlots), 256);
  EXPECT_EQ(pieces(tile, 2 << 10, 1, 0, 1 << 10), std::nullopt);
}

TEST(StagedStores, PiecesAreRowsWhereColumnsAreNotHeldWhole) {
  StoredTile tile{120, 128, 16};
  EXPECT_EQ(pieceRows(tile, 30 << 10), 120);
  // 120 rows are 15 times 8: three parts. Five would be too many.
  EXPECT_EQ(pieceRows(tile, (30 << 10) - 1), 40);
  EXPECT_EQ(pieceRows(tile, 10 << 10), 40);
  EXPECT_EQ(pieceRows(tile, (10 << 10) - 1), std::nullopt);
  // Rows of a prime number of eights leave whole.
  EXPECT_EQ(pieceRows({136, 128, 16}, 34 << 10), 136);
  EXPECT_EQ(pieceRows({136, 128, 16}, (34 << 10) - 1), std::nullopt);
  // The whole tile, also where a part of it would leave room for more blocks.
  EXPECT_EQ(pieceRows(tile, 30 << 10, /*blocks=*/2), 120);
}

TEST(StagedStores, MoreBlocksCountForMoreThanFewerPieces) {
  StoredTile tile{128, 128, 16};
  int64_t left = hopper().sharedPerBlock - (100 << 10);
  EXPECT_EQ(pieces(tile, left, 1, 1), 128);
  EXPECT_EQ(pieces(tile, left, 1, 2), 32);
  // Nothing lets three run.
  EXPECT_EQ(pieces(tile, left, 1, 3), 16);
}

TEST(StagedStores, OnlyWholeRegistersWait) {
  EXPECT_TRUE(waitInWholeRegisters(32, false));
  EXPECT_TRUE(waitInWholeRegisters(16, true));
  EXPECT_FALSE(waitInWholeRegisters(16, false));
  EXPECT_FALSE(waitInWholeRegisters(64, false));
}

// What the passes do with these is in stage-stores.mlir and delay-stores.mlir.
TEST(StagedStores, TheCostModelForeseesThem) {
  // Beside accumulators of 64 registers results of 32 and of 64 wait; beside
  // 128, those of 64, and not those of 128.
  EXPECT_EQ(storeOf(128, "f16", 4).stored, 0);
  EXPECT_EQ(storeOf(128, "f32", 4).stored, 0);
  EXPECT_EQ(storeOf(256, "f16", 4).stored, 0);
  double staged = storeOf(256, "f32", 4).stored;
  EXPECT_EQ(staged, 128 * 256 * 4);
  EXPECT_GT(storeOf(256, "f32", 4).sharedWritten, 0);
  // Seven stages of 32 KB leave no room for a piece.
  EXPECT_EQ(storeOf(128, "f16", 6).stored, 0);
  EXPECT_GT(storeOf(128, "f16", 7).stored, 128 * 128 * 2);
  // Where a block has one tile, its results leave through the slots.
  EXPECT_EQ(storeOf(128, "f16", 7, /*persistent=*/false).stored, 128 * 128 * 2);
}
