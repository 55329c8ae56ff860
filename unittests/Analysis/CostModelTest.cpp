//===- CostModelTest.cpp - facts that the model has to respect ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No times are expected here: the model is fitted, and may be fitted again.
// What must hold of any fit: order, quantization, limits, and what is
// impossible.
//
//===----------------------------------------------------------------------===//
#include "tile/Analysis/CostModel.h"
#include "gtest/gtest.h"

using namespace mlir::tile;
using namespace mlir::tile::cost;

namespace {
const TargetInfo &hopper() { return *TargetInfo::get("sm_90a"); }

struct Shape {
  int64_t m, n, k;
};
struct Tile {
  int64_t m = 128, n = 256, k = 64, stages = 4;
};

/// An f16 GEMM by two warpgroups, as CostFacts reads it.
KernelFacts gemm(Shape shape, Tile tile, int64_t cluster = 1) {
  KernelFacts facts;
  int64_t rows = (shape.m + tile.m - 1) / tile.m;
  facts.grid = {(shape.n + tile.n - 1) / tile.n,
                (rows + cluster - 1) / cluster * cluster, 1};
  facts.cluster = {1, cluster, 1};
  facts.threads = 384;
  facts.registers = tile.m * tile.n / 256 + 32;
  facts.sharedBytes = tile.stages * (tile.m + tile.n) * tile.k * 2;
  facts.panel = 8;
  facts.persistent = 1;
  facts.hasRoles = true;
  Phase store, loop;
  double out = double(tile.m * tile.n) * 2;
  store.work.stored = store.work.sharedRead = store.work.sharedWritten = out;
  store.work.waits = 0.4;
  loop.stages = tile.stages;
  loop.trips = double((shape.k + tile.k - 1) / tile.k);
  loop.work.tensorCycles = double(tile.m * tile.n * tile.k) / 2048;
  loop.work.loaded = double(tile.m + tile.n / cluster) * double(tile.k) * 2;
  loop.work.sharedWritten = double(tile.m + tile.n) * double(tile.k) * 2;
  loop.work.sharedRead = loop.work.tensorCycles * 80;
  facts.phases = {store, loop};
  Stream a, b, c;
  a.bytesPerTile = double(tile.m * shape.k) * 2;
  a.footprint = double(shape.m * shape.k) * 2;
  a.varies = {false, true, false};
  b.bytesPerTile = double(tile.n * shape.k) * 2;
  b.footprint = double(shape.n * shape.k) * 2;
  b.varies = {true, false, false};
  c.bytesPerTile = out;
  c.footprint = double(shape.m * shape.n) * 2;
  c.varies = {true, true, false};
  c.isStore = true;
  facts.streams = {a, b, c};
  return facts;
}

Estimate at(const KernelFacts &facts) {
  return estimate(facts, DeviceInfo::of(hopper(), ""), hopper());
}
double time(const KernelFacts &facts) {
  Estimate result = at(facts);
  EXPECT_EQ(result.excluded, "");
  return result.microseconds;
}
} // namespace

TEST(CostModel, MoreWorkTakesLonger) {
  Tile tile;
  double last = 0;
  for (int64_t k : {512, 1024, 4096, 16384}) {
    double now = time(gemm({4096, 4096, k}, tile));
    EXPECT_GT(now, last);
    last = now;
  }
  EXPECT_GT(time(gemm({8192, 8192, 8192}, tile)),
            7 * time(gemm({4096, 4096, 8192}, tile)) / 2);
}

// 132 multiprocessors: one block more is one round more, for all of them.
TEST(CostModel, WavesAreWhole) {
  KernelFacts whole = gemm({128 * 11, 256 * 12, 4096}, {});
  KernelFacts more = gemm({128 * 11, 256 * 13, 4096}, {});
  ASSERT_EQ(whole.blocks(), 132);
  EXPECT_EQ(at(whole).rounds, 1);
  EXPECT_DOUBLE_EQ(at(whole).busy, 1);
  EXPECT_EQ(at(more).rounds, 2);
  EXPECT_LT(at(more).busy, 0.55);
  // Power that idle places leave makes the others faster, not twice as fast.
  EXPECT_GT(time(more), 1.2 * time(whole));
  EXPECT_GE(at(more).gigahertz, at(whole).gigahertz);
  // The same round whether one block of it works or nearly all.
  EXPECT_EQ(at(gemm({128 * 11, 256 * 23, 4096}, {})).rounds, 2);
}

// The tail decides between tiles: 1024 x 10240 is 2.4 rounds of 128 x 256 and
// 4.8 of 128 x 128.
TEST(CostModel, SmallerTilesFillTheTail) {
  Shape tail{1024, 10240, 8192}, full{8192, 8192, 8192};
  Tile large, small{128, 128, 64, 5};
  EXPECT_GT(at(gemm(tail, small)).busy, at(gemm(tail, large)).busy);
  double ratioTail = time(gemm(tail, small)) / time(gemm(tail, large));
  double ratioFull = time(gemm(full, small)) / time(gemm(full, large));
  EXPECT_LT(ratioTail, ratioFull);
  EXPECT_GT(ratioFull, 1);
}

