//===- OccupancyTest.cpp - blocks that share a multiprocessor -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tile/Analysis/Occupancy.h"
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

/// 128x128 elements of f32 by one warpgroup, three stages of 128x32 of f16.
BlockFacts oneWarpgroup() {
  BlockFacts block;
  block.threads = 128;
  block.bytes = 3 * 2 * 128 * 32 * 2;
  block.widest = 64;
  block.demand = {/*copies=*/0, /*fragments=*/128, /*gemms=*/128};
  block.multipliesByWgmma = true;
  block.stages = 3;
  return block;
}

/// What the cost model expects of a GEMM of 128x128 tiles.
bool expectsRoles(StringRef threads, StringRef attributes = "") {
  MLIRContext context;
  context.loadDialect<TileDialect, arith::ArithDialect, gpu::GPUDialect,
                      memref::MemRefDialect>();
  std::string text = (R"(
    #shared = #gpu.address_space<workgroup>
    tile.kernel @gemm(%A: memref<4096x4096xf16> {tile.alignment = 16},
                      %B: memref<4096x4096xf16> {tile.alignment = 16},
                      %C: memref<4096x4096xf16> {tile.alignment = 16})
        grid(%bx, %by) = (32, 32) threads()" +
                      threads + ") " + attributes + R"({
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %edge = arith.constant 128 : index
      %K = arith.constant 4096 : index
      %zero = arith.constant 0.0 : f32
      %m = arith.muli %by, %edge : index
      %n = arith.muli %bx, %edge : index
      %As = tile.alloc : memref<128x32xf16, #shared>
      %Bs = tile.alloc : memref<32x128xf16, #shared>
      %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
      tile.fill %acc with %zero : memref<128x128xf32, #tile.fragment>, f32
      tile.pipelined %k = %c0 to %K step %c32 stages(3) {
        tile.copy %A[%m, %k] to %As : memref<4096x4096xf16> to memref<128x32xf16, #shared>
        tile.copy %B[%k, %n] to %Bs : memref<4096x4096xf16> to memref<32x128xf16, #shared>
        tile.gemm %As, %Bs, %acc : memref<128x32xf16, #shared>, memref<32x128xf16, #shared>, memref<128x128xf32, #tile.fragment>
      }
      tile.copy %acc to %C[%m, %n] : memref<128x128xf32, #tile.fragment> to memref<4096x4096xf16>
    })")
                         .str();
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  auto kernel = *module->getOps<KernelOp>().begin();
  auto problems = cost::problemSizes(kernel, {});
  EXPECT_TRUE(succeeded(problems));
  cost::KernelFacts facts;
  cost::FactsReader reader(hopper(), DeviceInfo::of(hopper(), ""));
  EXPECT_EQ(reader.read(kernel, problems->front(), facts), std::nullopt);
  return facts.hasRoles;
}
} // namespace

TEST(Occupancy, TwoBlocksNeedRegistersMemoryAndOneWarpgroup) {
  EXPECT_TRUE(sharesByRedistribution(oneWarpgroup(), hopper()));
  BlockFacts block = oneWarpgroup();
  block.threads = 256;
  EXPECT_FALSE(sharesByRedistribution(block, hopper()));
  block = oneWarpgroup();
  block.bytes *= 3;
  EXPECT_FALSE(sharesByRedistribution(block, hopper()));
  block = oneWarpgroup();
  block.widest = 128; // ptxas asks for them at launch
  EXPECT_FALSE(sharesByRedistribution(block, hopper()));
  // Registers suffice without.
  block = oneWarpgroup();
  block.demand = {0, 64, 64};
  EXPECT_FALSE(sharesByRedistribution(block, hopper()));
  EXPECT_FALSE(
      sharesByRedistribution(oneWarpgroup(), *TargetInfo::get("sm_80")));
}

TEST(Occupancy, WhatIsScarceDecidesHowManyBlocksFit) {
  BlockFacts block = oneWarpgroup();
  EXPECT_EQ(blocksThatFit(block, hopper(), 128), 3);
  EXPECT_EQ(blocksThatFit(block, hopper(), 256), 1);
  block.bytes = 100 * 1024;
  EXPECT_EQ(blocksThatFit(block, hopper(), 128), 2);
  block.demand = {};
  block.bytes = 1024;
  EXPECT_EQ(blocksThatFit(block, hopper(), 1024), 2);
}

// What --tile-pipeline does with these is in roles-and-blocks.mlir.
TEST(Occupancy, TheCostModelExpectsWhatIsDecided) {
  EXPECT_TRUE(expectsRoles("128"));
  EXPECT_FALSE(expectsRoles("256"));
  EXPECT_TRUE(expectsRoles("256", "attributes {specialize = true}"));
  EXPECT_TRUE(expectsRoles("256", "attributes {persistent = 1}"));
}
