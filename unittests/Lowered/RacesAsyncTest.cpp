//===- RacesAsyncTest.cpp - asynchronous operations and fences ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule of lib/Lowered/Races.h in both directions: the race is found, and
// with the missing synchronization there is none.
//
//===----------------------------------------------------------------------===//

#include "RacesTestUtil.h"

using namespace racestest;

namespace {

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

TEST_F(RacesTest, AsyncReadNeedsTheFence) {
  write(0, 0, 16, 7);
  std::optional<Race> race = asyncOnce(0, AccessKind::Read, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
  EXPECT_EQ(race->otherSite, 7u);
  EXPECT_EQ(race->proxy, Proxy::Async);
  EXPECT_EQ(race->otherProxy, Proxy::Generic);
  write(0, 32, 16);
  detector.fenceProxy(0);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Read, 32, 16));
}

TEST_F(RacesTest, FenceCoversEarlierWritesOnly) {
  write(0, 0, 4);
  detector.fenceProxy(0);
  write(0, 4, 4);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Read, 0, 4));
  EXPECT_TRUE(asyncOnce(0, AccessKind::Read, 4, 4));
}

/// The usual order (writers fence, then a barrier), and a fence of the reader
/// after the barrier, which also works; no fence does not.
TEST_F(RacesTest, FenceTravelsThroughBarriers) {
  std::vector<Agent> all = threads(0, 128);
  for (Agent thread : all) {
    write(thread, thread * 16, 16);
    detector.fenceProxy(thread);
  }
  detector.synchronize(all);
  EXPECT_FALSE(asyncOnce(5, AccessKind::Read, 0, 128 * 16));
  detector.synchronize(all);
  for (Agent thread : all)
    write(thread, 4096 + thread * 16, 16);
  detector.synchronize(all);
  std::optional<Race> race = asyncOnce(5, AccessKind::Read, 4096, 128 * 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
  detector.fenceProxy(5);
  EXPECT_FALSE(asyncOnce(5, AccessKind::Read, 4096, 128 * 16));
}

TEST_F(RacesTest, FenceWithoutOrderIsARace) {
  write(0, 0, 4);
  detector.fenceProxy(0);
  std::optional<Race> race = asyncOnce(1, AccessKind::Read, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_FALSE(race->onlyFenceMissing);
}

TEST_F(RacesTest, AsyncWriteAfterGenericReadNeedsTheFence) {
  memory.reset(true);
  read(0, 0, 16);
  EXPECT_TRUE(asyncOnce(1, AccessKind::Write, 0, 16));
  memory.reset(true);
  read(0, 0, 16);
  order(0, 1);
  std::optional<Race> race = asyncOnce(1, AccessKind::Write, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
  memory.reset(true);
  read(0, 0, 16);
  detector.fenceProxy(0);
  order(0, 1);
  EXPECT_FALSE(asyncOnce(1, AccessKind::Write, 0, 16));
}

TEST_F(RacesTest, AsyncWriteAfterGenericWriteNeedsTheFence) {
  write(0, 0, 16);
  order(0, 1);
  std::optional<Race> race = asyncOnce(1, AccessKind::Write, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
}

/// Of two races at a byte the one without order is reported.
TEST_F(RacesTest, MissingOrderComesBeforeMissingFence) {
  write(0, 0, 4, 7);
  order(0, 1);
  order(0, 2);
  read(2, 0, 4, 8);
  std::optional<Race> race = asyncOnce(1, AccessKind::Write, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_FALSE(race->onlyFenceMissing);
  EXPECT_EQ(race->otherSite, 8u);
}

TEST_F(RacesTest, GenericReadWaitsForAsyncWrite) {
  Agent load = detector.beginAsync(0);
  EXPECT_FALSE(async(load, AccessKind::Write, 0, 64));
  std::optional<Race> race = read(0, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->other, load);
  EXPECT_EQ(race->otherProxy, Proxy::Async);
  Signal full;
  detector.endAsync(load, full);
  EXPECT_TRUE(read(0, 4, 4));
  detector.acquire(0, full);
  detector.acquire(9, full);
  EXPECT_FALSE(read(0, 8, 4));
  EXPECT_FALSE(read(9, 8, 4));
  EXPECT_TRUE(read(10, 8, 4));
}

TEST_F(RacesTest, GenericWriteWaitsForAsyncRead) {
  detector.fenceProxy(0);
  Agent store = detector.beginAsync(0);
  EXPECT_FALSE(async(store, AccessKind::Read, 0, 64));
  EXPECT_FALSE(read(0, 0, 4));
  EXPECT_TRUE(write(0, 4, 4));
  Signal done;
  detector.endAsync(store, done);
  detector.acquire(0, done);
  EXPECT_FALSE(write(0, 8, 4));
}

TEST_F(RacesTest, AsyncOperationsNeedOrderAmongEachOther) {
  Agent load = detector.beginAsync(0);
  async(load, AccessKind::Write, 0, 64);
  async(load, AccessKind::Write, 64, 64);
  EXPECT_TRUE(asyncOnce(0, AccessKind::Read, 0, 64));
  Signal full;
  detector.endAsync(load, full);
  detector.acquire(0, full);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Read, 64, 64)); // no fence
}

TEST_F(RacesTest, OperationDoesNotRaceWithItself) {
  Agent reduce = detector.beginAsync(0);
  EXPECT_FALSE(async(reduce, AccessKind::Read, 0, 64));
  EXPECT_FALSE(async(reduce, AccessKind::Write, 0, 64));
  EXPECT_FALSE(async(reduce, AccessKind::Read, 0, 64));
}

/// The issuer's accesses after the start of an operation are not before it.
TEST_F(RacesTest, OperationKnowsTheIssuerUpToItsStart) {
  Agent store = detector.beginAsync(0);
  write(0, 0, 4);
  detector.fenceProxy(0);
  std::optional<Race> race = async(store, AccessKind::Read, 0, 4);
  ASSERT_TRUE(race);
  EXPECT_FALSE(race->onlyFenceMissing);
}

/// A consumer that waits for the multiplication knows the load that the
/// multiplication waited for: the next load may write the same stage.
TEST_F(RacesTest, CompletionHandsOnWhatTheOperationKnew) {
  Signal full, empty;
  Agent load = detector.beginAsync(0);
  async(load, AccessKind::Write, 0, 64);
  detector.endAsync(load, full);
  detector.acquire(1, full);
  Agent multiply = detector.beginAsync(1);
  EXPECT_FALSE(async(multiply, AccessKind::Read, 0, 64));
  detector.endAsync(multiply, empty);
  detector.acquire(0, empty);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Write, 0, 64));
}

/// cp.async writes through the generic proxy.
TEST_F(RacesTest, GenericWriteOfAnOperationNeedsTheFence) {
  Agent copy = detector.beginAsync(0);
  write(copy, 0, 16);
  EXPECT_TRUE(read(0, 0, 16));
  Signal done;
  detector.endAsync(copy, done);
  detector.acquire(0, done);
  EXPECT_FALSE(read(0, 0, 16));
  std::optional<Race> race = asyncOnce(0, AccessKind::Read, 0, 16);
  ASSERT_TRUE(race);
  EXPECT_TRUE(race->onlyFenceMissing);
  detector.fenceProxy(0);
  EXPECT_FALSE(asyncOnce(0, AccessKind::Read, 0, 16));
}

/// More operations in flight than agents: races may be missed, none invented.
TEST_F(RacesTest, OperationsShareAgentsWhenNoneIsFree) {
  std::vector<Agent> loads;
  for (unsigned i = 0; i < 100; ++i) {
    write(i, i * 16, 16);
    detector.fenceProxy(i);
    loads.push_back(detector.beginAsync(i));
  }
  std::vector<Signal> done(100);
  for (unsigned i = 0; i < 100; ++i)
    EXPECT_FALSE(async(loads[i], AccessKind::Write, i * 16, 16));
  for (unsigned i = 0; i < 100; ++i)
    detector.endAsync(loads[i], done[i]);
  for (unsigned i = 0; i < 100; ++i) {
    detector.acquire(i, done[i]);
    EXPECT_FALSE(read(i, i * 16, 16));
  }
}

} // namespace