TEST(CostModel, MoreStagesHideMoreLatency) {
  Shape shape{4096, 4096, 4096};
  double last = 1e9;
  for (int64_t stages : {2, 3, 4}) {
    double now = time(gemm(shape, {128, 256, 64, stages}));
    EXPECT_LT(now, last);
    last = now;
  }
}

TEST(CostModel, MulticastSavesTraffic) {
  KernelFacts alone = gemm({8192, 8192, 8192}, {});
  KernelFacts pairs = gemm({8192, 8192, 8192}, {}, 2);
  EXPECT_LT(at(pairs).l2Bytes, at(alone).l2Bytes);
  EXPECT_LT(time(pairs), time(alone));
  // Three rows of tiles in pairs are four.
  EXPECT_EQ(gemm({128 * 3, 8192, 4096}, {}, 2).blocks(), 4 * 32);
}

TEST(CostModel, PanelsSaveDram) {
  KernelFacts facts = gemm({16384, 16384, 16384}, {});
  double panels = at(facts).dramBytes;
  facts.panel = 0;
  EXPECT_LT(panels, 0.5 * at(facts).dramBytes);
  // What fits the L2 cache is read once, in any order.
  KernelFacts small = gemm({1024, 2048, 2048}, {});
  double once = at(small).dramBytes;
  small.panel = 0;
  EXPECT_DOUBLE_EQ(once, at(small).dramBytes);
  EXPECT_DOUBLE_EQ(once, 2.0 * (1024 * 2048 + 2048 * 2048 + 1024 * 2048));
}

TEST(CostModel, FewBytesAnOperationAreTensorBound) {
  EXPECT_EQ(at(gemm({8192, 8192, 8192}, {})).limit, "tensor cores");
  EXPECT_EQ(at(gemm({64, 16384, 16384}, {64, 128, 64, 6})).limit, "DRAM");
}

TEST(CostModel, WhatCannotRunIsExcluded) {
  Shape shape{4096, 4096, 4096};
  auto why = [](const KernelFacts &facts) { return at(facts).excluded; };
  EXPECT_EQ(why(gemm(shape, {128, 256, 64, 5})),
            "245760 bytes of shared memory, of 232448");
  EXPECT_EQ(why(gemm(shape, {256, 256, 64, 2})),
            "about 288 registers a thread, of 232");
  KernelFacts threads = gemm(shape, {});
  threads.threads = 1152;
  EXPECT_EQ(why(threads), "1152 threads with those that load, of 1024");
  KernelFacts cluster = gemm(shape, {});
  cluster.cluster = {4, 4, 1};
  EXPECT_EQ(why(cluster), "clusters of 16 blocks, of 8");
  KernelFacts pair = gemm(shape, {64, 64, 32, 2}, 2);
  const TargetInfo &ampere = *TargetInfo::get("sm_80");
  EXPECT_EQ(estimate(pair, DeviceInfo::of(ampere, ""), ampere).excluded,
            "sm_80 has no clusters");
  // Two blocks of a persistent kernel share the registers.
  KernelFacts two = gemm(shape, {128, 128, 64, 2});
  two.persistent = 2;
  two.registers = 128;
  EXPECT_EQ(why(two), "about 128 registers a thread, of 104");
}

TEST(CostModel, ClocksFollowPower) {
  const DeviceInfo &device = DeviceInfo::of(hopper(), "");
  double busy = at(gemm({8192, 8192, 8192}, {})).gigahertz;
  EXPECT_LT(busy, device.maxGHz);
  KernelFacts idle = gemm({128, 8192, 8192}, {});
  EXPECT_DOUBLE_EQ(at(idle).gigahertz, device.maxGHz);
}

TEST(CostModel, EmptyGridsTakeNoTime) {
  KernelFacts facts = gemm({0, 4096, 4096}, {});
  EXPECT_EQ(facts.blocks(), 0);
  EXPECT_LT(time(facts), 10);
}

// A split tile's parts are blocks of a cluster.
TEST(CostModel, SplitsAreBlocks) {
  KernelFacts facts = gemm({256, 4096, 16384}, {});
  double whole = time(facts);
  facts.split = 4;
  facts.phases[1].trips /= 4;
  EXPECT_EQ(facts.blocks(), 128);
  EXPECT_EQ(facts.clusterSize(), 4);
  EXPECT_LT(time(facts), whole);
}

TEST(CostModel, EveryTargetHasFigures) {
  for (const TargetInfo &target : TargetInfo::all()) {
    const DeviceInfo &device = DeviceInfo::of(target, "");
    EXPECT_GT(device.multiprocessors, 0) << target.arch.str();
    EXPECT_GE(device.maxGHz, device.sustainedGHz) << target.arch.str();
  }
}
