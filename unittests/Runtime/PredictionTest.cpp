//===- PredictionTest.cpp - Times of launches, by what manifests say ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No times are expected here: the model is fitted, and may be fitted again.
//
//===----------------------------------------------------------------------===//

#include "tile/Runtime/Prediction.h"
#include "TestArtifacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace mlir::tile::runtime;
using namespace mlir::tile::runtime::test;

namespace {

/// The time with `rows` by `columns` elements of A.
double timeOf(const CostSpec &cost, int64_t rows, int64_t columns = 1024) {
  int64_t shape[] = {rows, columns}, strides[] = {columns, 1};
  ExprArg arg = {shape, strides, 2, false, 0};
  return predictLaunch(cost, Span<const ExprArg>(&arg, 1));
}

TEST(Prediction, MoreRowsTakeLonger) {
  CostSpec cost = tiledCost(64, 1000);
  double last = 0;
  for (int64_t rows : {64, 1024, 4096, 65536}) {
    double now = timeOf(cost, rows);
    EXPECT_GT(now, last);
    last = now;
  }
  // Four multiprocessors: one tile more is another round, for all rows of it.
  EXPECT_GT(timeOf(cost, 257), timeOf(cost, 256));
  EXPECT_NEAR(timeOf(cost, 257), timeOf(cost, 320), 1);
  // An empty grid takes what a launch does.
  EXPECT_LT(timeOf(cost, 0), timeOf(cost, 1));
}

TEST(Prediction, OfSeveralTheLeastIsExact) {
  // Each is the fastest for some rows; a kernel that does not apply stays out.
  std::vector<CostSpec> costs;
  for (int64_t rows : {8, 32, 64, 128, 512})
    costs.push_back(tiledCost(rows, 300 + 8 * double(rows)));
  std::vector<const CostSpec *> pointers;
  for (const CostSpec &cost : costs)
    pointers.push_back(&cost);
  LaunchPredictor predictor(pointers);
  for (int64_t rows : {1, 7, 30, 64, 100, 1000, 5000, 100000}) {
    int64_t shape[] = {rows, 1024}, strides[] = {1024, 1};
    ExprArg arg = {shape, strides, 2, false, 0};
    double times[5] = {0, 0, NAN, 0, 0};
    predictor.predict(Span<const ExprArg>(&arg, 1), times);
    EXPECT_TRUE(std::isnan(times[2]));
    double least = INFINITY, exact = INFINITY;
    for (size_t i = 0; i < 5; ++i) {
      if (i == 2)
        continue;
      double alone = timeOf(costs[i], rows);
      EXPECT_LE(times[i], alone * (1 + 1e-12));
      least = std::min(least, times[i]);
      exact = std::min(exact, alone);
    }
    EXPECT_EQ(least, exact) << rows;
  }
}

TEST(Prediction, BoundsHoldForLaunchesOfEveryKind) {
  std::mt19937 random(5);
  auto oneOf = [&](std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  };
  std::vector<CostSpec> costs;
  for (unsigned i = 0; i < 120; ++i) {
    int64_t rows = oneOf({8, 24, 64, 128, 200});
    CostSpec cost = tiledCost(rows, double(oneOf({20, 200, 900, 4000})));
    LaunchFacts &launch = cost.launch;
    launch.cluster[0] = oneOf({1, 1, 2, 4});
    launch.split = oneOf({1, 1, 2});
    launch.persistent = launch.split == 1 ? oneOf({0, 1}) : 0;
    launch.streamK = launch.persistent ? oneOf({0, 16}) : 0;
    launch.hasRoles = oneOf({0, 1});
    launch.resident = oneOf({1, 1, 2, 3});
    launch.panel = oneOf({0, 8});
    cost.tiles[1] = ceilDiv(Expr::dim(0, 1), oneOf({64, 192, 256}));
    cost.loops[0].work.stored = double(oneOf({0, 4096, 65536}));
    cost.loops[1].stages = oneOf({1, 2, 5});
    cost.loops[1].work.loaded *= double(oneOf({1, 30}));
    cost.loops[1].trips = ceilDiv(Expr::dim(0, 1), oneOf({16, 64}));
    CostStream result = cost.streams[0];
    result.loop = 0;
    result.loaded = 0;
    result.bytes = double(oneOf({512, 65536}));
    result.varies[1] = true;
    result.isStore = true;
    cost.streams.push_back(result);
    // Of some devices clocks are limited by power, of others by nothing.
    cost.device.sustainedGHz = double(oneOf({1, 2}));
    costs.push_back(cost);
  }
  std::vector<const CostSpec *> pointers;
  for (const CostSpec &cost : costs)
    pointers.push_back(&cost);
  LaunchPredictor predictor(pointers);
  for (int64_t rows : {0, 1, 63, 500, 3000, 40000})
    for (int64_t columns : {8, 1000, 1024, 8192}) {
      int64_t shape[] = {rows, columns}, strides[] = {columns, 1};
      ExprArg arg = {shape, strides, 2, false, 0};
      std::vector<double> times(costs.size(), 0.0);
      predictor.predict(Span<const ExprArg>(&arg, 1), times.data());
      double exact = INFINITY;
      for (size_t i = 0; i < costs.size(); ++i) {
        double alone = timeOf(costs[i], rows, columns);
        EXPECT_LE(times[i], alone * (1 + 1e-12)) << i;
        exact = std::min(exact, alone);
      }
      EXPECT_EQ(*std::min_element(times.begin(), times.end()), exact)
          << rows << " x " << columns;
    }
}

TEST(Prediction, EqualSharesEndTogether) {
  // Four multiprocessors: with a fifth tile another round begins, unless
  // blocks share out all iterations.
  CostSpec tiles = tiledCost(64, 100000), shares = tiles;
  tiles.launch.persistent = shares.launch.persistent = 1;
  shares.launch.streamK = 16;
  EXPECT_GT(timeOf(tiles, 5 * 64), 1.9 * timeOf(tiles, 4 * 64));
  EXPECT_LT(timeOf(shares, 5 * 64), 1.35 * timeOf(shares, 4 * 64));
  // Whole rounds of tiles need no sums through memory.
  EXPECT_LT(timeOf(tiles, 4 * 64), timeOf(shares, 4 * 64));
  // Fewer tiles than multiprocessors: each has a part.
  EXPECT_LT(timeOf(shares, 64), 0.35 * timeOf(tiles, 64));
}

TEST(Prediction, PowerLimitsTheClock) {
  CostSpec cost = tiledCost(64, 1000);
  double cool = timeOf(cost, 65536);
  cost.device.sustainedGHz = 1;
  double hot = timeOf(cost, 65536);
  EXPECT_GT(hot, 1.2 * cool);
  EXPECT_LT(hot, 2.1 * cool);
  LaunchFacts launch;
  launch.grid = {1024, 1, 1};
  Phase loop;
  loop.stages = 4;
  loop.trips = 16;
  loop.work.tensorCycles = 1000;
  Prediction limited = predict(launch, {loop}, {}, cost.device);
  EXPECT_LT(limited.gigahertz, cost.device.maxGHz);
  EXPECT_GT(limited.gigahertz, 0.5);
  EXPECT_STREQ(limited.limit, "tensor cores");
}

TEST(Prediction, RowsBetweenSectorsTakeLonger) {
  CostSpec cost = tiledCost(64, 100);
  cost.device.dramBytesPerSecond = 1e15;
  cost.device.loadLatency = 10;
  // 1032 elements of two bytes are no multiple of 32 bytes, 1040 are.
  EXPECT_GT(timeOf(cost, 4096, 1032), 1.1 * timeOf(cost, 4096, 1040));
  cost.streams[0].pitch = 0;
  EXPECT_LT(timeOf(cost, 4096, 1032), 1.1 * timeOf(cost, 4096, 1040));
}

TEST(Prediction, BytesOutsideOfABufferTakeTime) {
  // Tiles of 64 and of 256 rows over 8 rows: the same bytes are there.
  CostSpec small = tiledCost(64, 100), large = tiledCost(256, 100);
  EXPECT_GT(timeOf(large, 8), timeOf(small, 8));
  Stream stream;
  stream.footprint = 1000;
  stream.varies = {true, false, false};
  std::array<int64_t, 3> grid = {4, 7, 1};
  EXPECT_DOUBLE_EQ(outsideBytes(stream, 250, 250, grid), 0);
  EXPECT_DOUBLE_EQ(outsideBytes(stream, 500, 500, grid), 250);
  stream.isStore = true;
  EXPECT_DOUBLE_EQ(outsideBytes(stream, 500, 500, grid), 0);
}

TEST(Prediction, WhatHasNoValueIsNeverTheFastest) {
  CostSpec cost = tiledCost(64, 100);
  cost.loops[1].trips = floorDiv(1, Expr::dim(0, 0) - 8);
  EXPECT_TRUE(std::isinf(timeOf(cost, 8)));
  EXPECT_FALSE(std::isinf(timeOf(cost, 9)));
}

TEST(Prediction, ClustersFitGroups) {
  DeviceFigures device;
  device.multiprocessors = 132;
  EXPECT_EQ(device.clusterPlaces(4), 33);
  device.groups = {18, 18, 18, 18, 16, 16, 14, 14};
  EXPECT_EQ(device.clusterPlaces(1), 132);
  EXPECT_EQ(device.clusterPlaces(4), 30);
  EXPECT_EQ(device.clusterPlaces(200), 1);
}

TEST(Prediction, CountedClustersCountForMoreThanGroups) {
  CostSpec cost = tiledCost(64, 1000);
  cost.launch.cluster = {2, 1, 1};
  cost.device.multiprocessors = 8;
  std::vector<const CostSpec *> costs = {&cost};
  int64_t shape[] = {8 * 64, 1024}, strides[] = {1024, 1};
  ExprArg arg = {shape, strides, 2, false, 0};
  auto timeWith = [&](std::vector<int64_t> places) {
    double time = 0;
    LaunchPredictor(costs, Span<const int64_t>(places.data(), places.size()))
        .predict(Span<const ExprArg>(&arg, 1), &time);
    return time;
  };
  // Four pairs run at a time, or three: one of them in a round of its own.
  EXPECT_EQ(timeWith({0}), timeWith({}));
  EXPECT_EQ(timeWith({4}), timeWith({}));
  EXPECT_GT(timeWith({3}), 1.2 * timeWith({4}));
  cost.launch.places = 3;
  EXPECT_EQ(timeWith({}), timeWith({3}));
}

TEST(Prediction, CostsRoundTripAsText) {
  CostSpec cost = tiledCost(64, 100);
  cost.device.groups = {2, 2};
  cost.launch.cluster = {2, 1, 1};
  cost.launch.hasRoles = true;
  cost.launch.split = 4;
  std::string text = serializeCost(cost);
  Result<CostSpec> read = parseCost(text);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(serializeCost(*read), text);
  EXPECT_EQ(timeOf(*read, 1000), timeOf(cost, 1000));
  EXPECT_EQ(serializeCost(CostSpec()), "null");
  EXPECT_TRUE(parseCost("null")->empty());
}

TEST(Prediction, MalformedCostsAreRefused) {
  std::string text = serializeCost(tiledCost(64, 100));
  EXPECT_FALSE(parseCost("{").ok());
  EXPECT_FALSE(parseCost("7").ok());
  auto after = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in " << text;
    changed.replace(at, from.size(), to);
    return parseCost(changed).message();
  };
  auto has = [](const std::string &message, const std::string &part) {
    EXPECT_NE(message.find(part), std::string::npos)
        << "expected '" << part << "' in '" << message << "'";
  };
  has(after("\"max_ghz\":2.0", "\"max_ghz\":0.0"), "'max_ghz' to be above 0");
  has(after("\"max_ghz\":2.0", "\"max_ghz\":-1"), "a number of 0 or more");
  has(after("\"max_ghz\":2.0", "\"max_ghz\":\"fast\""),
      "a number of 0 or more");
  has(after("\"multiprocessors\":4", "\"multiprocessors\":0"),
      "an integer in [1");
  has(after("\"groups\":[]", "\"groups\":[0]"), "groups of 1 or more");
  has(after("\"cluster\":[1,1,1]", "\"cluster\":[1,1]"),
      "a cluster of three extents");
  has(after("\"varies\":[true,false,false]", "\"varies\":[true]"),
      "to have 3 elements");
  has(after("\"varies\":[true,false,false]", "\"varies\":[1,0,0]"),
      "to hold true or false");
  has(after("\"loop\":1", "\"loop\":2"), "an integer in [0, 1]");
  has(after("\"parent\":0,", ""), "expected the field 'parent'");
  has(after("\"stages\":4", "\"stages\":4,\"steps\":4"),
      "unknown field 'steps'");
  has(after("\"trips\":16", "\"trips\":\"many\""), "expected an expression");
}

} // namespace
